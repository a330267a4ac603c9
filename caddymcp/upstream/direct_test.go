package upstream

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

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

func TestURLAtLoad(t *testing.T) {
	t.Setenv("UPSTREAM_TEST_URL", "http://127.0.0.1:1/api")
	t.Setenv("UPSTREAM_TEST_SECRET", "http://me:hunter2@127.0.0.1:1")
	t.Setenv("UPSTREAM_TEST_EMPTY", "")
	tests := []struct{ url, want string }{
		{"{env.UPSTREAM_TEST_URL}", ""},
		{"http://{env.UPSTREAM_TEST_EMPTY}/", "is empty"},
		{"{env.UPSTREAM_TEST_UNSET}", "UPSTREAM_TEST_UNSET"},
		{"{nothing.of.that}", "unrecognized placeholder"},
		{"{env.UPSTREAM_TEST_SECRET}", "holds a user name"},
		{"ftp://a/b", "not an http or https URL"},
		{"127.0.0.1:80", "not an http or https URL"},
		{"http://", "not an http or https URL"},
		{"http://a/?x=1", "holds a query"},
		{"http://a/b/../c", "segment that is '.' or '..'"},
		{"unix/", "names no socket"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			err := provision(t, &Upstream{URL: tt.url})
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Error("the error shows the secret")
			}
		})
	}
}

func TestUnixSocket(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "api.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	a := new(api)
	a.Server = httptest.NewUnstartedServer(a.record(nil))
	a.Listener.Close()
	a.Listener = listener
	a.Start()
	defer a.Close()
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	u := ready(t, &Upstream{URL: "unix/" + socket})
	mustSend(t, u, get("/a"))
	if r, _ := a.last(t); r.Host != "localhost" || r.RequestURI != "/a" {
		t.Errorf("got %s %s", r.Host, r.RequestURI)
	}
}

