package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

func TestChainThroughReverseProxy(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Api", "1")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":1}`)
	})
	u := ready(t, &Upstream{Routes: handlers(proxyTo(a.URL))})
	call := &Call{CallerID: "u1"}
	ctx := callFor(t.Context(), call, http.Header{"Authorization": {"Bearer caller"}, "Cookie": {"a=b"}, "X-Forwarded-For": {"9.9.9.9"}})
	call.Request.TLS = &tls.ConnectionState{}
	req := post("/items/a%2Fb", `{"n":1}`)
	req.Query = map[string][]string{"q": {"x y"}}
	resp, err := u.Send(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Status != 201 || string(resp.Body) != `{"id":1}` || resp.Header.Get("X-Api") != "1" {
		t.Errorf("got %d %q %v", resp.Status, resp.Body, resp.Header)
	}
	r, body := a.last(t)
	if r.RequestURI != "/items/a%2Fb?q=x+y" || body != `{"n":1}` || r.Host != "food.example.com" {
		t.Errorf("got %s %s on %s", r.RequestURI, body, r.Host)
	}
	for name, want := range map[string]string{
		"Authorization": "", "Cookie": "", "Cdn-Loop": "caddymcp", "Content-Type": "application/json",
		"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "food.example.com",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestChainWithoutCall(t *testing.T) {
	a := newAPI(t, nil)
	u := ready(t, &Upstream{Routes: handlers(proxyTo(a.URL))})
	mustSend(t, u, get("/a"))
	if r, _ := a.last(t); r.Host != "localhost" {
		t.Errorf("Host %q", r.Host)
	}
}

func TestChainPlaceholders(t *testing.T) {
	u := ready(t, &Upstream{Routes: handlers(`{"handler": "static_response",
		"body": "{mcp.caller.id}|{mcp.tool}|{http.auth.user.id}|{http.auth.user.mail}|{http.request.header.X-Secret}|{mcp.unknown}|{http.request.uri}"}`)})
	call := &Call{CallerID: "u1", Tool: "add"}
	ctx := callFor(t.Context(), call, http.Header{"X-Secret": {"outer"}})
	call.replacer().Set("http.auth.user.id", "ann")
	resp, err := u.Send(ctx, get("/a"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "u1|add|ann||||/a"; string(resp.Body) != want {
		t.Errorf("got %q, want %q", resp.Body, want)
	}
}

func TestChainReplies(t *testing.T) {
	const limit = 1000
	tests := []struct {
		name   string
		handle func(http.ResponseWriter, *http.Request) error
		status int
		body   string
		want   program.Error // for POST
	}{
		{
			name: "nothing written", status: 200,
			handle: func(http.ResponseWriter, *http.Request) error { return nil },
		},
		{
			name: "written without a status", status: 200, body: "x",
			handle: func(w http.ResponseWriter, _ *http.Request) error { _, err := io.WriteString(w, "x"); return err },
		},
		{
			name: "informational first", status: 200, body: "x",
			handle: func(w http.ResponseWriter, _ *http.Request) error {
				w.WriteHeader(http.StatusEarlyHints)
				w.WriteHeader(http.StatusContinue)
				_, err := io.WriteString(w, "x")
				return err
			},
		},
		{
			name: "second status ignored", status: 201,
			handle: func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(201); w.WriteHeader(500); return nil },
		},
		{
			name: "error with a status", status: 0,
			handle: func(http.ResponseWriter, *http.Request) error {
				return caddyhttp.Error(http.StatusTeapot, errors.New("inner 10.0.0.1"))
			},
			want: program.Error{Status: 418, Message: "the API returned 418"},
		},
		{
			name:   "plain error",
			handle: func(http.ResponseWriter, *http.Request) error { return errors.New("inner 10.0.0.1") },
			want:   program.Error{Message: "the API is unreachable", Kind: "unreachable", MaybeSent: true},
		},
		{
			name: "bad gateway",
			handle: func(http.ResponseWriter, *http.Request) error {
				return caddyhttp.Error(http.StatusBadGateway, errors.New("inner"))
			},
			want: program.Error{Message: "the API is unreachable", Kind: "unreachable", MaybeSent: true},
		},
		{
			name: "no proxy address is up",
			handle: func(http.ResponseWriter, *http.Request) error {
				return caddyhttp.Error(http.StatusServiceUnavailable, errors.New("inner"))
			},
			want: program.Error{Message: "the API is unreachable", Kind: "unreachable"},
		},
		{
			name: "gateway timeout",
			handle: func(http.ResponseWriter, *http.Request) error {
				return caddyhttp.Error(http.StatusGatewayTimeout, errors.New("inner"))
			},
			want: program.Error{Message: "the API did not answer within 15s", Kind: "timeout", MaybeSent: true},
		},
		{
			name: "aborted in the middle",
			handle: func(w http.ResponseWriter, _ *http.Request) error {
				_, _ = io.WriteString(w, "half")
				panic(http.ErrAbortHandler)
			},
			want: program.Error{Message: "the API broke off its reply", MaybeSent: true},
		},
		{
			name: "error in the middle",
			handle: func(w http.ResponseWriter, _ *http.Request) error {
				_, _ = io.WriteString(w, "half")
				return errors.New("inner")
			},
			want: program.Error{Message: "the API broke off its reply", MaybeSent: true},
		},
		{
			name: "too large",
			handle: func(w http.ResponseWriter, _ *http.Request) error {
				_, err := w.Write(make([]byte, limit+1))
				return err
			},
			want: program.Error{Message: "the API sent a reply larger than 1.0 kB", MaybeSent: true},
		},
		{
			name: "too large, and the handler panics",
			handle: func(w http.ResponseWriter, _ *http.Request) error {
				for {
					if _, err := w.Write(make([]byte, 100)); err != nil {
						panic(http.ErrAbortHandler)
					}
				}
			},
			want: program.Error{Message: "the API sent a reply larger than 1.0 kB", MaybeSent: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := chainOf(t, tt.handle)
			u.MaxResponse = limit
			ready(t, u)
			if tt.status != 0 {
				resp := mustSend(t, u, post("/a", "{}"))
				if resp.Status != tt.status || string(resp.Body) != tt.body {
					t.Errorf("got %d %q", resp.Status, resp.Body)
				}
				return
			}
			if got := refusal(t, u, post("/a", "{}")); *got != tt.want {
				t.Errorf("got  %+v\nwant %+v", *got, tt.want)
			}
		})
	}
}

func TestChainUnanswered(t *testing.T) {
	u := ready(t, &Upstream{Routes: handlers(`{"handler": "vars"}`)})
	want := program.Error{Message: "the API is unreachable", Kind: "unreachable"}
	if got := refusal(t, u, post("/a", "{}")); *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestChainPanics(t *testing.T) {
	u := chainOf(t, func(http.ResponseWriter, *http.Request) error { panic("a bug") })
	u.Caches = []Cache{{For: caddy.Duration(time.Minute), Paths: []string{"/kept"}}}
	ready(t, u)
	for _, path := range []string{"/a", "/kept"} {
		t.Run(path, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the panic of a handler was swallowed")
				}
			}()
			_, _ = u.Send(t.Context(), get(path))
		})
	}
}

func TestChainTimeoutAndCaller(t *testing.T) {
	arrived := make(chan struct{}, 1)
	a := newAPI(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	u := ready(t, &Upstream{Routes: handlers(proxyTo(a.URL))})
	req := post("/a", "{}")
	req.Timeout = 20 * time.Millisecond
	if got := refusal(t, u, req); got.Kind != "timeout" || !got.MaybeSent || got.Message != "the API did not answer within 20ms" {
		t.Errorf("got %+v", got)
	}
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := u.Send(ctx, get("/a")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestChainIsNotCalledForACallerThatHasGone(t *testing.T) {
	u := ready(t, chainOf(t, func(http.ResponseWriter, *http.Request) error {
		t.Error("the chain was called")
		return nil
	}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := u.Send(ctx, post("/a", "{}")); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

func TestChainDialError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	u := ready(t, &Upstream{Routes: handlers(proxyTo("http://" + listener.Addr().String()))})
	got := refusal(t, u, post("/a", "{}"))
	if want := (program.Error{Message: "the API is unreachable", Kind: "unreachable"}); *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestChainFollow(t *testing.T) {
	u := ready(t, &Upstream{Routes: handlers(`{"handler": "static_response", "body": "{http.request.uri}"}`)})
	ctx := callFor(t.Context(), &Call{}, nil)
	for link, want := range map[string]string{
		"https://food.example.com/a?page=2": "/a?page=2",
		"http://food.example.com/a?page=2":  "/a?page=2",
		"/a?page=3":                         "/a?page=3",
		"https://other.example.com/a":       "",
	} {
		resp, err := u.Send(ctx, &program.Request{Method: "GET", Follow: link})
		if want == "" {
			if err == nil {
				t.Errorf("%s: followed", link)
			}
			continue
		}
		if err != nil || string(resp.Body) != want {
			t.Errorf("%s: got %v, %v", link, resp, err)
		}
	}
}

func TestChainHead(t *testing.T) {
	u := ready(t, &Upstream{Routes: handlers(`{"handler": "static_response", "body": "` + strings.Repeat("x", 50) + `"}`), MaxResponse: 10})
	resp := mustSend(t, u, &program.Request{Method: "HEAD", Path: "/a"})
	if resp.Status != 200 || len(resp.Body) != 0 {
		t.Errorf("got %+v", resp)
	}
}
