// Package refapitest is what the tests of the reference APIs have in common:
// an API over real HTTP, requests to it, and files that it must refuse.
package refapitest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Serve serves an API until the test ends, and returns its URL.
func Serve(t testing.TB, api http.Handler) (url string) {
	t.Helper()
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return server.URL
}

// A Reply is what an API answered.
type Reply struct {
	Status int
	Header http.Header
	Body   string

	t testing.TB
}

// Send sends one request, following no redirect. Headers are pairs of name and
// value; without a value one that stands before is not sent.
func Send(t testing.TB, method, url, body string, headers ...string) *Reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Del(headers[i])
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &Reply{res.StatusCode, res.Header, string(raw), t}
}

// Is checks the status and the whole body.
func (r *Reply) Is(status int, body string) {
	r.t.Helper()
	if r.Status != status || r.Body != body {
		r.t.Errorf("got  %d %s\nwant %d %s", r.Status, r.Body, status, body)
	}
}

// Holds checks the status, and that the texts are in the body.
func (r *Reply) Holds(status int, texts ...string) *Reply {
	r.t.Helper()
	if r.Status != status {
		r.t.Errorf("got %d, want %d: %s", r.Status, status, r.Body)
	}
	for _, text := range texts {
		if !strings.Contains(r.Body, text) {
			r.t.Errorf("got %s\nwithout %s", r.Body, text)
		}
	}
	return r
}

// Lacks checks that the texts are not in the body.
func (r *Reply) Lacks(texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		if strings.Contains(r.Body, text) {
			r.t.Errorf("got %s\nwith %s", r.Body, text)
		}
	}
}

// Decode checks the status and decodes the body.
func Decode[T any](r *Reply, status int) (v T) {
	r.t.Helper()
	if r.Status != status {
		r.t.Fatalf("got %d %s, want %d", r.Status, r.Body, status)
	}
	if err := json.Unmarshal([]byte(r.Body), &v); err != nil {
		r.t.Fatalf("%v in %s", err, r.Body)
	}
	return v
}

// Refuses checks that an API does not open files with these contents, by name,
// says which file it is, and leaves it alone.
func Refuses(t *testing.T, open func(file string) error, contents map[string]string) {
	t.Helper()
	for name, content := range contents {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "data.json")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := open(file); err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("got %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != content {
				t.Errorf("the file now holds %s %v", after, err)
			}
		})
	}
}
