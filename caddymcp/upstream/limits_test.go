package upstream

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

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
	if _, err := u.Send(ctx, post("/a", "{}")); err != context.Canceled {
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
