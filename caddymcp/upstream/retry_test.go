package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

func TestRetry(t *testing.T) {
	two, zero := 2, 0
	tests := []struct {
		name    string
		method  string
		path    string
		retries *int
		answers []int // statuses; 0 is a transport error
		sent    int
		status  int
	}{
		{"first try", "GET", "/a", &two, []int{200}, 1, 200},
		{"after 5xx", "GET", "/a", &two, []int{500, 503, 200}, 3, 200},
		{"after a transport error", "HEAD", "/a", &two, []int{0, 200}, 2, 200},
		{"by default", "GET", "/a", nil, []int{0, 500, 200}, 3, 200},
		{"gives up", "GET", "/a", &two, []int{500, 500, 502, 200}, 3, 502},
		{"gives up without a reply", "GET", "/a", &two, []int{500, 0, 0, 200}, 3, 0},
		{"not wanted", "GET", "/a", &zero, []int{500, 200}, 1, 500},
		{"not after 4xx", "GET", "/a", &two, []int{429, 200}, 1, 429},
		{"safe request", "POST", "/parse", &two, []int{0, 200}, 2, 200},
		{"write after 5xx", "POST", "/a", &two, []int{500, 200}, 1, 500},
		{"write after a transport error", "PUT", "/a", &two, []int{0, 200}, 1, 0},
		{"delete", "DELETE", "/a", &two, []int{503, 200}, 1, 503},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var at []time.Duration
				u := chainOf(t, func(w http.ResponseWriter, _ *http.Request) error {
					at = append(at, time.Since(start))
					status := tt.answers[len(at)-1]
					if status == 0 {
						return caddyhttp.Error(502, errors.New("refused"))
					}
					w.WriteHeader(status)
					return nil
				})
				u.Retries, u.RetryBackoff = tt.retries, caddy.Duration(500*time.Millisecond)
				u.SafeRequests = []SafeRequest{{"POST", "/parse"}}
				ready(t, u)
				resp, err := u.Send(t.Context(), &program.Request{Method: tt.method, Path: tt.path, Raw: true})
				status := 0
				if err == nil {
					status = resp.Status
				}
				if status != tt.status || len(at) != tt.sent {
					t.Errorf("status %d (%v) after %d requests, want %d after %d", status, err, len(at), tt.status, tt.sent)
				}
				backoff := []time.Duration{0, 500 * time.Millisecond, 1500 * time.Millisecond}
				if !slices.Equal(at, backoff[:len(at)]) {
					t.Errorf("sent at %v, want %v", at, backoff[:len(at)])
				}
			})
		})
	}
}

func TestRetryEndsWithTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		u := chainOf(t, func(w http.ResponseWriter, _ *http.Request) error {
			sent++
			w.WriteHeader(500)
			return nil
		})
		u.RetryBackoff = caddy.Duration(time.Hour)
		ready(t, u)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, err := u.Send(ctx, get("/a"))
		if !errors.Is(err, context.DeadlineExceeded) || sent != 1 || time.Since(start) != time.Minute {
			t.Errorf("got %v after %v and %d requests", err, time.Since(start), sent)
		}
	})
}

func TestRedirects(t *testing.T) {
	other := newAPI(t, nil)
	a := newAPI(t, nil)
	a.Config.Handler = a.record(func(w http.ResponseWriter, r *http.Request) {
		var to string
		status := 302
		_, _ = fmt.Sscan(r.URL.Query().Get("s"), &status)
		switch r.URL.Path {
		case "/api/hop":
			to = "/api/end"
		case "/api/loop":
			to = "loop?" + r.URL.RawQuery
		case "/api/out":
			to = "/admin"
		case "/api/dots":
			to = "/api/%2e%2e/admin"
		case "/api/other":
			to = other.URL + "/api/end"
		case "/api/user":
			to = "http://me:pw@" + r.Host + "/api/end"
		case "/api/moved":
			to = "/api/end?" + r.URL.RawQuery
		case "/api/scheme":
			to = "https://" + r.Host + "/api/end"
		case "/api/script":
			to = "javascript:alert(1)"
		case "/api/none":
			w.WriteHeader(status)
			return
		case "/api/slash":
			to = "/api/slash/?" + r.URL.RawQuery
		case "/api/whole/":
			to = "http://" + r.Host + "/api/whole?" + r.URL.RawQuery
		default:
			_, _ = w.Write([]byte(`{}`))
			return
		}
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	})
	u := ready(t, &Upstream{URL: a.URL + "/api", SafeRequests: []SafeRequest{{"POST", "/hop"}}})
	tests := []struct {
		method, path string
		sent         int
		followed     bool
	}{
		{"GET", "/hop", 2, true},
		{"HEAD", "/hop?s=301", 2, true},
		{"GET", "/hop?s=303", 2, true},
		{"GET", "/hop?s=308", 2, true},
		{"GET", "/loop", 4, false},
		{"GET", "/out", 1, false},
		{"GET", "/dots", 1, false},
		{"GET", "/other", 1, false},
		{"GET", "/user", 1, false},
		{"GET", "/scheme", 1, false},
		{"GET", "/script", 1, false},
		{"GET", "/none", 1, false},
		{"POST", "/hop", 1, false},
		{"POST", "/hop?s=307", 1, false},
		{"POST", "/moved?s=307", 1, false},
		{"GET", "/moved?s=307", 2, true},
		{"POST", "/slash?s=307", 2, true},
		{"PUT", "/slash?s=308", 2, true},
		{"DELETE", "/whole/?s=308", 2, true},
		{"POST", "/slash?s=301", 1, false},
		{"POST", "/slash?s=302", 1, false},
		{"POST", "/other?s=307", 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			before := len(a.requests())
			req := &program.Request{Method: tt.method, Path: tt.path, Body: []byte(`{"n":1}`)}
			if tt.followed {
				mustSend(t, u, req)
				if r, body := a.last(t); r.Method != tt.method || (tt.method != "GET" && tt.method != "HEAD" && body != `{"n":1}`) {
					t.Errorf("the redirect became %s %q", r.Method, body)
				}
			} else {
				failure := refusal(t, u, req)
				if failure.Message != "the API redirected to another place, which is not followed" || failure.Status == 0 {
					t.Errorf("got %+v", failure)
				}
				if write := !u.Safe(tt.method, strings.Split(tt.path, "?")[0]); failure.MaybeSent != (write && failure.Status < 307) {
					t.Errorf("may have been carried out: %v", failure.MaybeSent)
				}
				req.Raw = true
				if resp := mustSend(t, u, req); resp.Status != failure.Status {
					t.Errorf("raw: got %d", resp.Status)
				}
				tt.sent *= 2
			}
			if n := len(a.requests()) - before; n != tt.sent {
				t.Errorf("%d requests were sent, want %d", n, tt.sent)
			}
		})
	}
	other.expect(t)
}
