package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// A Bug is an error of the program itself, such as a jq type error. Its text
// quotes data and is not for the model.
type Bug struct{ Err error }

// Error returns the text of the error, which can quote data.
func (b *Bug) Error() string { return b.Err.Error() }

// Unwrap returns the error.
func (b *Bug) Unwrap() error { return b.Err }

// Value is what a program's catch receives: {status, message, body, kind}. The
// status is null if there was no reply, and the kind if there was one.
func (e *Error) Value() any {
	value := map[string]any{"status": nil, "message": e.Message, "body": e.Body, "kind": nil}
	if e.Status != 0 {
		value["status"] = e.Status
	}
	if e.Kind != "" {
		value["kind"] = e.Kind
	}
	return value
}

// refusal is an error for the model that quotes nothing of the API's.
func refusal(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Configured: true}
}

// misuse is a mistake of the program's, found when it runs.
func misuse(format string, args ...any) error { return fmt.Errorf(format, args...) }

// thrown is the error that error(v) raises: v is a text, or an object with a
// message.
func thrown(v any) *Error {
	e := &Error{Message: "the tool refused the call without saying why", Configured: true, Verbatim: true}
	switch v := v.(type) {
	case string:
		if v != "" {
			e.Message = v
		}
	case map[string]any:
		if text, _ := v["message"].(string); text != "" {
			e.Message = text
		}
		if status, ok := gojq.ToInt(v["status"]); ok {
			e.Status = status
		}
		if kind, _ := v["kind"].(string); slices.Contains(kinds, kind) {
			e.Kind = kind
		}
		e.Body = v["body"]
	case nil:
	default:
		e.Body = v
	}
	return e
}

// caught returns what catch received as an error of the one shape. A text
// comes from a mistake of the program's, which cannot be handled.
func caught(v any) (any, error) {
	if e, ok := v.(map[string]any); ok {
		return e, nil
	}
	return nil, misuse("%v", v)
}

// kinds are those of [Error].
var kinds = []string{KindUnreachable, KindUnresolved, KindTimeout, KindNotPublic}

// Matches reports whether an entry of [ErrorText.On] covers e.
func (e *Error) Matches(on string) bool {
	status := strconv.Itoa(e.Status)
	switch {
	case e.Status != 0 && len(on) == 3 && strings.HasSuffix(on, "xx"):
		return on[0] == status[0]
	case e.Status != 0:
		return on == status
	case e.Kind == KindUnresolved:
		return on == KindUnreachable
	default:
		return on == e.Kind && on != ""
	}
}

// ValidOn reports whether on can stand in [ErrorText.On].
func ValidOn(on string) bool {
	switch on {
	case KindUnreachable, KindTimeout, "3xx", "4xx", "5xx":
		return true
	}
	status, err := strconv.Atoi(on)
	return err == nil && len(on) == 3 && status >= 300 && status <= 599
}

// A cutOff is the end of a call by its deadline or its caller, after writes.
type cutOff struct {
	message string
	cause   error // of the context
}

func (e *cutOff) Error() string { return e.message }
func (e *cutOff) Unwrap() error { return e.cause }

var _ gojq.ValueError = (*Error)(nil)
