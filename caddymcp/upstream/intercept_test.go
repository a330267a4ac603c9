package upstream

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// An interceptor sees every request that leaves, each repetition and redirect
// as well, and what it does not send does not leave.
func TestIntercept(t *testing.T) {
	t.Setenv("CADDYMCP_TEST_KEY", "intercepted-key-7d1f")
	api := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new", http.StatusFound)
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	u := ready(t, &Upstream{
		Name: "api",
		URL:  api.URL,
		Headers: []Header{
			{Name: "Authorization", Value: "Token {env.CADDYMCP_TEST_KEY}"},
			{Name: "X-Tool", Value: "{mcp.tool}"},
			{Name: "X-Plain", Value: "plain"},
			{Name: "X-Mixed", Value: "{mcp.tool} {env.CADDYMCP_TEST_KEY}"},
			{Name: "Host", Value: "api.example.com"},
		},
		RetryBackoff: 1,
		SafeRequests: []SafeRequest{{Method: "POST", Path: "/search"}},
	})
	var seen []*Attempt
	refused := errors.New("refused")
	Set{u}.Intercept(func(a *Attempt, send func() (*program.Response, error)) (*program.Response, error) {
		seen = append(seen, a)
		if !a.Reading {
			return nil, refused
		}
		return send()
	})
	ctx := WithCall(t.Context(), &Call{Tool: "look"})
	for _, tc := range []struct {
		method, path string
		urls         []string
		reading      bool
	}{
		{"GET", "/old", []string{"/old", "/new"}, true},
		{"GET", "/broken", []string{"/broken", "/broken", "/broken"}, true},
		{"POST", "/search", []string{"/search"}, true},
		{"POST", "/broken", []string{"/broken"}, false},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			seen = nil
			header := http.Header{"X-Api-Key": {"the tool's own"}}
			_, err := u.Send(ctx, &program.Request{Method: tc.method, Path: tc.path, Header: header, Body: []byte("b"), ContentType: "text/plain"})
			if failed := err != nil; failed != (tc.path == "/broken") {
				t.Errorf("the error is %v", err)
			}
			if len(seen) != len(tc.urls) {
				t.Fatalf("it sees %d requests, want %d", len(seen), len(tc.urls))
			}
			for i, a := range seen {
				if a.Method != tc.method || a.URL != api.URL+tc.urls[i] || a.Reading != tc.reading || string(a.Body) != "b" {
					t.Errorf("it sees %+v", a)
				}
				for name, want := range map[string]string{
					"Authorization": "Token {env.CADDYMCP_TEST_KEY}",
					"X-Tool":        "look",
					"X-Plain":       "plain",
					"X-Mixed":       "{mcp.tool} {env.CADDYMCP_TEST_KEY}",
					"X-Api-Key":     "…",
					"Host":          "api.example.com",
					"Content-Type":  "text/plain",
				} {
					if got := a.Header.Get(name); got != want {
						t.Errorf("%s is '%s', want '%s'", name, got, want)
					}
				}
			}
		})
	}
}

// What is shown of a request holds no secret, whether the config or the tool has
// put it there.
func TestInterceptHidesSecrets(t *testing.T) {
	api := newAPI(t, nil)
	t.Setenv("CADDYMCP_TEST_PATH", api.URL+"/intercepted-path-3e9a")
	for _, tc := range []struct{ name, url, path, query, want string }{
		{"a plain path", api.URL + "/api", "/a b", "", api.URL + "/api/a%20b"},
		{"a path from the environment", "{env.CADDYMCP_TEST_PATH}", "/x", "", "{env.CADDYMCP_TEST_PATH}/x"},
		{"a slash", "{env.CADDYMCP_TEST_PATH}/", "/x", "q=1", "{env.CADDYMCP_TEST_PATH}/x?q=1"},
		{"a key in the query", api.URL, "/x", "q=a+b&api_key=1&apiKey=2&tok%65n=3&sig=4&design=5", api.URL + "/x?q=a+b&api_key=…&apiKey=…&tok%65n=…&sig=…&design=5"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u := ready(t, &Upstream{Name: "api", URL: tc.url})
			var seen *Attempt
			Set{u}.Intercept(func(a *Attempt, send func() (*program.Response, error)) (*program.Response, error) {
				seen = a
				return send()
			})
			header := http.Header{"Apikey": {"k"}, "X-Signature": {"s"}, "X-Auth": {"a"}, "X-Author": {"Ada"}, "Idempotency-Key": {"once"}}
			path := strings.ReplaceAll(tc.path, " ", "%20") + "?" + tc.query
			if _, err := u.Send(t.Context(), &program.Request{Method: "GET", Path: strings.TrimSuffix(path, "?"), Header: header}); err != nil {
				t.Fatal(err)
			}
			if seen.URL != tc.want {
				t.Errorf("it shows\n%s\nwant\n%s", seen.URL, tc.want)
			}
			for name, want := range map[string]string{"Apikey": "…", "X-Signature": "…", "X-Auth": "…", "X-Author": "Ada", "Idempotency-Key": "once"} {
				if got := seen.Header.Get(name); got != want {
					t.Errorf("%s is '%s', want '%s'", name, got, want)
				}
			}
		})
	}
}

// An error about a URL does not show who it is for, or what it asks.
func TestURLErrorsHideSecrets(t *testing.T) {
	for _, url := range []string{
		"http://user:hidden-5f2c@127.0.0.1/api",
		"http://user:a/hidden-5f2c@127.0.0.1/api",
		"http://user:hidden-5f2c @127.0.0.1/api",
		"user:hidden-5f2c@127.0.0.1",
		"http://127.0.0.1/api?key=hidden-5f2c",
		"http://user:hidden-5f2c@127.0.0.1/{env.CADDYMCP_TEST_UNSET}",
	} {
		err := provision(t, &Upstream{URL: url})
		if err == nil || strings.Contains(err.Error(), "hidden") || !strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("the error of '%s' is %v", url, err)
		}
	}
}
