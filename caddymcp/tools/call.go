package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// A Call is one call of a tool.
type Call struct {
	// Name is the tool's name, and Arguments what the model sent, as JSON.
	Name      string
	Arguments json.RawMessage

	// Caller is who calls. Whether it may is checked before.
	Caller program.Caller

	// Sender sends the requests.
	Sender program.Sender

	// Files is where programs read files from. Nil is nowhere.
	Files program.Files

	// Location is the time zone of today. Nil is the host's.
	Location *time.Location

	// Progress and Log send notifications to the client. Nil drops them.
	Progress func(ctx context.Context, done, total float64, message string)
	Log      func(ctx context.Context, level, message string)
}

// An Outcome is how a call went, for logs and metrics.
type Outcome struct {
	Kind Kind

	// ReadOnly means that the call was classed as reading.
	ReadOnly bool

	// Err says what is behind a failure, for whoever operates the server.
	// It holds none of the arguments, except that those of [Bug] and
	// [Panicked] can quote data: they belong into the debug log.
	Err error

	// Stack is where a panic happened.
	Stack []byte
}

// A Kind is how a call ended.
type Kind string

const (
	// OK is a result.
	OK Kind = "ok"

	// Refused is an answer that the author or the schema provides for: wrong
	// arguments, a condition that does not hold, read-only mode.
	Refused Kind = "refused"

	// UpstreamError is an API's error, or an API that cannot be reached.
	UpstreamError Kind = "upstream_error"

	// Bug is a mistake in the tool's jq, or a result that does not fit.
	Bug Kind = "bug"

	// Panicked is a mistake in this software.
	Panicked Kind = "panic"

	// Timeout is a call that took too long.
	Timeout Kind = "timeout"

	// Cancelled is a call whose caller has gone.
	Cancelled Kind = "cancelled"
)

// Call runs a call until the context ends. Every failure is a result with
// IsError set, whose text is for the model.
func (s *Set) Call(ctx context.Context, call *Call) (result *mcp.CallToolResult, outcome Outcome) {
	defer func() {
		if r := recover(); r != nil {
			result = Failure("the tool failed")
			outcome = Outcome{Kind: Panicked, Err: fmt.Errorf("panic: %v", r), Stack: debug.Stack()}
		}
	}()
	t := s.byName[call.Name]
	if t == nil {
		return Failure(fmt.Sprintf("there is no tool '%s'", shorten(call.Name))), Outcome{Kind: Refused}
	}
	run := &run{set: s, tool: t}
	if deadline, ok := ctx.Deadline(); ok {
		run.limit = time.Until(deadline)
	}
	result, err := run.do(ctx, call)
	outcome.ReadOnly = run.readOnly()
	if err != nil {
		result, outcome.Kind, outcome.Err = run.fail(ctx, err)
		return result, outcome
	}
	outcome.Kind = OK
	return result, outcome
}

// A run is the state of one call.
type run struct {
	set    *Set
	tool   *tool
	action *action       // nil until the arguments are read
	call   *program.Call // likewise
	ok     bool          // the one request has succeeded
	limit  time.Duration // how much time there was
}

func (r *run) readOnly() bool { return r.action != nil && r.action.hints.readOnly }

// do does the work: check, send, answer.
func (r *run) do(ctx context.Context, call *Call) (*mcp.CallToolResult, error) {
	t := r.tool
	if t.listed == nil {
		return nil, refuse(readOnlyMode)
	}
	args, err := t.args.read(ctx, call.Arguments)
	if err != nil {
		if r.set.readOnly && t.asksToWrite(ctx, call.Arguments) {
			return nil, refuse(readOnlyMode)
		}
		return nil, err
	}
	a := t.choose(args)
	if a == nil || r.set.readOnly && !a.hints.readOnly {
		return nil, refuse(readOnlyMode)
	}
	r.action = a
	pc := &program.Call{
		Args:     args,
		Caller:   call.Caller,
		Tool:     call.Name,
		Sender:   call.Sender,
		Upstream: t.upstream,
		ReadOnly: a.hints.readOnly,
		Errors:   t.config.Errors,
		Files:    call.Files,
		Location: call.Location,
		Progress: call.Progress,
		Log:      call.Log,
	}
	r.call = pc
	if err := check(ctx, t.requires, pc); err != nil {
		return nil, err
	}
	if err := check(ctx, a.requires, pc); err != nil {
		return nil, err
	}
	if a.run != nil {
		v, err := a.run.Run(ctx, pc, nil)
		if err != nil {
			return nil, err
		}
		return r.value(v, a.run)
	}
	req, err := a.request.build(ctx, pc)
	if err != nil {
		return nil, err
	}
	resp, err := call.Sender.Send(ctx, req)
	if err != nil {
		return nil, err
	}
	r.ok = true
	if a.result == nil {
		return r.passThrough(resp)
	}
	body, err := program.DecodeBody(resp)
	if err != nil {
		return nil, err
	}
	v, err := a.result.Run(ctx, pc, body)
	if err != nil {
		return nil, err
	}
	return r.value(v, a.result)
}

