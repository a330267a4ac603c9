package caddymcp

import (
	"fmt"
	"strings"
	"testing"
)

// What clients bound is found above the bound, and only there.
func TestLintBounds(t *testing.T) {
	plain := func(name, description string) string {
		return fmt.Sprintf("tool %s {\ntitle T\ndescription %q\nget /x\nresult .id\n}\n", name, description)
	}
	many := func(n int, description string) string {
		var text strings.Builder
		for i := range n {
			text.WriteString(plain(fmt.Sprintf("tool_%d", i), description))
		}
		return text.String()
	}
	long := strings.Repeat("d", maxDescription)
	for _, tc := range []struct{ name, block, want string }{
		{"a name", plain(strings.Repeat("n", maxName), "D."), ""},
		{"a long name", plain(strings.Repeat("n", maxName+1), "D."), "has 49 characters"},
		{"a description", plain("x", long), ""},
		{"a long description", plain("x", long+"d"), "the description has 2049 bytes"},
		{"long instructions", "instructions " + long + "d\n" + plain("x", "D."), "the instructions have 2049 bytes"},
		{"a long description of a parameter", "tool x {\ntitle T\ndescription D\nparam p string {\ndescription " + long + "d\n}\nget /x\nresult .id\n}\n", "the description of input.p has 2049 bytes"},
		{"many tools", many(maxTools, "D."), ""},
		{"too many tools", many(maxTools+1, "D."), "there are 41 tools"},
		{"too much to read", many(30, strings.Repeat("some words ", 100)), ""},
		{"far too much to read", many(30, strings.Repeat("x y ", 500)), "tokens to read"},
		{
			"half a tool in read-only mode",
			"read_only on\ntool x {\ntitle T\ndescription D\nparam a string required {\nenum r w\nlocal\n}\ncase a r {\nget /x\nresult .id\n}\ncase a w {\nput /x\n}\n}\n",
			"",
		},
		{
			"items of an output", "tool x {\ntitle T\ndescription D\nget /x\noutput `{\"type\":\"object\",\"properties\":{\"rows\":{\"type\":\"array\"}}}`\n}\n",
			"output.rows is an array without items",
		},
		{"a result that is the reply", "tool x {\ntitle T\ndescription D\nget /x\nresult .\n}\n", "passes the API's reply through"},
		{"a program that is a request", "tool x {\ntitle T\ndescription D\nrun `get(\"/x\")`\n}\n", "passes the API's reply through"},
		{"a program that is more", "tool x {\ntitle T\ndescription D\nrun `get(\"/x\") | { id }`\n}\n", ""},
		{"a result of which the output keeps a part", "tool x {\ntitle T\ndescription D\nget /x\nresult .\noutput `{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"}}}`\n}\n", ""},
		{
			"a name of an argument", "tool x {\ntitle T\ndescription D\ninput `{\"type\":\"object\",\"properties\":{\"filter[name]\":{\"type\":\"string\"}}}`\nget /x\nresult .id\n}\n",
			"the argument 'filter[name]' has a name",
		},
		{
			"a choice of inputs", "tool x {\ntitle T\ndescription D\ninput `{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"string\"}},\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}`\nget /x\nresult .id\n}\n",
			"the input has 'anyOf' at its top",
		},
		{
			"another document", "tool x {\ntitle T\ndescription D\ninput `{\"type\":\"object\",\"properties\":{\"p\":{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}}}`\nget /x\nresult .id\n}\n",
			"input.p refers to another document",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := commandSite(t, ":80 {\nmcp {\nauth none\nupstream http://127.0.0.1:1\n"+tc.block+"}\n}\n")
			p := runCommand(t.Context(), "mcp", "lint", "--config", config)
			want := 0
			if tc.want != "" {
				want = exitNo
			}
			if lines := strings.Count(p.stdout, "\n"); p.exit != want || lines > 1 || !strings.Contains(p.stdout, tc.want) || tc.want == "" && lines > 0 {
				t.Errorf("it ends with %d: %s%s", p.exit, p.stdout, p.stderr)
			}
		})
	}
}
