package caddymcp

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

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

// A session is known before its id reaches the client.
func TestSessionIsKnownBeforeItsID(t *testing.T) {
	t.Parallel()
	var known []string
	rec := httptest.NewRecorder()
	w := &replyWriter{ResponseWriter: rec, opened: func(id string) {
		if rec.Code != http.StatusOK || rec.Flushed || rec.Body.Len() > 0 {
			t.Error("the reply has begun")
		}
		known = append(known, id)
	}}
	w.Header().Set("Mcp-Session-Id", "a")
	w.Write([]byte("x"))
	w.Write([]byte("y"))
	if !slices.Equal(known, []string{"a"}) {
		t.Errorf("known are %v", known)
	}
}

func TestRosterForgetsWhatEnded(t *testing.T) {
	var r roster
	r.opened("a", "x")
	if !r.makeRoom(mcp.NewServer(&mcp.Implementation{Name: "t"}, nil)) {
		t.Error("there is no room")
	}
	if len(r.open) != 0 {
		t.Errorf("%d sessions are remembered", len(r.open))
	}
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
	after.handler.endpoint.end() // the config that runs has no such block
	if resp, body := modern(t, before.URL+"/mcp", "1", "tools/list", "", "", "Authorization", "Bearer test"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("after the end: %s %s", resp.Status, body)
	}
}
