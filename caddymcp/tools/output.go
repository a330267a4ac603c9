package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// An output is the schema of a tool's replies, used as an allow-list: what it
// does not declare never leaves.
type output struct {
	text   json.RawMessage
	schema *jsonschema.Schema
}

// output compiles the output schema and the way in which results are sent.
func (c *compiler) output(out *tool) {
	out.mode = c.tool.Reply
	if !slices.Contains([]string{"", "text", "structured", "both"}, out.mode) {
		c.fail("reply '%s' is unknown, use text, structured or both", out.mode)
	}
	if c.tool.Output == "" {
		if out.mode == "structured" || out.mode == "both" {
			c.fail("says 'reply %s', which needs an 'output' schema: declare it, or use 'reply text'", out.mode)
		}
		out.mode = "text"
		return
	}
	if out.mode == "" {
		out.mode = "both"
	}
	schema, err := compileSchema([]byte(c.tool.Output))
	if err != nil {
		c.fail("the 'output' schema %w", err)
		return
	}
	if typ, nullable := onlyType(schema); typ != "object" || nullable {
		c.fail("the 'output' schema must have \"type\": \"object\", which is all that most clients accept: put a list into a field of it")
		return
	}
	out.output = &output{text: json.RawMessage(c.tool.Output), schema: schema}
	c.orders = propertyOrders(c.tool.Output)
}

// apply removes what the schema does not declare and checks the rest. The
// error says where the value does not fit, and nothing of the value.
func (o *output) apply(v any) (any, error) {
	if err := checkSize(v, 0); err != nil {
		return nil, err
	}
	v = filter(v, []*jsonschema.Schema{o.schema})
	err := o.schema.Validate(v)
	if err == nil {
		return v, nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	var places []string
	for i, leaf := range leaves(invalid, nil) {
		if i == maxProblems {
			break
		}
		places = append(places, fmt.Sprintf("/%s (%s)",
			strings.Join(leaf.InstanceLocation, "/"), strings.Join(leaf.ErrorKind.KeywordPath(), "/")))
	}
	return nil, fmt.Errorf("the result does not fit the output schema at %s", strings.Join(places, ", "))
}

// maxResultDepth is how many arrays and objects of a result may stand in one
// another, as in encoding/json: a stack that overflows ends the process.
const maxResultDepth = 10_000

// checkSize refuses numbers on which exact arithmetic would not end, and a
// value in depth others that is nested too deep to be walked through.
func checkSize(v any, depth int) error {
	if depth > maxResultDepth {
		return fmt.Errorf("the result is nested more than %d levels deep", maxResultDepth)
	}
	switch v := v.(type) {
	case json.Number:
		if !boundedNumber(string(v)) {
			return errors.New("a number in the result is out of range")
		}
	case []any:
		for _, item := range v {
			if err := checkSize(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, member := range v {
			if err := checkSize(member, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// filter copies of a value what at least one of the schemas declares.
func filter(v any, schemas []*jsonschema.Schema) any {
	schemas = applicable(schemas)
	if slices.ContainsFunc(schemas, isTrue) {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for name, member := range v {
			if declared := memberSchemas(schemas, name); len(declared) > 0 {
				kept[name] = filter(member, declared)
			}
		}
		return kept
	case []any:
		kept := make([]any, 0, len(v))
		for i, item := range v {
			if declared := itemSchemas(schemas, i); len(declared) > 0 {
				kept = append(kept, filter(item, declared))
			}
		}
		return kept
	case *big.Int:
		return json.Number(v.String()) // jq's large integers, which the validator does not know
	}
	return v
}

func isTrue(s *jsonschema.Schema) bool { return s.Bool != nil && *s.Bool }

// applicable adds the schemas that speak of the same value: references, and
// alternatives, of which any may be the one that holds.
func applicable(schemas []*jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	var add func(s *jsonschema.Schema)
	add = func(s *jsonschema.Schema) {
		if s == nil || slices.Contains(all, s) {
			return
		}
		all = append(all, s)
		add(s.Ref)
		add(s.RecursiveRef)
		if s.DynamicRef != nil {
			add(s.DynamicRef.Ref)
		}
		for _, branch := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
			add(branch)
		}
		add(s.Then)
		add(s.Else)
		for _, dependent := range s.DependentSchemas {
			add(dependent)
		}
	}
	for _, s := range schemas {
		add(s)
	}
	return all
}

func memberSchemas(schemas []*jsonschema.Schema, name string) []*jsonschema.Schema {
	var declared []*jsonschema.Schema
	for _, s := range schemas {
		named := false
		if property := s.Properties[name]; property != nil {
			declared, named = append(declared, property), true
		}
		for pattern, property := range s.PatternProperties {
			if pattern.MatchString(name) {
				declared, named = append(declared, property), true
			}
		}
		if named {
			continue
		}
		switch additional := s.AdditionalProperties.(type) {
		case *jsonschema.Schema:
			declared = append(declared, additional)
		case bool:
			if additional {
				declared = append(declared, anything)
			}
		}
	}
	return slices.DeleteFunc(declared, func(s *jsonschema.Schema) bool { return s.Bool != nil && !*s.Bool })
}

func itemSchemas(schemas []*jsonschema.Schema, i int) []*jsonschema.Schema {
	var declared []*jsonschema.Schema
	for _, s := range schemas {
		switch items := s.Items.(type) { // before draft 2020-12
		case *jsonschema.Schema:
			declared = append(declared, items)
		case []*jsonschema.Schema:
			if i < len(items) {
				declared = append(declared, items[i])
			}
		}
		switch {
		case i < len(s.PrefixItems):
			declared = append(declared, s.PrefixItems[i])
		case s.Items2020 != nil:
			declared = append(declared, s.Items2020)
		}
	}
	return declared
}

var anything = func() *jsonschema.Schema {
	yes := true
	return &jsonschema.Schema{Bool: &yes}
}()
