package caddymcp

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// keepAliveInterval is how long a stream may be quiet before a comment is sent.
// Proxies, and Caddy itself, take connections that are quiet for a minute to be
// dead.
const keepAliveInterval = 25 * time.Second

// writePatience is how long one write to a stream may take.
const writePatience = 5 * time.Second

// A replyWriter stands between the SDK and the client. It sets the headers that
// hold for every reply of the endpoint, puts hidden ids back, and keeps streams
// alive.
type replyWriter struct {
	http.ResponseWriter

	// hidden are the ids that hideIDs has replaced.
	hidden [][]byte

	// last is whether the connection ends with this reply.
	last bool

	// stays is asked now and then whether a stream may go on.
	stays func() bool

	mu      sync.Mutex
	started bool
	stream  bool // of server-sent events
	quiet   *time.Timer
	stuck   *time.Timer
	over    bool
}

// WriteHeader corrects headers of the SDK, which lets caches keep what it sends,
// asks for every connection to be kept, and does not tell a proxy in front to
// pass streams on at once.
func (w *replyWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(status)
}

func (w *replyWriter) writeHeader(status int) {
	if w.started {
		return
	}
	w.started = true
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if w.last {
		h.Set("Connection", "close")
	}
	if strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		h.Set("X-Accel-Buffering", "no")
		w.stream = true
		w.quiet = time.AfterFunc(keepAliveInterval, w.keepAlive)
		w.stuck = time.AfterFunc(time.Hour, w.giveUp)
		w.stuck.Stop()
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write puts hidden ids back. The SDK writes each message in one piece.
func (w *replyWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(http.StatusOK)
	if w.over {
		return 0, errReplyOver
	}
	out := p
	for _, s := range w.hidden {
		out = bytes.ReplaceAll(out, s, s[1+len(idMark):len(s)-1])
	}
	if w.quiet != nil {
		w.quiet.Reset(keepAliveInterval)
	}
	if err := w.patiently(func() error { _, err := w.ResponseWriter.Write(out); return err }); err != nil {
		return 0, err
	}
	return len(p), nil
}

// FlushError implements what http.ResponseController looks for.
func (w *replyWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return errReplyOver
	}
	w.writeHeader(http.StatusOK)
	return w.flush()
}

func (w *replyWriter) flush() error {
	return w.patiently(http.NewResponseController(w.ResponseWriter).Flush)
}

// patiently sends something to the client. If that is a stream, it does not
// wait for a client that has stopped reading: the SDK tells one after the other
// that the tools have changed.
func (w *replyWriter) patiently(send func() error) error {
	if w.stuck != nil {
		w.stuck.Reset(writePatience)
		defer w.stuck.Stop()
	}
	return send()
}

// giveUp ends a write that does not end, and with it the stream.
func (w *replyWriter) giveUp() {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now())
}

var errReplyOver = errors.New("the reply is over")

// keepAlive sends a comment, which clients ignore.
func (w *replyWriter) keepAlive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || w.stays != nil && !w.stays() {
		return
	}
	err := w.patiently(func() error { _, err := w.ResponseWriter.Write([]byte(": keep-alive\n\n")); return err })
	if err != nil {
		return // the client has gone, and the SDK notices
	}
	_ = w.flush()
	w.quiet.Reset(keepAliveInterval)
}

// close ends the reply: the SDK may still write to a stream whose request is
// over. A last flush arms the server's idle timeout anew, which would else cut
// off the end of a stream that has been quiet for a minute.
func (w *replyWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.stream {
		w.quiet.Stop()
		_ = w.flush()
	}
}
