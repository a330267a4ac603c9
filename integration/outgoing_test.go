package integration

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A recorder stands before an API and keeps what it receives.
type recorder struct {
	mu       sync.Mutex
	requests []string // in the form of the wire
	headers  []http.Header
}

func (rec *recorder) wrap(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var wire bytes.Buffer
		fmt.Fprintf(&wire, "%s %s\nHost: %s\n", r.Method, r.RequestURI, r.Host)
		r.Header.Write(&wire)
		wire.Write(body)
		rec.mu.Lock()
		rec.requests = append(rec.requests, wire.String())
		rec.headers = append(rec.headers, r.Header.Clone())
		rec.mu.Unlock()

		// What an API says to a browser is not for the client, nor sent back.
		w.Header().Set("Set-Cookie", "sessionid=of-the-api")
		w.Header().Set("X-Internal", "of-the-api")
		r.Body = io.NopCloser(bytes.NewReader(body))
		api.ServeHTTP(w, r)
	})
}

// A chatty transport sends what clients, proxies and browsers may send along,
// all of it with the word 'client', and looks at the replies.
type chatty struct {
	http.RoundTripper
	origin string
	t      *testing.T
}

func (c chatty) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for _, name := range []string{
		"Cookie", "Referer", "User-Agent", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
		"Forwarded", "Via", "Traceparent", "Tracestate", "Baggage", "Accept-Language", "Cache-Control", "If-None-Match",
		"Idempotency-Key", "X-Csrf-Token", "X-Request-Id", "X-Anything", "Proxy-Authorization", "Priority", "From",
	} {
		r.Header.Set(name, "client="+strings.ToLower(name))
	}
	r.Header.Set("Authorization", "Bearer client-token")
	r.Header.Set("Origin", c.origin)
	r.URL.RawQuery = "client=query"
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil {
		for name, values := range resp.Header {
			if name == "Set-Cookie" || strings.Contains(strings.Join(values, " "), "of-the-api") {
				c.t.Errorf("the client receives the API's %s: %s", name, values)
			}
		}
	}
	return resp, err
}

func TestNothingOfTheRequestGoesOut(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		for _, version := range []string{modern, legacy} {
			t.Run(version, func(t *testing.T) {
				rec := new(recorder)
				how.wrap = rec.wrap
				s := how.start(t)
				session := connect(t, s.endpoint(), chatty{s.transport(t), s.site, t}, version)
				calls := []struct {
					tool, args string
					first      string // line of the request
					headers    []string
				}{
					{"get_pantry", `{"location":"fridge","include_out":true}`, "GET /api/pantry/?location=fridge", nil},
					{"set_item_state", `{"ingredient":"tofu","state":"low"}`, "POST /api/pantry/set-state/", []string{"Content-Length", "Content-Type"}},
					{"create_meta_recipe", `{"name":"Toast","method":"","slots":[]}`, "POST /api/create-meta-recipe/", []string{"Content-Length", "Content-Type"}},
					{"what_can_i_cook", `{}`, "GET /api/what-can-i-cook/", nil},
				}
				for _, c := range calls {
					if text, isError := call(t, session, c.tool, c.args); isError {
						t.Fatalf("%s answers with an error: %s", c.tool, text)
					}
				}
				rec.mu.Lock()
				defer rec.mu.Unlock()
				if len(rec.requests) != len(calls) {
					t.Fatalf("the API has received %d requests, want %d:\n%s", len(rec.requests), len(calls), strings.Join(rec.requests, "\n\n"))
				}
				for i, c := range calls {
					got, header := rec.requests[i], rec.headers[i]
					if first, _, _ := strings.Cut(got, "\n"); first != c.first {
						t.Errorf("the request is %s, want %s", first, c.first)
					}
					if !strings.Contains(got, "\nHost: "+strings.TrimPrefix(s.api.URL, "http://")+"\n") {
						t.Errorf("%s: the host is not the API's:\n%s", c.first, got)
					}
					for _, word := range []string{"client", "of-the-api", pantrySecret, "/mcp", "jsonrpc"} {
						if strings.Contains(strings.ToLower(got), word) {
							t.Errorf("%s holds '%s':\n%s", c.first, word, got)
						}
					}
					want := slices.Sorted(slices.Values(append(c.headers, "Accept", "Accept-Encoding", "Authorization", "Cdn-Loop", "User-Agent")))
					if names := slices.Sorted(maps.Keys(header)); !slices.Equal(names, want) {
						t.Errorf("%s has the headers %s, want %s", c.first, names, want)
					}
					same(t, "Authorization", header["Authorization"], []string{"Token " + pantryToken})
					same(t, "User-Agent", header["User-Agent"], []string{"caddymcp"})
				}
			})
		}
	})
}
