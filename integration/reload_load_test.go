package integration

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A listener is a client that calls without a pause and counts what it hears
// of changes.
type listener struct {
	session *mcp.ClientSession
	calls   atomic.Int64
	heard   chan struct{}
}

func newListener(t *testing.T, url, version string) *listener {
	t.Helper()
	l := &listener{heard: make(chan struct{}, 1000)}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { l.heard <- struct{}{} },
	})
	transport := &http.Transport{DialTLSContext: dialAgain, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	var err error
	l.session, err = client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint:   url,
		HTTPClient: &http.Client{Transport: transport},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.session.Close() })
	return l
}

// callUntil calls until the channel is closed. Every call must succeed.
func (l *listener) callUntil(t *testing.T, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		res, err := l.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"})
		if err != nil || res.IsError || res.Content[0].(*mcp.TextContent).Text != "whole" {
			t.Errorf("call %d: %v %v", l.calls.Load(), res, err)
			return
		}
		l.calls.Add(1)
	}
}

// Clients of both eras call and listen while the config is loaded again and
// again. No call fails, no session is lost, and each listener hears of the
// changes of the tools, and of nothing else. Then the process ends at once,
// although all of them listen.
func TestReloadUnderLoad(t *testing.T) {
	t.Parallel()
	const reloads, changes, clients = 100, 10, 20
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "whole")
	}))
	t.Cleanup(api.Close)
	block := func(reload, version int) string {
		return reloadBlock(api.URL, "Waits.",
			fmt.Sprintf("instructions \"Reload %d.\"", reload),
			"limits {\nrate 0\n}",
			fmt.Sprintf("tool version_%d {\ndescription \"Changes.\"\nget /version\n}", version))
	}
	// Over HTTP/2, where a server that shuts down says so before it closes a
	// connection. Over HTTP/1.1 Caddy can close one on which a request is
	// arriving.
	r := startReloadableTLS(t, block(0, 0))

	var listeners []*listener
	for i := range clients {
		listeners = append(listeners, newListener(t, r.url+"/mcp", []string{legacy, modern}[i%2]))
	}
	stop := make(chan struct{})
	var running sync.WaitGroup
	for _, l := range listeners {
		running.Go(func() { l.callUntil(t, stop) })
	}

	version := 0
	for n := 1; n <= reloads; n++ {
		changed := n%(reloads/changes) == 0
		if changed {
			version++
		}
		r.load(t, block(n, version))
		for i, l := range listeners {
			if !changed {
				break
			}
			select {
			case <-l.heard:
			case <-time.After(30 * time.Second):
				t.Fatalf("reload %d: client %d has not heard that the tools changed", n, i)
			}
		}
	}
	close(stop)
	running.Wait()
	for i, l := range listeners {
		if more := len(l.heard); more != 0 {
			t.Errorf("client %d has heard of %d changes more than there were", i, more)
		}
		if l.calls.Load() == 0 {
			t.Errorf("client %d has made no call", i)
		}
		if got := strings.Join(toolNames(t, l.session), " "); got != fmt.Sprintf("wait version_%d", version) {
			t.Errorf("client %d lists %s", i, got)
		}
	}
	r.stop(t, 5*time.Second)
}

// dialAgain connects, and tries again if that fails. When Caddy replaces a
// listener, Linux resets connections that wait to be accepted.
func dialAgain(ctx context.Context, network, address string) (conn net.Conn, err error) {
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}}
	for range 5 {
		if conn, err = dialer.DialContext(ctx, network, address); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
