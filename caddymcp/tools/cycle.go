package tools

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A cycleFinder looks for schemas that lead back to themselves without a step
// into a field or an item, by $ref or by allOf and its like. A check of a value
// against one never ends.
type cycleFinder struct {
	open map[*jsonschema.Schema]bool // by schemas found: whether they are being followed
	rest []*jsonschema.Schema        // of fields and items
}

// cycle returns a schema below root that leads back to itself, or nil.
func cycle(root *jsonschema.Schema) *jsonschema.Schema {
	f := &cycleFinder{open: map[*jsonschema.Schema]bool{}, rest: []*jsonschema.Schema{root}}
	for len(f.rest) > 0 {
		next := f.rest[0]
		f.rest = f.rest[1:]
		if found := f.follow(next); found != nil {
			return found
		}
	}
	return nil
}

// follow goes to the schemas that speak of the same value as s.
func (f *cycleFinder) follow(s *jsonschema.Schema) *jsonschema.Schema {
	if open, found := f.open[s]; open {
		return s
	} else if found {
		return nil
	}
	f.open[s] = true
	for _, next := range sameValue(s) {
		if found := f.follow(next); found != nil {
			return found
		}
	}
	f.open[s] = false
	f.rest = append(f.rest, within(s)...)
	return nil
}

// sameValue are the schemas that a schema applies to the value itself.
func sameValue(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	list = slices.Concat(list, s.AllOf, s.AnyOf, s.OneOf)
	list = slices.AppendSeq(list, maps.Values(s.DependentSchemas))
	for _, dependency := range s.Dependencies {
		list = append(list, schemas(dependency)...)
	}
	return ordered(list)
}

// within are the schemas that a schema applies to what a value holds.
func within(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems}
	list = slices.Concat(list, s.PrefixItems, schemas(s.AdditionalProperties), schemas(s.Items), schemas(s.AdditionalItems))
	list = slices.AppendSeq(list, maps.Values(s.Properties))
	return ordered(slices.AppendSeq(list, maps.Values(s.PatternProperties)))
}

// ordered drops nil and sorts by place, so that the same cycle is named each
// time.
func ordered(list []*jsonschema.Schema) []*jsonschema.Schema {
	list = slices.DeleteFunc(list, func(s *jsonschema.Schema) bool { return s == nil })
	slices.SortFunc(list, func(a, b *jsonschema.Schema) int { return strings.Compare(a.Location, b.Location) })
	return list
}

// schemas are those in a keyword that can hold several kinds of values.
func schemas(v any) []*jsonschema.Schema {
	switch v := v.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{v}
	case []*jsonschema.Schema:
		return v
	}
	return nil
}
