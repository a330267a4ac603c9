package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// paramsSchema is the JSON Schema of a tool's or an object's parameters. It
// keeps their order and uses only what every client accepts: one type in each
// schema, arrays with items, no boolean in a schema's place.
func paramsSchema(params []*Param) json.RawMessage {
	var o object
	o.set("type", "object")
	setMembers(&o, params)
	return o.text()
}

func setMembers(o *object, params []*Param) {
	var properties object
	var required []string
	for _, p := range params {
		properties.set(p.Name, paramSchema(p))
		if p.Required {
			required = append(required, p.Name)
		}
	}
	o.set("properties", properties.text())
	if required != nil {
		o.set("required", required)
	}
	o.set("additionalProperties", false)
}

// paramSchema is the JSON Schema of one parameter, which has been checked.
func paramSchema(p *Param) json.RawMessage {
	var o object
	if types := p.types(); len(types) > 1 {
		if p.Description != "" {
			o.set("description", p.Description)
		}
		var alternatives []json.RawMessage
		for _, typ := range types {
			alternatives = append(alternatives, paramSchema(p.alternative(typ)))
		}
		o.set("anyOf", alternatives)
		return o.text()
	}
	if !p.AllowNull {
		o.set("type", p.Type)
	}
	if text := description(p); text != "" {
		o.set("description", text)
	}
	if p.AllowNull {
		// Two types in one place, in the spelling that most clients read.
		var typed object
		typed.set("type", p.Type)
		setConstraints(&typed, p)
		o.set("anyOf", []json.RawMessage{typed.text(), json.RawMessage(`{"type":"null"}`)})
	} else {
		setConstraints(&o, p)
	}
	if p.Default != nil {
		v, _ := parseValue(p, *p.Default)
		o.set("default", v)
	}
	return o.text()
}

func setConstraints(o *object, p *Param) {
	if len(p.Enum) > 0 {
		values := make([]any, 0, len(p.Enum))
		for _, text := range p.Enum {
			v, _ := parseValue(p, text)
			values = append(values, v)
		}
		o.set("enum", values)
	}
	setIf(o, "minimum", p.Min)
	setIf(o, "maximum", p.Max)
	setIf(o, "minLength", p.MinLength)
	setIf(o, "maxLength", p.MaxLength)
	if p.Pattern != "" {
		o.set("pattern", p.Pattern)
	}
	if p.Format != "" {
		o.set("format", p.Format)
	}
	if p.Items != nil {
		o.set("items", paramSchema(p.Items))
	}
	setIf(o, "minItems", p.MinItems)
	setIf(o, "maxItems", p.MaxItems)
	if p.Type == "object" {
		if len(p.Params) > 0 {
			setMembers(o, p.Params)
		} else {
			o.set("additionalProperties", true)
		}
	}
}

func setIf[T any](o *object, keyword string, value *T) {
	if value != nil {
		o.set(keyword, *value)
	}
}

// description says the bounds of a clamp too, which no keyword can.
func description(p *Param) string {
	if p.Clamp == nil {
		return p.Description
	}
	bounds := fmt.Sprintf("From %s to %s; other values are brought into that range.",
		floatText(p.Clamp.Min), floatText(p.Clamp.Max))
	return strings.TrimSpace(p.Description + " " + bounds)
}

func floatText(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// parseValue reads a default or a member of an enum as the parameter's type.
func parseValue(p *Param, text string) (any, error) {
	if p.Type == "string" {
		return text, nil
	}
	v, err := decodeJSON([]byte(text))
	if err != nil {
		return nil, misfit(p, text)
	}
	fits := false
	switch value := v.(type) {
	case json.Number:
		if p.Type == "integer" {
			v = integer(value)
			fits = !strings.ContainsAny(string(v.(json.Number)), ".eE")
		} else {
			fits = p.Type == "number"
		}
	case bool:
		fits = p.Type == "boolean"
	case []any:
		fits = p.Type == "array"
	case map[string]any:
		fits = p.Type == "object"
	case nil:
		fits = p.AllowNull
	}
	if !fits {
		return nil, misfit(p, text)
	}
	return v, nil
}

// misfit says, after the words "has the default", that a text is no value of a
// parameter's type.
func misfit(p *Param, text string) error {
	return fmt.Errorf("'%s', which is not %s: write %s", shorten(text), typeNames([]string{p.Type}), example(p.Type))
}

// example is a value of a type, as an error message shows it.
func example(typ string) string {
	return map[string]string{
		"integer": "a number such as 10",
		"number":  "a number such as 1.5",
		"boolean": "true or false",
		"array":   "a JSON array such as `[\"a\",\"b\"]`",
		"object":  "a JSON object such as `{\"a\":1}`",
	}[typ]
}

// compileSchema compiles the text of a JSON Schema. Formats are asserted, the
// draft is 2020-12 unless the schema says another, and nothing is loaded from
// elsewhere.
func compileSchema(text []byte) (*jsonschema.Schema, error) {
	doc, err := decodeJSON(text)
	if err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	if _, ok := doc.(map[string]any); !ok {
		return nil, errors.New("must be a JSON object")
	}
	const url = "schema:///"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("is no JSON Schema: %w", err)
	}
	schema, err := c.Compile(url)
	if err != nil {
		var load *jsonschema.LoadURLError
		if errors.As(err, &load) {
			return nil, fmt.Errorf("refers to '%s', which clients do not load: put it under $defs and refer to '#/$defs/…'", load.URL)
		}
		var invalid *jsonschema.SchemaValidationError
		if errors.As(err, &invalid) {
			err = schemaProblem(invalid.Err, err)
		}
		return nil, fmt.Errorf("is no JSON Schema: %w", err)
	}
	if s := cycle(schema); s != nil {
		_, at, _ := strings.Cut(s.Location, "#")
		return nil, fmt.Errorf("refers from '%s' back to it without a step into a field or an item, so no value could be checked: "+
			"refer to it from 'properties' or 'items', or remove the reference", cmp.Or(at, "/"))
	}
	return schema, nil
}

// schemaProblem says in one line where a schema breaks the rules for schemas.
func schemaProblem(err, otherwise error) error {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return otherwise
	}
	first := leaves(invalid, nil)[0]
	text, _ := expected(first)
	return fmt.Errorf("'/%s' %s", strings.Join(first.InstanceLocation, "/"), text)
}

type noLoader struct{}

// Load implements [jsonschema.URLLoader]. It loads nothing.
func (noLoader) Load(string) (any, error) { return nil, errors.New("not loaded") }

// onlyType is the one type that a schema allows besides null, or empty.
func onlyType(s *jsonschema.Schema) (typ string, nullable bool) {
	if s.Types == nil {
		return "", false
	}
	for _, t := range s.Types.ToStrings() {
		switch {
		case t == "null":
			nullable = true
		case typ != "":
			return "", nullable
		default:
			typ = t
		}
	}
	return typ, nullable
}

var _ jsonschema.URLLoader = noLoader{}
