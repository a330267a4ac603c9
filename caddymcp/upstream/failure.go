package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.uber.org/zap"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// failed makes the error of a request that got no whole reply.
func (u *Upstream) failed(ctx context.Context, req *program.Request, out *outgoing, err error) error {
	f, ok := asExchangeError(err)
	if !ok {
		f = &exchangeError{err: err, kind: program.KindTimeout} // a shared request's deadline
	}
	maybe := f.sent && !out.reading
	if ended := ctx.Err(); ended != nil {
		if maybe {
			return fmt.Errorf("the %s request to %s may have been carried out: %w", out.method, u.name(), ended)
		}
		return ended
	}
	// The cause can hold internal addresses, but nothing of the arguments.
	u.logger.Info("request failed",
		zap.String("tool", callOf(ctx).Tool), zap.String("upstream", u.Name),
		zap.String("method", out.method), zap.NamedError("cause", f))

	failure := &program.Error{Kind: f.kind, MaybeSent: maybe}
	detail := u.scrub(f.detail(out.timeout), out)
	if text, ok := findText(failure, detail, req.Errors, u.Errors); ok {
		failure.Message, failure.Configured = u.fillIn(text, req, out, 0, detail), true
		return failure
	}
	switch f.kind {
	case program.KindUnreachable, program.KindUnresolved:
		failure.Message = u.name() + " is unreachable"
	case program.KindTimeout:
		failure.Message = fmt.Sprintf("%s did not answer within %s", u.name(), out.timeout)
	default:
		failure.Message = u.name() + " " + f.text
	}
	return failure
}

// refused makes the error of a reply whose status is a failure.
func (u *Upstream) refused(req *program.Request, out *outgoing, resp *program.Response) error {
	failure := &program.Error{Status: resp.Status, Body: errorBody(resp.Body)}
	// Many APIs answer a write that they have done with such a redirect.
	failure.MaybeSent = !out.reading && resp.Status >= 301 && resp.Status <= 303
	detail := ""
	if !isRedirect(resp) {
		detail = u.scrub(words(failure.Body), out)
	}
	if text, ok := findText(failure, detail, req.Errors, u.Errors); ok {
		failure.Message, failure.Configured = u.fillIn(text, req, out, resp.Status, detail), true
		return failure
	}
	switch {
	case isRedirect(resp):
		failure.Message = u.name() + " redirected to another place, which is not followed"
	case detail != "":
		failure.Message = detail
	default:
		failure.Message = fmt.Sprintf("%s returned %d", u.name(), resp.Status)
	}
	return failure
}

// errorBody is a reply's body as a program sees it: a JSON value, else a
// string, else nil.
func errorBody(data []byte) any {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err == nil {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return value
		}
	}
	if !utf8.Valid(data) {
		return nil
	}
	return string(data)
}

// validateErrorText checks an error text of the config.
func validateErrorText(e program.ErrorText) error {
	if len(e.On) == 0 {
		return errors.New("error needs at least one status, such as 404, 4xx, unreachable or timeout")
	}
	if strings.TrimSpace(e.Message) == "" {
		return fmt.Errorf("error %s has no message", strings.Join(e.On, " "))
	}
	for _, on := range e.On {
		if !program.ValidOn(on) {
			return fmt.Errorf("'%s' is not a failure: write a status from 300 to 599, 3xx, 4xx, 5xx, unreachable or timeout", on)
		}
	}
	return nil
}

// findText returns the first message for a failure. One with {detail} is for
// failures that have a detail.
func findText(failure *program.Error, detail string, lists ...[]program.ErrorText) (string, bool) {
	for _, list := range lists {
		for _, e := range list {
			if detail == "" && strings.Contains(e.Message, "{detail}") {
				continue
			}
			if slices.ContainsFunc(e.On, failure.Matches) {
				return e.Message, true
			}
		}
	}
	return "", false
}

// fillIn puts values into the placeholders {status}, {detail}, {url} and
// {arg.name} of a message, in one pass, so that a value is not read as a
// placeholder again. Other braces stay as they are.
func (u *Upstream) fillIn(message string, req *program.Request, out *outgoing, status int, detail string) string {
	var b strings.Builder
	for {
		begin := strings.IndexByte(message, '{')
		if begin < 0 {
			break
		}
		b.WriteString(message[:begin])
		message = message[begin:]
		end := strings.IndexByte(message, '}')
		if end < 0 {
			break
		}
		key := message[1:end]
		name, isArg := strings.CutPrefix(key, "arg.")
		switch {
		case key == "status" && status == 0:
		case key == "status":
			b.WriteString(strconv.Itoa(status))
		case key == "detail":
			b.WriteString(detail)
		case key == "url":
			b.WriteString(u.address(out))
		case isArg:
			b.WriteString(shorten(argText(req.Args, name)))
		default:
			b.WriteByte('{')
			message = message[1:]
			continue
		}
		message = message[end+1:]
	}
	b.WriteString(message)
	return strings.TrimSpace(b.String())
}

// address is the upstream's URL, or where a request to others goes.
func (u *Upstream) address(out *outgoing) string {
	if u.base == nil {
		return out.url.String()
	}
	return strings.TrimRight(u.base.String(), "/")
}

// argText is an argument as text: a string as it is, anything else as JSON.
// Dots lead into objects.
func argText(args map[string]any, name string) string {
	value, ok := args[name]
	if !ok {
		first, rest, found := strings.Cut(name, ".")
		inner, isObject := args[first].(map[string]any)
		if found && isObject {
			return argText(inner, rest)
		}
		return ""
	}
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil || value == nil {
		return ""
	}
	return string(text)
}
