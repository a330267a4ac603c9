package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// taxonomy is a tool that reads and writes, by its action.
func taxonomy() *Tool {
	return &Tool{
		Name:        "t",
		Description: "Reads and writes.",
		Params: []*Param{
			{Name: "action", Type: "string", Enum: []string{"list", "create", "delete", "count"}, Default: ptr("list"), Local: true},
			{Name: "id", Type: "string"},
			{Name: "name", Type: "string"},
		},
		Action: Action{Require: []Require{{*jq(`$args.name != "bad"`), *jq(`no \($args.name)`)}}},
		Cases: []*Case{
			{Param: "action", Values: []string{"list", "count"}, Action: Action{
				Request: &Request{Method: "GET", Path: "/x"},
				Result:  jq(`"\($args.action): \(length)"`),
			}},
			{Param: "action", Values: []string{"create"}, Action: Action{
				Require: []Require{{*jq(`$args.name`), *jq(`create needs a name`)}},
				Request: &Request{Method: "POST", Path: "/x"},
			}},
			{Param: "action", Values: []string{"delete"}, Action: Action{
				Request: &Request{Method: "DELETE", Path: "/x/{id}"},
			}},
		},
		ReadOnlyView: &View{
			Description: "Reads.",
			Params:      []*Param{{Name: "action", Type: "string", Enum: []string{"list", "create"}, Default: ptr("list")}, {Name: "name", Type: "string"}},
		},
	}
}

func TestCases(t *testing.T) {
	tests := []struct{ name, args, sent, want string }{
		{"by default", `{}`, `GET /x`, `list: 2`},
		{"a second value", `{"action":"count","name":"n"}`, `GET /x?name=n`, `count: 2`},
		{"another", `{"action":"create","name":"n"}`, `POST /x {"name":"n"}`, `[1,2]`},
		{"its own requirement", `{"action":"create"}`, ``, `error: create needs a name`},
		{"the tool's requirement", `{"action":"create","name":"bad"}`, ``, `error: no bad`},
		{"its path", `{"action":"delete","id":"7"}`, `DELETE /x/7`, `[1,2]`},
		{"without its path", `{"action":"delete"}`, ``, `error: id: is required with action=delete`},
		{"unknown", `{"action":"drop"}`, ``, `error: action: must be one of list, create, delete, count (got "drop")`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sender := &recorder{body: "[1,2]"}
			result, _ := invoke(t, compile(t, Env{}, taxonomy()), sender, tt.args)
			if got := text(t, result); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := sender.lines(); got != tt.sent {
				t.Errorf("sent %q, want %q", got, tt.sent)
			}
		})
	}
}

