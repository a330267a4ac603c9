package tools

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestResults(t *testing.T) {
	with := func(tool *Tool, result string) *Tool { tool.Result = jq(result); return tool }
	run := func(text string) *Tool {
		return &Tool{Name: "t", Description: "d", Action: Action{Run: jq(text)}}
	}
	tests := []struct {
		name string
		tool *Tool
		kind string // content type
		body string
		want string
	}{
		{"passed through byte for byte", get("/x"), "application/json", "{ \"z\":9007199254740993, \"a\":1.10,\"h\":\"<&>\" }\n", "{ \"z\":9007199254740993, \"a\":1.10,\"h\":\"<&>\" }\n"},
		{"text passed through", get("/x"), "text/plain; charset=utf-8", "a\nb ", "a\nb "},
		{"no content type", get("/x"), "", "x", "x"},
		{"empty, read", get("/x"), "", "", "the API answered 200 with nothing in it"},
		{"empty, written", verb("DELETE", "/x"), "", "", "done"},
		{"binary", get("/x"), "application/pdf", "%PDF-\xff", "error: the API answered with application/pdf (6 bytes), which a tool cannot show"},
		{"binary without a type", get("/x"), "", "\x89PNG\r\n\x1a\n\xff", "error: the API answered with image/png (9 bytes), which a tool cannot show"},
		{"binary after a write", verb("POST", "/x"), "application/zip", "\xff", "error: the API answered with application/zip (1 bytes), which a tool cannot show; the request itself was carried out"},
		{"svg is text", get("/x"), "image/svg+xml", "<svg/>", "<svg/>"},
		{"string", with(get("/x"), `.a`), "application/json", `{"a":"<b>"}`, "<b>"},
		{"empty string", with(get("/x"), `.a`), "application/json", `{"a":""}`, `""`},
		{"value, compact, with its digits", with(get("/x"), `{z: .n, a: [.f]}`), "application/json", `{"n":9007199254740993,"f":1.10}`, `{"z":9007199254740993,"a":[1.10]}`},
		{"null, read", with(get("/x"), `.x`), "application/json", `{}`, "null"},
		{"null, written", with(verb("POST", "/x"), `.x`), "application/json", `{}`, "done"},
		{"a program", run(`{b: get("/x").n, a: $tool}`), "application/json", `{"n":1}`, `{"b":1,"a":"t"}`},
		{"a program that writes", run(`delete("/x")`), "application/json", ``, "done"},
		{"result of nothing", with(get("/x"), `. == null`), "", ``, "true"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sender := &recorder{body: tt.body, header: http.Header{}}
			if tt.kind != "" {
				sender.header.Set("Content-Type", tt.kind)
			}
			result, outcome := invoke(t, compile(t, Env{}, tt.tool), sender, `{}`)
			if got := text(t, result); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if result.StructuredContent != nil {
				t.Error("sent a second copy")
			}
			if (outcome.Kind == OK) == result.IsError {
				t.Errorf("got the outcome %v", outcome)
			}
		})
	}
}

