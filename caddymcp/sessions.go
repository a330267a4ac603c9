package caddymcp

import (
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// sessionTimeout ends a session that nobody has used for so long. Clients
	// abandon sessions without a word.
	sessionTimeout = time.Hour

	// maxSessions bounds what abandoned sessions cost.
	maxSessions = 1000
)

// A roster is who has which session, and ends those that are not used. The SDK
// keeps the sessions themselves.
type roster struct {
	mu      sync.Mutex
	open    map[string]*session // by session id
	opening int                 // how many are about to be opened
}

// A session is one that a client has opened (up to 2025-11-25).
type session struct {
	*mcp.ServerSession
	caller string
	active int // requests and streams
	used   time.Time
	unused *time.Timer // ends it
}

// An opening is a request for a session.
type opening struct {
	roster *roster
	caller string
	over   bool
}

// begin makes room for one more session. If there are too many, one of the
// caller who has the most ends: that which has been idle the longest, or if
// all are in use and the new one is another caller's, any. Otherwise it fails.
func (r *roster) begin(server *mcp.Server, caller string) (*opening, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.open)+r.opening >= maxSessions {
		live := liveSessions(server)
		for id, s := range r.open {
			if !slices.Contains(live, s.ServerSession) {
				r.remove(id)
			}
		}
	}
	for len(r.open)+r.opening >= maxSessions {
		id, ok := r.dispensable(caller)
		if !ok {
			return nil, false
		}
		s := r.remove(id)
		go func() { _ = s.Close() }() // which waits for its calls
	}
	r.opening++
	return &opening{roster: r, caller: caller}, true
}

// dispensable finds a session that may end for a new one of the caller.
func (r *roster) dispensable(caller string) (id string, ok bool) {
	counts := make(map[string]int)
	for _, s := range r.open {
		counts[s.caller]++
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	for other, s := range r.open {
		if counts[s.caller] < most || s.active > 0 && counts[caller] == most {
			continue
		}
		if found := r.open[id]; found == nil || s.before(found) {
			id, ok = other, true
		}
	}
	return id, ok
}

// before says whether a session should rather end than another.
func (s *session) before(other *session) bool {
	if idle := s.active == 0; idle != (other.active == 0) {
		return idle
	}
	return s.used.Before(other.used)
}

// opened notes the session that came of it.
func (o *opening) opened(ss *mcp.ServerSession) {
	r := o.roster
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(o)
	if r.open == nil {
		r.open = make(map[string]*session)
	}
	id := ss.ID()
	r.open[id] = &session{
		ServerSession: ss,
		caller:        o.caller,
		used:          time.Now(),
		unused:        time.AfterFunc(sessionTimeout, func() { r.expire(id) }),
	}
}

// failed says that no session comes of it, if none has.
func (o *opening) failed() {
	o.roster.mu.Lock()
	defer o.roster.mu.Unlock()
	o.roster.end(o)
}

func (r *roster) end(o *opening) {
	if !o.over {
		o.over = true
		r.opening--
	}
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
	s.unused.Stop()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		s.active--
		s.used = time.Now()
		if s.active == 0 && r.open[id] == s {
			s.unused.Reset(sessionTimeout)
		}
	}, true
}

// expire ends a session whose time is over.
func (r *roster) expire(id string) {
	r.mu.Lock()
	s := r.open[id]
	if s == nil || s.active > 0 {
		r.mu.Unlock()
		return
	}
	r.remove(id)
	r.mu.Unlock()
	_ = s.Close()
}

// forget says that a session has ended.
func (r *roster) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove(id)
}

// forgetAll says that all sessions have ended.
func (r *roster) forgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id := range r.open {
		r.remove(id)
	}
}

func (r *roster) remove(id string) *session {
	s := r.open[id]
	if s != nil {
		s.unused.Stop()
		delete(r.open, id)
	}
	return s
}

// liveSessions are the sessions that a server keeps. The SDK makes one without
// an id for each request that stands alone.
func liveSessions(server *mcp.Server) (live []*mcp.ServerSession) {
	for s := range server.Sessions() {
		if s.ID() != "" {
			live = append(live, s)
		}
	}
	return live
}
