package mealie

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// A problem is one entry of FastAPI's 422.
type problem struct {
	Type  string `json:"type"`
	Loc   []any  `json:"loc"`
	Msg   string `json:"msg"`
	Input any    `json:"input"`
	Ctx   any    `json:"ctx,omitempty"`
}

// Problems are all that is wrong with a request.
type problems []problem

func (p problems) failure() *failure { return detail(http.StatusUnprocessableEntity, []problem(p)) }

// An input is a JSON object of a request body that is being validated, as
// pydantic does: getters leave their target alone if the key is absent, and
// what is wrong is collected for the whole body.
type input struct {
	in  map[string]any
	loc []any
	all *problems
}

// readInput reads the JSON object of a request.
func readInput(r *http.Request) (*input, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if len(raw) == 0 {
		return nil, problems{{Type: "missing", Loc: []any{"body"}, Msg: "Field required"}}.failure()
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err = dec.Decode(&v); err == nil {
		if _, end := dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is something after it")
		}
	}
	if err != nil {
		return nil, problems{{
			Type: "json_invalid", Loc: []any{"body", dec.InputOffset()}, Msg: "JSON decode error", Input: map[string]any{},
			Ctx: map[string]any{"error": err.Error()},
		}}.failure()
	}
	in := &input{loc: []any{"body"}, all: new(problems)}
	in.open(v)
	return in, in.failed()
}

// failed is the 422 that reports what is wrong, or nil.
func (in *input) failed() error {
	if len(*in.all) == 0 {
		return nil
	}
	return in.all.failure()
}

// open takes the object, if it is one.
func (in *input) open(v any) {
	m, ok := v.(map[string]any)
	if !ok {
		*in.all = append(*in.all, problem{"model_attributes_type", in.loc, "Input should be a valid dictionary or object to extract fields from", v, nil})
	}
	in.in = m
}

// fail reports a key.
func (in *input) fail(name, kind, msg string, ctx any) {
	value, given := in.in[name]
	if !given {
		value = in.in
	}
	*in.all = append(*in.all, problem{kind, append(slices.Clone(in.loc), name), msg, value, ctx})
}

// need reports the keys that are missing.
func (in *input) need(names ...string) {
	if in.in == nil {
		return
	}
	for _, name := range names {
		if _, ok := in.in[name]; !ok {
			in.fail(name, "missing", "Field required", nil)
		}
	}
}

// take takes a value that is of a type already.
func take[T any](in *input, name string, into *T, kind, msg string) {
	if v, given := in.in[name]; given {
		if value, ok := v.(T); ok {
			*into = value
		} else {
			in.fail(name, kind, msg, nil)
		}
	}
}

// text takes a string.
func (in *input) text(name string, into *string) {
	take(in, name, into, "string_type", "Input should be a valid string")
}

// optional takes a string or null.
func (in *input) optional(name string, into **string) {
	if v, given := in.in[name]; given && v == nil {
		*into = nil
	} else if given {
		var s string
		in.text(name, &s)
		*into = &s
	}
}

// flag takes a boolean.
func (in *input) flag(name string, into *bool) {
	take(in, name, into, "bool_type", "Input should be a valid boolean")
}

// number takes a number, as a number or a string, or null. An empty string
// counts as null.
func (in *input) number(name string, into **float64) {
	v, given := in.in[name]
	if !given {
		return
	}
	*into = nil
	var text string
	switch v := v.(type) {
	case nil:
		return
	case json.Number:
		text = v.String()
	case string:
		if text = strings.TrimSpace(v); text == "" {
			return
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f-f != 0 { // neither infinite nor not a number
		in.fail(name, "float_type", "Input should be a valid number", nil)
		return
	}
	*into = &f
}

// integer takes a whole number.
func (in *input) integer(name string, into *int) {
	v, given := in.in[name]
	if !given {
		return
	}
	n, ok := v.(json.Number)
	i, err := strconv.Atoi(n.String())
	if !ok || err != nil {
		in.fail(name, "int_type", "Input should be a valid integer", nil)
		return
	}
	*into = i
}

// id takes a UUID, or null if that is allowed.
func (in *input) id(name string, null bool, into *string) {
	v, given := in.in[name]
	if !given {
		return
	}
	*into = ""
	s, ok := v.(string)
	switch {
	case v == nil && null:
	case !ok:
		in.fail(name, "uuid_type", "UUID input should be a string, bytes or UUID object", nil)
	default:
		id, err := uuid.Parse(s)
		if err != nil {
			in.fail(name, "uuid_parsing", "Input should be a valid UUID, "+err.Error(), nil)
			return
		}
		*into = id.String()
	}
}

// date takes a calendar date.
func (in *input) date(name string, into *string) {
	if v, given := in.in[name]; given {
		s, _ := v.(string)
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			in.fail(name, "date_from_datetime_parsing", "Input should be a valid date or datetime, invalid character in year", nil)
			return
		}
		*into = s
	}
}

// choice takes one of several strings.
func (in *input) choice(name string, choices []string, into *string) {
	if v, given := in.in[name]; given {
		s, _ := v.(string)
		if !slices.Contains(choices, s) {
			last := len(choices) - 1
			expected := "'" + strings.Join(choices[:last], "', '") + "' or '" + choices[last] + "'"
			in.fail(name, "enum", "Input should be "+expected, map[string]any{"expected": expected})
			return
		}
		*into = s
	}
}

// texts takes a list of strings.
func (in *input) texts(name string, into *[]string) {
	v, given := in.in[name]
	if !given {
		return
	}
	elements, ok := v.([]any)
	if !ok {
		in.fail(name, "list_type", "Input should be a valid list", nil)
		return
	}
	*into = []string{}
	for i, element := range elements {
		s, ok := element.(string)
		if !ok {
			*in.all = append(*in.all, problem{"string_type", append(slices.Clone(in.loc), name, i), "Input should be a valid string", element, nil})
		}
		*into = append(*into, s)
	}
}

// object takes an object, with what its place adds to the location. It is nil
// if there is none, or null.
func (in *input) object(name string, place ...any) *input {
	v := in.in[name]
	if v == nil {
		return nil
	}
	child := &input{loc: append(append(slices.Clone(in.loc), name), place...), all: in.all}
	child.open(v)
	return child
}

// list takes a list of objects, and tells whether there is one. Null counts as
// an empty list.
func (in *input) list(name string, each func(*input)) bool {
	v, given := in.in[name]
	if !given {
		return false
	}
	elements, ok := v.([]any)
	if !ok && v != nil {
		in.fail(name, "list_type", "Input should be a valid list", nil)
		return false
	}
	for i, element := range elements {
		child := &input{loc: append(slices.Clone(in.loc), name, i), all: in.all}
		child.open(element)
		each(child)
	}
	return true
}
