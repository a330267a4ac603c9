package caddymcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"go.uber.org/zap"

	"github.com/caddymcp/caddymcp/caddymcp/access"
	"github.com/caddymcp/caddymcp/caddymcp/upstream"
)

// modernVersion is the first revision without sessions. Revisions are dates,
// so they compare as text.
const modernVersion = "2026-07-28"

// ServeHTTP answers what belongs to the endpoint and hands on the rest. It
// writes every answer itself: an error that it returned would be logged with
// the URL, which may hold a secret.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	old := false // whether this connection is older than the config that runs
	if current := h.endpoint.current.Load(); current != nil {
		h, old = current, current != h
	}
	if !h.Auth.Match(r) {
		return next.ServeHTTP(w, r)
	}
	if (old || h.endpoint.ending()) && r.ProtoMajor < 3 {
		// A server that shuts down waits for its connections. Of those made
		// just before, it has told nobody.
		w.Header().Set("Connection", "close")
	}
	w, entry := h.Auth.Conceal(w, r)
	defer entry()
	if h.endpoint.gone.Load() {
		access.NotFound(w) // the config that runs has no such block
		return nil
	}
	if h.Auth.CORS(w, r) {
		return nil
	}
	caller, refusal := h.Auth.Check(r)
	if refusal != nil {
		h.deny(w, caller, refusal)
		return nil
	}
	h.serve(w, r, caller)
	return nil
}

// deny answers a request that its caller, if there is one, may not make.
func (h *Handler) deny(w http.ResponseWriter, caller access.Caller, refusal *access.Refusal) {
	h.countRefusal(refusal.Status)
	h.logger.Info("refused",
		zap.String("caller", caller.ID),
		zap.Int("status", refusal.Status),
		zap.String("reason", refusal.Message))
	refusal.Write(w)
}

// serve answers a request of a caller that has been checked.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, caller access.Caller) {
	out := &replyWriter{ResponseWriter: w, last: w.Header().Get("Connection") == "close"}
	defer out.close()
	in := &incoming{handler: h, request: r, caller: caller}
	if looped(r) {
		http.Error(out, "a tool called its own server", http.StatusLoopDetected)
		return
	}
	if r.Method != http.MethodPost {
		// Streams of sessions, their ends, and methods that are not allowed.
		r, end := h.endpoint.holdOpen(out, r, in)
		defer end()
		h.endpoint.serveSession(out, handOn(r, in), in)
		return
	}

	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.limits.Request))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			http.Error(out, "the request is larger than the server allows", http.StatusRequestEntityTooLarge)
			return
		}
		http.Error(out, "the request could not be read", http.StatusBadRequest)
		return
	}
	b, err := parseBody(raw)
	if err != nil {
		writeError(out, http.StatusBadRequest, jsonrpc.CodeParseError, "the request is not a JSON-RPC message")
		return
	}
	if scopes := h.missing(b, caller); scopes != nil {
		h.deny(out, caller, h.Auth.InsufficientScope(caller, scopes))
		return
	}

	raw, out.hidden = b.hideIDs()
	r = handOn(r, in)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	if name, ok := decodeHeader(r.Header.Get("Mcp-Name")); ok && name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	if b.listens() {
		var end func()
		r, end = h.endpoint.holdOpen(out, r, in)
		defer end()
	} else {
		h.endpoint.serving.RLock()
		defer h.endpoint.serving.RUnlock()
	}
	h.endpoint.choose(out, r, b, in)
}

// choose hands the request to the SDK: to its session, or to stand alone.
func (e *endpoint) choose(w *replyWriter, r *http.Request, b *body, in *incoming) {
	switch {
	case !in.modern() && r.Header.Get("Mcp-Session-Id") != "":
		e.serveSession(w, r, in)
	case !in.modern() && b.initializes():
		var ok bool
		if in.opening, ok = e.roster.begin(e.server, in.caller.ID); !ok {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "too many sessions: try again later", http.StatusServiceUnavailable)
			return
		}
		defer in.opening.failed()
		e.sessions.ServeHTTP(w, r)
	case b.notifies():
		e.stream.ServeHTTP(w, r)
	default:
		e.single.ServeHTTP(w, r)
	}
}

// serveSession hands on a request of a session. The session of another caller
// does not exist.
func (e *endpoint) serveSession(w http.ResponseWriter, r *http.Request, in *incoming) {
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		leave, ok := e.roster.enter(id, in.caller.ID)
		if !ok {
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		defer leave()
		if r.Method == http.MethodDelete {
			defer e.roster.forget(id)
		}
	}
	e.sessions.ServeHTTP(w, r)
}

// holdOpen prepares a request whose reply may be a stream that stays open: it
// ends with the endpoint, and soon after its caller loses access.
func (e *endpoint) holdOpen(w *replyWriter, r *http.Request, in *incoming) (*http.Request, func()) {
	ctx, cancel := e.untilEnd(r.Context())
	w.stays = func() bool {
		h := in.handler
		if current := e.current.Load(); current != nil {
			h = current
		}
		_, refusal := h.Auth.Check(in.request)
		if refusal != nil {
			cancel()
		}
		return refusal == nil
	}
	return r.WithContext(ctx), cancel
}

// missing are the scopes that a tool called in the body needs, if the caller
// lacks one of them. The body decides, not the Mcp-Name header.
func (h *Handler) missing(b *body, caller access.Caller) []string {
	for _, name := range b.tools() {
		if !h.allows(caller, name) {
			return h.set.Scopes(name)
		}
	}
	return nil
}

// allows says whether the caller holds the scopes that a tool needs.
func (h *Handler) allows(caller access.Caller, tool string) bool {
	for _, scope := range h.set.Scopes(tool) {
		if !slices.Contains(caller.Scopes, scope) {
			return false
		}
	}
	return true
}

// looped says whether the request was made by a tool of a server such as this
// one (RFC 8586).
func looped(r *http.Request) bool {
	for _, value := range r.Header.Values("Cdn-Loop") {
		for entry := range strings.SplitSeq(value, ",") {
			id, _, _ := strings.Cut(strings.TrimSpace(entry), ";")
			if id == upstream.LoopToken {
				return true
			}
		}
	}
	return false
}

// writeError answers with a JSON-RPC error that belongs to no id.
func writeError(w http.ResponseWriter, status int, code int64, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"jsonrpc": "2.0",
		"id":      nil,
		"error":   map[string]any{"code": code, "message": text},
	})
}
