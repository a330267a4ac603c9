package caddymcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// scrape reads the metrics of a site with the metrics directive at /metrics.
func scrape(t testing.TB, s *site) string {
	t.Helper()
	resp, err := http.Get(s.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the metrics answer %s: %v", resp.Status, err)
	}
	return string(text)
}

// series are the values of our metrics for the server 'observed', without
// buckets and sums. The label of the server is left out of their names.
func series(t testing.TB, s *site) map[string]float64 {
	t.Helper()
	values := make(map[string]float64)
	for line := range strings.Lines(scrape(t, s)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, ours := strings.CutPrefix(name, "caddy_mcp_")
		name, label, labels := strings.Cut(name, `server="observed"`)
		if !ours || !labels || strings.Contains(name, "_bucket{") || strings.Contains(name, "_sum{") {
			continue
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		values[name+strings.TrimPrefix(label, ",")] = value
	}
	return values
}

// observedSite has tools that succeed and fail, and two callers.
func observedSite(t *testing.T, a *api) *site {
	t.Helper()
	t.Setenv("CADDYMCP_TEST_COOK", "cook-token-7f3a9c1e5b2d8064")
	t.Setenv("CADDYMCP_TEST_GUEST", "guest-token-1b5d7e9f3a2c4680")
	t.Setenv("CADDYMCP_TEST_SECRET", "url-secret-52c7d1a09e4b8f36")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	return serveSite(t, fmt.Sprintf(`metrics /metrics
	mcp {
		name observed
		auth {
			url_secret {env.CADDYMCP_TEST_SECRET}
			bearer cook {env.CADDYMCP_TEST_COOK} {
				scopes pantry:write
			}
			bearer guest {env.CADDYMCP_TEST_GUEST}
		}
		upstream pantry %s {
			retry 1 1ms
		}
		upstream gone %s {
			retry 0
		}
		tool read {
			description "Reads."
			param id string required
			upstream pantry
			get /items/{id}
		}
		tool both {
			description "Reads two."
			param id string required
			run %s
			upstream pantry
		}
		tool write {
			description "Writes."
			scope pantry:write
			upstream pantry
			post /items
		}
		tool lost {
			description "Does not arrive."
			upstream gone
			get /items
		}
	}`, a.URL, gone.URL, "`get(\"/items/\\($args.id)\") as $x | get(\"/items/2\") | [$x, .]`"))
}

// pantryItems answers 500 for /items/broken.
func pantryItems(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/items/broken" {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	io.WriteString(w, `{"name":"replied-salt"}`)
}

const (
	cook  = "Bearer cook-token-7f3a9c1e5b2d8064"
	guest = "Bearer guest-token-1b5d7e9f3a2c4680"
)

// Every series that a request changes, by how much.
func TestMetrics(t *testing.T) {
	s := observedSite(t, serveAPI(t, pantryItems))
	callAs := func(t *testing.T, authorization, tool, args string) {
		post(t, s.URL+"/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args),
			"Authorization", authorization)
	}
	everything := ""
	for _, tc := range []struct {
		name string
		do   func(t *testing.T)
		want map[string]float64
	}{
		{
			name: "a call that succeeds",
			do:   func(t *testing.T) { callAs(t, cook, "read", `{"id":"asked-salt"}`) },
			want: map[string]float64{
				`calls_total{outcome="ok",tool="read"}`:                   1,
				`call_duration_seconds_count{tool="read"}`:                1,
				`reply_size_bytes_count{tool="read"}`:                     1,
				`upstream_requests_total{status="2xx",upstream="pantry"}`: 1,
			},
		},
		{
			name: "an error of the API, which is tried twice",
			do:   func(t *testing.T) { callAs(t, cook, "read", `{"id":"broken"}`) },
			want: map[string]float64{
				`calls_total{outcome="upstream_error",tool="read"}`:       1,
				`call_duration_seconds_count{tool="read"}`:                1,
				`reply_size_bytes_count{tool="read"}`:                     1,
				`upstream_requests_total{status="5xx",upstream="pantry"}`: 2,
			},
		},
		{
			name: "an API that is gone",
			do:   func(t *testing.T) { callAs(t, cook, "lost", `{}`) },
			want: map[string]float64{
				`calls_total{outcome="upstream_error",tool="lost"}`:      1,
				`call_duration_seconds_count{tool="lost"}`:               1,
				`reply_size_bytes_count{tool="lost"}`:                    1,
				`upstream_requests_total{status="none",upstream="gone"}`: 1,
			},
		},
		{
			name: "wrong arguments",
			do:   func(t *testing.T) { callAs(t, cook, "read", `{"id":"x","bogus":"typed"}`) },
			want: map[string]float64{
				`calls_total{outcome="refused",tool="read"}`: 1,
				`call_duration_seconds_count{tool="read"}`:   1,
				`reply_size_bytes_count{tool="read"}`:        1,
			},
		},
		{
			name: "tools that are not declared",
			do: func(t *testing.T) {
				for i := range 10 {
					callAs(t, cook, fmt.Sprintf("bogus-%d", i), `{}`)
				}
			},
			want: map[string]float64{},
		},
		{
			name: "a wrong token",
			do:   func(t *testing.T) { callAs(t, "Bearer bogus-token", "read", `{"id":"x"}`) },
			want: map[string]float64{`auth_refusals_total{status="401"}`: 1},
		},
		{
			name: "a wrong secret",
			do:   func(t *testing.T) { post(t, s.URL+"/mcp/bogus-secret-52c7d1a09e4b8f36", `{}`) },
			want: map[string]float64{`auth_refusals_total{status="404"}`: 1},
		},
		{
			name: "a scope that the caller lacks",
			do:   func(t *testing.T) { callAs(t, guest, "write", `{}`) },
			want: map[string]float64{`auth_refusals_total{status="403"}`: 1},
		},
		{
			name: "a right secret",
			do: func(t *testing.T) {
				if resp, body := post(t, s.URL+"/mcp/url-secret-52c7d1a09e4b8f36", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); resp.StatusCode != http.StatusOK {
					t.Errorf("%s %s", resp.Status, body)
				}
			},
			want: map[string]float64{},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := series(t, s)
			tc.do(t)
			after := series(t, s)
			for name, value := range after {
				if value == before[name] {
					delete(after, name)
				} else {
					after[name] -= before[name]
				}
			}
			if !maps.Equal(after, tc.want) {
				t.Errorf("changed %v,\nwant    %v", after, tc.want)
			}
			everything = scrape(t, s)
		})
	}
	for _, word := range []string{"token", "secret-", "bogus", "typed", "salt", "guest", "cook", "127.0.0.1"} {
		if strings.Contains(everything, word) {
			t.Errorf("the metrics hold '%s'", word)
		}
	}
}

