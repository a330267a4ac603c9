package caddymcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddymcp/caddymcp/caddymcp/access"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
)

const listen = `{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`

// newSession opens a session and returns the headers of its requests.
func newSession(t *testing.T, url string, headers ...string) []string {
	t.Helper()
	resp, body := post(t, url, initialize, headers...)
	id := resp.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatalf("no session: %s %s", resp.Status, body)
	}
	return append(headers, "Mcp-Session-Id", id, "Mcp-Protocol-Version", "2025-11-25")
}

// Listening belongs to the revisions without sessions. In a session it would
// outlive its request, and could not be ended.
func TestNoListeningInSessions(t *testing.T) {
	t.Parallel()
	s := pantrySite(t, serveAPI(t, nil), "")
	for name, headers := range map[string][]string{
		"in a session": newSession(t, s.URL+"/mcp"),
		"without":      nil,
	} {
		t.Run(name, func(t *testing.T) {
			for _, message := range []string{listen, `[{"jsonrpc":"2.0","id":1,"method":"ping"},` + listen + `]`} {
				if name == "in a session" && message[0] == '[' {
					continue // batches ended before
				}
				if _, body := post(t, s.URL+"/mcp", message, headers...); !strings.Contains(body, "-32601") {
					t.Errorf("%s answers %s", message, body)
				}
			}
		})
	}
}

// The process may take its time to exit (shutdown_delay). Until then it serves
// calls, but streams have ended, and connections do not stay.
func TestCallsAreServedUntilTheExit(t *testing.T) {
	t.Parallel()
	s := pantrySite(t, serveAPI(t, nil), "")
	session := newSession(t, s.URL+"/mcp")
	s.handler.endpoint.end() // as on the event 'stopping'
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}`
	resp, body := post(t, s.URL+"/mcp", call, session...)
	if !strings.Contains(body, `{\"ok\":true}`) || !resp.Close {
		t.Errorf("a call answers %s, and its connection stays: %t", body, !resp.Close)
	}
	req, err := http.NewRequest(http.MethodGet, s.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(session); i += 2 {
		req.Header.Set(session[i], session[i+1])
	}
	stream, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if _, err := io.Copy(io.Discard, stream.Body); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
}

// A session is its caller's, also where it is to be initialized again.
func TestInitializeInASession(t *testing.T) {
	t.Parallel()
	s := pantrySite(t, serveAPI(t, nil), "")
	resp, body := post(t, s.URL+"/mcp", initialize, "Mcp-Session-Id", "of-another")
	if resp.StatusCode != http.StatusNotFound || resp.Header.Get("Mcp-Session-Id") != "" {
		t.Errorf("got %s %s", resp.Status, body)
	}
}

// A stream is for those who have access, and ends when that ends.
func TestStreamsEndWithAccess(t *testing.T) {
	t.Parallel()
	const block = "mcp {\nauth {\n%s\n}\nupstream http://127.0.0.1:1\n}"
	const anna = "bearer anna sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" // 'test'
	with := serveSite(t, fmt.Sprintf(block, anna)).handler
	without := serveSite(t, fmt.Sprintf(block, strings.Replace(anna, "9f86", "0f86", 1))).handler
	r := httptest.NewRequest(http.MethodGet, "/mcp", nil)
	r.Header.Set("Authorization", "Bearer test")
	w := new(replyWriter)
	held, end := with.endpoint.holdOpen(w, r, &incoming{handler: with, request: r})
	defer end()
	if !w.stays() || held.Context().Err() != nil {
		t.Fatal("the stream of a caller with access ends")
	}
	with.endpoint.current.Store(without)
	if w.stays() || held.Context().Err() == nil {
		t.Error("the stream goes on after a reload without its token")
	}
}

// A stream is asked now and then whether it may stay.
func TestStreamsAreAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, asked := httptest.NewRecorder(), 0
		w := &replyWriter{ResponseWriter: rec, stays: func() bool { asked++; return asked < 3 }}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		time.Sleep(time.Hour)
		synctest.Wait()
		w.close()
		if got := rec.Body.String(); asked != 3 || got != ": keep-alive\n\n: keep-alive\n\n" {
			t.Errorf("asked %d times, and the client got %q", asked, got)
		}
	})
}

// A client that has stopped reading holds nobody up: its stream ends.
func TestStuckStreamsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, conn := net.Pipe()
		defer client.Close()
		ended := make(chan time.Duration, 1)
		server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			w := &replyWriter{ResponseWriter: rw}
			defer w.close()
			w.Header().Set("Content-Type", "text/event-stream")
			begin := time.Now()
			for range 10 {
				if _, err := w.Write([]byte("data: 1\n\n")); err != nil {
					break
				}
				if err := http.NewResponseController(w).Flush(); err != nil {
					break
				}
				time.Sleep(writePatience - time.Second) // which is not counted
			}
			ended <- time.Since(begin)
		})}
		go func() { _ = server.Serve(&oneConn{conn: conn}) }()
		defer server.Close()
		if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		reader := bufio.NewReader(client)
		for { // until the first event, then no more
			line, err := reader.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(line, "data:") {
				break
			}
		}
		if took := <-ended; took < writePatience || took > 3*writePatience {
			t.Errorf("the stream has ended after %s", took)
		}
	})
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn net.Conn
	done chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if l.conn == nil {
		<-l.done
		return nil, net.ErrClosed
	}
	c := l.conn
	l.conn, l.done = nil, make(chan struct{})
	return c, nil
}

func (l *oneConn) Close() error   { close(l.done); return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// A caller who leaves while waiting for others is not one that was refused.
func TestLeavingWhileWaiting(t *testing.T) {
	t.Parallel()
	h := pantrySite(t, serveAPI(t, nil), "limits {\ncalls 1\n}").handler
	h.slots <- struct{}{}
	for name, want := range map[string]tools.Kind{"left": tools.Cancelled, "waited": tools.Refused} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 0)
			if name == "left" {
				ctx, cancel = context.WithCancel(t.Context())
			}
			cancel()
			in := &incoming{handler: h, request: httptest.NewRequest(http.MethodPost, "/mcp", nil), caller: access.Caller{}}
			if _, outcome := h.admit(ctx, &tools.Call{Name: "read"}, in, new(tally)); outcome.Kind != want {
				t.Errorf("the call is %s, want %s", outcome.Kind, want)
			}
		})
	}
}
