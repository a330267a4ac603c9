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
	const mistake = "error: this tool has a mistake in its program; the server's log says what"
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
		{"after a write, guarded", &Tool{Action: Action{Run: jq(`post("/x"; {}) | .secret + 1`)}, Output: `{"type":"object"}`}, "error: the tool could not read the API's reply; something was changed before"},
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
