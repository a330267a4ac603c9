package upstream

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// A Call is the MCP request on whose behalf an upstream sends requests.
// Nothing of it is copied into them, except what the config asks for.
type Call struct {
	// Server and Request are the Caddy server and the MCP request. A chain of
	// handlers sees the remote address, TLS state and host of the request,
	// and header placeholders are looked up in its replacer.
	Server  *caddyhttp.Server
	Request *http.Request

	// CallerID, CallerName and CallerScopes are {mcp.caller.id},
	// {mcp.caller.name} and {mcp.caller.scopes}.
	CallerID, CallerName string
	CallerScopes         []string

	// Tool is {mcp.tool}.
	Tool string

	// OnRequest is told of every HTTP request that was sent: its status, 0 if
	// there was no reply, its duration and the size of the reply. It can be
	// called concurrently. Nil is fine.
	OnRequest func(upstream, method string, status int, took time.Duration, bytes int)
}

// callKey is the context key of a *Call.
type callKey struct{}

// WithCall returns a context whose requests are sent on behalf of call.
func WithCall(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// callOf returns the call of ctx, or an empty one.
func callOf(ctx context.Context) *Call {
	if call, _ := ctx.Value(callKey{}).(*Call); call != nil {
		return call
	}
	return &Call{}
}

// replacer is the MCP request's replacer, or one of its own.
func (c *Call) replacer() *caddy.Replacer {
	if c.Request != nil {
		if repl, ok := c.Request.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
			return repl
		}
	}
	return caddy.NewReplacer()
}

// placeholder returns the value of one of the module's own placeholders. Every
// name that begins with mcp is known; most are empty.
func (c *Call) placeholder(key string) (any, bool) {
	switch key {
	case "mcp.caller.id":
		return c.CallerID, true
	case "mcp.caller.name":
		return c.CallerName, true
	case "mcp.caller.scopes":
		return strings.Join(c.CallerScopes, " "), true
	case "mcp.tool":
		return c.Tool, true
	}
	return "", strings.HasPrefix(key, "mcp.")
}

// host is the host of the MCP request.
func (c *Call) host() string {
	if c.Request != nil && c.Request.Host != "" {
		return c.Request.Host
	}
	return "localhost"
}

// scheme is that of the MCP request.
func (c *Call) scheme() string {
	if c.Request != nil && c.Request.TLS != nil {
		return "https"
	}
	return "http"
}