// TestNoProxyFromTheEnvironment runs itself in a process with a proxy in its
// environment, which net/http reads once only.
func TestNoProxyFromTheEnvironment(t *testing.T) {
	if os.Getenv("HTTP_PROXY") != "http://127.0.0.1:1" {
		child := exec.Command(os.Args[0], "-test.run=^TestNoProxyFromTheEnvironment$") //nolint:gosec // this test
		child.Env = append(os.Environ(), "HTTP_PROXY=http://127.0.0.1:1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	r := httptest.NewRequest("GET", "http://example.com/", nil)
	if proxy, _ := http.ProxyFromEnvironment(r); proxy == nil {
		t.Fatal("the environment has no proxy, so this shows nothing")
	}
	for name, u := range map[string]*Upstream{
		"URL":            {URL: "http://127.0.0.1:1"},
		"with transport": {URL: "http://127.0.0.1:1", Transport: new(reverseproxy.HTTPTransport)},
		"public web":     {PublicWeb: true},
	} {
		ready(t, u)
		if proxy, err := u.via.(*direct).transport.Transport.Proxy(r); proxy != nil || err != nil {
			t.Errorf("%s: proxy %v, %v", name, proxy, err)
		}
	}
}

func TestConfiguredProxy(t *testing.T) {
	proxy := newAPI(t, nil)
	u := ready(t, &Upstream{URL: "http://api.invalid/x", Transport: &reverseproxy.HTTPTransport{
		NetworkProxyRaw: []byte(`{"from":"url","url":"` + proxy.URL + `"}`),
	}})
	call := new(Call)
	callFor(t.Context(), call, nil)
	if _, err := u.Send(WithCall(call.Request.Context(), call), get("/a")); err != nil {
		t.Fatal(err)
	}
	proxy.expect(t, "GET http://api.invalid/x/a")
	// The vars of the MCP request are shared by its requests and are no place
	// for what the transport notes.
	for key := range call.Request.Context().Value(caddyhttp.VarsCtxKey).(map[string]any) {
		if strings.Contains(key, "proxy.") {
			t.Errorf("the transport left '%s' in the vars of the MCP request", key)
		}
	}
}

func TestVerifyTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{}`)
	}))
	server.Config.ErrorLog = nil
	defer server.Close()
	t.Setenv("UPSTREAM_TEST_NO", "No")
	t.Setenv("UPSTREAM_TEST_ODD", "maybe")
	tests := []struct {
		verify, want string
	}{
		{"", "unreachable"},
		{"{env.UPSTREAM_TEST_UNSET}", "unreachable"},
		{"ON", "unreachable"},
		{"off", ""},
		{"{env.UPSTREAM_TEST_NO}", ""},
		{"{env.UPSTREAM_TEST_ODD}", "load"},
	}
	for _, tt := range tests {
		t.Run(tt.verify, func(t *testing.T) {
			u := &Upstream{URL: server.URL, VerifyTLS: tt.verify, Retries: new(int)}
			err := provision(t, u)
			if tt.want == "load" {
				if err == nil || !strings.Contains(err.Error(), "'maybe' is not a boolean") {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				mustSend(t, u, get("/"))
				return
			}
			if failure := refusal(t, u, get("/")); failure.Kind != tt.want {
				t.Errorf("got %+v", failure)
			}
		})
	}
}

// TestWriteIsSentOnce has an API that reads requests on kept-alive connections
// and hangs up without a reply, which is when net/http sends again by itself.
func TestWriteIsSentOnce(t *testing.T) {
	var requests atomic.Int32
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for first := true; ; first = false {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					if !first {
						requests.Add(1)
						return // after the request, without a reply
					}
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
				}
			}()
		}
	}()
	u := ready(t, &Upstream{URL: "http://" + listener.Addr().String(), Retries: new(int)})
	tests := []struct {
		name string
		req  program.Request
	}{
		{"POST", *post("/a", `{}`)},
		{"POST without a body", program.Request{Method: "POST", Path: "/a"}},
		{"DELETE", program.Request{Method: "DELETE", Path: "/a"}},
		{"PUT", program.Request{Method: "PUT", Path: "/a", Body: []byte("x")}},
		{"POST with a key", program.Request{Method: "POST", Path: "/a", Body: []byte("x"), Header: http.Header{"Idempotency-Key": {"k"}}}},
		{"DELETE with a key", program.Request{Method: "DELETE", Path: "/a", Header: http.Header{"Idempotency-Key": {"k"}}}},
		{"DELETE with the other key", program.Request{Method: "DELETE", Path: "/a", Header: http.Header{"x-idempotency-key": {"k"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// The first request of a connection is answered, so that the
			// second finds a connection to reuse.
			mustSend(t, u, get("/"))
			requests.Store(0)
			failure := refusal(t, u, &tt.req)
			if n := requests.Load(); n != 1 {
				t.Errorf("the API got the write %d times", n)
			}
			if !failure.MaybeSent || failure.Kind != kindUnreachable {
				t.Errorf("got %+v", failure)
			}
		})
	}
}

func TestIdempotencyKeyArrives(t *testing.T) {
	a := newAPI(t, nil)
	u := ready(t, &Upstream{URL: a.URL})
	mustSend(t, u, &program.Request{Method: "DELETE", Path: "/a", Header: http.Header{"Idempotency-Key": {"k1"}}})
	if r, _ := a.last(t); r.Header.Get("Idempotency-Key") != "k1" {
		t.Errorf("headers %v", r.Header)
	}
}

func TestUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	u := ready(t, &Upstream{Name: "pantry", URL: "http://" + listener.Addr().String()})
	for _, method := range []string{"GET", "POST"} {
		failure := refusal(t, u, &program.Request{Method: method, Path: "/a"})
		want := program.Error{Message: "pantry is unreachable", Kind: "unreachable"}
		if *failure != want {
			t.Errorf("%s: got %+v, want %+v", method, failure, want)
		}
	}
}

func TestTimeout(t *testing.T) {
	release := make(chan struct{})
	a := newAPI(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	u := ready(t, &Upstream{URL: a.URL, Timeout: caddy.Duration(time.Hour)})
	req := post("/a", "{}")
	req.Timeout = 20 * time.Millisecond
	failure := refusal(t, u, req)
	want := program.Error{Message: "the API did not answer within 20ms", Kind: "timeout", MaybeSent: true}
	if *failure != want {
		t.Errorf("got %+v, want %+v", failure, want)
	}
	req = get("/a")
	req.Timeout = 20 * time.Millisecond
	if failure := refusal(t, u, req); failure.Kind != "timeout" || failure.MaybeSent {
		t.Errorf("got %+v", failure)
	}
	a.expect(t, "POST /a", "GET /a") // a slow read is not repeated
}

func TestCallerLeaves(t *testing.T) {
	arrived := make(chan struct{}, 2)
	a := newAPI(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	u := ready(t, &Upstream{URL: a.URL})
	for _, req := range []*program.Request{get("/a"), post("/a", "{}")} {
		t.Run(req.Method, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-arrived; cancel() }()
			_, err := u.Send(ctx, req)
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			if said := strings.Contains(err.Error(), "may have been carried out"); said != (req.Method == "POST") {
				t.Errorf("got %q", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := len(a.requests())
	if _, err := u.Send(ctx, post("/a", "{}")); err != context.Canceled { //nolint:errorlint // not wrapped: nothing was sent
		t.Errorf("got %v", err)
	}
	if len(a.requests()) != before {
		t.Error("a request was sent for a caller that had gone")
	}
}

func TestMaxResponse(t *testing.T) {
	gz := func(n int) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(bytes.Repeat([]byte("a"), n))
		_ = w.Close()
		return b.Bytes()
	}
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fits":
			_, _ = w.Write(bytes.Repeat([]byte("a"), 1000))
		case "/large":
			_, _ = w.Write(bytes.Repeat([]byte("a"), 1001))
		case "/endless":
			for {
				if _, err := w.Write(make([]byte, 4096)); err != nil {
					return
				}
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(gz(1 << 20))
		case "/error":
			w.WriteHeader(500)
			_, _ = w.Write(bytes.Repeat([]byte("a"), 1001))
		}
	})
	u := ready(t, &Upstream{URL: a.URL, MaxResponse: 1000, Retries: new(int)})
	if resp := mustSend(t, u, get("/fits")); len(resp.Body) != 1000 {
		t.Errorf("got %d bytes", len(resp.Body))
	}
	for _, path := range []string{"/large", "/endless", "/bomb", "/error"} {
		if failure := refusal(t, u, get(path)); failure.Message != "the API sent a reply larger than 1.0 kB" {
			t.Errorf("%s: got %+v", path, failure)
		}
	}
}

func TestCutOffReply(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"half":`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	a.Config.ErrorLog = nil
	u := ready(t, &Upstream{URL: a.URL})
	failure := refusal(t, u, get("/a"))
	if failure.Message != "the API broke off its reply" || failure.MaybeSent {
		t.Errorf("got %+v", failure)
	}
	a.expect(t, "GET /a", "GET /a", "GET /a")
	if failure := refusal(t, u, post("/b", "{}")); !failure.MaybeSent {
		t.Errorf("got %+v", failure)
	}
	a.expect(t, "GET /a", "GET /a", "GET /a", "POST /b")
}

func TestEncodings(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, `{"a":1}`)
	_ = w.Close()
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", r.URL.Query().Get("e"))
		_, _ = w.Write(packed.Bytes())
	})
	off := false
	for name, u := range map[string]*Upstream{
		"asked":     {URL: a.URL},
		"not asked": {URL: a.URL, Transport: &reverseproxy.HTTPTransport{Compression: &off}},
		"chain":     {Routes: handlers(proxyTo(a.URL))},
	} {
		t.Run(name, func(t *testing.T) {
			ready(t, u)
			if resp := mustSend(t, u, get("/?e=gzip")); string(resp.Body) != `{"a":1}` || resp.Header.Get("Content-Encoding") != "" {
				t.Errorf("got %q, %v", resp.Body, resp.Header)
			}
			if failure := refusal(t, u, get("/?e=br")); !strings.Contains(failure.Message, "encoding") {
				t.Errorf("got %+v", failure)
			}
		})
	}
}

