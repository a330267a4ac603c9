package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxProblems is how many wrong fields one message names.
const maxProblems = 20

// arguments is what a tool accepts.
type arguments struct {
	text   json.RawMessage // the schema, as clients see it
	schema *jsonschema.Schema
	shape  *shape
	names  []string // in the order of declaration
}

// newArguments compiles the schema of declared parameters.
func newArguments(params []*Param) (*arguments, error) {
	text := paramsSchema(params)
	schema, err := compileSchema(text)
	if err != nil {
		return nil, err
	}
	a := &arguments{text: text, schema: schema, shape: shapeOfParams(params)}
	for _, p := range params {
		a.names = append(a.names, p.Name)
	}
	return a, nil
}

// rawArguments compiles a schema that the author wrote.
func rawArguments(text string) (*arguments, error) {
	schema, err := compileSchema([]byte(text))
	if err != nil {
		return nil, err
	}
	if typ, nullable := onlyType(schema); typ != "object" || nullable {
		return nil, errors.New("must have \"type\": \"object\"")
	}
	return &arguments{
		text:   json.RawMessage(text),
		schema: schema,
		shape:  shapeOfSchema(schema, map[*jsonschema.Schema]*shape{}),
		names:  slices.Sorted(maps.Keys(schema.Properties)),
	}, nil
}

// read decodes, mends and checks what a model sent. Its error is a refusal
// that names every field that is wrong.
func (a *arguments) read(raw json.RawMessage) (map[string]any, error) {
	var v any = map[string]any{}
	if text := bytes.TrimSpace(raw); len(text) > 0 && !bytes.Equal(text, []byte("null")) {
		var err error
		if v, err = decodeJSON(text); err != nil {
			return nil, refuse("the arguments cannot be read: %s", err)
		}
	}
	args, ok := a.shape.mend(v).(map[string]any)
	if !ok {
		return nil, refuse("the arguments must be a JSON object, not %s", kindOf(v))
	}
	if err := a.schema.Validate(args); err != nil {
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			return nil, err
		}
		return nil, refuse("%s", a.explain(invalid, args))
	}
	return args, nil
}

// A problem is one field that is wrong.
type problem struct {
	rank int    // where its argument stands in the declaration
	path string // as a person writes it
	text string
}

// explain says in one line what is wrong with the arguments.
func (a *arguments) explain(invalid *jsonschema.ValidationError, args map[string]any) string {
	var problems []problem
	for _, leaf := range leaves(invalid, nil) {
		problems = append(problems, a.problems(leaf, args)...)
	}
	slices.SortFunc(problems, func(x, y problem) int {
		if x.rank != y.rank {
			return x.rank - y.rank
		}
		if d := strings.Compare(x.path, y.path); d != 0 {
			return d
		}
		return strings.Compare(x.text, y.text)
	})
	problems = slices.Compact(problems)
	var lines []string
	for i, p := range problems {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("and %d more", len(problems)-i))
			break
		}
		if p.path == "" {
			lines = append(lines, p.text)
		} else {
			lines = append(lines, p.path+": "+p.text)
		}
	}
	return strings.Join(lines, "; ")
}

// problems turns one validation error into what a model can act on.
func (a *arguments) problems(e *jsonschema.ValidationError, args map[string]any) []problem {
	path, value := locate(args, e.InstanceLocation)
	var found []problem
	add := func(path, text string) { found = append(found, problem{a.rank(path), path, text}) }
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			add(join(path, name), "is required")
		}
	case *kind.AdditionalProperties:
		known := a.names
		what := "argument"
		if path != "" {
			known, what = a.shape.at(e.InstanceLocation), "field"
		}
		for i, name := range slices.Sorted(slices.Values(k.Properties)) {
			text := "unknown " + what
			if i < maxProblems {
				text += nearest(name, known)
			}
			if i == 0 {
				text += listOf(known, what)
			}
			add(join(path, shorten(name)), text)
			found[i].rank = len(a.names)
		}
	default:
		text, showValue := expected(e)
		if showValue {
			text += " (got " + shorten(string(encodeJSON(value))) + ")"
		}
		add(path, text)
	}
	return found
}

// rank is the position of the argument that a path leads into.
func (a *arguments) rank(path string) int {
	name := path
	if i := strings.IndexAny(path, ".["); i >= 0 && !slices.Contains(a.names, path) {
		name = path[:i]
	}
	if i := slices.Index(a.names, name); i >= 0 {
		return i
	}
	return len(a.names)
}

// at lists the members that the object at a location may have.
func (s *shape) at(location []string) []string {
	for _, step := range location {
		switch {
		case s == nil:
			return nil
		case s.members[step] != nil:
			s = s.members[step]
		default:
			s = s.items
		}
	}
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.members))
}

// leaves are the errors that say something of their own. Of alternatives, the
// one that the value was meant to fit is followed, if it can be told.
func leaves(e *jsonschema.ValidationError, out []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.Contains, *kind.PropertyNames:
		return append(out, e)
	case *kind.AnyOf, *kind.OneOf:
		var meant []*jsonschema.ValidationError
		for _, cause := range e.Causes {
			first := cause
			for len(first.Causes) == 1 {
				first = first.Causes[0]
			}
			_, wrongType := first.ErrorKind.(*kind.Type)
			if !wrongType || len(first.InstanceLocation) > len(e.InstanceLocation) {
				meant = append(meant, cause)
			}
		}
		if len(meant) == 1 {
			return leaves(meant[0], out)
		}
		return append(out, e)
	}
	if len(e.Causes) == 0 {
		return append(out, e)
	}
	for _, cause := range e.Causes {
		out = leaves(cause, out)
	}
	return out
}

