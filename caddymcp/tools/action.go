package tools

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// An action is a compiled [Action].
type action struct {
	requires []requirement // of a case
	request  *request
	run      *program.Program
	result   *program.Program
	hints    hints

	// unsafe means that the author says that it changes something, so that
	// requests which read by their method may.
	unsafe bool

	// plain means that the text of the config does nothing to the reply.
	plain bool
}

// A requirement is a condition and what is said when it does not hold.
type requirement struct {
	condition *program.Program
	message   *program.Program
}

// action compiles an action that has a request or a program. When is the case
// it stands in, if any.
func (c *compiler) action(a *Action, when string) *action {
	out := &action{}
	switch {
	case a.Request != nil && a.Run != nil:
		c.fail("%shas both a request and 'run', use one", prefix(when))
	case a.Request != nil:
		out.request = c.request(a.Request, when)
		switch {
		case a.Result != nil:
			out.result = c.program(*a.Result, false)
		case c.tool.Output != "":
			// The output schema applies to a decoded value.
			out.result = c.program(program.Source{Text: "."}, false)
		}
	case a.Run != nil:
		if a.Result != nil {
			c.fail("%shas 'result' beside 'run', which makes its own result: put it at the end of the program", prefix(when))
		}
		out.run = c.program(*a.Run, true)
	default:
		c.fail("%shas nothing to do: add a request (get, post, …) or 'run'", prefix(when))
	}
	out.hints = c.hints(a, out, when)
	out.plain = a.plain()
	return out
}

// oneRequest matches a program that is one request whose reply has a body, and
// nothing else.
var oneRequest = regexp.MustCompile(`^\s*(get|post|put|patch)\([^()|,;]*\)\s*$`)

// plain reports whether nothing is plainly done to the reply. That to DELETE has
// seldom anything in it.
func (a *Action) plain() bool {
	if a.Run != nil {
		return oneRequest.MatchString(a.Run.Text)
	}
	if a.Request != nil && slices.Contains([]string{http.MethodDelete, http.MethodHead}, strings.ToUpper(a.Request.Method)) {
		return false
	}
	return a.Result == nil || strings.TrimSpace(a.Result.Text) == "."
}

func prefix(when string) string {
	if when == "" {
		return ""
	}
	return "case " + when + " "
}

func (c *compiler) requires(requires []Require) []requirement {
	out := make([]requirement, 0, len(requires))
	for _, r := range requires {
		if m := errorArgument.FindStringSubmatch(r.Message.Text); m != nil {
			c.fail("the message of 'require' holds '%s' as plain text: write '\\(%s)'", m[0], program.ArgumentText(m[1]))
		}
		out = append(out, requirement{c.program(r.If, false), c.text(r.Message)})
	}
	return out
}

// check runs the conditions. The first that does not hold is a refusal.
func check(ctx context.Context, requires []requirement, call *program.Call) error {
	for _, r := range requires {
		v, err := r.condition.Run(ctx, call, nil)
		if err != nil {
			return err
		}
		if v != nil && v != false {
			continue
		}
		text, err := r.message.Run(ctx, call, nil)
		if err != nil {
			return err
		}
		return refuse("%s", text)
	}
	return nil
}

// effects are the requests that an action can make.
func (a *action) effects(upstream string) []program.Effect {
	var effects []program.Effect
	switch {
	case a.request != nil:
		effects = []program.Effect{{Method: a.request.method, Path: a.request.path.pattern()}}
	case a.run != nil:
		effects = slices.Clone(a.run.Effects())
	}
	for i := range effects {
		if effects[i].Upstream == "" {
			effects[i].Upstream = upstream
		}
	}
	return effects
}