func TestDiscardBody(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Total", "7")
		_, _ = w.Write(make([]byte, 5000))
	})
	u := ready(t, &Upstream{URL: a.URL, MaxResponse: 100})
	req := get("/a")
	req.DiscardBody = true
	resp := mustSend(t, u, req)
	if resp.Status != 200 || resp.Body != nil || resp.Header.Get("X-Total") != "7" {
		t.Errorf("got %+v", resp)
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

func TestConcurrency(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	a := newAPI(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	u := ready(t, &Upstream{URL: a.URL, Concurrency: 2})
	done := make(chan error)
	for range 3 {
		go func() {
			_, err := u.Send(t.Context(), get("/a"))
			done <- err
		}()
	}
	<-arrived
	<-arrived
	// The third waits for a slot; one whose caller leaves stops waiting.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := u.Send(ctx, get("/b")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	a.expect(t, "GET /a", "GET /a")
	release <- struct{}{}
	<-arrived
	close(release)
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestOnRequest(t *testing.T) {
	a := newAPI(t, nil)
	u := ready(t, &Upstream{Name: "pantry", URL: a.URL})
	var got string
	ctx := WithCall(t.Context(), &Call{OnRequest: func(upstream, method string, status int, _ time.Duration, bytes int) {
		got = fmt.Sprint(upstream, method, status, bytes)
	}})
	if _, err := u.Send(ctx, get("/a")); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint("pantry", "GET", 200, 2); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// proxyTo is the JSON of a reverse_proxy to a server.
func proxyTo(serverURL string) string {
	return `{"handler": "reverse_proxy", "upstreams": [{"dial": "` + strings.TrimPrefix(serverURL, "http://") + `"}]}`
}