func TestMedia(t *testing.T) {
	tests := []struct{ kind, want string }{
		{"image/png", `{"type":"image","mimeType":"image/png","data":"AP8="}`},
		{"audio/wav; rate=1", `{"type":"audio","mimeType":"audio/wav","data":"AP8="}`},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			sender := &recorder{body: "\x00\xff", header: http.Header{"Content-Type": {tt.kind}}}
			result, _ := invoke(t, compile(t, Env{}, get("/x")), sender, `{}`)
			got, err := result.Content[0].MarshalJSON()
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestReplyLimit(t *testing.T) {
	narrow := get("/x", &Param{Name: "id", Type: "string", Required: true}, &Param{Name: "limit", Type: "integer"}, &Param{Name: "q", Type: "string"})
	shaped := get("/x")
	shaped.Result = jq(`.`)
	tests := []struct {
		name string
		tool *Tool
		args string
		body string
		want string
	}{
		{"characters, not bytes", get("/x"), `{}`, `"` + strings.Repeat("é", 8) + `"`, `"` + strings.Repeat("é", 8) + `"`},
		{"too long", get("/x"), `{}`, `"123456789"`, "error: the result has 11 characters, the limit is 10, and no argument of this tool narrows it"},
		{"with arguments that narrow", narrow, `{"id":"1"}`, `"123456789"`, "error: the result has 11 characters, the limit is 10: narrow the call with limit, q"},
		{"shaped", shaped, `{}`, `"12345678901"`, "error: the result has 11 characters, the limit is 10, and no argument of this tool narrows it"},
		{"after a write", verb("POST", "/x"), `{}`, `"123456789"`, "error: the result has 11 characters, the limit is 10, and no argument of this tool narrows it; the request itself was carried out"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, _ := invoke(t, compile(t, Env{ReplyLimit: 10}, tt.tool), &recorder{body: tt.body}, tt.args)
			if got := text(t, result); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOutputIsAnAllowList(t *testing.T) {
	const flock = `"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}}`
	tests := []struct{ name, schema, body, want string }{
		{"properties", `{` + flock + `}`, `{"id":1,"name":"n","note":"secret"}`, `{"id":1,"name":"n"}`},
		{
			"items", `{"type":"object","properties":{"items":{"type":"array","items":{` + flock + `}}}}`,
			`{"items":[{"id":1,"note":"secret"},{"name":"n","owner":{"a":1}}],"total":2}`, `{"items":[{"id":1},{"name":"n"}]}`,
		},
		{
			"references", `{"type":"object","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"}}}},"properties":{"n":{"$ref":"#/$defs/n"}}}`,
			`{"n":{"v":1,"x":1,"next":{"v":2,"x":2,"next":{"v":3,"x":3}}}}`, `{"n":{"v":1,"next":{"v":2,"next":{"v":3}}}}`,
		},
		{"allOf", `{"type":"object","allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"integer"}}}]}`, `{"a":1,"b":2,"c":3}`, `{"a":1,"b":2}`},
		{"anyOf", `{"type":"object","properties":{"v":{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"type":"null"}]}}}`, `{"v":{"a":1,"b":2}}`, `{"v":{"a":1}}`},
		{
			"a map", `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"object","properties":{"n":{"type":"integer"}}}}}}`,
			`{"m":{"x":{"n":1,"s":"secret"},"y":{}}}`, `{"m":{"x":{"n":1},"y":{}}}`,
		},
		{"patterns", `{"type":"object","patternProperties":{"^n_":{"type":"integer"}}}`, `{"n_a":1,"s_a":2}`, `{"n_a":1}`},
		{"anything, said", `{"type":"object","properties":{"raw":{"type":"object","additionalProperties":true}}}`, `{"raw":{"a":{"b":1}}}`, `{"raw":{"a":{"b":1}}}`},
		{"nothing said of an object", `{"type":"object","properties":{"o":{"type":"object"}}}`, `{"o":{"a":1}}`, `{"o":{}}`},
		{"nothing said of items", `{"type":"object","properties":{"l":{"type":"array"}}}`, `{"l":[{"a":1},"secret"]}`, `{"l":[]}`},
		{"prefix items", `{"type":"object","properties":{"l":{"type":"array","prefixItems":[{"type":"integer"}],"items":{` + flock + `}}}}`, `{"l":[1,{"id":2,"x":3}]}`, `{"l":[1,{"id":2}]}`},
		{"extras, forbidden", `{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`, `{"a":1,"b":2}`, `{"a":1}`},
		{
			"prefix items apart from the rest", `{"type":"object","properties":{"l":{"type":"array","prefixItems":[{"type":"object","properties":{"a":{"type":"integer"}}}],"items":{` + flock + `}}}}`,
			`{"l":[{"a":1,"id":2},{"a":1,"id":2}]}`, `{"l":[{"a":1},{"id":2}]}`,
		},
		{"digits", `{` + flock + `}`, `{"id":9007199254740993}`, `{"id":9007199254740993}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tool := get("/x")
			tool.Output, tool.Reply = tt.schema, "text"
			result, _ := invoke(t, compile(t, Env{}, tool), &recorder{body: tt.body}, `{}`)
			if got := text(t, result); !sameJSON(t, got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var texts [2]string
	for i, text := range []string{a, b} {
		v, err := decodeJSON([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		texts[i] = string(encodeJSON(v))
	}
	return texts[0] == texts[1]
}

func TestOutputThatDoesNotFit(t *testing.T) {
	const schema = `{"type":"object","properties":{"id":{"type":"integer"},"day":{"type":"string","format":"date"}},"required":["id"]}`
	tests := []struct{ name, result, body, want, detail string }{
		{"type", `.`, `{"id":"secret"}`, "error: the tool could not read the API's reply", "/id (type)"},
		{"missing", `.`, `{}`, "error: the tool could not read the API's reply", "/ (required)"},
		{"format", `.`, `{"id":1,"day":"secret"}`, "error: the tool could not read the API's reply", "/day (format)"},
		{"a string", `"secret"`, `{}`, "error: the tool could not read the API's reply", "/ (type)"},
		{"an absurd number", `.`, `{"id":1e999999999}`, "error: the tool could not read the API's reply", "out of range"},
		{"nested too deep", `{id: 1, rest: reduce range(10001) as $i (0; [.])}`, `{}`, "error: the tool could not read the API's reply", "nested more than 10000 levels deep"},
		{"jq's large integers fit", `{id: (.id + 1)}`, `{"id":99999999999999999999}`, `{"id":100000000000000000000}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tool := get("/x")
			tool.Output, tool.Reply, tool.Result = schema, "text", jq(tt.result)
			result, outcome := invoke(t, compile(t, Env{}, tool), &recorder{body: tt.body}, `{}`)
			if got := text(t, result); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if tt.detail == "" {
				return
			}
			if outcome.Kind != Bug || !strings.Contains(outcome.Err.Error(), tt.detail) || strings.Contains(outcome.Err.Error(), "secret") {
				t.Errorf("got the outcome %v", outcome)
			}
		})
	}
}

func TestReplyModes(t *testing.T) {
	const schema = `{"type":"object","properties":{"id":{"type":"integer"}}}`
	tests := []struct {
		mode string
		want string
		told bool
	}{
		{"", `{"content":[{"type":"text","text":"{\"id\":1}"}],"structuredContent":{"id":1}}`, true},
		{"both", `{"content":[{"type":"text","text":"{\"id\":1}"}],"structuredContent":{"id":1}}`, true},
		{"structured", `{"content":[],"structuredContent":{"id":1}}`, true},
		{"text", `{"content":[{"type":"text","text":"{\"id\":1}"}]}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			tool := get("/x")
			tool.Output, tool.Reply = schema, tt.mode
			set := compile(t, Env{}, tool)
			result, _ := invoke(t, set, &recorder{body: `{"id":1,"x":2}`}, `{}`)
			got, err := json.Marshal(result)
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
			}
			if told := set.Tool("t").OutputSchema; (told != nil) != tt.told {
				t.Errorf("clients are told of %v", told)
			} else if tt.told && string(told.(json.RawMessage)) != schema {
				t.Errorf("clients are told of %s", told)
			}
		})
	}
}

func TestList(t *testing.T) {
	one, two, three := get("/x"), get("/x"), get("/x")
	one.Name, two.Name, three.Name = "z", "a", "m"
	one.Title, one.Meta = "One", []Meta{{"b/k", `{"z":1,"a":[2]}`}}
	two.Scopes, three.Scopes = []string{"read"}, []string{"read", "write"}
	set := compile(t, Env{}, one, two, three)
	names := func(list []*mcp.Tool) string {
		var names []string
		for _, tool := range list {
			names = append(names, tool.Name)
		}
		return strings.Join(names, " ")
	}
	for _, tt := range []struct {
		scopes []string
		want   string
	}{
		{nil, "z"}, {[]string{"read"}, "z a"}, {[]string{"write", "read"}, "z a m"}, {[]string{"write"}, "z"},
	} {
		if got := names(set.ListFor(tt.scopes)); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.scopes, got, tt.want)
		}
	}
	if got := names(set.List()); got != "z a m" {
		t.Errorf("got %s", got)
	}
	if got := set.Scopes("m"); len(got) != 2 || set.Scopes("other") != nil {
		t.Errorf("got the scopes %v", got)
	}
	got, err := json.Marshal(set.Tool("z"))
	const want = `{"_meta":{"b/k":{"z":1,"a":[2]}},"annotations":{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true,"title":"One"},` +
		`"description":"Does it.","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"name":"z","title":"One"}`
	if err != nil || !sameJSON(t, string(got), want) {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
	for _, tool := range set.List() {
		server.AddTool(tool, nil) // panics on what the SDK does not accept
	}
}
