package tools

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

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
