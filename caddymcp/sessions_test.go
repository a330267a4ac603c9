package caddymcp

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Sessions that nobody uses make room for new ones, and those in use stay.
func TestSessionsMakeRoom(t *testing.T) {
	t.Parallel()
	s := pantrySite(t, serveAPI(t, nil), "")
	url := s.URL + "/mcp"
	initialize := func() (*http.Response, string) {
		resp, _ := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		return resp, resp.Header.Get("Mcp-Session-Id")
	}
	ping := func(id string) int {
		resp, _ := post(t, url, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Mcp-Session-Id", id, "MCP-Protocol-Version", "2025-11-25")
		return resp.StatusCode
	}
	_, first := initialize()
	_, second := initialize()
	leave, ok := s.handler.endpoint.roster.enter(first, "") // a stream is open
	if !ok {
		t.Fatal("the first session is not known")
	}
	for range maxSessions {
		if resp, id := initialize(); id == "" {
			t.Fatalf("a session is refused: %s", resp.Status)
		}
	}
	if status := ping(first); status != http.StatusOK {
		t.Errorf("the session in use answers %d", status)
	}
	if status := ping(second); status != http.StatusNotFound {
		t.Errorf("the session that was idle the longest answers %d", status)
	}
	if n := s.handler.endpoint.sessionCount(); n > maxSessions {
		t.Errorf("%d sessions are open", n)
	}
	leave()
}

// newSessions makes sessions of a server without clients.
func newSessions(t *testing.T, server *mcp.Server, n int) (list []*mcp.ServerSession) {
	t.Helper()
	for range n {
		s, err := server.Connect(t.Context(), &mcp.StreamableServerTransport{SessionID: rand.Text()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
		t.Cleanup(func() { s.Close() })
	}
	return list
}

// Who has the most sessions makes room for new ones.
func TestSessionsGoByCaller(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "t"}, nil)
	open := func(t *testing.T, r *roster, caller string, list ...*mcp.ServerSession) {
		t.Helper()
		for _, s := range list {
			o, ok := r.begin(server, caller)
			if !ok {
				t.Fatalf("there is no room for %s", caller)
			}
			o.opened(s)
		}
	}
	use := func(t *testing.T, r *roster, caller string, list ...*mcp.ServerSession) {
		t.Helper()
		for _, s := range list {
			if _, ok := r.enter(s.ID(), caller); !ok {
				t.Fatalf("%s has no session", caller)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		inUse  bool // all sessions of bob
		caller string
		ends   int // a session of bob, or -1 if there is no room
	}{
		{"the idlest of one's own", false, "bob", 0},
		{"the idlest of another's", false, "eve", 0},
		{"none that is in use for one's own", true, "bob", -1},
		{"one that is in use for another", true, "eve", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var r roster
			all := newSessions(t, server, maxSessions)
			anna, bob := all[:5], all[5:]
			open(t, &r, "anna", anna...)
			open(t, &r, "bob", bob...)
			if tt.inUse {
				use(t, &r, "bob", bob...)
			}
			o, ok := r.begin(server, tt.caller)
			if ok != (tt.ends >= 0) {
				t.Fatalf("there is room: %t", ok)
			}
			if _, known := r.open[bob[0].ID()]; known != (tt.ends != 0) {
				t.Errorf("bob's first session goes on: %t", known)
			}
			if want := maxSessions - map[bool]int{true: 1}[ok]; len(r.open) != want {
				t.Errorf("%d sessions are left, want %d", len(r.open), want)
			}
			if ok {
				o.failed()
				o.failed()
			}
			if r.opening != 0 {
				t.Errorf("%d are being opened", r.opening)
			}
			use(t, &r, "anna", anna...)
		})
	}
}

// Sessions that are opened at the same time do not get past the bound.
func TestSessionsAreCountedBeforeTheyOpen(t *testing.T) {
	t.Parallel()
	var r roster
	server := mcp.NewServer(&mcp.Implementation{Name: "t"}, nil)
	for range maxSessions {
		if _, ok := r.begin(server, "bob"); !ok {
			t.Fatal("there is no room")
		}
	}
	if _, ok := r.begin(server, "anna"); ok {
		t.Error("there is room for one more")
	}
}

func TestRosterForgetsWhatEnded(t *testing.T) {
	t.Parallel()
	var r roster
	server := mcp.NewServer(&mcp.Implementation{Name: "t"}, nil)
	all := newSessions(t, server, maxSessions)
	for _, s := range all {
		o, _ := r.begin(server, "bob")
		o.opened(s)
	}
	for _, s := range all[10:] {
		s.Close()
	}
	if _, ok := r.begin(server, "bob"); !ok || len(r.open) != 10 {
		t.Errorf("there is room: %t, and %d sessions are known", ok, len(r.open))
	}
}

// A session ends when nobody has used it for an hour. An open stream is use.
func TestSessionTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roster
		server := mcp.NewServer(&mcp.Implementation{Name: "t"}, nil)
		s := newSessions(t, server, 1)[0]
		o, _ := r.begin(server, "bob")
		o.opened(s)
		known := func() bool {
			synctest.Wait()
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.open[s.ID()] != nil
		}
		time.Sleep(sessionTimeout - time.Second)
		leave, ok := r.enter(s.ID(), "bob")
		if !ok {
			t.Fatal("the session ends early")
		}
		time.Sleep(10 * sessionTimeout)
		if !known() {
			t.Fatal("the session ends while it is in use")
		}
		leave()
		time.Sleep(sessionTimeout - time.Second)
		if !known() {
			t.Error("the session ends early after its use")
		}
		time.Sleep(2 * time.Second)
		if known() || len(liveSessions(server)) != 0 {
			t.Error("the session does not end")
		}
	})
}

// A request on a connection that is older than the config is served by the
// config that runs, its access check included. It is the last one there: such
// a connection would keep the old server from ending.
func TestOldConnectionsSeeTheNewConfig(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, nil)
	before := pantrySite(t, a, "")
	after := serveSite(t, "mcp {\nauth {\nbearer cook sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n}\nupstream "+a.URL+"\ntool new {\ndescription New.\nget /new\n}\n}")
	before.handler.endpoint.current.Store(after.handler)
	if resp, body := modern(t, before.URL+"/mcp", "1", "tools/list", "", ""); resp.StatusCode != http.StatusUnauthorized || !resp.Close {
		t.Errorf("without a token: %s %s, and the connection goes on: %t", resp.Status, body, !resp.Close)
	}
	if resp, _ := modern(t, after.URL+"/mcp", "1", "tools/list", "", ""); resp.Close {
		t.Error("a connection of the config that runs is closed")
	}
	if _, body := modern(t, before.URL+"/mcp", "1", "tools/list", "", "", "Authorization", "Bearer test"); !strings.Contains(body, `"new"`) || strings.Contains(body, `"read"`) {
		t.Errorf("the tools are %s", body)
	}
	if err := after.handler.endpoint.Destruct(); err != nil { // the config that runs has no such block
		t.Fatal(err)
	}
	if resp, body := modern(t, before.URL+"/mcp", "1", "tools/list", "", "", "Authorization", "Bearer test"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("after the end: %s %s", resp.Status, body)
	}
}
