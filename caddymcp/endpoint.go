package caddymcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/caddymcp/caddymcp/caddymcp/access"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
)

// An endpoint is one MCP server behind the three ways in which the SDK serves
// it. It outlives the config: a reload hands it, with the sessions of its
// clients, to the handler of the new config. Each message brings the handler
// that received it, so that a call ends on the config on which it began.
type endpoint struct {
	server *mcp.Server

	// sessions serves clients that begin with initialize (up to 2025-11-25).
	sessions http.Handler

	// single serves requests that stand alone (2026-07-28, and older clients
	// without a session), and stream those of them that want notifications
	// on the way.
	single, stream http.Handler

	// roster knows who has which session.
	roster roster

	// current is the handler of the config that runs. Requests on connections
	// from before a reload still come to the handler of their config.
	current atomic.Pointer[Handler]

	// serving is held for reading while a message is served, and taken when
	// the endpoint ends, so that no reply is cut off.
	serving sync.RWMutex

	// ended ends the streams, which would go on for as long as their clients
	// like.
	ended context.Context
	end   context.CancelFunc

	// gone says that the config that runs has no such endpoint.
	gone atomic.Bool

	mu     sync.Mutex
	app    *caddyhttp.App    // the config that claimed it last
	name   string            // of the server
	listed map[string][]byte // the tools that the server knows, as JSON
}

// endpoints are those of the process.
var endpoints = caddy.NewUsagePool()

// claimEndpoint finds the endpoint of the same place in the config before, or
// makes one. The place is where the server listens, the site, the path, and
// which of several blocks with all of these in common: matchers or handle_path
// can tell such blocks apart.
func (h *Handler) claimEndpoint(ctx caddy.Context) error {
	app := access.HTTPApp(ctx)
	place := fmt.Sprintf("%p", h) // outside an app there is no reload
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok && app != nil {
		place = fmt.Sprintf("%s|%s|%s", strings.Join(server.Listen, " "), h.Auth.Site(), h.Path)
	}
	for n := 1; ; n++ {
		key := fmt.Sprintf("%s|%d", place, n)
		v, _, err := endpoints.LoadOrNew(key, func() (caddy.Destructor, error) { return newEndpoint(), nil })
		if err != nil {
			return err
		}
		if e := v.(*endpoint); e.claim(app) {
			h.endpoint, h.endpointKey = e, key
			return nil
		}
		// Another block of this config has it.
		if _, err := endpoints.Delete(key); err != nil {
			return err
		}
		h.logger.Warn("another mcp block of this site has the same path: only a matcher or handle_path can tell them apart",
			zap.String("path", h.Path))
	}
}

// claim takes the endpoint for a config, once.
func (e *endpoint) claim(app *caddyhttp.App) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if app != nil && e.app == app {
		return false
	}
	e.app = app
	return true
}

// newEndpoint makes a server without tools.
func newEndpoint() *endpoint {
	e := &endpoint{listed: make(map[string][]byte)}
	e.ended, e.end = context.WithCancel(context.Background())
	e.server = mcp.NewServer(&mcp.Implementation{Name: "caddymcp"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{
			Tools:   &mcp.ToolCapabilities{ListChanged: true},
			Logging: &mcp.LoggingCapabilities{}, //nolint:staticcheck // in use until 2027
		},
		// One page: a cursor of the SDK would name a tool that the caller may not see.
		PageSize: 1 << 20,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.CacheScope = "private"
		},
	})
	e.server.AddReceivingMiddleware(receive)

	serve := func(o mcp.StreamableHTTPOptions) http.Handler {
		o.MaxRequestBodyBytes = -1          // bounded before
		o.DisableLocalhostProtection = true // Host is checked before
		o.PropagateRequestCancellation = true
		sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return e.server }, &o)
		return auth.RequireBearerToken(tokenInfo, &auth.RequireBearerTokenOptions{
			AllowMissingExpiration: true,
		})(sdk)
	}
	e.sessions = serve(mcp.StreamableHTTPOptions{})
	e.single = serve(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	e.stream = serve(mcp.StreamableHTTPOptions{Stateless: true})
	return e
}

// list tells the server its name and its tools. Clients that listen hear of it
// if the tools differ from those before.
func (e *endpoint) list(name string, list []*mcp.Tool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.name = name
	gone := make(map[string]bool, len(e.listed))
	for name := range e.listed {
		gone[name] = true
	}
	for _, t := range list {
		delete(gone, t.Name)
		text, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("tool '%s': %w", t.Name, err)
		}
		if !bytes.Equal(e.listed[t.Name], text) {
			e.listed[t.Name] = text
			e.server.AddTool(t, removed)
		}
	}
	for name := range gone {
		delete(e.listed, name)
		e.server.RemoveTools(name)
	}
	return nil
}

// registrable reports a tool that the SDK's server does not take: it panics,
// which must not happen when the config runs already.
func registrable(list []*mcp.Tool) (err error) {
	var tool string
	defer func() {
		if v := recover(); v != nil {
			err = &tools.ConfigError{Tool: tool, Err: fmt.Errorf("the schema is not one for a tool: %v", v)}
		}
	}()
	server := mcp.NewServer(&mcp.Implementation{Name: "caddymcp"}, nil)
	for _, t := range list {
		tool = t.Name
		server.AddTool(t, removed)
	}
	return nil
}

// serverName is the name of the server, or nothing before its config runs.
func (e *endpoint) serverName() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.name
}

// sessionCount is how many sessions are open.
func (e *endpoint) sessionCount() int { return len(liveSessions(e.server)) }

// Destruct ends the endpoint when no config has it any more: its streams at
// once, its sessions when the calls in flight are done.
func (e *endpoint) Destruct() error {
	e.gone.Store(true)
	e.end()
	go func() {
		e.serving.Lock()
		defer e.serving.Unlock()
		e.roster.forgetAll()
		for s := range e.server.Sessions() {
			_ = s.Close()
		}
	}()
	return nil
}

// ending says whether the endpoint or the process is to end.
func (e *endpoint) ending() bool { return e.ended.Err() != nil }

// untilEnd ends a context with the endpoint.
func (e *endpoint) untilEnd(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(e.ended, cancel)
	return ctx, func() { unhook(); cancel() }
}

// Interface guards
var _ caddy.Destructor = (*endpoint)(nil)
