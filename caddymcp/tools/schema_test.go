package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSchema(t *testing.T) {
	tests := []struct {
		name   string
		params []*Param
		want   string
	}{
		{"none", nil, `{"type":"object","properties":{},"additionalProperties":false}`},
		{
			"order and required",
			[]*Param{
				{Name: "z", Type: "string", Required: true, Description: "<b> & c"},
				{Name: "a", Type: "integer", Default: ptr("9007199254740993")},
				{Name: "m", Type: "boolean", Required: true},
			},
			`{"type":"object","properties":{` +
				`"z":{"type":"string","description":"<b> & c"},` +
				`"a":{"type":"integer","default":9007199254740993},` +
				`"m":{"type":"boolean"}},"required":["z","m"],"additionalProperties":false}`,
		},
		{
			"string",
			[]*Param{{Name: "s", Type: "string", Enum: []string{"1", "b"}, MinLength: ptr(1), MaxLength: ptr(3), Pattern: "^.$", Default: ptr("1")}},
			`{"type":"object","properties":{"s":{"type":"string","enum":["1","b"],"minLength":1,"maxLength":3,"pattern":"^.$","default":"1"}},"additionalProperties":false}`,
		},
		{
			"format",
			[]*Param{{Name: "d", Type: "string", Format: "date"}},
			`{"type":"object","properties":{"d":{"type":"string","format":"date"}},"additionalProperties":false}`,
		},
		{
			"numbers",
			[]*Param{
				{Name: "i", Type: "integer", Min: ptr(1.0), Max: ptr(100.0), Enum: []string{"1", "2.0"}},
				{Name: "n", Type: "number", Min: ptr(-0.5), Default: ptr("1.50")},
			},
			`{"type":"object","properties":{"i":{"type":"integer","enum":[1,2],"minimum":1,"maximum":100},` +
				`"n":{"type":"number","minimum":-0.5,"default":1.50}},"additionalProperties":false}`,
		},
		{
			"clamp is no bound",
			[]*Param{{Name: "limit", Type: "integer", Description: "How many.", Clamp: &Clamp{1, 100}, Default: ptr("20")}},
			`{"type":"object","properties":{"limit":{"type":"integer","description":"How many. From 1 to 100; other values are brought into that range.","default":20}},"additionalProperties":false}`,
		},
		{
			"array",
			[]*Param{{Name: "ids", Type: "array", Items: &Param{Type: "string", MinLength: ptr(1)}, MinItems: ptr(1), MaxItems: ptr(9), Default: ptr(`["a"]`)}},
			`{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string","minLength":1},"minItems":1,"maxItems":9,"default":["a"]}},"additionalProperties":false}`,
		},
		{
			"items of several types",
			[]*Param{{Name: "lines", Type: "array", Items: &Param{Type: "string|object", Description: "text, or parts", MinLength: ptr(1), Params: []*Param{{Name: "note", Type: "string"}}}}},
			`{"type":"object","properties":{"lines":{"type":"array","items":{"description":"text, or parts","anyOf":[{"type":"string","minLength":1},` +
				`{"type":"object","properties":{"note":{"type":"string"}},"additionalProperties":false}]}}},"additionalProperties":false}`,
		},
		{
			"objects",
			[]*Param{
				{Name: "any", Type: "object"},
				{Name: "o", Type: "object", Params: []*Param{{Name: "y", Type: "string", Required: true}, {Name: "x", Type: "number"}}},
			},
			`{"type":"object","properties":{"any":{"type":"object","additionalProperties":true},` +
				`"o":{"type":"object","properties":{"y":{"type":"string"},"x":{"type":"number"}},"required":["y"],"additionalProperties":false}},"additionalProperties":false}`,
		},
		{
			"null is an alternative, not a second type",
			[]*Param{{Name: "note", Type: "string", Description: "Null clears it.", MaxLength: ptr(9), AllowNull: true}},
			`{"type":"object","properties":{"note":{"description":"Null clears it.","anyOf":[{"type":"string","maxLength":9},{"type":"null"}]}},"additionalProperties":false}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range tt.params {
				p.Local = true
			}
			set := compile(t, Env{}, get("/x", tt.params...))
			got := set.List()[0].InputSchema.(json.RawMessage)
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if problems := lint(t, got); len(problems) > 0 {
				t.Errorf("strict clients object: %v", problems)
			}
		})
	}
}

func TestSchemaIsKept(t *testing.T) {
	const input = `{ "type": "object", "$defs": {"n": {"type":"integer","maximum":9007199254740993}}, "properties": {"z":{"$ref":"#/$defs/n"},"a":{"type":"string"}}, "x-own": 1 }`
	tool := get("/x")
	tool.Input = input
	set := compile(t, Env{}, tool)
	if got := set.List()[0].InputSchema.(json.RawMessage); string(got) != input {
		t.Errorf("got %s, want it word for word", got)
	}
}

// lint finds what strict clients object to: booleans in a schema's place,
// several types in one, schemas that say nothing, arrays without items,
// references to other documents.
func lint(t *testing.T, text []byte) []string {
	t.Helper()
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var problems []string
	var walk func(path string, v any)
	walk = func(path string, v any) {
		schema, ok := v.(map[string]any)
		if !ok {
			problems = append(problems, path+" is no object")
			return
		}
		typ, isText := schema["type"].(string)
		if _, has := schema["type"]; has && !isText {
			problems = append(problems, path+" has several types")
		}
		if !isText && schema["anyOf"] == nil {
			problems = append(problems, path+" says nothing")
		}
		if typ == "array" && schema["items"] == nil {
			problems = append(problems, path+" has no items")
		}
		if schema["$ref"] != nil {
			problems = append(problems, path+" has a reference")
		}
		if properties, ok := schema["properties"].(map[string]any); ok {
			for name, property := range properties {
				walk(path+"/"+name, property)
			}
		}
		if items := schema["items"]; items != nil {
			walk(path+"/items", items)
		}
		if branches, ok := schema["anyOf"].([]any); ok {
			for _, branch := range branches {
				walk(path+"/anyOf", branch)
			}
		}
	}
	walk("", root)
	return problems
}

// TestSchemaCycles has schemas against which no value could be checked, and
// some that only look like them.
func TestSchemaCycles(t *testing.T) {
	tests := []struct{ name, properties, at string }{
		{"two references", `"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/properties/a"}`, "/properties/a"},
		{"a reference to itself", `"a":{"$ref":"#/properties/a"}`, "/properties/a"},
		{"allOf", `"a":{"allOf":[{"$ref":"#/properties/a"}]}`, "/properties/a"},
		{"anyOf", `"a":{"anyOf":[{"type":"string"},{"$ref":"#/properties/a"}]}`, "/properties/a"},
		{"oneOf in oneOf", `"a":{"oneOf":[{"oneOf":[{"$ref":"#/properties/a"}]}]}`, "/properties/a"},
		{"not", `"a":{"not":{"$ref":"#/properties/a"}}`, "/properties/a"},
		{"then", `"a":{"if":{},"then":{"$ref":"#/properties/a"}}`, "/properties/a"},
		{"dependentSchemas", `"a":{"dependentSchemas":{"x":{"$ref":"#/properties/a"}}}`, "/properties/a"},
		{"dynamic reference", `"a":{"$dynamicAnchor":"n","allOf":[{"$dynamicRef":"#n"}]}`, "/properties/a"},
		{"in a list", `"l":{"items":{"allOf":[{"$ref":"#/properties/l/items"}]}}`, "/properties/l/items"},
		{"behind a recursion that is one", `"a":{"properties":{"next":{"$ref":"#/properties/a"},"b":{"$ref":"#/properties/a/properties/b"}}}`, "/properties/a/properties/b"},

		{"a tree", `"a":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/properties/a"}}}}`, ""},
		{"a tree in alternatives", `"a":{"anyOf":[{"type":"null"},{"type":"object","additionalProperties":{"$ref":"#/properties/a"}}]}`, ""},
		{"the same twice", `"a":{"allOf":[{"$ref":"#/properties/b"},{"anyOf":[{"$ref":"#/properties/b"}]}]},"b":{"type":"string"}`, ""},
		{"the whole in a field", `"a":{"$ref":"#"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := `{"type":"object","properties":{` + tt.properties + `}}`
			for what, tool := range map[string]*Tool{
				"input":  {Name: "t", Description: "d", Action: Action{Run: jq(`1`)}, Input: text},
				"output": {Name: "t", Description: "d", Action: Action{Run: jq(`1`)}, Output: text},
			} {
				_, err := Compile([]*Tool{tool}, Env{Upstreams: oneAPI})
				want := "tool 't': the '" + what + "' schema refers from '" + tt.at + "' back to it without a step into a field or an item"
				if tt.at == "" && err != nil || tt.at != "" && !strings.Contains(configErrors(t, err), want) {
					t.Errorf("%s: got the error %v", what, err)
				}
			}
		})
	}
}
