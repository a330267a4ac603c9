package program

import (
	"context"
	"errors"
	"slices"

	"github.com/itchyny/gojq"
)

// A run is one run of a program.
type run struct {
	ctx  context.Context
	call *Call

	// raised are the errors of requests that the program was given.
	raised []*Error

	// lost is the write that was under way when the context ended.
	lost string
}

// Run runs the program on input and returns its one value. Input and value
// are nil, bool, int, float64, *big.Int, json.Number, string, []any or
// map[string]any; the program changes neither.
//
// The program is run to its end, and stops for good at its first error. An
// error is an *[Error], a *[Bug] (a panic is one), or the context's, wrapped
// if writes were made.
func (p *Program) Run(ctx context.Context, call *Call, input any) (value any, err error) {
	r := &run{ctx: ctx, call: call}
	defer func() {
		if v := recover(); v != nil {
			value, err = nil, &Bug{misuse("panic: %v", v)}
		}
	}()
	args := call.Args
	if args == nil {
		args = map[string]any{}
	}
	scopes := make([]any, len(call.Caller.Scopes))
	for i, s := range call.Caller.Scopes {
		scopes[i] = s
	}
	caller := map[string]any{"id": call.Caller.ID, "name": call.Caller.Name, "scopes": scopes}

	values := 0
	iter := p.code.RunWithContext(ctx, input, args, caller, call.Tool, r)
	for {
		v, ok := iter.Next()
		if !ok {
			break
		}
		if err, failed := v.(error); failed {
			return nil, r.failure(err)
		}
		if values++; values == 1 {
			value = v
		}
	}
	switch values {
	case 1:
		return value, nil
	case 0:
		return nil, r.countError("the tool's program gave no value")
	default:
		return nil, r.countError("the tool's program gave several values instead of one")
	}
}

// failure turns what gojq stopped with into an error of the package.
func (r *run) failure(err error) error {
	if cause := r.ctx.Err(); cause != nil {
		return r.cutOff(cause)
	}
	var e *Error
	if !errors.As(err, &e) {
		return &Bug{err}
	}
	if !slices.Contains(r.raised, e) {
		// An error that was caught and raised again is the one it was, so
		// what is known of it is not lost.
		for _, old := range r.raised {
			if old.Message == e.Message && old.Status == e.Status {
				e = old
				break
			}
		}
	}
	// Of this write the error speaks already.
	if i := slices.Index(r.call.writes, write{e.write, true}); i >= 0 {
		r.call.writes = slices.Delete(r.call.writes, i, i+1)
	}
	return e
}

// cutOff is the end of the context, with the writes that it left behind.
func (r *run) cutOff(cause error) error {
	message := "the call was cut off"
	switch {
	case r.lost == "" && len(r.call.writes) == 0:
		return cause
	case r.lost != "":
		message += ": " + r.lost + " may have reached the API"
	}
	return &cutOff{message + r.call.Done(), cause}
}

func (r *run) countError(message string) *Error {
	e := refusal("%s%s", message, r.call.Done())
	e.Verbatim = true // it names the writes already
	return e
}

// progress(done; total; message) tells the client how far the call is.
func progress(r *run, in any, args []any) any {
	done, ok := gojq.ToFloat64(args[0])
	if !ok {
		return misuse("progress: the first argument is not a number")
	}
	total, ok := gojq.ToFloat64(args[1])
	if !ok && args[1] != nil {
		return misuse("progress: the second argument is neither a number nor null")
	}
	message, err := asText(args[2])
	if err != nil {
		return err
	}
	if r.call.Progress != nil {
		r.call.Progress(r.ctx, done, total, message)
	}
	return in
}

// levels are the levels of log messages that MCP knows (RFC 5424).
var levels = map[string]bool{
	"debug": true, "info": true, "notice": true, "warning": true,
	"error": true, "critical": true, "alert": true, "emergency": true,
}

// log(level; message) sends the client a log message.
func logMessage(r *run, in any, args []any) any {
	level, _ := args[0].(string)
	if !levels[level] {
		return misuse("log: the level is not one of debug, info, notice, warning, error, critical, alert, emergency")
	}
	message, err := asText(args[1])
	if err != nil {
		return err
	}
	if r.call.Log != nil {
		r.call.Log(r.ctx, level, message)
	}
	return in
}
