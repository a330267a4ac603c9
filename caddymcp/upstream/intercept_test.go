package upstream

import (
	"errors"
	"net/http"
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
