package caddymcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// textFields prints the text that each tool can return.
func (l *linter) textFields(context.Context) error {
	for _, t := range l.set.List() {
		output := l.set.Output(t.Name)
		if output == nil {
			fmt.Fprintf(l.out, "%s%s: any text, since it has no output schema\n", l.prefix, t.Name)
			continue
		}
		var schema map[string]any
		if err := json.Unmarshal(output, &schema); err != nil {
			return fmt.Errorf("tool '%s': %w", t.Name, err)
		}
		for _, field := range textFields("", schema) {
			fmt.Fprintf(l.out, "%s%s: %s\n", l.prefix, t.Name, field)
		}
		if l.quotesErrors(t.Name) {
			fmt.Fprintf(l.out, "%s%s: an error, in the API's own words by {detail}\n", l.prefix, t.Name)
		}
	}
	return nil
}

// textFields are where in a value of a schema text can stand that the schema
// does not fix. At is where the value stands itself.
func textFields(at string, schema map[string]any) []string {
	if schema["enum"] != nil || schema["const"] != nil {
		return nil
	}
	var fields []string
	types, _ := schema["type"].([]any)
	switch typ := schema["type"]; {
	case typ == "string", slices.Contains(types, any("string")):
		fields = append(fields, strings.TrimPrefix(at, ".")+bound(schema))
	case typ == nil && !slices.ContainsFunc(elsewhere, func(keyword string) bool { return schema[keyword] != nil }):
		fields = append(fields, strings.TrimPrefix(at, ".")+" (anything)")
	}
	for _, s := range subschemas(schema) {
		fields = append(fields, textFields(at+s.at, s.schema)...)
	}
	return fields
}

// bound says what the text of a schema is bound to, if anything.
func bound(schema map[string]any) string {
	for _, keyword := range []string{"format", "pattern"} {
		if text, ok := schema[keyword].(string); ok {
			return fmt.Sprintf(" (%s %s)", keyword, text)
		}
	}
	return ""
}

// elsewhere are the keywords by which other schemas say what a value is.
var elsewhere = []string{"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf"}

// A subschema is a schema in a schema. At says where its values stand: '.name'
// is a property, '[]' an item of an array, and '/word' what a keyword adds.
type subschema struct {
	at     string
	schema map[string]any
}

func subschemas(schema map[string]any) []subschema {
	var found []subschema
	add := func(at string, v any) {
		switch inner := v.(type) {
		case map[string]any:
			found = append(found, subschema{at, inner})
		case bool:
			if inner { // it holds for any value
				found = append(found, subschema{at, nil})
			}
		}
	}
	named := func(at, keyword string) {
		inner, _ := schema[keyword].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(inner)) {
			add(at+name, inner[name])
		}
	}
	named(".", "properties")
	named("/", "patternProperties")
	named("/$defs/", "$defs")
	named("/definitions/", "definitions")
	named("/dependentSchemas/", "dependentSchemas")
	add("[]", schema["items"])
	for _, keyword := range []string{"additionalProperties", "then", "else"} {
		add("/"+keyword, schema[keyword])
	}
	for _, keyword := range []string{"items", "prefixItems", "allOf", "anyOf", "oneOf"} {
		list, _ := schema[keyword].([]any)
		for i, v := range list {
			add(fmt.Sprintf("/%s/%d", keyword, i), v)
		}
	}
	return found
}

// quotesErrors reports whether an error text for a tool's requests holds the
// API's own words. A program can send them to every upstream.
func (l *linter) quotesErrors(name string) bool {
	tool := l.Tools[slices.IndexFunc(l.Tools, func(t *Tool) bool { return t.Name == name })]
	texts := slices.Clone(tool.Errors)
	for _, u := range l.Upstreams {
		if tool.Run != nil || u == l.upstreams.Get(tool.Upstream) {
			texts = append(texts, u.Errors...)
		}
	}
	return slices.ContainsFunc(texts, func(e program.ErrorText) bool { return strings.Contains(e.Message, "{detail}") })
}
