package upstream

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

func TestRequestIsMadeFromNothing(t *testing.T) {
	a := newAPI(t, nil)
	u := ready(t, &Upstream{URL: a.URL + "/api"})
	req := post("/items/a%2Fb%20c", `{"n":1}`)
	req.Query = url.Values{"q": {"x y"}, "tag": {"1", "2"}}
	req.Header = http.Header{"X-Tool": {"yes"}}
	ctx := callFor(t.Context(), &Call{}, http.Header{"Authorization": {"Bearer caller"}, "Cookie": {"a=b"}, "X-Caller": {"1"}})
	if _, err := u.Send(ctx, req); err != nil {
		t.Fatal(err)
	}
	r, body := a.last(t)
	if want := "/api/items/a%2Fb%20c?q=x+y&tag=1&tag=2"; r.RequestURI != want {
		t.Errorf("URI %q, want %q", r.RequestURI, want)
	}
	if body != `{"n":1}` || r.ContentLength != 7 {
		t.Errorf("body %q of length %d", body, r.ContentLength)
	}
	want := http.Header{
		"Accept":          {"application/json, */*;q=0.5"},
		"Accept-Encoding": {"gzip"},
		"Cdn-Loop":        {"caddymcp"},
		"Content-Length":  {"7"},
		"Content-Type":    {"application/json"},
		"User-Agent":      {"caddymcp"},
		"X-Tool":          {"yes"},
	}
	if fmt.Sprint(r.Header) != fmt.Sprint(want) {
		t.Errorf("headers\n%v, want\n%v", r.Header, want)
	}
}

func TestPaths(t *testing.T) {
	a := newAPI(t, nil)
	u := ready(t, &Upstream{URL: a.URL + "/api/"})
	tests := []struct {
		name string
		req  program.Request
		want string // empty: refused
	}{
		{"root", program.Request{Path: "/"}, "/api/"},
		{"trailing slash", program.Request{Path: "/a/"}, "/api/a/"},
		{"own query", program.Request{Path: "/a?x=1", Query: url.Values{"y": {"2"}}}, "/api/a?x=1&y=2"},
		{"dots in a name", program.Request{Path: "/a..b/.c"}, "/api/a..b/.c"},
		{"no slash", program.Request{Path: "a"}, ""},
		{"empty", program.Request{}, ""},
		{"dot segment", program.Request{Path: "/../admin"}, ""},
		{"encoded dot segment", program.Request{Path: "/%2e%2E/admin"}, ""},
		{"dot segment in one", program.Request{Path: "/x%2F..%2Fadmin"}, ""},
		{"dot segment with a parameter", program.Request{Path: "/x/..;/admin"}, ""},
		{"dot segment with an encoded parameter", program.Request{Path: "/x/..%3Bjsessionid=1/admin"}, ""},
		{"backslashes", program.Request{Path: `/x%5C..%5Cadmin`}, ""},
		{"fragment", program.Request{Path: "/a#b"}, ""},
		{"bad escape", program.Request{Path: "/%zz"}, ""},
		{"line break", program.Request{Path: "/a\r\nX: y"}, ""},
		{"space", program.Request{Path: "/a b"}, ""},
		{"space in the query", program.Request{Path: "/a?x=1 2"}, ""},
		{"line break in the query", program.Request{Path: "/a?x=1\r\nX: y"}, ""},
		{"follow with a space", program.Request{Follow: "/api/a?x=1 2"}, ""},
		{"whole URL", program.Request{URL: a.URL + "/api/a"}, ""},
		{"follow", program.Request{Follow: a.URL + "/api/a?page=2"}, "/api/a?page=2"},
		{"follow a relative link", program.Request{Follow: "/api/a?page=3"}, "/api/a?page=3"},
		{"follow to the base", program.Request{Follow: a.URL + "/api"}, "/api"},
		{"follow above the base", program.Request{Follow: a.URL + "/admin"}, ""},
		{"follow beside the base", program.Request{Follow: a.URL + "/apis"}, ""},
		{"follow with dots", program.Request{Follow: a.URL + "/api/%2e%2e/admin"}, ""},
		{"follow elsewhere", program.Request{Follow: "http://127.0.0.1:1/api/a"}, ""},
		{"follow without a scheme", program.Request{Follow: "//127.0.0.1:1/api/a"}, ""},
		{"follow with another scheme", program.Request{Follow: strings.Replace(a.URL, "http", "https", 1) + "/api/a"}, ""},
		{"follow with a user", program.Request{Follow: strings.Replace(a.URL, "//", "//me@", 1) + "/api/a"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := len(a.requests())
			tt.req.Method = "GET"
			if tt.want == "" {
				if failure := refusal(t, u, &tt.req); failure.Status != 0 {
					t.Errorf("the API refused it: %+v", failure)
				}
				if n := len(a.requests()); n != before {
					t.Errorf("it was sent: %q", a.requests()[n-1])
				}
				return
			}
			mustSend(t, u, &tt.req)
			if r, _ := a.last(t); r.RequestURI != tt.want {
				t.Errorf("URI %q, want %q", r.RequestURI, tt.want)
			}
		})
	}
}

func TestLinksWithAnotherHost(t *testing.T) {
	a := newAPI(t, nil)
	a.Config.Handler = a.record(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/hop" {
			w.Header().Set("Location", "https://food.example.com/api/end")
			w.WriteHeader(302)
		}
	})
	u := ready(t, &Upstream{URL: a.URL + "/api", Headers: []Header{{"Host", "food.example.com"}}})
	mustSend(t, u, &program.Request{Method: "GET", Follow: "https://food.example.com/api/a?page=2"})
	mustSend(t, u, get("/hop"))
	refusal(t, u, &program.Request{Method: "GET", Follow: "https://food.example.com/admin"})
	refusal(t, u, &program.Request{Method: "GET", Follow: "https://other.example.com/api/a"})
	a.expect(t, "GET /api/a?page=2", "GET /api/hop", "GET /api/end")
	if r, _ := a.last(t); r.Host != "food.example.com" {
		t.Errorf("Host %q", r.Host)
	}
}

func TestReadOnly(t *testing.T) {
	a := newAPI(t, nil)
	u := ready(t, &Upstream{URL: a.URL, SafeRequests: []SafeRequest{{"POST", "/parse/*"}}})
	tests := []struct {
		method, path string
		allowed      bool
	}{
		{"GET", "/a", true},
		{"HEAD", "/a", true},
		{"POST", "/parse/ingredient", true},
		{"POST", "/parse/a/b", false},
		{"POST", "/parse/", false},
		{"POST", "/parse", false},
		{"PUT", "/parse/ingredient", false},
		{"POST", "/a", false},
		{"DELETE", "/a", false},
		{"PATCH", "/a", false},
		{"OPTIONS", "/a", false},
		{"get", "/a", false},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			before := len(a.requests())
			req := &program.Request{Method: tt.method, Path: tt.path, ReadOnly: true}
			if tt.allowed {
				mustSend(t, u, req)
				return
			}
			if failure := refusal(t, u, req); !strings.Contains(failure.Message, "only reads") {
				t.Errorf("got %+v", failure)
			}
			if len(a.requests()) != before {
				t.Error("it was sent")
			}
		})
	}
}
