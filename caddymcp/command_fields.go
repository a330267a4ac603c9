package caddymcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
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
		for _, text := range l.beside(t.Name) {
			fmt.Fprintf(l.out, "%s%s: %s\n", l.prefix, t.Name, text)
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
	field := cmp.Or(strings.TrimPrefix(at, "."), "the result")
	types, _ := schema["type"].([]any)
	switch typ := schema["type"]; {
	case typ == "string", slices.Contains(types, any("string")):
		fields = append(fields, field+bound(schema))
	case typ == nil && !slices.ContainsFunc(elsewhere, func(keyword string) bool { return schema[keyword] != nil }):
		fields = append(fields, field+" (anything)")
	}
	if anyName(schema) {
		fields = append(fields, field+" (the names of its members)")
	}
	for _, s := range subschemas(schema) {
		fields = append(fields, textFields(at+s.at, s.schema)...)
	}
	return fields
}

// anyName reports whether an object of a schema can have members whose names
// are not in the schema.
func anyName(schema map[string]any) bool {
	if patterns, _ := schema["patternProperties"].(map[string]any); len(patterns) > 0 {
		return true
	}
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		switch others := schema[keyword].(type) {
		case map[string]any:
			return true
		case bool:
			if others {
				return true
			}
		}
	}
	return false
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
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties", "then", "else"} {
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

// beside is the text that a tool can send beside its result, which no schema
// checks. A program is taken to use all that its libraries do.
func (l *linter) beside(name string) []string {
	tool := l.Tools[slices.IndexFunc(l.Tools, func(t *Tool) bool { return t.Name == name })]
	var found []string
	if l.quotesErrors(tool) {
		found = append(found, "an error, in the API's own words by {detail}")
	}
	programs := tool.programs()
	if len(programs) > 0 {
		programs = append(programs, l.Libraries...)
	}
	for _, s := range []struct {
		calls *regexp.Regexp
		text  string
	}{
		{refuses, "an error, in words that its program makes"},
		{notifies, "progress and log messages, in words that its program makes"},
	} {
		if slices.ContainsFunc(programs, func(p program.Source) bool { return s.calls.MatchString(p.Text) }) {
			found = append(found, s.text)
		}
	}
	return found
}

// What programs call to say something else than a result. A member or a
// variable of that name is another thing.
var (
	refuses  = regexp.MustCompile(`(?:^|[^.$\w])(?:(?:check|find_one|annotate)\s*\(|error\s*(?:[^\s\w:]|$)|"?errors"?\s*:)`)
	notifies = regexp.MustCompile(`(?:^|[^.$\w])(?:progress|log)\s*\(`)
)

// programs are the programs that see what the API sends.
func (t *Tool) programs() []program.Source {
	actions := []*tools.Action{&t.Action}
	for _, c := range t.Cases {
		actions = append(actions, &c.Action)
	}
	var found []program.Source
	for _, a := range actions {
		for _, p := range []*program.Source{a.Run, a.Result} {
			if p != nil {
				found = append(found, *p)
			}
		}
	}
	return found
}

// quotesErrors reports whether an error text for a tool's requests holds the
// API's own words. A program can send them to every upstream.
func (l *linter) quotesErrors(tool *Tool) bool {
	texts := slices.Clone(tool.Errors)
	runs := tool.Run != nil || slices.ContainsFunc(tool.Cases, func(c *tools.Case) bool { return c.Run != nil })
	for _, u := range l.Upstreams {
		if runs || u == l.upstreams.Get(tool.Upstream) {
			texts = append(texts, u.Errors...)
		}
	}
	return slices.ContainsFunc(texts, func(e program.ErrorText) bool { return strings.Contains(e.Message, "{detail}") })
}
