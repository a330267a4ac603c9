package tools

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A shape is what mending has to know of a value: the one type it has, and
// what stands for it when it is absent.
type shape struct {
	typ       string // of several, and without one, nothing is mended
	nullable  bool
	keepEmpty bool
	clamp     *Clamp
	fallback  any // the default; meaningful if defaulted
	defaulted bool
	required  []string
	members   map[string]*shape
	items     *shape
}

// shapeOfParams is the shape of an object of parameters.
func shapeOfParams(params []*Param) *shape {
	s := &shape{typ: "object", members: map[string]*shape{}}
	for _, p := range params {
		s.members[p.Name] = shapeOfParam(p)
		if p.Required {
			s.required = append(s.required, p.Name)
		}
	}
	return s
}

func shapeOfParam(p *Param) *shape {
	s := &shape{}
	if p.is("object") {
		s = shapeOfParams(p.Params)
	}
	s.typ, s.nullable, s.clamp = p.Type, p.AllowNull, p.Clamp
	s.keepEmpty = p.AllowEmpty || slices.Contains(p.Enum, "")
	if p.Items != nil {
		s.items = shapeOfParam(p.Items)
	}
	if p.Default != nil {
		s.fallback, _ = parseValue(p, *p.Default)
		s.defaulted = true
	}
	return s
}

// shapeOfSchema is the shape of what a schema describes. Known holds the
// shapes made so far, since a schema can contain itself.
func shapeOfSchema(schema *jsonschema.Schema, known map[*jsonschema.Schema]*shape) *shape {
	for schema.Ref != nil && schema.Types == nil {
		schema = schema.Ref
	}
	if s := known[schema]; s != nil {
		return s
	}
	s := &shape{required: schema.Required}
	known[schema] = s
	if branch := onlyBranch(schema); branch != nil {
		*s = *shapeOfSchema(branch, known)
	} else {
		s.typ, _ = onlyType(schema)
	}
	s.nullable = schema.Validate(nil) == nil
	if schema.MinLength != nil && *schema.MinLength == 0 || schema.Enum != nil && slices.Contains(schema.Enum.Values, any("")) {
		s.keepEmpty = true
	}
	if schema.Default != nil {
		s.fallback, s.defaulted = *schema.Default, true
	}
	if s.typ == "" {
		// Which of several forms was meant is not known, but what they hold is.
		for _, branch := range slices.Concat(schema.AnyOf, schema.OneOf) {
			form := shapeOfSchema(branch, known)
			if form.members != nil {
				s.members = form.members
			}
			if form.items != nil {
				s.items = form.items
			}
		}
	}
	if len(schema.Properties) > 0 {
		s.members = map[string]*shape{}
		for name, property := range schema.Properties {
			s.members[name] = shapeOfSchema(property, known)
		}
	}
	if schema.Items2020 != nil {
		s.items = shapeOfSchema(schema.Items2020, known)
	} else if items, ok := schema.Items.(*jsonschema.Schema); ok {
		s.items = shapeOfSchema(items, known)
	}
	return s
}

// onlyBranch is the one alternative of a schema besides null, or nil.
func onlyBranch(schema *jsonschema.Schema) *jsonschema.Schema {
	var only *jsonschema.Schema
	for _, branch := range slices.Concat(schema.AnyOf, schema.OneOf) {
		if typ, nullable := onlyType(branch); typ == "" && nullable {
			continue
		}
		if only != nil {
			return nil
		}
		only = branch
	}
	return only
}

// mend turns a value into the one that was meant, as far as that is certain:
// models write numbers as strings, arrays as JSON text, absent values as null
// or "". What cannot be mended stays for validation to name. If the budget ends,
// so does the mending.
func (s *shape) mend(v any, b *budget) any {
	if v == nil || b.step() != nil {
		return v
	}
	switch s.typ {
	case "string":
		if n, ok := v.(json.Number); ok {
			return string(n)
		}
	case "integer", "number":
		return s.mendNumber(v)
	case "boolean":
		if text, ok := v.(string); ok {
			switch strings.ToLower(strings.TrimSpace(text)) {
			case "true":
				return true
			case "false":
				return false
			}
		}
	case "array":
		return s.mendArray(v, b)
	case "object":
		return s.mendObject(v, b)
	}
	return v
}

func (s *shape) mendNumber(v any) any {
	if text, ok := v.(string); ok {
		n, ok := parseNumber(strings.TrimSpace(text))
		if !ok {
			return v
		}
		v = n
	}
	n, ok := v.(json.Number)
	if !ok {
		return v
	}
	if s.typ == "integer" {
		n = integer(n)
	}
	if s.clamp != nil {
		// A number too large for a float64 becomes an infinity, which is
		// out of the range as well.
		switch f, _ := strconv.ParseFloat(string(n), 64); {
		case f < s.clamp.Min:
			n = json.Number(floatText(s.clamp.Min))
		case f > s.clamp.Max:
			n = json.Number(floatText(s.clamp.Max))
		}
	}
	if s.typ == "integer" && !exponentWithin(string(n), maxExpanded) {
		return string(n) // which no schema takes for an integer
	}
	return n
}

func (s *shape) mendArray(v any, b *budget) any {
	if text, ok := v.(string); ok {
		if text == "" {
			return v
		}
		if decoded, err := b.decodeJSON([]byte(text)); err == nil {
			if array, ok := decoded.([]any); ok {
				v = array
			}
		}
	}
	array, ok := v.([]any)
	if !ok {
		array = []any{v}
	}
	if s.items != nil {
		for i := range array {
			array[i] = s.items.mend(array[i], b)
		}
	}
	return array
}

func (s *shape) mendObject(v any, b *budget) any {
	if text, ok := v.(string); ok {
		if decoded, err := b.decodeJSON([]byte(text)); err == nil {
			if object, ok := decoded.(map[string]any); ok {
				v = object
			}
		}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for name, member := range s.members {
		value, present := object[name]
		if present && member.absent(value, slices.Contains(s.required, name)) {
			delete(object, name)
			present = false
		}
		if present {
			object[name] = member.mend(value, b)
		} else if member.defaulted {
			object[name] = clone(member.fallback, b)
		}
	}
	return object
}

// absent reports whether a value stands for none.
func (s *shape) absent(v any, required bool) bool {
	if v == nil {
		return !s.nullable
	}
	return v == "" && !required && !s.keepEmpty
}

// clone copies arrays and objects, so that calls do not share them.
func clone(v any, b *budget) any {
	if b.spend() != nil {
		return nil
	}
	switch v := v.(type) {
	case []any:
		array := make([]any, len(v))
		for i := range v {
			array[i] = clone(v[i], b)
		}
		return array
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, member := range v {
			object[name] = clone(member, b)
		}
		return object
	}
	return v
}