func TestCaseOfOtherTypes(t *testing.T) {
	tool := get("/rest", &Param{Name: "full", Type: "boolean", Local: true}, &Param{Name: "n", Type: "integer", Enum: []string{"1.0", "2"}, Local: true})
	tool.Cases = []*Case{{Param: "full", Values: []string{"true"}, Action: Action{Request: &Request{Method: "GET", Path: "/full"}}}}
	sender := &recorder{body: "1"}
	set := compile(t, Env{}, tool)
	for _, args := range []string{`{"full":"true"}`, `{"full":false}`, `{}`} {
		invoke(t, set, sender, args)
	}
	tool.Cases[0].Param, tool.Cases[0].Values = "n", []string{"1"}
	set = compile(t, Env{}, tool)
	for _, args := range []string{`{"n":1}`, `{"n":"1.0"}`, `{"n":2}`} {
		invoke(t, set, sender, args)
	}
	const want = "GET /full\nGET /rest\nGET /rest\nGET /full\nGET /full\nGET /rest"
	if got := sender.lines(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCasesOfLongValues(t *testing.T) {
	long := strings.Repeat("x", 100)
	input, _ := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{
		"a": map[string]any{"type": "string", "enum": []string{long + "1", long + "2"}},
	}, "required": []string{"a"}})
	declared := get("/rest", &Param{Name: "a", Type: "string", Required: true, Local: true, Enum: []string{long + "1", long + "2"}})
	raw := get("/rest")
	raw.Input = string(input)
	for name, tool := range map[string]*Tool{"declared": declared, "raw": raw} {
		t.Run(name, func(t *testing.T) {
			tool.Cases = []*Case{{Param: "a", Values: []string{long + "2"}, Action: Action{Run: jq(`"two"`)}}}
			result, _ := invoke(t, compile(t, Env{}, tool), &recorder{}, `{"a":"`+long+`2"}`)
			if got := text(t, result); got != "two" {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestCaseErrors(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Tool)
		want   string
	}{
		{"unknown parameter", func(t *Tool) { t.Cases[0].Param = "acton" }, "case 'acton' is no parameter"},
		{"two parameters", func(t *Tool) { t.Cases[1].Param = "name" }, "case 'action' and case 'name' are of two parameters"},
		{"no enum", func(t *Tool) { t.Params[0].Enum = nil }, "case 'action' needs a parameter of type string or integer with an 'enum'"},
		{"no value", func(t *Tool) { t.Cases[0].Values = append(t.Cases[0].Values, "drop") }, "case action=drop is no value of the parameter"},
		{"value twice", func(t *Tool) { t.Cases[0].Values = append(t.Cases[0].Values, "create") }, "case action=create stands twice"},
		{"without values", func(t *Tool) { t.Cases[0].Values = nil }, "case 'action' has no value"},
		{"a value without action", func(t *Tool) { t.Cases = t.Cases[:1] }, "has no action for action=create, delete"},
		{"absent without action", func(t *Tool) { t.Params[0].Default = nil }, "has no action where 'action' is absent"},
		{"an action that is never used", func(t *Tool) { t.Request = &Request{Method: "GET", Path: "/y"} }, "has a case for every value of 'action'"},
		{"a case without action", func(t *Tool) { t.Cases[0].Request, t.Cases[0].Result = nil, nil }, "case action=list|count has nothing to do"},
		{"view of another parameter", func(t *Tool) { t.ReadOnlyView.Params[1].Name = "nam" }, "parameter 'nam' in 'read_only' is no parameter of the tool"},
		{"view of another type", func(t *Tool) { t.ReadOnlyView.Params[1].Type = "integer" }, "parameter 'name' in 'read_only' is of type integer, in the tool of type string"},
		{"view without the choice", func(t *Tool) { t.ReadOnlyView.Params = t.ReadOnlyView.Params[1:] }, "'read_only' leaves out parameter 'action'"},
		{"view without a required parameter", func(t *Tool) {
			t.Params = append(t.Params, &Param{Name: "r", Type: "string", Required: true})
		}, "'read_only' leaves out parameter 'r'"},
		{"view of cases that only read", func(t *Tool) {
			t.Cases[0].Values, t.Cases = []string{"list", "count", "create", "delete"}, t.Cases[:1]
		}, "'read_only { … }' is for a tool whose cases read and write"},
		{"view of cases that only write", func(t *Tool) {
			t.Cases[1].Values, t.Cases = []string{"list", "count", "create", "delete"}, t.Cases[1:2]
		}, "'read_only { … }' is for a tool whose cases read and write"},
		{"view with a mistake", func(t *Tool) { t.ReadOnlyView.Params[1].Type = "text" }, "parameter 'name' in 'read_only' is of type text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tool := taxonomy()
			tt.change(tool)
			_, err := Compile([]*Tool{tool}, Env{Upstreams: oneAPI})
			if got := configErrors(t, err); !strings.Contains(got, "tool 't': "+tt.want) {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestReadOnlyMode(t *testing.T) {
	env := Env{ReadOnly: true}

	t.Run("a tool that writes is left out", func(t *testing.T) {
		writer, reader := verb("POST", "/x"), get("/x")
		reader.Name = "reader"
		set := compile(t, env, writer, reader)
		if list := set.List(); len(list) != 1 || list[0].Name != "reader" {
			t.Errorf("got %d tools", len(list))
		}
		if !set.Has("t") || !set.Has("reader") || set.Has("other") || set.Tool("t") != nil {
			t.Error("the writing tool is not hidden")
		}
		sender := &recorder{body: "1"}
		result, outcome := invoke(t, set, sender, `{"wrong":1}`)
		if got := text(t, result); got != "error: server is in read-only mode" || outcome.Kind != Refused {
			t.Errorf("got %q, %v", got, outcome)
		}
		if len(sender.requests) > 0 {
			t.Errorf("sent %s", sender.lines())
		}
	})

	t.Run("a tool that does both keeps its reading half", func(t *testing.T) {
		set := compile(t, env, taxonomy())
		listed := set.Tool("t")
		const want = `{"type":"object","properties":{"action":{"type":"string","enum":["list"],"default":"list"},"name":{"type":"string"}},"additionalProperties":false}`
		if got := string(listed.InputSchema.(json.RawMessage)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if listed.Description != "Reads." || !listed.Annotations.ReadOnlyHint {
			t.Errorf("got %q, %+v", listed.Description, listed.Annotations)
		}
		tests := []struct{ args, sent, want string }{
			{`{}`, `GET /x`, `list: 2`},
			{`{"action":"create","name":"n"}`, ``, `error: server is in read-only mode`},
			{`{"action":"delete","id":"n"}`, ``, `error: server is in read-only mode`},
			{`{"action":"drop"}`, ``, `error: action: must be one of list (got "drop")`},
			{`{"id":"1"}`, ``, `error: id: unknown argument (the arguments are action, name)`},
		}
		for _, tt := range tests {
			sender := &recorder{body: "[1,2]"}
			result, _ := invoke(t, set, sender, tt.args)
			if got := text(t, result); got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.args, got, tt.want)
			}
			if got := sender.lines(); got != tt.sent {
				t.Errorf("%s: sent %q, want %q", tt.args, got, tt.sent)
			}
		}
	})

	t.Run("without a view", func(t *testing.T) {
		tool := taxonomy()
		tool.ReadOnlyView = nil
		tool.Params[0].Default = ptr("create")
		set := compile(t, env, tool)
		const want = `{"type":"object","properties":{"action":{"type":"string","enum":["list","count"]},"id":{"type":"string"},"name":{"type":"string"}},"required":["action"],"additionalProperties":false}`
		if got := string(set.Tool("t").InputSchema.(json.RawMessage)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if tool.Params[0].Default == nil || len(tool.Params[0].Enum) != 4 {
			t.Error("the config was changed")
		}
	})

	t.Run("with a raw schema", func(t *testing.T) {
		tool := taxonomy()
		tool.ReadOnlyView, tool.Params = nil, nil
		tool.Input = `{"type":"object","properties":{"action":{"enum":["list","create","delete","count"],"type":"string"},"id":{},"name":{"type":"string"}},"required":["action"]}`
		sender := &recorder{body: "[1]"}
		set := compile(t, env, tool)
		result, _ := invoke(t, set, sender, `{"action":"create","name":"n"}`)
		if got := text(t, result); got != "error: server is in read-only mode" || len(sender.requests) > 0 {
			t.Errorf("got %q, sent %q", got, sender.lines())
		}
	})

	t.Run("the default action writes", func(t *testing.T) {
		tool := taxonomy()
		tool.ReadOnlyView = nil
		tool.Cases = tool.Cases[:1]
		tool.Params[0].Default = nil
		tool.Request = &Request{Method: "POST", Path: "/y"}
		set := compile(t, env, tool)
		sender := &recorder{body: "[1]"}
		for _, args := range []string{`{}`, `{"action":"create"}`} {
			result, _ := invoke(t, set, sender, args)
			if got := text(t, result); got != "error: server is in read-only mode" || len(sender.requests) > 0 {
				t.Errorf("%s: got %q, sent %q", args, got, sender.lines())
			}
		}
	})
}

func TestCallsThatReadSayIt(t *testing.T) {
	program := &Tool{Name: "t", Description: "d", Action: Action{Run: jq(`get("/a")`)}}
	writing := &Tool{Name: "t", Description: "d", Action: Action{Run: jq(`get("/a") | post("/b"; .)`)}}
	forced := get("/x")
	forced.ReadOnly = ptr(false)
	tests := []struct {
		name string
		tool *Tool
		args string
		want bool
	}{
		{"a GET", get("/x"), `{}`, true},
		{"a POST", verb("POST", "/x"), `{}`, false},
		{"a GET with effects", forced, `{}`, false},
		{"a program", program, `{}`, true},
		{"a program that writes", writing, `{}`, false},
		{"a reading case", taxonomy(), `{}`, true},
		{"a writing case", taxonomy(), `{"action":"delete","id":"1"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sender := &recorder{body: "[]"}
			_, outcome := invoke(t, compile(t, Env{}, tt.tool), sender, tt.args)
			if len(sender.requests) == 0 {
				t.Fatal("sent nothing")
			}
			for _, req := range sender.requests {
				if req.ReadOnly != tt.want {
					t.Errorf("%s %s: got ReadOnly %v", req.Method, req.Path, req.ReadOnly)
				}
			}
			if outcome.ReadOnly != tt.want {
				t.Errorf("got the outcome %+v", outcome)
			}
		})
	}
}

func TestHints(t *testing.T) {
	run := func(text string) *Tool {
		return &Tool{Name: "t", Description: "d", Action: Action{Run: &program.Source{Text: text}}}
	}
	said := func(tool *Tool, f func(*Tool)) *Tool { f(tool); return tool }
	// r = readOnly, d = destructive, i = idempotent, o = openWorld
	tests := []struct {
		name string
		tool *Tool
		want string
	}{
		{"get", get("/x"), "r-i-"},
		{"head", verb("HEAD", "/x"), "r-i-"},
		{"post", verb("POST", "/x"), "----"},
		{"put", verb("PUT", "/x"), "-di-"},
		{"patch", verb("PATCH", "/x"), "-d--"},
		{"delete", verb("DELETE", "/x"), "-di-"},
		{"safe post", verb("POST", "/parse"), "r-i-"},
		{"no request", run(`1`), "r-i-"},
		{"reads", run(`get("/a") | head("/b")`), "r-i-"},
		{"read and put", run(`get("/a") as $a | put("/a"; $a)`), "-di-"},
		{"post and delete", run(`post("/a"; null) | delete("/b")`), "-d--"},
		{"safe post in a program", run(`post("/parse"; null)`), "r-i-"},
		{"safe post with a computed segment", run(`post("/parse/\($tool)"; null)`), "r-i-"},
		{"unknown method", run(`request({method: $tool, path: "/x"})`), "-d--"},
		{"the web", run(`request({method: "GET", url: "https://example.com/", upstream: "web"})`), "r-io"},
		{"read_only false", said(get("/x"), func(t *Tool) { t.ReadOnly = ptr(false) }), "----"},
		{"read_only of an unknown method", said(run(`request({method: $tool, path: "/x"})`), func(t *Tool) { t.ReadOnly = ptr(true) }), "r-i-"},
		{"destructive post", said(verb("POST", "/x"), func(t *Tool) { t.Destructive = ptr(true) }), "-d--"},
		{"idempotent post", said(verb("POST", "/x"), func(t *Tool) { t.Idempotent = ptr(true) }), "--i-"},
		{"harmless put", said(verb("PUT", "/x"), func(t *Tool) { t.Destructive, t.Idempotent = ptr(false), ptr(false) }), "----"},
		{"open world", said(get("/x"), func(t *Tool) { t.OpenWorld = ptr(true) }), "r-io"},
		{"cases", taxonomy(), "-d--"},
		{"the tool's hints in cases", said(taxonomy(), func(t *Tool) { t.Destructive, t.Idempotent = ptr(false), ptr(true) }), "--i-"},
		{"a case's own hints", said(taxonomy(), func(t *Tool) { t.Cases[2].Destructive = ptr(false) }), "----"},
	}
	env := Env{Upstreams: apis{names: []string{"api", "web"}, web: "web", safe: []string{"POST /parse", "POST /parse/*"}}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.tool.Title = "Title"
			a := compile(t, env, tt.tool).List()[0].Annotations
			got := []byte("----")
			for i, on := range []bool{a.ReadOnlyHint, *a.DestructiveHint, a.IdempotentHint, *a.OpenWorldHint} {
				if on {
					got[i] = "rdio"[i]
				}
			}
			if string(got) != tt.want || a.Title != "Title" {
				t.Errorf("got %s %q, want %s", got, a.Title, tt.want)
			}
		})
	}
}
