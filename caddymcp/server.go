package caddymcp

import (
	"context"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/caddymcp/caddymcp/caddymcp/access"
)

const (
	// sessionTimeout ends a session that made no request for so long. Clients
	// abandon sessions without a word.
	sessionTimeout = time.Hour

	// maxSessions bounds what abandoned sessions cost.
	maxSessions = 1000
)

// An endpoint is one MCP server behind the three ways in which the SDK serves
// it. The revision and the wishes of a request choose among them.
type endpoint struct {
	server *mcp.Server

	// sessions serves clients that begin with initialize (up to 2025-11-25).
	sessions http.Handler

	// single serves requests that stand alone (2026-07-28, and older clients
	// without a session), and stream those of them that want notifications
	// on the way.
	single, stream http.Handler
}

// newEndpoint builds the server with the handler's tools.
func (h *Handler) newEndpoint() *endpoint {
	e := new(endpoint)
	list := h.set.List()
	e.server = mcp.NewServer(h.implementation(), &mcp.ServerOptions{
		Instructions: h.Instructions,
		Capabilities: &mcp.ServerCapabilities{
			Tools:   &mcp.ToolCapabilities{ListChanged: true},
			Logging: &mcp.LoggingCapabilities{}, //nolint:staticcheck // in use until 2027
		},
		// One page: a cursor of the SDK would name a tool that the caller may not see.
		PageSize: len(list) + 1,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.CacheScope = "private"
		},
	})
	for _, t := range list {
		e.server.AddTool(t, h.call)
	}
	e.server.AddReceivingMiddleware(h.receive)

	serve := func(o mcp.StreamableHTTPOptions) http.Handler {
		o.MaxRequestBodyBytes = -1          // bounded before
		o.DisableLocalhostProtection = true // Host is checked before
		o.PropagateRequestCancellation = true
		sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return e.server }, &o)
		return auth.RequireBearerToken(tokenInfo, &auth.RequireBearerTokenOptions{
			AllowMissingExpiration: true,
		})(sdk)
	}
	e.sessions = serve(mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout})
	e.single = serve(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	e.stream = serve(mcp.StreamableHTTPOptions{Stateless: true})
	return e
}

// implementation is what the server says of itself.
func (h *Handler) implementation() *mcp.Implementation {
	impl := &mcp.Implementation{
		Name:       h.Name,
		Title:      h.Title,
		Version:    h.Version,
		WebsiteURL: h.Website,
	}
	if h.Icon != "" {
		impl.Icons = []mcp.Icon{{Source: h.Icon}}
	}
	return impl
}

// full says whether no further session is accepted.
func (e *endpoint) full() bool {
	n := 0
	for range e.server.Sessions() {
		n++
	}
	return n >= maxSessions
}

// close ends all sessions and with them their streams.
func (e *endpoint) close() {
	for s := range e.server.Sessions() {
		_ = s.Close()
	}
}

// An incoming is the HTTP request that brought a message. The context that the
// SDK hands to the server of a session is that of the request which opened it,
// so what belongs to one request travels in its token info.
type incoming struct {
	request *http.Request
	caller  access.Caller
}

type incomingKey struct{}

const incomingExtra = "incoming"

// tokenInfo hands the incoming request on. The caller was checked before: the
// SDK binds sessions to the user id.
func tokenInfo(_ context.Context, _ string, r *http.Request) (*auth.TokenInfo, error) {
	in, ok := r.Context().Value(incomingKey{}).(*incoming)
	if !ok {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{
		UserID: in.caller.ID,
		Extra:  map[string]any{incomingExtra: in},
	}, nil
}

// handOn prepares a request for the SDK: it holds the incoming request, and of
// the client's credentials nothing.
func handOn(r *http.Request, in *incoming) *http.Request {
	r = r.WithContext(context.WithValue(r.Context(), incomingKey{}, in))
	r.Header = r.Header.Clone()
	r.Header.Del("Cookie")
	r.Header.Set("Authorization", "Bearer checked")
	return r
}

// incomingOf is the request that brought a message, or nil.
func incomingOf(req mcp.Request) *incoming {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return nil
	}
	in, _ := extra.TokenInfo.Extra[incomingExtra].(*incoming)
	return in
}

// receive stands before every method of the SDK. It shows each caller the
// tools it may call, in the order of the config, answers for tools that are
// not listed, and keeps a panic from ending the process.
func (h *Handler) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				h.logger.Error("panic while serving a message",
					zap.String("method", method),
					zap.Any("panic", v),
					zap.ByteString("stack", debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server failed"}
			}
		}()
		if call, ok := req.(*mcp.CallToolRequest); ok && h.set.Hidden(call.Params.Name) {
			return h.call(ctx, call)
		}
		res, err = next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			list.Tools = h.set.ListFor(h.scopesOf(req))
		}
		return res, err
	}
}

// scopesOf are the scopes of the caller who sent req.
func (h *Handler) scopesOf(req mcp.Request) []string {
	if in := incomingOf(req); in != nil {
		return in.caller.Scopes
	}
	return nil
}
