package integration

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A slowAPI answers the first of a tool's two requests when it is told to, and
// sees whether the caller waits for that.
type slowAPI struct {
	*httptest.Server
	arrived, release, left, after chan struct{}
}

func startSlowAPI(t *testing.T) *slowAPI {
	t.Helper()
	a := &slowAPI{
		arrived: make(chan struct{}), release: make(chan struct{}),
		left: make(chan struct{}), after: make(chan struct{}),
	}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/after" {
			close(a.after)
			return
		}
		close(a.arrived)
		select {
		case <-a.release:
			io.WriteString(w, `"done"`)
		case <-r.Context().Done():
			close(a.left)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

// block has a tool that sends two requests.
func (a *slowAPI) block() string {
	return fmt.Sprintf("mcp {\nauth none\nupstream %s\ntool twice {\ndescription \"Asks twice.\"\nrun `get(\"/slow\") as $x | get(\"/after\")`\n}\n}", a.URL)
}

// waitForClose waits for a channel to be closed.
func waitForClose(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s has not happened", what)
	}
}

// A caller that gives up cancels its call as its revision says: it closes the
// connection, or sends notifications/cancelled. What the tool is asking the
// API for is given up, and the tool asks no further.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, version := range []string{legacy, modern} {
		for name, begin := range map[string]func(*testing.T, string) *reloadable{
			"http": startReloadable, "https": startReloadableTLS,
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				t.Parallel()
				api := startSlowAPI(t)
				r := begin(t, api.block())
				transport := plainTransport(t)
				transport.TLSClientConfig, transport.ForceAttemptHTTP2 = &tls.Config{InsecureSkipVerify: true}, true
				session := connect(t, r.url+"/mcp", transport, version)

				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					<-api.arrived
					cancel()
				}()
				if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "twice"}); err == nil {
					t.Error("a call that was cancelled succeeds")
				}
				waitForClose(t, "giving up the request", api.left)
				line := r.waitFor(t, `"msg":"tool call"`)
				if !strings.Contains(line, `"outcome":"cancelled"`) {
					t.Errorf("the log says %s", line)
				}
				select {
				case <-api.after:
					t.Error("the tool has gone on")
				default:
				}
			})
		}
	}
}

// In a session, a connection that breaks is not a cancellation (2025-11-25,
// "Transports": disconnection): the call goes on, and can still be cancelled.
func TestSessionsOutliveConnections(t *testing.T) {
	t.Parallel()
	for name, cancelled := range map[string]bool{"goes on": false, "is cancelled later": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := startSlowAPI(t)
			r := startReloadable(t, api.block())
			resp := send(t, http.MethodPost, r.url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			resp.Body.Close()
			session := []string{"Mcp-Session-Id", resp.Header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version", legacy}

			breaking, stop := context.WithCancel(t.Context())
			sent := make(chan struct{})
			req := newRequest(breaking, t, http.MethodPost, r.url+"/mcp",
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"twice","arguments":{}}}`, session...)
			transport := plainTransport(t)
			go func() {
				defer close(sent)
				if resp, err := transport.RoundTrip(req); err == nil {
					resp.Body.Close()
				}
			}()
			waitForClose(t, "the request", api.arrived)
			stop()
			<-sent

			if cancelled {
				send(t, http.MethodPost, r.url+"/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, session...).Body.Close()
				waitForClose(t, "giving up the request", api.left)
				return
			}
			// The session still answers, and what broke is behind it.
			send(t, http.MethodPost, r.url+"/mcp", `{"jsonrpc":"2.0","id":3,"method":"ping"}`, session...).Body.Close()
			close(api.release)
			waitForClose(t, "the second request", api.after)
			if line := r.waitFor(t, `"msg":"tool call"`); !strings.Contains(line, `"outcome":"ok"`) {
				t.Errorf("the log says %s", line)
			}
		})
	}
}
