package caddymcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
	"github.com/caddymcp/caddymcp/caddymcp/upstream"
)

// call runs one tools/call.
func (h *Handler) call(ctx context.Context, req *mcp.CallToolRequest, in *incoming) *mcp.CallToolResult {
	start, spent := time.Now(), new(tally)
	ctx, span := startSpan(ctx, in.request, req.Params.Name)
	result, outcome := h.admit(ctx, &tools.Call{
		Name:      req.Params.Name,
		Arguments: req.Params.Arguments,
		Progress:  progressTo(req),
		Log:       logTo(req, h.Name),
	}, in, spent)
	endSpan(span, outcome.Kind)
	took, size := time.Since(start), contentSize(result)
	h.countCall(req.Params.Name, outcome.Kind, took, size)
	h.logCall(req.Params.Name, in.caller.ID, outcome,
		zap.Duration("duration", took),
		zap.Int64("upstream_requests", spent.requests.Load()),
		zap.Duration("upstream_duration", time.Duration(spent.took.Load())),
		zap.Int("reply_bytes", size))
	return result
}

// admit applies the limits and runs the tool, in the name of the caller and
// with what the config provides.
func (h *Handler) admit(ctx context.Context, call *tools.Call, in *incoming, spent *tally) (*mcp.CallToolResult, tools.Outcome) {
	if !h.allows(in.caller, call.Name) {
		return refuse(errors.New("the caller may not use this tool"))
	}
	if wait, ok := h.limiter.allow(in.caller.ID); !ok {
		err := fmt.Errorf("too many calls: try again in %s", wait.Round(time.Second)+time.Second)
		return refuse(err)
	}
	ctx, cancel := context.WithTimeout(ctx, h.timeLimit(call.Name))
	defer cancel()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		err := errors.New("the server is busy with other calls: try again later")
		if ctx.Err() == context.Canceled {
			return tools.Failure(err.Error()), tools.Outcome{Kind: tools.Cancelled, Err: ctx.Err()}
		}
		return refuse(err)
	}

	server, _ := in.request.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	ctx = upstream.WithCall(ctx, &upstream.Call{
		Server:       server,
		Request:      in.request,
		CallerID:     in.caller.ID,
		CallerName:   in.caller.Name,
		CallerScopes: in.caller.Scopes,
		Tool:         call.Name,
		OnRequest: func(upstream, method string, status int, took time.Duration, bytes int) {
			spent.add(took)
			h.countRequest(upstream, method, status, took, bytes)
		},
	})
	call.Caller = program.Caller(in.caller)
	call.Sender, call.Files, call.Location = h.upstreams, h.files(), h.location
	return h.set.Call(ctx, call)
}

// refuse is a tool result that says why the tool did not run.
func refuse(err error) (*mcp.CallToolResult, tools.Outcome) {
	return tools.Failure(err.Error()), tools.Outcome{Kind: tools.Refused, Err: err}
}

// logCall writes one line for a call: never its arguments or its reply. The
// text of a bug may quote data and is for the debug log alone.
func (h *Handler) logCall(tool, caller string, outcome tools.Outcome, cost ...zap.Field) {
	fields := append([]zap.Field{
		zap.String("tool", tool),
		zap.String("caller", caller),
		zap.String("outcome", string(outcome.Kind)),
	}, cost...)
	if outcome.Kind != tools.Refused { // which has neither read nor written
		fields = append(fields, zap.Bool("read_only", outcome.ReadOnly))
	}
	switch outcome.Kind {
	case tools.Panicked:
		h.logger.Error("tool call", append(fields, zap.ByteString("stack", outcome.Stack))...)
	case tools.Bug:
		h.logger.Warn("tool call", fields...)
	default:
		h.logger.Info("tool call", fields...)
	}
	if outcome.Err != nil {
		h.logger.Debug("tool call failed", zap.String("tool", tool), zap.Error(outcome.Err))
	}
}

// progressTo sends progress to a client that asked for it.
func progressTo(req *mcp.CallToolRequest) func(context.Context, float64, float64, string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return func(ctx context.Context, done, total float64, message string) {
		// A client that no longer listens is not the tool's concern.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token,
			Progress:      done,
			Total:         total,
			Message:       message,
		})
	}
}

// logTo sends log messages to a client that set a level.
func logTo(req *mcp.CallToolRequest, name string) func(context.Context, string, string) {
	return func(ctx context.Context, level, message string) {
		//nolint:staticcheck // deprecated in 2026-07-28, in use until 2027
		_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{
			Logger: name,
			Level:  mcp.LoggingLevel(level),
			Data:   message,
		})
	}
}

// A limiter bounds the calls of each caller. Callers come from the config, so
// their number is bounded.
type limiter struct {
	limit   rate.Limit
	burst   int
	callers sync.Map // caller id → *rate.Limiter
}

// allow says whether the caller may call now, and if not, in what time.
func (l *limiter) allow(caller string) (time.Duration, bool) {
	if l == nil {
		return 0, true
	}
	v, ok := l.callers.Load(caller)
	if !ok {
		v, _ = l.callers.LoadOrStore(caller, rate.NewLimiter(l.limit, l.burst))
	}
	r := v.(*rate.Limiter).Reserve()
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
	}
	return wait, wait == 0
}