// locate follows a location into the arguments.
func locate(v any, location []string) (path string, value any) {
	for _, step := range location {
		switch container := v.(type) {
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(container) {
				return path, nil
			}
			path, v = path+"["+step+"]", container[i]
		case map[string]any:
			path, v = join(path, shorten(step)), container[step]
		}
	}
	return path, v
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// nearest names what was probably meant by an unknown name, if that can be told.
func nearest(name string, known []string) string {
	if len(name) > quotable {
		return ""
	}
	best, least := "", len(name)/3+2
	for _, candidate := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean '%s'?", best)
}

// listOf says which names there are.
func listOf(known []string, what string) string {
	if len(known) == 0 {
		return fmt.Sprintf(" (there are no %ss)", what)
	}
	shown := known[:min(len(known), 4*maxProblems)]
	text := fmt.Sprintf(" (the %ss are %s", what, strings.Join(shown, ", "))
	if more := len(known) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ")"
}

// expected says what a value must be, and whether showing it helps.
func expected(e *jsonschema.ValidationError) (text string, showValue bool) {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return "must be " + typeNames(k.Want), true
	case *kind.Enum:
		return "must be one of " + valueList(k.Want), true
	case *kind.Const:
		return "must be " + valueText(k.Want), true
	case *kind.Format:
		if text, ok := formats[k.Want]; ok {
			return "must be " + text, true
		}
		return "must be in the format " + k.Want, true
	case *kind.Pattern:
		return "must match the regular expression " + k.Want, true
	case *kind.MinLength:
		return "must have at least " + count(k.Want, "character"), true
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s, it has %d", count(k.Want, "character"), k.Got), false
	case *kind.Minimum:
		return "must be at least " + ratText(k.Want), true
	case *kind.Maximum:
		return "must be at most " + ratText(k.Want), true
	case *kind.ExclusiveMinimum:
		return "must be more than " + ratText(k.Want), true
	case *kind.ExclusiveMaximum:
		return "must be less than " + ratText(k.Want), true
	case *kind.MultipleOf:
		return "must be a multiple of " + ratText(k.Want), true
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, it has %d", count(k.Want, "item"), k.Got), false
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, it has %d", count(k.Want, "item"), k.Got), false
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal, each may stand once", k.Duplicates[0], k.Duplicates[1]), false
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, it has %d", count(k.Want, "field"), k.Got), false
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, it has %d", count(k.Want, "field"), k.Got), false
	case *kind.DependentRequired:
		return fmt.Sprintf("'%s' needs %s as well", k.Prop, strings.Join(k.Missing, ", ")), false
	case *kind.AnyOf, *kind.OneOf:
		if len(e.Causes) == 0 {
			return "fits more than one of the forms allowed here", true
		}
		if types := wantedTypes(e); types != nil {
			return "must be " + typeNames(types), true
		}
		return "fits none of the forms allowed here", true
	case *kind.Not:
		return "has a form that is not allowed here", true
	case *kind.FalseSchema:
		return "is not allowed", false
	}
	// Keywords that only a schema written by hand has.
	return "breaks the rule '" + strings.Join(e.ErrorKind.KeywordPath(), "/") + "' of the schema", true
}

// wantedTypes are the types of alternatives, if their types are all that is
// wrong with a value.
func wantedTypes(e *jsonschema.ValidationError) []string {
	var types []string
	for _, cause := range e.Causes {
		for len(cause.Causes) == 1 {
			cause = cause.Causes[0]
		}
		k, ok := cause.ErrorKind.(*kind.Type)
		if !ok || len(cause.InstanceLocation) > len(e.InstanceLocation) {
			return nil
		}
		types = append(types, k.Want...)
	}
	return types
}

// formats are the formats a parameter can have, and how a value of each looks.
var formats = map[string]string{
	"date":      "a date such as 2026-01-31",
	"date-time": "a date and time such as 2026-01-31T18:00:00Z",
	"uri":       "an absolute URL such as https://example.com/page",
	"email":     "an email address such as name@example.com",
	"uuid":      "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
}

func typeNames(types []string) string {
	var names []string
	for _, t := range types {
		switch t {
		case "null":
			names = append(names, t)
		case "integer", "array", "object":
			names = append(names, "an "+t)
		default:
			names = append(names, "a "+t)
		}
	}
	return strings.Join(names, " or ")
}

// kindOf names the JSON type of a value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	}
	return "an object"
}

func valueList(values []any) string {
	var texts []string
	for i, v := range values {
		if i == 4*maxProblems {
			texts = append(texts, fmt.Sprintf("… (%d in all)", len(values)))
			break
		}
		texts = append(texts, valueText(v))
	}
	return strings.Join(texts, ", ")
}

func valueText(v any) string {
	if s, ok := v.(string); ok && s != "" {
		return shorten(s)
	}
	return shorten(string(encodeJSON(v)))
}

func ratText(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return floatText(f)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
