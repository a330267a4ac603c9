package pantry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	nonField    = "non_field_errors"
	maxName     = 100
	maxUnit     = 20
	maxText     = 5000
	maxServings = 100
	maxList     = 50
)

// Fields are a JSON object that is being validated as REST framework's
// serializers do: each getter takes one field, and what is wrong is collected
// by field name, so that a client learns all of it at once. A getter's second
// result says whether the field was given, and is valid.
type fields struct {
	in     map[string]any
	errors map[string]any
}

// newFields wraps a decoded JSON value, which should be an object.
func newFields(v any) *fields {
	f := &fields{errors: map[string]any{}}
	in, ok := v.(map[string]any)
	if !ok {
		f.fail(nonField, "Invalid data. Expected a dictionary, but got %s.", typeName(v))
	}
	f.in = in
	return f
}

// fail adds a sentence about a field.
func (f *fields) fail(name, format string, args ...any) {
	sentences, _ := f.errors[name].([]string)
	f.errors[name] = append(sentences, fmt.Sprintf(format, args...))
}

// failed is the 400 that reports what is wrong, or nil.
func (f *fields) failed() error {
	if len(f.errors) == 0 {
		return nil
	}
	return &failure{http.StatusBadRequest, f.errors}
}

// need reports the fields that are missing.
func (f *fields) need(names ...string) {
	if f.in == nil {
		return // it has no fields at all, which is reported already
	}
	for _, name := range names {
		if _, ok := f.in[name]; !ok {
			f.fail(name, "This field is required.")
		}
	}
}

// value is a field that may not be null.
func (f *fields) value(name string) (any, bool) {
	v, ok := f.in[name]
	if ok && v == nil {
		f.fail(name, "This field may not be null.")
	}
	return v, v != nil
}

// text is a string of at most limit characters, without surrounding space. A
// number counts as its text.
func (f *fields) text(name string, limit int, blank bool) (string, bool) {
	v, ok := f.value(name)
	if !ok {
		return "", false
	}
	var s string
	switch v := v.(type) {
	case string:
		s = strings.TrimSpace(v)
	case json.Number:
		s = v.String()
	default:
		f.fail(name, "Not a valid string.")
		return "", false
	}
	switch {
	case s == "" && !blank:
		f.fail(name, "This field may not be blank.")
	case strings.ContainsRune(s, 0):
		f.fail(name, "Null characters are not allowed.")
	case utf8.RuneCountInString(s) > limit:
		f.fail(name, "Ensure this field has no more than %d characters.", limit)
	default:
		return s, true
	}
	return "", false
}

// choice is one of several strings.
func (f *fields) choice(name string, choices []string) (string, bool) {
	v, ok := f.value(name)
	if !ok {
		return "", false
	}
	s, ok := v.(string)
	if !ok {
		text, _ := json.Marshal(v)
		s = string(text)
	}
	if !slices.Contains(choices, s) {
		f.fail(name, `"%s" is not a valid choice.`, s)
		return "", false
	}
	return s, true
}

var integerText = regexp.MustCompile(`^([+-]?[0-9]+)(?:\.0*)?$`)

// integer is a whole number between bounds, as a number or a string.
func (f *fields) integer(name string, low, high int) (int, bool) {
	v, ok := f.value(name)
	if !ok {
		return 0, false
	}
	m := integerText.FindStringSubmatch(numberText(v))
	if m == nil {
		f.fail(name, "A valid integer is required.")
		return 0, false
	}
	n, _ := strconv.Atoi(m[1]) // the nearest int, if it is out of range
	switch {
	case n < low:
		f.fail(name, "Ensure this value is greater than or equal to %d.", low)
	case n > high:
		f.fail(name, "Ensure this value is less than or equal to %d.", high)
	default:
		return n, true
	}
	return 0, false
}

// amount is a decimal or null, as a number or a string.
func (f *fields) amount(name string) (*amount, bool) {
	v, ok := f.in[name]
	if v == nil {
		return nil, ok
	}
	a, problem := parseAmount(numberText(v))
	if problem != "" {
		f.fail(name, "%s", problem)
		return nil, false
	}
	return &a, true
}

// date is a calendar date or null.
func (f *fields) date(name string) (*string, bool) {
	v, ok := f.in[name]
	if v == nil {
		return nil, ok
	}
	s, _ := v.(string)
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		f.fail(name, "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.")
		return nil, false
	}
	return &s, true
}

// boolean is true or false.
func (f *fields) boolean(name string) (value, ok bool) {
	v, ok := f.value(name)
	if !ok {
		return false, false
	}
	value, ok = v.(bool)
	if !ok {
		f.fail(name, "Must be a valid boolean.")
	}
	return value, ok
}

// list validates each object of a list of at most maxList.
func (f *fields) list(name string, empty bool, each func(*fields)) {
	v, ok := f.value(name)
	if !ok {
		return
	}
	refuse := func(format string, args ...any) {
		f.errors[name] = map[string]any{nonField: []string{fmt.Sprintf(format, args...)}}
	}
	elements, ok := v.([]any)
	switch {
	case !ok:
		refuse(`Expected a list of items but got type "%s".`, typeName(v))
		return
	case len(elements) == 0 && !empty:
		refuse("This list may not be empty.")
		return
	case len(elements) > maxList:
		refuse("Ensure this field has no more than %d elements.", maxList)
		return
	}
	wrong := false
	found := make([]map[string]any, len(elements))
	for i, element := range elements {
		child := newFields(element)
		each(child)
		found[i] = child.errors
		wrong = wrong || len(child.errors) > 0
	}
	if wrong {
		f.errors[name] = found
	}
}

// numberText is the text of a number or a string, else no number.
func numberText(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case string:
		return strings.TrimSpace(v)
	}
	return ""
}

// typeName is what Python calls the type of a JSON value.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case string:
		return "str"
	case bool:
		return "bool"
	case []any:
		return "list"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "float"
		}
		return "int"
	}
	return "dict"
}