const readOnlyMode = "server is in read-only mode"

// A refusalError is an answer that is not a failure of anything: the model reads it.
type refusalError struct{ text string }

func (e *refusalError) Error() string { return e.text }

func refuse(format string, args ...any) error {
	return &refusalError{fmt.Sprintf(format, args...)}
}

// fail turns an error into what the model reads and what the operator sees.
func (r *run) fail(ctx context.Context, err error) (*mcp.CallToolResult, Kind, error) {
	var (
		refused  *refusalError
		upstream *program.Error
	)
	switch {
	case errors.As(err, &refused):
		return Failure(refused.text), Refused, nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return r.ended(ctx, err)
	case errors.As(err, &upstream):
		return r.upstreamError(upstream)
	}
	if done := r.done(); r.ok || done != "" {
		return Failure("the tool could not read the API's reply" + done), Bug, err
	}
	return Failure("this tool has a mistake in its program: whoever runs the server finds it in the debug log"), Bug, err
}

// done says, for the end of a sentence, what the call has changed before it
// failed: a model that does not know would do it again.
func (r *run) done() string {
	done := r.call.Done()
	switch {
	case r.ok && !r.readOnly():
		return "; the request itself was carried out"
	case done != "" && r.tool.output != nil:
		return "; something may have been changed before"
	}
	return done
}

// ended answers a call whose time is over or whose caller has gone.
func (r *run) ended(ctx context.Context, err error) (*mcp.CallToolResult, Kind, error) {
	kind, text := Cancelled, "the call was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind, text = Timeout, fmt.Sprintf("the call took longer than %s and was stopped; ask for less at once", r.limit.Round(time.Second))
	}
	switch bare := errors.Is(ctx.Err(), err); {
	case bare: // nothing can have been changed
	case r.action.run != nil:
		text += "; " + err.Error() // names the writes
	default:
		text += "; it may have changed something already: read before you try again"
	}
	return Failure(text), kind, ctx.Err()
}

// upstreamError answers with the API's error, and what was changed before. With
// an output schema, nothing is said in the API's own words. What the author's
// program says stays as it is.
func (r *run) upstreamError(e *program.Error) (*mcp.CallToolResult, Kind, error) {
	kind := UpstreamError
	var cause error
	switch {
	case e.Kind == program.KindNotPublic: // refused here
		kind = Refused
	case e.Kind != "":
		cause = fmt.Errorf("upstream: %s", e.Kind)
	case e.Status != 0:
		cause = fmt.Errorf("upstream: status %d", e.Status)
	default:
		kind = Refused
	}
	text := e.Message
	if r.tool.output != nil && !e.Configured && kind == UpstreamError {
		switch {
		case e.Kind == program.KindTimeout:
			text = "the API did not answer in time"
		case e.Kind != "":
			text = "the API cannot be reached"
		default:
			text = fmt.Sprintf("the API answered with an error (status %d)", e.Status)
		}
	}
	if e.Verbatim {
		return Failure(text), kind, cause
	}
	declared := r.action.request != nil && !r.readOnly()
	if e.MaybeSent || declared && e.Status >= 500 {
		text += "; the request may have been carried out"
	}
	return Failure(text + r.done()), kind, cause
}

// Failure is a result that says why there is none.
func Failure(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}
}
