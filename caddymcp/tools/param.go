package tools

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Clients refuse other names.
var paramName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

var paramTypes = []string{"string", "integer", "number", "boolean", "array", "object"}

// checkParams checks the parameters of a tool, or of an object in it. Within
// says where they are, for messages.
func (c *compiler) checkParams(params []*Param, within string) {
	names := make([]string, 0, len(params))
	for _, p := range params {
		name := join(within, p.Name)
		if !paramName.MatchString(p.Name) {
			c.fail("parameter '%s' must be named with 1 to 64 characters of A-Z, a-z, 0-9, '_', '-' and '.'", name)
		}
		if slices.Contains(names, p.Name) {
			c.fail("parameter '%s' is declared twice: rename one", name)
		}
		names = append(names, p.Name)
		if len(p.types()) > 1 {
			c.fail("parameter '%s' is of several types, which only 'items' can be: choose one", name)
			continue
		}
		c.checkParam(p, name, within != "")
	}
}

func (c *compiler) checkParam(p *Param, name string, nested bool) {
	fail := func(format string, args ...any) {
		c.fail("parameter '%s' %w", name, fmt.Errorf(format, args...))
	}
	for _, typ := range p.types() {
		if !slices.Contains(paramTypes, typ) {
			fail("has the unknown type '%s', use string, integer, number, boolean, array or object", typ)
			return
		}
	}
	only := func(set bool, option string, types ...string) {
		if set && !slices.ContainsFunc(p.types(), func(typ string) bool { return slices.Contains(types, typ) }) {
			fail("is of type %s, which has no '%s'", p.Type, option)
		}
	}
	only(p.Min != nil, "min", "integer", "number")
	only(p.Max != nil, "max", "integer", "number")
	only(p.Clamp != nil, "clamp", "integer", "number")
	only(p.MinLength != nil, "min_length", "string")
	only(p.MaxLength != nil, "max_length", "string")
	only(p.Pattern != "", "pattern", "string")
	only(p.Format != "", "format", "string")
	only(p.AllowEmpty, "allow_empty", "string")
	only(p.Enum != nil, "enum", "string", "integer", "number", "boolean")
	only(p.MinItems != nil, "min_items", "array")
	only(p.MaxItems != nil, "max_items", "array")
	only(p.Items != nil, "items", "array")
	only(p.Style != "", "style", "array")
	only(p.Params != nil, "param", "object")
	inOrder(fail, "min", p.Min, p.Max)
	inOrder(fail, "min_length", p.MinLength, p.MaxLength)
	inOrder(fail, "min_items", p.MinItems, p.MaxItems)
	for _, n := range []*int{p.MinLength, p.MaxLength, p.MinItems, p.MaxItems} {
		if n != nil && *n < 0 {
			fail("has a length of %d, use 0 or more", *n)
		}
	}
	c.checkClamp(p, fail)
	if _, err := regexp.Compile(p.Pattern); err != nil {
		fail("has a 'pattern' that is no regular expression in Go's syntax: %w", err)
	}
	if _, known := formats[p.Format]; p.Format != "" && !known {
		fail("has the unknown format '%s', use date, date-time, uri, email or uuid", p.Format)
	}
	if p.Required && p.Default != nil {
		fail("is 'required', so its 'default' is never used: remove one of them")
	}
	checkPlace(p, fail, nested)
	c.checkValues(p, fail)
	if p.is("array") {
		if p.Items == nil {
			fail("is an array and needs 'items <type>'")
		} else {
			c.checkItems(p, name, fail)
		}
	}
	c.checkParams(p.Params, name)
}

// types are the types of a parameter. Items can have several.
func (p *Param) types() []string { return strings.Split(p.Type, "|") }

// is reports whether a value of the parameter can have a type.
func (p *Param) is(typ string) bool { return slices.Contains(p.types(), typ) }

// alternative is a parameter of several types as one of them.
func (p *Param) alternative(typ string) *Param {
	one := &Param{Type: typ}
	switch typ {
	case "string":
		one.MinLength, one.MaxLength, one.Pattern, one.Format = p.MinLength, p.MaxLength, p.Pattern, p.Format
	case "integer", "number":
		one.Min, one.Max = p.Min, p.Max
	case "array":
		one.Items, one.MinItems, one.MaxItems = p.Items, p.MinItems, p.MaxItems
	case "object":
		one.Params = p.Params
	}
	return one
}

type failFunc func(format string, args ...any)

func inOrder[T int | float64](fail failFunc, option string, low, high *T) {
	if low != nil && high != nil && *low > *high {
		fail("has a '%s' of %v, which is above its maximum of %v", option, *low, *high)
	}
}

