package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// sendFunc is a Sender that is a function.
type sendFunc func(ctx context.Context, req *program.Request) (*program.Response, error)

func (f sendFunc) Send(ctx context.Context, req *program.Request) (*program.Response, error) {
	return f(ctx, req)
}

func TestErrorsOfAPIs(t *testing.T) {
	const schema = `{"type":"object","properties":{"id":{"type":"integer"}}}`
	tests := []struct {
		name  string
		err   *program.Error
		plain string
		guard string // with an output schema
		kind  Kind
	}{
		{"its own words", &program.Error{Status: 404, Message: "no such egg"}, "no such egg", "the API answered with an error (status 404)", UpstreamError},
		{"configured", &program.Error{Status: 404, Message: "no such egg", Configured: true}, "no such egg", "no such egg", UpstreamError},
		{"unreachable", &program.Error{Kind: "unreachable", Message: "eggs is unreachable"}, "eggs is unreachable", "the API cannot be reached", UpstreamError},
		{"not public", &program.Error{Kind: program.KindNotPublic, Message: "web is not at a public address"}, "web is not at a public address", "web is not at a public address", Refused},
		{"timeout of a write", &program.Error{Kind: "timeout", Message: "slow", MaybeSent: true}, "slow; the request may have been carried out", "the API did not answer in time; the request may have been carried out", UpstreamError},
		{"refused before it was sent", &program.Error{Message: "this call only reads", Configured: true}, "this call only reads", "this call only reads", Refused},
	}
	for _, tt := range tests {
		for mode, want := range map[string]string{"": tt.plain, schema: tt.guard} {
			t.Run(tt.name+mode, func(t *testing.T) {
				tool := get("/x")
				tool.Output = mode
				result, outcome := invoke(t, compile(t, Env{}, tool), &recorder{err: tt.err}, `{}`)
				if got := text(t, result); got != "error: "+want {
					t.Errorf("got %q, want %q", got, want)
				}
				if outcome.Kind != tt.kind {
					t.Errorf("got the outcome %v", outcome)
				}
				if outcome.Err != nil && strings.Contains(outcome.Err.Error(), "egg") {
					t.Errorf("the operator's error is %v", outcome.Err)
				}
			})
		}
	}
}