// A request that stands alone has no session, one that begins with initialize
// opens one.
func TestSessionsMetric(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := observedSite(t, serveAPI(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
	}))
	expect := func(when string, want float64) {
		t.Helper()
		if got, ok := series(t, s)[`sessions{}`]; !ok || got != want {
			t.Errorf("%s: %v sessions, want %v", when, got, want)
		}
	}
	expect("at the beginning", 0)

	done := make(chan struct{})
	go func() {
		defer close(done)
		post(t, s.URL+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"id":"1"}}}`, "Authorization", cook)
	}()
	<-arrived
	expect("during a call without one", 0)
	close(release)
	<-done

	resp, body := post(t, s.URL+"/mcp", initialize, "Authorization", cook)
	if resp.StatusCode != http.StatusOK {
		t.Fatal(body)
	}
	expect("with one", 1)
	req, err := http.NewRequest(http.MethodDelete, s.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", cook)
	req.Header.Set("Mcp-Session-Id", resp.Header.Get("Mcp-Session-Id"))
	ended, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	ended.Body.Close()
	expect("when it has ended", 0)
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// A config with two servers registers the metrics once, and the next config
// goes on with their values. Servers of one name count as one.
func TestMetricsOfSeveralServers(t *testing.T) {
	a := serveAPI(t, nil)
	first := observedSite(t, a)
	before := series(t, first)
	post(t, first.URL+"/mcp", initialize, "Authorization", cook)
	post(t, first.URL+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"id":"1"}}}`, "Authorization", cook)

	block := "mcp {\nname observed\npath %s\nauth none\nupstream " + a.URL + "\n}\n"
	second := serveSite(t, "metrics /metrics\n"+fmt.Sprintf(block, "/a")+fmt.Sprintf(block, "/b"))
	post(t, second.URL+"/a", initialize)
	after := series(t, second)
	for name, want := range map[string]float64{
		`calls_total{outcome="ok",tool="read"}`: before[`calls_total{outcome="ok",tool="read"}`] + 1,
		`sessions{}`:                            2,
	} {
		if after[name] != want {
			t.Errorf("%s is %v, want %v", name, after[name], want)
		}
	}
}

// The requests of checks count too.
func TestMetricsOfChecks(t *testing.T) {
	s := serveSite(t, fmt.Sprintf(`metrics /metrics
	mcp {
		name observed
		auth none
		upstream food %s {
			check `+"`get(\"/about\") | \"fine\"`"+`
		}
	}`, serveAPI(t, nil).URL))
	const name = `upstream_requests_total{status="2xx",upstream="food"}`
	before := series(t, s)[name]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.handler.startChecks(ctx)
	eventually(t, "the request of the check is counted", func() bool { return series(t, s)[name] == before+1 })
}

func TestContentSize(t *testing.T) {
	for _, tc := range []struct {
		name   string
		result mcp.CallToolResult
		want   int
	}{
		{"nothing", mcp.CallToolResult{}, 0},
		{"text", mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "grün"}, &mcp.TextContent{Text: "ab"}}}, 7},
		{"structured", mcp.CallToolResult{StructuredContent: json.RawMessage(`{"a":1}`)}, 7},
		{"an image", mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte("abc"), MIMEType: "image/png"}}}, len(`{"type":"image","mimeType":"image/png","data":"YWJj"}`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := contentSize(&tc.result); got != tc.want {
				t.Errorf("%d bytes, want %d", got, tc.want)
			}
		})
	}
}
