package upstream

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

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
		child := exec.Command(os.Args[0], "-test.run=^TestNoProxyFromTheEnvironment$")
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
			if !failure.MaybeSent || failure.Kind != program.KindUnreachable {
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

// proxyTo is the JSON of a reverse_proxy to a server.
func proxyTo(serverURL string) string {
	return `{"handler": "reverse_proxy", "upstreams": [{"dial": "` + strings.TrimPrefix(serverURL, "http://") + `"}]}`
}

// A call that outlives its config leaves no connection behind.
func TestConnectionsEndWithTheConfig(t *testing.T) {
	closed := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	u := ready(t, &Upstream{URL: server.URL})
	if err := u.Cleanup(); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Send(t.Context(), &program.Request{Method: "GET", Path: "/"}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Error("the connection is still open")
	}
}
