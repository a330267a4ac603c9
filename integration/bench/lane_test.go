package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A tampering site answers as a proxy does, until it is told to cheat.
type tampering struct {
	api    *api
	body   []byte
	cheats func(w http.ResponseWriter, requests *atomic.Int64) (done bool)
	after  int64 // requests that are answered well
	count  atomic.Int64
}

func (s *tampering) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if s.count.Add(1) > s.after && s.cheats != nil && s.cheats(w, &s.api.requests) {
		return
	}
	s.api.requests.Add(1)
	w.Write(s.body)
}

// A round counts right, and fails where a figure would lie.
func TestRound(t *testing.T) {
	l, err := newList(sizes[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		cheats func(http.ResponseWriter, *atomic.Int64) bool
		want   string        // of the error
		lasts  time.Duration // if the error ends it
	}{
		"all is well": {},
		"another reply": {func(w http.ResponseWriter, _ *atomic.Int64) bool {
			io.WriteString(w, "[]")
			return true
		}, "got a wrong reply, 200 OK: []", time.Minute},
		"another status": {func(w http.ResponseWriter, _ *atomic.Int64) bool {
			w.WriteHeader(http.StatusAccepted)
			return false
		}, "got a wrong reply, 202 Accepted", time.Minute},
		"a connection is closed": {func(w http.ResponseWriter, _ *atomic.Int64) bool {
			w.Header().Set("Connection", "close")
			return false
		}, "a connection was closed and made anew", time.Minute},
		"a reply that the API did not give": {func(_ http.ResponseWriter, requests *atomic.Int64) bool {
			requests.Add(-1)
			return false
		}, "became", 0},
		"a request that is repeated": {func(_ http.ResponseWriter, requests *atomic.Int64) bool {
			requests.Add(1)
			return false
		}, "became", 0},
	} {
		t.Run(name, func(t *testing.T) {
			site := &tampering{api: new(api), body: l.body, cheats: tt.cheats, after: 1}
			web := httptest.NewServer(site)
			defer web.Close()
			lane := &lane{kind: proxy, api: site.api, server: &server{pid: os.Getpid()}}
			err := lane.connect(t.Context(), group{scheme: "http", list: l, connections: 3}, web.URL, new(bench))
			if err != nil {
				t.Fatal(err)
			}
			f, err := lane.round(t.Context(), max(tt.lasts, 10*time.Millisecond))
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want '%s'", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := int(site.count.Load()) - 1; lane.calls != want || lane.calls < 3 {
				t.Errorf("%d calls are counted, the site had %d", lane.calls, want)
			}
			if f.Rate <= 0 || f.P50 <= 0 || f.P99 < f.P50 {
				t.Errorf("the figures are %+v", f)
			}
		})
	}
}

// Replies over another version of HTTP than the row says end the run.
func TestVersionOfHTTP(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	c := newClient("http", certificate{})
	c.major = 2
	if _, err := c.send(t.Context(), http.MethodGet, server.URL, make(http.Header), nil); err == nil || !strings.Contains(err.Error(), "is HTTP/1.1, not HTTP/2") {
		t.Errorf("got %v", err)
	}
}

func TestReadResult(t *testing.T) {
	l, err := newList(1)
	if err != nil {
		t.Fatal(err)
	}
	item := `{\"name\":\"ingredient 1\",\"state\":\"low\",\"location\":\"fridge\",\"quantity\":0.25,\"unit\":\"g\"}`
	result := func(text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"%s"}]}}`, text)
	}
	good := result(`{\"items\":[` + item + `]}`)
	for name, tt := range map[string]struct {
		status     int
		kind, body string
		want       string // of the error
	}{
		"JSON":           {200, "application/json", good, ""},
		"an event":       {200, "text/event-stream", "event: message\ndata: " + good + "\n\n", ""},
		"no event":       {200, "text/event-stream", ": nothing\n\n", "no event"},
		"a status":       {202, "application/json", good, "not 200"},
		"a failure":      {200, "application/json", strings.Replace(good, `"content"`, `"isError":true,"content"`, 1), "no result"},
		"an error":       {200, "application/json", `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no"}}`, "no result"},
		"two blocks":     {200, "application/json", strings.Replace(good, `[{`, `[{"type":"text"},{`, 1), "no result"},
		"another id":     {200, "application/json", strings.Replace(good, "7", "8", 1), "no result"},
		"another item":   {200, "application/json", strings.Replace(good, "0.25", "0.5", 1), "not the 1 of the API"},
		"an item less":   {200, "application/json", result(`{\"items\":[]}`), "0 items"},
		"an item more":   {200, "application/json", result(`{\"items\":[` + item + "," + item + `]}`), "2 items"},
		"a field more":   {200, "application/json", strings.Replace(good, `{\"name\"`, `{\"id\":1,\"name\"`, 1), "unknown field"},
		"a text, plain":  {200, "application/json", result("nothing"), "invalid character"},
		"something else": {200, "text/html", "<html>", "invalid character"},
	} {
		t.Run(name, func(t *testing.T) {
			resp := &http.Response{StatusCode: tt.status, Header: http.Header{"Content-Type": {tt.kind}}}
			err := l.readResult(resp, []byte(tt.body), 7)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want '%s'", err, tt.want)
			}
		})
	}
}

func TestNumbered(t *testing.T) {
	text, err := numberIn([]byte(`{"id":1,"x":"a"}`), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text.text(42)), `{"id":42,"x":"a"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for got, want := range map[string]bool{
		`{"id":42,"x":"a"}`:  true,
		`{"id":41,"x":"a"}`:  false,
		`{"id":421,"x":"a"}`: false,
		`{"id":42,"x":"b"}`:  false,
		`{"id":42,"x":"a"}.`: false,
		`{"id":42`:           false,
		``:                   false,
	} {
		if text.is([]byte(got), 42) != want {
			t.Errorf("%s: got %v", got, !want)
		}
	}
	if _, err := numberIn([]byte(`{"id":12}`), 1); err == nil {
		t.Error("a number was found that is not there")
	}
}

// What /proc says of a process is what the kernel says of it.
func TestProcess(t *testing.T) {
	self := &server{pid: os.Getpid()}
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	memory := make([]byte, 64<<20)
	for used() < 10*tick {
		for i := range memory {
			memory[i]++
		}
	}
	before := used()
	cpu, err := self.cpu()
	if after := used(); err != nil || cpu < before-2*tick || cpu > after {
		t.Errorf("it has used %s %v, want between %s and %s", cpu, err, before, after)
	}
	if peak, err := self.peak(); err != nil || peak < int64(len(memory)) {
		t.Errorf("its memory is %d %v, and a part of it %d", peak, err, len(memory))
	}
	gone := &server{pid: -1}
	if _, err := gone.cpu(); err == nil {
		t.Error("no process has a CPU time")
	}
	if _, err := gone.peak(); err == nil {
		t.Error("no process has a memory")
	}
}
