package caddymcp

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"runtime/debug"

	"github.com/caddyserver/caddy/v2"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/caddymcp/caddymcp/caddymcp/access"
)

// An incoming is the HTTP request that brought a message. The context that the
// SDK hands to the server of a session is that of the request which opened it,
// so what belongs to one request travels in its token info.
type incoming struct {
	handler *Handler
	request *http.Request
	caller  access.Caller
	opening *opening // of the session that the request asks for
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

// modern says whether the request is of a revision without sessions.
func (in *incoming) modern() bool {
	return in.request.Header.Get("Mcp-Protocol-Version") >= modernVersion
}

// receive stands before every method of the SDK. It lets the handler that
// received a message answer for the server and its tools, and keeps a panic
// from ending the process.
func receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				caddy.Log().Named("http.handlers.mcp").Error("panic while serving a message",
					zap.String("method", method),
					zap.Any("panic", v),
					zap.ByteString("stack", debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server failed"}
			}
		}()
		in := incomingOf(req)
		if in == nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the message came without a request"}
		}
		h := in.handler
		if method == "subscriptions/listen" && !in.modern() {
			// In a session it would outlive its request.
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this revision has no method " + method}
		}
		if c, ok := req.(*mcp.CallToolRequest); ok && h.set.Has(c.Params.Name) {
			res = in.finish(h.call(ctx, c, in))
		} else if res, err = next(ctx, method, req); err != nil || res == nil {
			return res, err
		}
		switch res := res.(type) {
		case *mcp.InitializeResult:
			if ss, ok := req.GetSession().(*mcp.ServerSession); ok && in.opening != nil {
				in.opening.opened(ss) // the client has not read its id yet
			}
			res.ServerInfo, res.Instructions = h.info, h.Instructions
		case *mcp.DiscoverResult:
			res.Instructions = h.Instructions
		case *mcp.ListToolsResult:
			res.Tools = h.set.ListFor(in.caller.Scopes)
		}
		if in.modern() {
			meta := maps.Clone(res.GetMeta())
			if meta == nil {
				meta = make(map[string]any, 1)
			}
			meta[mcp.MetaKeyServerInfo] = h.info
			res.SetMeta(meta)
		}
		return res, nil
	}
}

// complete is a result of the kind 'complete', which 2026-07-28 wants to see and
// the SDK lets no one set.
var complete = func() (r mcp.CallToolResult) {
	if err := json.Unmarshal([]byte(`{"resultType":"complete","content":[]}`), &r); err != nil {
		panic(err)
	}
	return r
}()

// finish gives a result of a tool the form of the request's revision.
func (in *incoming) finish(r *mcp.CallToolResult) *mcp.CallToolResult {
	if !in.modern() {
		return r
	}
	done := complete
	done.Meta, done.Content, done.StructuredContent, done.IsError = r.Meta, r.Content, r.StructuredContent, r.IsError
	return &done
}

// removed is the SDK's handler of every tool. The middleware answers for the
// tools of the config; what comes here is no longer one of them.
func removed(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool \"" + req.Params.Name + "\""}
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
