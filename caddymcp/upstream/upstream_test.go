package upstream

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

func TestSafe(t *testing.T) {
	u := &Upstream{SafeRequests: []SafeRequest{
		{"POST", "/parse"}, {"POST", "/parse/*/one"}, {"PUT", "/a%20b"},
	}}
	tests := []struct {
		method, path string
		want         bool
	}{
		{"GET", "/x", true},
		{"HEAD", "", true},
		{"POST", "/parse", true},
		{"POST", "/parse/", false},
		{"POST", "/parse/7/one", true},
		{"POST", "/parse/*/one", true}, // a computed segment, covered by '*'
		{"POST", "/parse/7/two", false},
		{"POST", "/parse/7/*", false}, // a computed segment where the path is literal
		{"POST", "/*", false},
		{"POST", "", false},
		{"POST", "/parse//one", false},
		{"PUT", "/parse", false},
		{"PUT", "/a b", true},
		{"", "/parse", false},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			if got := u.Safe(tt.method, tt.path); got != tt.want {
				t.Errorf("Safe: %v", got)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		u    *Upstream
		want string
	}{
		{"nothing", &Upstream{}, "there is no URL"},
		{"nothing but a name", &Upstream{Name: "x"}, "there is no URL"},
		{"two forms", &Upstream{URL: "http://a", Routes: handlers(`{"handler":"vars"}`)}, "keep one"},
		{"transport before handlers", &Upstream{Routes: handlers(`{"handler":"vars"}`), Transport: new(reverseproxy.HTTPTransport)}, "inside reverse_proxy"},
		{"PROXY protocol", &Upstream{URL: "http://a", Transport: &reverseproxy.HTTPTransport{ProxyProtocol: "v2"}}, "PROXY protocol"},
		{"TLS to http", &Upstream{URL: "http://a", Transport: &reverseproxy.HTTPTransport{TLS: new(reverseproxy.TLSConfig)}}, "is not https"},
		{"negative", &Upstream{URL: "http://a", Concurrency: -1}, "cannot be negative"},
		{"safe method", &Upstream{URL: "http://a", SafeRequests: []SafeRequest{{"post", "/a"}}}, "in capitals, not 'post'"},
		{"safe path", &Upstream{URL: "http://a", SafeRequests: []SafeRequest{{"POST", "a"}}}, "does not begin with '/'"},
		{"cache path", &Upstream{URL: "http://a", Caches: hour("/a?b")}, "write the path alone"},
		{"cache without paths", &Upstream{URL: "http://a", Caches: hour()}, "at least one path"},
		{"cache for ever", &Upstream{URL: "http://a", Caches: []Cache{{Paths: []string{"/a"}}}}, "above zero"},
		{"URL placeholder", &Upstream{URL: "{BOOKS_URL}/api"}, "unknown placeholder '{BOOKS_URL}': did you mean '{env.BOOKS_URL}'?"},
		{"verify_tls placeholder", &Upstream{URL: "https://a", VerifyTLS: "{VERIFY}"}, "verify_tls: unknown placeholder '{VERIFY}': did you mean '{env.VERIFY}'?"},
		{"verify_tls text", &Upstream{URL: "https://a", VerifyTLS: "maybe"}, "verify_tls: 'maybe' is not a boolean"},
		{"path with a star behind text", &Upstream{URL: "http://a", Caches: hour("/books*")}, "in the path '/books*', only a segment that is '*' stands for any other: write '/books' and '/books/*', each on its own"},
		{"path with two stars", &Upstream{URL: "http://a", Caches: hour("/books/**")}, "write '/books' and '/books/*', each"},
		{"path with two stars alone", &Upstream{URL: "http://a", Caches: hour("/**")}, "write '/' and '/*', each"},
		{"path with a parameter", &Upstream{URL: "http://a", SafeRequests: []SafeRequest{{"POST", "/books/{isbn}"}}}, "write '/books' and '/books/*', each"},
		{"path with a parameter inside", &Upstream{URL: "http://a", SafeRequests: []SafeRequest{{"POST", "/books/{isbn}/parse"}}}, "write '/books/*/parse'"},
		{"path with the base path", &Upstream{URL: "http://a/api/", Caches: hour("/api/books")}, "the path '/api/books' begins with the path of the URL 'http://a/api/': paths are below the URL, so write '/books'"},
		{"drop path with the base path", &Upstream{URL: "http://a/api", Caches: []Cache{{For: 1, Paths: []string{"/a"}, DropOn: []string{"/b", "/api"}}}}, "so write '/'"},
		{"safe path with the base path", &Upstream{URL: "http://a/api", SafeRequests: []SafeRequest{{"POST", "/api/parse"}}}, "so write '/parse'"},
		{"drop path with a star", &Upstream{URL: "http://a", Caches: []Cache{{For: 1, Paths: []string{"/a"}, DropOn: []string{"/b*"}}}}, "write '/b' and '/b/*'"},
		{"drop path", &Upstream{URL: "http://a", Caches: []Cache{{For: 1, Paths: []string{"/a"}, DropOn: []string{"/../b"}}}}, "'.' or '..'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := provision(t, tt.u); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestValidPaths has paths that only look as if they were wrong.
func TestValidPaths(t *testing.T) {
	for url, path := range map[string]string{
		"http://a/api": "/apis/*", "http://a": "/*/x", "http://a/": "/a", "unix//run/x": "/run/x", "http://a/api/v1": "/api/books",
	} {
		if err := provision(t, &Upstream{URL: url, Caches: hour(path)}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestSet(t *testing.T) {
	a, b := newAPI(t, nil), newAPI(t, nil)
	pantry, other := ready(t, &Upstream{Name: "pantry", URL: a.URL}), ready(t, &Upstream{Name: "other", URL: b.URL})

	req := get("/a")
	mustSend(t, Set{pantry}, req) // the only one needs no name
	set := Set{pantry, other}
	req.Upstream = "other"
	mustSend(t, set, req)
	a.expect(t, "GET /a")
	b.expect(t, "GET /a")
	req.Upstream = "none"
	if failure := refusal(t, set, req); failure.Message != "there is no upstream named 'none'" {
		t.Errorf("got %+v", failure)
	}
	req.Upstream = ""
	if failure := refusal(t, set, req); !strings.Contains(failure.Message, "does not say which upstream") {
		t.Errorf("got %+v", failure)
	}
	for want, bad := range map[string]Set{
		"two upstreams are named 'pantry'": {pantry, pantry},
		"several upstreams have no name":   {{URL: "http://a"}, {URL: "http://b"}},
		"upstream 'x': there is no URL":    {{Name: "x"}},
	} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := set.Validate(); err != nil {
		t.Error(err)
	}
}

func TestLookup(t *testing.T) {
	api := &Upstream{Name: "api", SafeRequests: []SafeRequest{{"POST", "/parse"}}}
	web := &Upstream{Name: "web", PublicWeb: true}
	set := Set{api, web}
	if got := strings.Join(set.Names(), " "); got != "api web" {
		t.Errorf("Names: %q", got)
	}
	if name, ok := set.Default(); ok {
		t.Errorf("two named upstreams have the default %q", name)
	}
	if name, ok := (Set{api}).Default(); name != "api" || !ok {
		t.Errorf("Default: %q, %v", name, ok)
	}
	if name, ok := (Set{web, {}}).Default(); name != "" || !ok {
		t.Errorf("Default: %q, %v", name, ok)
	}
	if set.PublicWeb("api") || !set.PublicWeb("web") || set.PublicWeb("none") {
		t.Error("PublicWeb")
	}
	if !set.Safe("api", "POST", "/parse") || set.Safe("web", "POST", "/parse") || set.Safe("none", "GET", "/") {
		t.Error("Safe")
	}
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := chainOf(t, func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(200); return nil })
		u.Check = &Check{Program: program.Source{Text: `get("/about") | .version`}, Required: true}
		ready(t, u)
		start, runs := time.Now(), []time.Duration(nil)
		u.Watch(t.Context(), func(ctx context.Context) (string, error) {
			runs = append(runs, time.Since(start))
			if _, err := u.Send(ctx, get("/about")); err != nil {
				t.Errorf("run %d: the check itself was refused: %v", len(runs), err)
			}
			if len(runs) < 9 {
				return "", &program.Error{Message: "version 1 is too old"}
			}
			return "version 2", nil
		})
		want := []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183}
		for i := range want {
			if i >= len(runs) || runs[i] != want[i]*time.Second {
				t.Fatalf("ran at %v, want %v seconds", runs, want)
			}
		}
		mustSend(t, u, get("/a"))
	})
}

func TestWatchStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := ready(t, chainOf(t, func(http.ResponseWriter, *http.Request) error { return nil }))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			u.Watch(ctx, func(context.Context) (string, error) { return "", errors.New("no") })
			close(done)
		}()
		synctest.Wait()
		cancel()
		<-done
	})
}

func TestDown(t *testing.T) {
	a := newAPI(t, nil)
	required := ready(t, &Upstream{URL: a.URL, Check: &Check{Required: true}})
	required.SetDown(&program.Error{Message: "version 1 is too old", Status: 7})
	if failure := refusal(t, required, get("/a")); failure.Message != "version 1 is too old" {
		t.Errorf("got %+v", failure)
	}
	required.SetDown(errors.New("jq: cannot iterate over null"))
	if failure := refusal(t, required, get("/a")); failure.Message != "the check of the API failed" {
		t.Errorf("got %+v", failure)
	}
	a.expect(t)
	required.SetUp()
	mustSend(t, required, get("/a"))

	informative := ready(t, &Upstream{URL: a.URL, Check: new(Check)})
	informative.SetDown(errors.New("no"))
	mustSend(t, informative, get("/b"))
}
