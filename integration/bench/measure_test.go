package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
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
