package tools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

func TestConfigErrors(t *testing.T) {
	p := func(name, typ string) *Param { return &Param{Name: name, Type: typ} }
	tool := func(f func(*Tool), params ...*Param) *Tool {
		tool := get("/x", params...)
		f(tool)
		return tool
	}
	tests := []struct {
		name string
		tool *Tool
		want string // the beginning of the only error, after "tool 't': "
	}{
		{"no name", tool(func(t *Tool) { t.Name = "" }), "the name must be 1 to 64"},
		{"space in name", tool(func(t *Tool) { t.Name = "a b" }), "the name must be 1 to 64"},
		{"long name", tool(func(t *Tool) { t.Name = strings.Repeat("a", 65) }), "the name must be 1 to 64"},
		{"no description", tool(func(t *Tool) { t.Description = " " }), "needs a 'description'"},
		{"nothing to do", tool(func(t *Tool) { t.Request = nil }), "has nothing to do"},
		{"request and run", tool(func(t *Tool) { t.Run = jq("1") }), "has both a request and 'run'"},
		{"result with run", tool(func(t *Tool) { t.Request, t.Run, t.Result = nil, jq("1"), jq("1") }), "has 'result' beside 'run'"},
		{"unknown upstream", tool(func(t *Tool) { t.Upstream = "other" }), "upstream 'other' is not declared, there is 'api'"},
		{"unknown method", tool(func(t *Tool) { t.Request.Method = "get" }), "method 'get' is unknown"},
		{"body on get", tool(func(t *Tool) { t.Request.Body = jq("1") }), "GET has no body"},
		{"form on get", tool(func(t *Tool) { t.Request.Encoding = "form" }), "GET has no body, so 'form'"},
		{"unknown encoding", tool(func(t *Tool) { t.Request.Method, t.Request.Encoding = "POST", "xml" }), "encoding 'xml' is unknown"},
		{"bad jq", tool(func(t *Tool) { t.Result = jq("{") }), ""},
		{"bad reply", tool(func(t *Tool) { t.Reply = "json" }), "reply 'json' is unknown"},
		{"structured without output", tool(func(t *Tool) { t.Reply = "structured" }), "says 'reply structured', which needs"},
		{"bad meta", tool(func(t *Tool) { t.Meta = []Meta{{"k", "v"}} }), "'meta k' has the value 'v', which is not JSON"},
		{"meta twice", tool(func(t *Tool) { t.Meta = []Meta{{"k", "1"}, {"k", "2"}} }), "'meta k' stands twice"},
		{"meta without key", tool(func(t *Tool) { t.Meta = []Meta{{"", "1"}} }), "'meta' needs a key"},
		{"error without message", tool(func(t *Tool) { t.Errors = []program.ErrorText{{On: []string{"404"}}} }), "'error' needs a status and a message"},
		{"unknown error", tool(func(t *Tool) { t.Errors = []program.ErrorText{{On: []string{"4x"}, Message: "m"}} }), "error '4x' is not a failure"},
		{"an error that is a success", tool(func(t *Tool) { t.Errors = []program.ErrorText{{On: []string{"3xx", "200"}, Message: "m"}} }), "error '200' is not a failure: write a status from 300 to 599"},
		{"read_only on a write", tool(func(t *Tool) { t.Request.Method, t.ReadOnly = "POST", ptr(true) }), "says 'read_only', but can send POST /x"},
		{"destructive on a read", tool(func(t *Tool) { t.Destructive = ptr(true) }), "only reads, but says 'destructive'"},

		{"relative path", get("x"), "path 'x' must begin with '/'"},
		{"query in path", get("/x?a=1"), "path '/x?a=1' has a '?'"},
		{"fragment in path", get("/x#a"), "path '/x#a' has a '#'"},
		{"dots in path", get("/a/../x"), "path '/a/../x' has the segment '..'"},
		{"encoded dots in path", get("/a/%2E%2e/x"), "path '/a/%2E%2e/x' has the segment '%2E%2e'"},
		{"dot in path", get("/./x"), "path '/./x' has the segment '.'"},
		{"space in path", get("/a b"), `path '/a b' has the character ' ', write '%20'`},
		{"bad percent", get("/100%"), "path '/100%' has a '%' that begins no percent-encoding"},
		{"open brace", get("/{a"), "path '/{a' has a '{' without '}'"},
		{"closed brace", get("/a}"), "path '/a}' has a '}' without '{'"},
		{"empty braces", get("/{}"), "path '/{}' has '{}'"},
		{"path names nothing", get("/{id}"), "path names '{id}', which is no parameter"},
		{"a colon in place of braces", get("/a/:id/b", p("id", "string")), "path '/a/:id/b' holds ':id' as plain text: write '{id}'"},
		{"angle brackets in place of braces", get("/a/<id>", p("id", "string")), "path '/a/<id>' holds '<id>' as plain text: write '{id}'"},
		{"arg in a require message", tool(func(t *Tool) { t.Require = []Require{{*jq("$args.a"), *jq(`no {arg.a}`)}} }, p("a", "string")), `the message of 'require' holds '{arg.a}' as plain text: write '\($args.a)'`},
		{"view without cases", tool(func(t *Tool) { t.ReadOnlyView = &View{Description: "d"} }), "'read_only { … }' is for a tool whose cases read and write: remove it, or write"},
		{"view without cases that writes", tool(func(t *Tool) { t.Request.Method, t.ReadOnlyView = "POST", &View{Description: "d"} }), "'read_only { … }' is for a tool whose cases read and write"},
		{"optional in path", get("/{id}", p("id", "string")), "parameter 'id' is in the path, so it must be 'required'"},
		{"local in path", get("/{id}", &Param{Name: "id", Type: "string", Required: true, Local: true}), "parameter 'id' is in the path and 'local'"},
		{"in query and in path", get("/{id}", &Param{Name: "id", Type: "string", Required: true, In: "query"}), "parameter 'id' is in the path, but says 'in query'"},
		{"array in path", get("/{id}", &Param{Name: "id", Type: "array", Items: p("", "string"), Required: true}), "parameter 'id' is in the path and of type array"},

		{"in path without one", get("/x", &Param{Name: "id", Type: "string", In: "path"}), "parameter 'id' says 'in path', but no path has '{id}'"},
		{"as in a program", tool(func(t *Tool) { t.Request, t.Run = nil, jq("1") }, &Param{Name: "a", Type: "string", As: "b"}), "parameter 'a' has 'in', 'as' or 'style', which mean nothing to a program"},
		{"error with an unknown argument", tool(func(t *Tool) {
			t.Errors = []program.ErrorText{{On: []string{"404"}, Message: "no {arg.a} or {arg.slug}, {detail}"}}
		}, p("a", "string")), "error '404' names '{arg.slug}', which is no parameter"},
		{"allow_empty of a number", get("/x", &Param{Name: "a", Type: "number", AllowEmpty: true}), "parameter 'a' is of type number, which has no 'allow_empty'"},

		{"bad parameter name", get("/x", p("a b", "string")), "parameter 'a b' must be named"},
		{"parameter twice", get("/x", p("a", "string"), p("a", "integer")), "parameter 'a' is declared twice"},
		{"unknown type", get("/x", p("a", "int")), "parameter 'a' has the unknown type 'int'"},
		{"unknown format", get("/x", &Param{Name: "a", Type: "string", Format: "ip"}), "parameter 'a' has the unknown format 'ip'"},
		{"format of a number", get("/x", &Param{Name: "a", Type: "number", Format: "date"}), "parameter 'a' is of type number, which has no 'format'"},
		{"min of a string", get("/x", &Param{Name: "a", Type: "string", Min: ptr(1.0)}), "parameter 'a' is of type string, which has no 'min'"},
		{"clamp of a string", get("/x", &Param{Name: "a", Type: "string", Clamp: &Clamp{1, 2}}), "parameter 'a' is of type string, which has no 'clamp'"},
		{"length of a number", get("/x", &Param{Name: "a", Type: "integer", MaxLength: ptr(1)}), "parameter 'a' is of type integer, which has no 'max_length'"},
		{"items of a string", get("/x", &Param{Name: "a", Type: "string", Items: p("", "string")}), "parameter 'a' is of type string, which has no 'items'"},
		{"style of a string", get("/x", &Param{Name: "a", Type: "string", Style: "comma"}), "parameter 'a' is of type string, which has no 'style'"},
		{"params of a string", get("/x", &Param{Name: "a", Type: "string", Params: []*Param{p("b", "string")}}), "parameter 'a' is of type string, which has no 'param'"},
		{"enum of an array", get("/x", &Param{Name: "a", Type: "array", Items: p("", "string"), Enum: []string{"a"}}), "parameter 'a' is of type array, which has no 'enum'"},
		{"min above max", get("/x", &Param{Name: "a", Type: "integer", Min: ptr(2.0), Max: ptr(1.0)}), "parameter 'a' has a 'min' of 2, which is above its maximum of 1"},
		{"lengths", get("/x", &Param{Name: "a", Type: "string", MinLength: ptr(2), MaxLength: ptr(1)}), "parameter 'a' has a 'min_length' of 2"},
		{"negative length", get("/x", &Param{Name: "a", Type: "string", MaxLength: ptr(-1)}), "parameter 'a' has a length of -1"},
		{"clamp backwards", get("/x", &Param{Name: "a", Type: "integer", Clamp: &Clamp{2, 1}}), "parameter 'a' has 'clamp 2 1'"},
		{"clamp and min", get("/x", &Param{Name: "a", Type: "integer", Clamp: &Clamp{1, 2}, Min: ptr(1.0)}), "parameter 'a' has 'clamp' beside 'min'"},
		{"clamp of an integer", get("/x", &Param{Name: "a", Type: "integer", Clamp: &Clamp{0.5, 2}}), "parameter 'a' has 'clamp 0.5 2', use whole numbers"},
		{"bad pattern", get("/x", &Param{Name: "a", Type: "string", Pattern: "(?=x)"}), "parameter 'a' has a 'pattern' that is no regular expression"},
		{"required default", get("/x", &Param{Name: "a", Type: "string", Required: true, Default: ptr("x")}), "parameter 'a' is 'required', so its 'default'"},
		{"default of another type", get("/x", &Param{Name: "a", Type: "integer", Default: ptr("1.5")}), "parameter 'a' has the default '1.5', which is not an integer: write a number such as 10"},
		{"default not json", get("/x", &Param{Name: "a", Type: "array", Items: p("", "string"), Default: ptr("a,b")}), "parameter 'a' has the default 'a,b', which is not an array: write a JSON array"},
		{"default outside enum", get("/x", &Param{Name: "a", Type: "string", Enum: []string{"x"}, Default: ptr("y")}), "parameter 'a' has the default 'y', which its own rules refuse"},
		{"default outside clamp", get("/x", &Param{Name: "a", Type: "integer", Clamp: &Clamp{1, 2}, Default: ptr("3")}), "parameter 'a' has the default '3', which is outside its 'clamp'"},
		{"nullable default", get("/x", &Param{Name: "a", Type: "string", AllowNull: true, Local: true, MaxLength: ptr(1), Default: ptr("xx")}), "parameter 'a' has the default 'xx', which its own rules refuse"},
		{
			"nested default", verb("POST", "/x", &Param{Name: "o", Type: "array", Items: &Param{Type: "object", Params: []*Param{{Name: "a", Type: "string", Format: "date", Default: ptr("x")}}}}),
			"parameter 'o[].a' has the default 'x', which its own rules refuse",
		},
		{"enum of another type", get("/x", &Param{Name: "a", Type: "integer", Enum: []string{"1", "b"}}), "parameter 'a' has the enum value 'b', which is not an integer: write a number such as 10"},
		{"enum twice", get("/x", &Param{Name: "a", Type: "integer", Enum: []string{"1", "1.0"}}), "parameter 'a' has the enum value '1.0' twice"},
		{"array without items", get("/x", p("a", "array")), "parameter 'a' is an array and needs 'items <type>'"},
		{"nested array without items", get("/x", &Param{Name: "a", Type: "array", Local: true, Items: p("", "array")}), "parameter 'a[]' is an array and needs 'items <type>'"},
		{"items with default", get("/x", &Param{Name: "a", Type: "array", Items: &Param{Type: "string", Default: ptr("x")}}), "parameter 'a' has 'items' with a name"},
		{"unknown style", get("/x", &Param{Name: "a", Type: "array", Items: p("", "string"), Style: "pipe"}), "parameter 'a' has the unknown style 'pipe'"},
		{"unknown in", get("/x", &Param{Name: "a", Type: "string", In: "cookie"}), "parameter 'a' says 'in cookie'"},
		{"local and as", get("/x", &Param{Name: "a", Type: "string", Local: true, As: "b"}), "parameter 'a' is 'local', so 'in'"},
		{"nested in", verb("POST", "/x", &Param{Name: "o", Type: "object", Params: []*Param{{Name: "a", Type: "string", In: "query"}}}), "parameter 'o.a' is part of another parameter"},
		{"same name twice in the query", get("/x", p("a", "string"), &Param{Name: "b", Type: "string", As: "a"}), "'a' stands twice in the query"},
		{"computed name twice", tool(func(t *Tool) { t.Request.Query = []Field{{"a", *jq("1")}} }, p("a", "string")), "'a' stands twice in the query"},
		{"header twice", tool(func(t *Tool) { t.Request.Headers = []Field{{"X-A", *jq("1")}, {"x-a", *jq("2")}} }), "'x-a' stands twice in the header"},
		{"hop-by-hop header", get("/x", &Param{Name: "a", Type: "string", In: "header", As: "transfer-encoding"}), "parameter 'a' would be sent as the header 'transfer-encoding'"},
		{"credential header", tool(func(t *Tool) { t.Request.Headers = []Field{{"authorization", *jq("1")}} }), "header 'authorization' would be sent as the header 'authorization'"},
		{"bad header", get("/x", &Param{Name: "a", Type: "string", In: "header", As: "a:b"}), "parameter 'a' is no header name"},
		{"array in header", get("/x", &Param{Name: "a", Type: "array", Items: p("", "string"), In: "header"}), "parameter 'a' is an array, which a header cannot hold"},
		{"object in query", get("/x", p("a", "object")), "parameter 'a' goes to the query, which cannot hold its type"},
		{"several types", get("/x", p("a", "string|object")), "parameter 'a' is of several types, which only 'items' can be"},
		{"several types, one unknown", get("/x", &Param{Name: "a", Type: "array", Local: true, Items: p("", "string|text")}), "parameter 'a[]' has the unknown type 'text'"},
		{"enum of several types", get("/x", &Param{Name: "a", Type: "array", Local: true, Items: &Param{Type: "string|integer", Enum: []string{"1"}}}), "parameter 'a' has 'items' of several types, which can have neither"},
		{"min of several types", get("/x", &Param{Name: "a", Type: "array", Local: true, Items: &Param{Type: "string|object", Min: ptr(1.0)}}), "parameter 'a[]' is of type string|object, which has no 'min'"},
		{"strings or objects in query", get("/x", &Param{Name: "a", Type: "array", Items: p("", "string|object")}), "parameter 'a' goes to the query, which cannot hold its type"},
		{"objects in query", get("/x", &Param{Name: "a", Type: "array", Items: p("", "object")}), "parameter 'a' goes to the query, which cannot hold its type"},
		{"null in query", get("/x", &Param{Name: "a", Type: "string", AllowNull: true}), "parameter 'a' goes to the query, which cannot hold the null"},
		{"object in form", tool(func(t *Tool) { t.Request.Method, t.Request.Encoding = "POST", "form" }, p("a", "object")), "parameter 'a' goes to the body, which cannot hold its type"},
		{"in body of get", get("/x", &Param{Name: "a", Type: "string", In: "body"}), "parameter 'a' says 'in body', but GET has no body"},
		{"style in json", verb("POST", "/x", &Param{Name: "a", Type: "array", Items: p("", "string"), Style: "comma"}), "parameter 'a' has a 'style', which means nothing in JSON"},

		{"input and param", tool(func(t *Tool) { t.Input = `{"type":"object"}` }, p("a", "string")), "has both 'input' and 'param'"},
		{"input not json", tool(func(t *Tool) { t.Input = `{` }), "the 'input' schema is not JSON"},
		{"input no object", tool(func(t *Tool) { t.Input = `true` }), "the 'input' schema must be a JSON object"},
		{"input of another type", tool(func(t *Tool) { t.Input = `{"type":"array"}` }), `the 'input' schema must have "type": "object"`},
		{"input without type", tool(func(t *Tool) { t.Input = `{}` }), `the 'input' schema must have "type": "object"`},
		{"input invalid", tool(func(t *Tool) { t.Input = `{"type":"object","required":1}` }), "the 'input' schema is no JSON Schema: '/required' must be an array"},
		{
			"input with a remote reference", tool(func(t *Tool) { t.Input = `{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}` }),
			"the 'input' schema refers to 'https://example.com/s.json', which clients do not load",
		},
		{
			"input with a file", tool(func(t *Tool) { t.Input = `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}` }),
			"the 'input' schema refers to 'file:///etc/passwd'",
		},
		{"input with an untyped field in a multipart body", tool(func(t *Tool) {
			t.Input = `{"type":"object","properties":{"a":{}}}`
			t.Request.Method, t.Request.Encoding = "POST", "multipart"
		}), "parameter 'a' goes to a multipart body and has no single type"},
		{"input with an object in the query", tool(func(t *Tool) { t.Input = `{"type":"object","properties":{"a":{"type":"object"}}}` }), "parameter 'a' goes to the query"},
		{"output invalid", tool(func(t *Tool) { t.Output = `{"type":1}` }), "the 'output' schema is no JSON Schema: '/type' "},
		{"output of an array", tool(func(t *Tool) { t.Output = `{"type":"array"}` }), `the 'output' schema must have "type": "object"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile([]*Tool{tt.tool}, Env{Upstreams: oneAPI})
			got := configErrors(t, err)
			_, message, _ := strings.Cut(got, "': ")
			if got == "" || !strings.HasPrefix(message, tt.want) {
				t.Errorf("got  %s\nwant %s", message, tt.want)
			}
			if strings.Contains(got, "\n") {
				t.Errorf("got several errors:\n%s", got)
			}
		})
	}
}

// What only looks like an argument in a path is left alone.
func TestPathsWithColons(t *testing.T) {
	id := &Param{Name: "id", Type: "string", Required: true}
	for _, path := range []string{"/{id}/:other", "/{id}:cancel", "/{id}/a:id", "/{id}/<>"} {
		t.Run(path, func(t *testing.T) { compile(t, Env{}, get(path, id)) })
	}
}

func TestUnknownArguments(t *testing.T) {
	isbn := &Param{Name: "isbn", Type: "string", Required: true}
	const raw = `{"type":"object","properties":{"isbn":{"type":"string"}},"additionalProperties":`
	src := func(text string) program.Source { return program.Source{Text: text, File: "f", Line: 5} }
	bad, badText := src(`$args.isnb`), src(`no \($args.isnb)`)
	const want = "tool 't': f:5:1: '$args.isnb' is no parameter of the tool, did you mean 'isbn'?"
	library, err := program.NewLibrary(program.Source{Text: `def other: $args.other;`})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*Tool)
		want   string
	}{
		{"right", func(t *Tool) { t.Result = jq(`$args.isbn`) }, ""},
		{"result", func(t *Tool) { t.Result = &bad }, want},
		{"run", func(t *Tool) { t.Request, t.Run = nil, &bad }, want},
		{"query", func(t *Tool) { t.Request.Query = []Field{{"q", bad}} }, want},
		{"header", func(t *Tool) { t.Request.Headers = []Field{{"X-A", bad}} }, want},
		{"body", func(t *Tool) { t.Request.Method, t.Request.Body = "POST", &bad }, want},
		{"require", func(t *Tool) { t.Require = []Require{{bad, *jq("no")}} }, want},
		{"the message of require", func(t *Tool) { t.Require = []Require{{*jq("true"), badText}} }, strings.Replace(want, "5:1", "5:6", 1)},
		{"a case", func(t *Tool) {
			t.Params = append(t.Params, &Param{Name: "all", Type: "boolean", Local: true})
			t.Cases = []*Case{{Param: "all", Values: []string{"true"}, Action: Action{Run: &bad, Require: []Require{{*jq("$args.all"), *jq("no")}}}}}
		}, want},
		{"in brackets", func(t *Tool) { t.Result = jq(`$args["page-size"]`) }, `tool 't': line 1, column 1: '$args["page-size"]' is no parameter of the tool: declare it or correct the name`},
		{"a short name", func(t *Tool) { t.Result = jq(`$args.is`) }, "tool 't': line 1, column 1: '$args.is' is no parameter of the tool: declare it or correct the name"},
		{"several", func(t *Tool) { t.Result = jq("$args.isbm |\n$args.isbm") }, "tool 't': line 1, column 1: '$args.isbm' is no parameter of the tool, did you mean 'isbn'?\ntool 't': line 2, column 1: '$args.isbm' is no parameter of the tool, did you mean 'isbn'?"},
		{"a library", func(t *Tool) { t.Result = jq(`other`) }, ""},
		{"a closed schema", func(t *Tool) { t.Params, t.Input, t.Result = nil, raw+`false}`, &bad }, want},
		{"an open schema", func(t *Tool) { t.Params, t.Input, t.Result = nil, raw+`true}`, &bad }, ""},
		{"a schema of other fields", func(t *Tool) { t.Params, t.Input, t.Result = nil, raw+`{"type":"string"}}`, &bad }, ""},
		{"a schema that is open by default", func(t *Tool) {
			t.Params, t.Input, t.Result = nil, `{"type":"object","properties":{"isbn":{"type":"string"}}}`, &bad
		}, ""},
		{"a schema with patterns", func(t *Tool) { t.Params, t.Input, t.Result = nil, raw+`false,"patternProperties":{"^is":{}}}`, &bad }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tool := get("/x", isbn)
			tt.change(tool)
			_, err := Compile([]*Tool{tool}, Env{Upstreams: oneAPI, Library: library})
			if got := configErrors(t, err); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestConfigErrorsAreAllTold(t *testing.T) {
	first, second := get("/x?y"), get("/x")
	second.Name, second.Description = "u", ""
	_, err := Compile([]*Tool{first, second, get("/x")}, Env{Upstreams: oneAPI})
	got := configErrors(t, err)
	for _, want := range []string{"tool 't': path '/x?y'", "tool 'u': needs a 'description'", "tool 't': is declared twice"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s in it", got, want)
		}
	}
	var config *ConfigError
	if !errors.As(err, &config) || config.Tool != "t" || errors.Unwrap(config) == nil {
		t.Errorf("got %#v", config)
	}
}

func TestSchemasLoadNoFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := get("/x")
	tool.Input = `{"type":"object","properties":{"a":{"$ref":"file://` + file + `"}}}`
	_, err := Compile([]*Tool{tool}, Env{Upstreams: oneAPI})
	if got := configErrors(t, err); !strings.Contains(got, "which clients do not load") {
		t.Errorf("got %q", got)
	}
}

func TestUpstreams(t *testing.T) {
	several := apis{names: []string{"a", "b"}, noDefault: true}
	named := get("/x")
	named.Upstream = "b"
	pure := get("/x")
	pure.Request, pure.Run = nil, jq(`"x"`)
	option := get("/x")
	option.Request, option.Run = nil, jq(`get("/x"; null; {upstream: "b"})`)
	unnamed := apis{names: []string{""}}
	web := get("/x")
	web.Upstream = "web"
	tests := []struct {
		name string
		apis apis
		tool *Tool
		want string
	}{
		{"none", apis{}, get("/x"), "tool 't': makes requests, but there is no 'upstream': declare the API"},
		{"none needed", apis{}, pure, ""},
		{"several", several, get("/x"), "tool 't': makes requests, but does not say where to: add 'upstream <name>' (there is 'a', 'b')"},
		{"named", several, named, ""},
		{"named, of one without a name", unnamed, named, "tool 't': upstream 'b' is not declared: the only upstream has no name, leave 'upstream' out"},
		{"an option, of one without a name", unnamed, option, "tool 't': upstream 'b' is not declared: the only upstream has no name, leave 'upstream' out"},
		{"one without a name", unnamed, get("/x"), ""},
		{"the web", apis{names: []string{"a", "web"}, web: "web"}, web, "tool 't': upstream 'web' is the public web, which has no paths: use 'run' and request({url: …})"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile([]*Tool{tt.tool}, Env{Upstreams: tt.apis})
			if got := configErrors(t, err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	var config []*Tool
	for i := range 1000 {
		tool := get("/x/{id}", &Param{Name: "id", Type: "string", Required: true}, &Param{Name: "limit", Type: "integer", Clamp: &Clamp{1, 100}})
		tool.Name = fmt.Sprintf("t%d", i)
		config = append(config, tool)
	}
	for b.Loop() {
		if _, err := Compile(config, Env{Upstreams: oneAPI}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed()/time.Microsecond)/float64(b.N)/1000, "µs/tool")
}