func (c *compiler) checkClamp(p *Param, fail failFunc) {
	switch {
	case p.Clamp == nil:
	case p.Clamp.Min > p.Clamp.Max:
		fail("has 'clamp %v %v', write the smaller number first", p.Clamp.Min, p.Clamp.Max)
	case p.Min != nil || p.Max != nil:
		fail("has 'clamp' beside 'min' or 'max', use one way")
	case p.Type == "integer" && (p.Clamp.Min != float64(int64(p.Clamp.Min)) || p.Clamp.Max != float64(int64(p.Clamp.Max))):
		fail("has 'clamp %v %v', use whole numbers for an integer", p.Clamp.Min, p.Clamp.Max)
	}
}

// checkPlace checks where an argument goes as far as no request is needed for it.
func checkPlace(p *Param, fail failFunc, nested bool) {
	if !slices.Contains([]string{"", "repeat", "comma", "brackets"}, p.Style) {
		fail("has the unknown style '%s', use repeat, comma or brackets", p.Style)
	}
	if !slices.Contains([]string{"", "path", "query", "header", "body"}, p.In) {
		fail("says 'in %s', use path, query, header or body", p.In)
	}
	if p.Local && (p.In != "" || p.As != "" || p.Style != "") {
		fail("is 'local', so 'in', 'as' and 'style' mean nothing: remove them, or 'local'")
	}
	if nested && (p.In != "" || p.As != "" || p.Style != "" || p.Local) {
		fail("is part of another parameter, so 'in', 'as', 'style' and 'local' mean nothing: use jq to rearrange it")
	}
}

// checkValues checks the enum. The default waits for the schema.
func (c *compiler) checkValues(p *Param, fail failFunc) {
	var seen []string
	for _, text := range p.Enum {
		if p.Type == "array" || p.Type == "object" {
			break
		}
		v, err := parseValue(p, text)
		if err != nil {
			fail("has the enum value %w", err)
			continue
		}
		if value := caseValue(v); slices.Contains(seen, value) {
			fail("has the enum value '%s' twice: remove one", text)
		} else {
			seen = append(seen, value)
		}
	}
	if p.Default != nil {
		if _, err := parseValue(p, *p.Default); err != nil {
			fail("has the default %w", err)
		}
	}
}

func (c *compiler) checkItems(p *Param, name string, fail failFunc) {
	items := p.Items
	if items.Name != "" || items.Required || items.Default != nil || items.AllowNull {
		fail("has 'items' with a name, 'required', 'default' or 'allow_null', which items cannot have")
	}
	if len(items.types()) > 1 && (items.Enum != nil || items.Clamp != nil) {
		fail("has 'items' of several types, which can have neither 'enum' nor 'clamp'")
		return
	}
	c.checkParam(items, name+"[]", true)
}

// checkDefaults checks that each default is a value the schema accepts.
func (c *compiler) checkDefaults(schema *jsonschema.Schema, params []*Param, within string) {
	for _, p := range params {
		name, sub := join(within, p.Name), schema.Properties[p.Name]
		for _, branch := range sub.AnyOf {
			if typ, _ := onlyType(branch); typ == p.Type {
				c.checkNested(branch, p, name)
			}
		}
		c.checkNested(sub, p, name)
		if p.Default == nil {
			continue
		}
		v, _ := parseValue(p, *p.Default)
		if sub.Validate(v) != nil {
			c.fail("parameter '%s' has the default '%s', which its own rules refuse", name, shorten(*p.Default))
		} else if p.Clamp != nil && shapeOfParam(p).mend(v, unlimited()) != v {
			c.fail("parameter '%s' has the default '%s', which is outside its 'clamp'", name, *p.Default)
		}
	}
}

func (c *compiler) checkNested(schema *jsonschema.Schema, p *Param, name string) {
	if schema.Properties != nil {
		c.checkDefaults(schema, p.Params, name)
	}
	if schema.Items2020 != nil && p.Items != nil {
		c.checkNested(schema.Items2020, p.Items, name+"[]")
	}
}

// paramsOfSchema describes the arguments of a schema written by hand, for
// their way into a request.
func paramsOfSchema(schema *jsonschema.Schema) []*Param {
	params := make([]*Param, 0, len(schema.Properties))
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		for property.Ref != nil && property.Types == nil {
			property = property.Ref
		}
		p := &Param{Name: name, Required: slices.Contains(schema.Required, name)}
		p.Type, _ = onlyType(property)
		if property.Default != nil {
			text := caseValue(*property.Default)
			p.Default = &text
		}
		if property.Enum != nil {
			for _, v := range property.Enum.Values {
				p.Enum = append(p.Enum, caseValue(v))
			}
		}
		if items := property.Items2020; items != nil {
			p.Items = &Param{}
			p.Items.Type, _ = onlyType(items)
		}
		params = append(params, p)
	}
	return params
}
