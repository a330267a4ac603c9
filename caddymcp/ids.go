package caddymcp

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// idMark makes a stand-in for a JSON-RPC id unlike any id or text of a client.
// It is constant for the life of the process, so that a cancellation finds the
// request that it names.
var idMark = "id:" + rand.Text() + ":"

// damaged says whether an id would not come back as it was sent: the SDK reads
// numbers as float64.
func damaged(id json.RawMessage) bool {
	if len(id) == 0 || (id[0] != '-' && (id[0] < '0' || id[0] > '9')) {
		return false
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	const exact = 1 << 53
	return err != nil || n > exact || n < -exact || strconv.FormatInt(n, 10) != string(id)
}

// hideIDs returns the body with a string in place of each id that the SDK
// would damage, and those strings, to be put back in the reply.
func (b *body) hideIDs() ([]byte, [][]byte) {
	var hidden [][]byte
	hide := func(m members, name string) bool {
		if !damaged(m[name]) {
			return false
		}
		s := []byte(strconv.Quote(idMark + string(m[name])))
		hidden, m[name] = append(hidden, s), s
		return true
	}
	parts := make([]json.RawMessage, len(b.messages))
	for i, m := range b.messages {
		parts[i] = m.raw
		cancels := m.method == "notifications/cancelled"
		if !damaged(m.id) && !cancels {
			continue
		}
		all := object(m.raw)
		changed := hide(all, "id")
		if cancels && hide(m.params, "requestId") {
			all["params"], _ = json.Marshal(m.params)
			changed = true
		}
		if changed {
			parts[i], _ = json.Marshal(all)
		}
	}
	switch {
	case hidden == nil:
		return b.raw, nil
	case b.batch:
		all, _ := json.Marshal(parts)
		return all, hidden
	default:
		return parts[0], hidden
	}
}

// A replyWriter sets the headers that hold for every reply of the endpoint and
// puts hidden ids back.
type replyWriter struct {
	http.ResponseWriter
	hidden  [][]byte
	opened  func(session string) // called before a new session's id is sent
	started bool
}

// WriteHeader corrects two headers of the SDK, which lets caches keep what it
// sends and does not tell a proxy in front to pass streams on at once.
func (w *replyWriter) WriteHeader(status int) {
	if !w.started {
		w.started = true
		h := w.Header()
		if id := h.Get("Mcp-Session-Id"); id != "" && w.opened != nil {
			w.opened(id)
		}
		h.Set("Cache-Control", "no-store")
		if strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
			h.Set("X-Accel-Buffering", "no")
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write puts hidden ids back. The SDK writes each message in one piece.
func (w *replyWriter) Write(p []byte) (int, error) {
	if !w.started {
		w.WriteHeader(http.StatusOK)
	}
	out := p
	for _, s := range w.hidden {
		out = bytes.ReplaceAll(out, s, s[1+len(idMark):len(s)-1])
	}
	if _, err := w.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap lets http.ResponseController reach the connection.
func (w *replyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
