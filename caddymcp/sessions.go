package caddymcp

import (
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// sessionTimeout ends a session that made no request for so long. Clients
	// abandon sessions without a word.
	sessionTimeout = time.Hour

	// maxSessions bounds what abandoned sessions cost.
	maxSessions = 1000
)

// A roster is who has which session. The SDK keeps the sessions themselves.
type roster struct {
	mu   sync.Mutex
	open map[string]*session // by session id
}

// A session is one that a client has opened (up to 2025-11-25).
type session struct {
	caller string
	active int // requests and streams
	used   time.Time
}

// opened notes a new session.
func (r *roster) opened(id, caller string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = make(map[string]*session)
	}
	r.open[id] = &session{caller: caller, used: time.Now()}
}

// enter begins a request of a session, and says whether it is the caller's.
// What it returns ends the request.
func (r *roster) enter(id, caller string) (leave func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.open[id]
	if s == nil || s.caller != caller {
		return nil, false
	}
	s.active++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		s.active--
		s.used = time.Now()
	}, true
}

// makeRoom makes sure that one more session may be opened: if there are too
// many, the one that has been idle the longest ends. It fails if none is idle.
func (r *roster) makeRoom(server *mcp.Server) bool {
	live := liveSessions(server)
	idlest := r.idlest(live)
	if len(live) < maxSessions {
		return true
	}
	if idlest == nil {
		return false
	}
	_ = idlest.Close()
	return true
}

// liveSessions are the sessions that a server keeps, by id. The SDK makes one
// without an id for each request that stands alone.
func liveSessions(server *mcp.Server) map[string]*mcp.ServerSession {
	live := make(map[string]*mcp.ServerSession)
	for s := range server.Sessions() {
		if s.ID() != "" {
			live[s.ID()] = s
		}
	}
	return live
}

// idlest is the session that has been idle the longest, or nil. It forgets
// sessions that are no longer live.
func (r *roster) idlest(live map[string]*mcp.ServerSession) *mcp.ServerSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *mcp.ServerSession
	var since time.Time
	for id, s := range r.open {
		switch {
		case live[id] == nil:
			delete(r.open, id)
		case s.active == 0 && (found == nil || s.used.Before(since)):
			found, since = live[id], s.used
		}
	}
	return found
}