// TestErrorsAfterWrites checks that an error says what the call has changed
// before it, unless the author says what there is to say.
func TestErrorsAfterWrites(t *testing.T) {
	api := sendFunc(func(_ context.Context, req *program.Request) (*program.Response, error) {
		var status int
		switch _, err := fmt.Sscanf(req.Path, "/status/%d", &status); {
		case req.Path == "/slow":
			return nil, &program.Error{Kind: "timeout", Message: "slow", MaybeSent: true}
		case req.Path == "/away":
			return nil, &program.Error{Kind: "unreachable", Message: "away, says the config", Configured: true}
		case err == nil:
			return nil, &program.Error{Status: status, Message: fmt.Sprintf("the API returned %d", status)}
		case req.Path == "/cut":
			return &program.Response{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{`)}, nil
		}
		return &program.Response{Status: 200, Body: []byte(`{}`)}, nil
	})
	run := func(text string) Action { return Action{Run: jq(text)} }
	request := func(method, path string) Action { return Action{Request: &Request{Method: method, Path: path}} }
	reads := func(a Action) Action { a.ReadOnly = ptr(true); return a }
	tests := []struct {
		name   string
		action Action
		want   string
	}{
		{"nothing before", run(`post("/status/404")`), "the API returned 404"},
		{"one before", run(`post("/1") | post("/status/404")`), "the API returned 404; already done: POST /1"},
		{"two before", run(`[post("/1"), put("/2"), get("/status/404")]`), "the API returned 404; already done: POST /1, PUT /2"},
		{"the config's sentence", run(`post("/1") | get("/away")`), "away, says the config; already done: POST /1"},
		{"a path that cannot be", run(`post("/1") | get("/x/\(null)")`), "a part of the request's path is missing; already done: POST /1"},
		{"a reply that is cut off", run(`post("/cut")`), "the API's reply was not valid JSON; already done: POST /cut"},
		{"caught and raised again", run(`post("/1") | attempt(get("/status/404")).error | error`), "the API returned 404; already done: POST /1"},
		{"rescued for another reason", run(`post("/1") | rescue(get("/status/404"); .status == 500; 1)`), "the API returned 404; already done: POST /1"},

		{"error", run(`post("/1") | error("mine")`), "mine"},
		{"check", run(`post("/1") | check(false; "mine")`), "mine"},
		{"annotate", run(`post("/1") | annotate(post("/status/500"); "mine: \(.message)")`), "mine: the API returned 500"},
		{"errors of a request", run(`post("/1") | post("/status/500"; {}; {errors: {"5xx": "mine"}})`), "mine"},
		{"no value", run(`post("/1") | empty`), "the tool's program gave no value; already done: POST /1"},

		{"500 to a write", run(`post("/status/500")`), "the API returned 500; the request may have been carried out"},
		{"500 to the second write", run(`post("/1") | put("/status/502")`), "the API returned 502; the request may have been carried out; already done: POST /1"},
		{"500 to a write that is attempted", run(`attempt(post("/status/500")) | get("/status/404")`), "the API returned 404; perhaps done: POST /status/500"},
		{"500 twice", run(`attempt(post("/status/500")) | put("/status/500")`), "the API returned 500; the request may have been carried out; perhaps done: POST /status/500"},
		{"500 to a read", run(`post("/1") | get("/status/500")`), "the API returned 500; already done: POST /1"},
		{"no answer to a write", run(`post("/1") | post("/slow")`), "slow; the request may have been carried out; already done: POST /1"},
		{"safe", reads(run(`post("/safe") | post("/status/503")`)), "the API returned 503"},

		{"declared, 404", request("POST", "/status/404"), "the API returned 404"},
		{"declared, 500", request("POST", "/status/500"), "the API returned 500; the request may have been carried out"},
		{"declared, 500 to a read", request("GET", "/status/500"), "the API returned 500"},
		{"declared, no answer", request("POST", "/slow"), "slow; the request may have been carried out"},
		{"declared, a reply that is cut off", Action{Request: &Request{Method: "POST", Path: "/cut"}, Result: jq(`.`)}, "the API's reply was not valid JSON; the request itself was carried out"},
		{"declared, safe", reads(request("POST", "/status/503")), "the API returned 503"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := compile(t, Env{Upstreams: apis{names: []string{"api"}, safe: []string{"POST /safe", "POST /status/503"}}},
				&Tool{Name: "t", Description: "d", Action: tt.action})
			result, _ := invoke(t, set, api, `{}`)
			if got := text(t, result); got != "error: "+tt.want {
				t.Errorf("got  %q\nwant %q", got, "error: "+tt.want)
			}
		})
	}
	t.Run("with an output schema", func(t *testing.T) {
		tool := &Tool{Name: "t", Description: "d", Action: run(`post("/1") | get("/status/404")`), Output: `{"type":"object"}`}
		result, _ := invoke(t, compile(t, Env{}, tool), api, `{}`)
		if got := text(t, result); got != "error: the API answered with an error (status 404); something may have been changed before" {
			t.Errorf("got %q", got)
		}
	})
}

func TestRefusalsOfTheAuthor(t *testing.T) {
	tool := get("/x", &Param{Name: "slug", Type: "string"}, &Param{Name: "confirm", Type: "string", Local: true})
	tool.Require = []Require{
		{*jq(`$args.slug`), *jq(`slug is needed`)},
		{*jq(`$args.slug == $args.confirm`), *jq(`confirm must be \($args.slug)`)},
	}
	tool.Output = `{"type":"object"}`
	set := compile(t, Env{}, tool)
	tests := []struct{ args, want string }{
		{`{}`, `error: slug is needed`},
		{`{"slug":"a","confirm":"b"}`, `error: confirm must be a`},
		{`{"slug":"a","confirm":"a"}`, `{}`},
	}
	for _, tt := range tests {
		sender := &recorder{body: "{}"}
		result, _ := invoke(t, set, sender, tt.args)
		got := result.Content[0]
		if text := text(t, result); text != tt.want {
			t.Errorf("%s: got %v, want %s", tt.args, got, tt.want)
		}
		if result.IsError && len(sender.requests) > 0 {
			t.Errorf("%s: sent %s", tt.args, sender.lines())
		}
	}
	program := &Tool{Name: "t", Description: "d", Action: Action{Run: jq(`error("no: \($args | length)")`)}, Output: `{"type":"object"}`}
	result, outcome := invoke(t, compile(t, Env{}, program), &recorder{}, `{}`)
	if got := text(t, result); got != "error: no: 0" || outcome.Kind != Refused {
		t.Errorf("got %q, %v", got, outcome)
	}
}

func TestBugsAreNotForTheModel(t *testing.T) {
	const mistake = "error: this tool has a mistake in its program: whoever runs the server finds it in the debug log"
	tests := []struct {
		name string
		tool *Tool
		want string
	}{
		{"before anything is sent", &Tool{Action: Action{Request: &Request{Method: "POST", Path: "/x", Body: jq(`1 + {}`)}}}, mistake},
		{"in the query", &Tool{Action: Action{Request: &Request{Method: "GET", Path: "/x", Query: []Field{{"q", *jq(`1 + {}`)}}}}}, mistake},
		{"in a header", &Tool{Action: Action{Request: &Request{Method: "GET", Path: "/x", Headers: []Field{{"X-A", *jq(`1 + {}`)}}}}}, mistake},
		{"in a form", &Tool{Action: Action{Request: &Request{Method: "POST", Path: "/x", Encoding: "form", Body: jq(`1`)}}}, mistake},
		{"in require", &Tool{Action: Action{Run: jq(`1`), Require: []Require{{*jq(`1 + {}`), *jq(`no`)}}}}, mistake},
		{"in the message of require", &Tool{Action: Action{Run: jq(`1`), Require: []Require{{*jq(`false`), *jq(`\(1 + {})`)}}}}, mistake},
		{"in a program", &Tool{Action: Action{Run: jq(`get("/x") | .secret + 1`)}}, mistake},
		{"a path that is computed", &Tool{Action: Action{Run: jq(`{p: "/x"} as {p: $p} | get($p)`)}}, mistake},
		{"in the result", &Tool{Action: Action{Request: &Request{Method: "GET", Path: "/x"}, Result: jq(`.secret + 1`)}}, "error: the tool could not read the API's reply"},
		{"after a write", &Tool{Action: Action{Run: jq(`post("/x"; {}) | .secret + 1`)}}, "error: the tool could not read the API's reply; already done: POST /x"},
		{"after a declared write", &Tool{Action: Action{Request: &Request{Method: "POST", Path: "/x"}, Result: jq(`.secret + 1`)}}, "error: the tool could not read the API's reply; the request itself was carried out"},
		{"after a write, guarded", &Tool{Action: Action{Run: jq(`post("/x"; {}) | .secret + 1`)}, Output: `{"type":"object"}`}, "error: the tool could not read the API's reply; something may have been changed before"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.tool.Name, tt.tool.Description = "t", "d"
			result, outcome := invoke(t, compile(t, Env{}, tt.tool), &recorder{body: `{"secret":"s"}`}, `{}`)
			if got := text(t, result); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if outcome.Kind != Bug || outcome.Err == nil {
				t.Errorf("got the outcome %v", outcome)
			}
		})
	}
}

func TestPanicsEndTheCallOnly(t *testing.T) {
	panics := sendFunc(func(context.Context, *program.Request) (*program.Response, error) { panic("oh") })
	result, outcome := invoke(t, compile(t, Env{}, get("/x")), panics, `{}`)
	if got := text(t, result); got != "error: the tool failed" {
		t.Errorf("got %q", got)
	}
	if outcome.Kind != Panicked || outcome.Err.Error() != "panic: oh" || !strings.Contains(string(outcome.Stack), "call_test.go") {
		t.Errorf("got the outcome %v", outcome)
	}
}

func TestUnknownTool(t *testing.T) {
	set := compile(t, Env{}, get("/x"))
	result, outcome := set.Call(t.Context(), &Call{Name: "other"})
	if got := text(t, result); got != "error: there is no tool 'other'" || outcome.Kind != Refused {
		t.Errorf("got %q, %v", got, outcome)
	}
}

func TestEndOfTheCall(t *testing.T) {
	waits := sendFunc(func(ctx context.Context, req *program.Request) (*program.Response, error) {
		<-ctx.Done()
		if req.Method == http.MethodPost {
			return nil, fmt.Errorf("the request may have arrived: %w", ctx.Err())
		}
		return nil, ctx.Err()
	})
	run := func(text string) *Tool { return &Tool{Name: "t", Description: "d", Action: Action{Run: jq(text)}} }
	const late = "error: the call took longer than 1m0s and was stopped; ask for less at once"
	tests := []struct {
		name   string
		tool   *Tool
		cancel bool
		want   string
		kind   Kind
	}{
		{"too long", get("/x"), false, late, Timeout},
		{"too long for a write", verb("POST", "/x"), false, late + "; it may have changed something already: read before you try again", Timeout},
		{"gone", get("/x"), true, "error: the call was cancelled", Cancelled},
		{"a program", run(`get("/x")`), false, late, Timeout},
		{"a program that wrote", run(`post("/x"; {}) | get("/x")`), false, late + "; the call was cut off: POST /x may have reached the API", Timeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := compile(t, Env{}, tt.tool)
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if tt.cancel {
					time.AfterFunc(time.Second, cancel)
				}
				result, outcome := set.Call(ctx, &Call{Name: "t", Sender: waits})
				if got := text(t, result); got != tt.want {
					t.Errorf("got  %q\nwant %q", got, tt.want)
				}
				if outcome.Kind != tt.kind || !errors.Is(outcome.Err, ctx.Err()) {
					t.Errorf("got the outcome %v", outcome)
				}
			})
		})
	}
}

func TestCallsShareNothing(t *testing.T) {
	tool := get("/x/{id}", &Param{Name: "id", Type: "string", Required: true}, &Param{Name: "ids", Type: "array", Items: &Param{Type: "string"}, Default: ptr(`["a"]`)})
	tool.Result = jq(`$args.id + $caller.id`)
	set := compile(t, Env{}, tool)
	echo := sendFunc(func(_ context.Context, req *program.Request) (*program.Response, error) {
		return &program.Response{Status: 200, Body: []byte(`{}`)}, nil
	})
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			want := fmt.Sprintf("%dc%d", i, i)
			result, _ := set.Call(context.Background(), &Call{
				Name:      "t",
				Arguments: json.RawMessage(fmt.Sprintf(`{"id":%d}`, i)),
				Caller:    program.Caller{ID: fmt.Sprintf("c%d", i)},
				Sender:    echo,
			})
			if got, _ := json.Marshal(result.Content[0]); !strings.Contains(string(got), `"`+want+`"`) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	group.Wait()
}

// FuzzArguments sends arguments of any kind: nothing panics, and what reaches
// the API is declared and valid.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"id":"1"}`, `{"id":"1","ids":"[\"a\"]","o":"{\"n\":\"1\"}"}`, `{"id":1,"ids":{"a":1}}`,
		`{"id":"1","limit":1e400,"n":"1e-999"}`, `{"id":"1","x":1}`, `"{\"id\":\"..\"}"`, `{"id":"1","o":{"n":1,"y":2}}`,
		`{"id":"1","id":"2"}`, `{"id":"a/b?c#d\r\n"}`, `{"id":"1","h":"a\r\nb"}`,
	} {
		f.Add([]byte(seed))
	}
	params := []*Param{
		{Name: "id", Type: "string", Required: true},
		{Name: "h", Type: "string", In: "header"},
		{Name: "limit", Type: "integer", Clamp: &Clamp{1, 100}, In: "query"},
		{Name: "n", Type: "number"},
		{Name: "ids", Type: "array", Items: &Param{Type: "string"}},
		{Name: "o", Type: "object", Params: []*Param{{Name: "n", Type: "integer"}}},
	}
	set, err := Compile([]*Tool{verb("POST", "/x/{id}", params...)}, Env{Upstreams: oneAPI})
	if err != nil {
		f.Fatal(err)
	}
	schema, err := compileSchema([]byte(`{"type":"object","additionalProperties":false,"properties":{
		"n":{"type":"number"},"ids":{"type":"array","items":{"type":"string"}},
		"o":{"type":"object","additionalProperties":false,"properties":{"n":{"type":"integer"}}}}}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		sender := &recorder{body: "{}"}
		_, outcome := set.Call(t.Context(), &Call{Name: "t", Arguments: raw, Sender: sender})
		if outcome.Kind != OK && outcome.Kind != Refused {
			t.Fatalf("got the outcome %v", outcome)
		}
		for _, req := range sender.requests {
			body, err := decodeJSON(req.Body)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(body); err != nil {
				t.Errorf("sent %s: %v", req.Body, err)
			}
			if strings.Count(req.Path, "/") != 2 {
				t.Errorf("sent the path %q", req.Path)
			}
			for name := range req.Query {
				if name != "limit" {
					t.Errorf("sent the query %v", req.Query)
				}
			}
		}
	})
}

// FuzzDecode compares the decoder with encoding/json.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.0,"x",null,true]}`, `[[[]]]`, `1e5`, `{"a":1,"a":2}`, `"\ud800"`, `{} `, `[1,]`, `01`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := decodeJSON(text)
		if err != nil {
			return
		}
		var want any
		dec := json.NewDecoder(strings.NewReader(string(text)))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("accepted %q: %v", text, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
