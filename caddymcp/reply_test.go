package caddymcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestStreamsAreKeptAlive(t *testing.T) {
	for contentType, want := range map[string]string{
		"text/event-stream": "data: 1\n\n: keep-alive\n\ndata: 2\n\n: keep-alive\n\n: keep-alive\n\n",
		"application/json":  "data: 1\n\ndata: 2\n\n",
	} {
		t.Run(contentType, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := httptest.NewRecorder()
				w := &replyWriter{ResponseWriter: rec}
				w.Header().Set("Content-Type", contentType)
				w.Write([]byte("data: 1\n\n"))
				time.Sleep(keepAliveInterval + time.Second)
				synctest.Wait()
				w.Write([]byte("data: 2\n\n"))
				time.Sleep(2*keepAliveInterval + time.Second)
				synctest.Wait()
				w.close()
				time.Sleep(time.Hour)
				synctest.Wait()
				if got := rec.Body.String(); got != want {
					t.Errorf("the client gets %q, want %q", got, want)
				}
				if n, err := w.Write([]byte("late")); err == nil || n != 0 || strings.Contains(rec.Body.String(), "late") {
					t.Error("a reply that is over can be written to")
				}
				if err := http.NewResponseController(w).Flush(); err == nil {
					t.Error("a reply that is over can be flushed")
				}
			})
		})
	}
}
