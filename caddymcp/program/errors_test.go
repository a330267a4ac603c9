package program

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// failing is an API that fails with the status in the path, and answers the
// rest.
func failing(w http.ResponseWriter, r *http.Request) {
	var status int
	if _, err := fmt.Sscanf(r.URL.Path, "/fail/%d", &status); err != nil {
		echo(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"detail":"no %d","id":9007199254740993}`, status)
}

const shape404 = `{"body":{"detail":"no 404","id":9007199254740993},"kind":null,"message":"the API returned 404","status":404}`

func TestOneShape(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"catch", `try get("/fail/404") catch .`, shape404},
		{"attempt", `attempt(get("/fail/404"))`, `{"error":` + shape404 + `,"ok":false}`},
		{"attempt that works", `attempt(1)`, `{"ok":true,"value":1}`},
		{"attempt of a text", `attempt(error("x")).error`, `{"body":null,"kind":null,"message":"x","status":null}`},
		{"catch a text", `try error("x") catch .`, `{"body":null,"kind":null,"message":"x","status":null}`},
		{"attempt of an object", `attempt(error({message: "x", status: 409, body: [1]})).error`, `{"body":[1],"kind":null,"message":"x","status":409}`},
		{"raised again", `try (try get("/fail/404") catch error) catch .`, shape404},
		{"rescue", `rescue(get("/fail/503"); .status >= 500; "saved: \(.message)")`, `"saved: the API returned 503"`},
		{"rescue keeps what works", `rescue(1; true; 2)`, `1`},
		{"rescue passes the rest on", `try rescue(get("/fail/404"); .status >= 500; 1) catch .`, shape404},
		{"rescue of a refusal", `rescue(error("x"); .status == null; .message)`, `"x"`},
		{"annotate", `attempt(annotate(get("/fail/404"); "created, but: \(.message)")).error`, strings.Replace(shape404, "the API", "created, but: the API", 1)},
		{"annotate keeps what works", `annotate(1; "x")`, `1`},
		{"errors", `attempt(get("/fail/404"; null; {errors: {"404": "recipe 'x' not found", "4xx": "no"}})).error.message`, `"recipe 'x' not found"`},
		{"errors by class", `attempt(get("/fail/409"; null; {errors: {"404": "a", "4xx": "b"}})).error.message`, `"b"`},
		{"errors that do not match", `attempt(get("/fail/500"; null; {errors: {"404": "a", "4xx": "b", "timeout": "c"}})).error.message`, `"the API returned 500"`},
		{"errors are not templates", `attempt(get("/fail/404"; null; {errors: {"404": "\("{url}") not found"}})).error.message`, `"{url} not found"`},
		{"response does not fail", `response({method: "GET", path: "/fail/404"}) | [.status, .body.detail, .headers["content-type"]]`, `[404,"no 404","application/json"]`},
		{"a mistake can be caught by jq's own try", `try ({} + 1) catch "caught"`, `"caught"`},
		{"?", `(get("/fail/404")?) // "nothing"`, `"nothing"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := value(t, newAPI(t, failing), tt.src, nil); got != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.src, got, tt.want)
			}
		})
	}
}

// TestConfigured checks that the API's words are told from the author's.
func TestConfigured(t *testing.T) {
	for src, configured := range map[string]bool{
		`get("/fail/404")`: false,
		`rescue(get("/fail/404"); .status == 500; 1)`:                 false,
		`attempt(get("/fail/404")).error | error`:                     false,
		`attempt(get("/fail/404")).error.message | error`:             true,
		`["404"] | get_all("/fail/\(.)"; 1)[0].error | error`:         false,
		`get("/fail/404"; null; {errors: {"404": "not here"}})`:       true,
		`annotate(get("/fail/404"); "my words")`:                      true,
		`error("my words")`:                                           true,
		`rescue(get("/fail/404"); true; error({message: "mine"}))`:    true,
		`annotate(get("/fail/404"); "they say: \(.body.detail)")`:     true,
		`try get("/fail/404") catch error`:                            false,
		`[attempt(get("/fail/404")), get("/a")] | .[0].error | error`: false,
	} {
		t.Run(src, func(t *testing.T) {
			_, err := compileRun(t, newAPI(t, failing), src, nil)
			var e *Error
			if !errors.As(err, &e) || e.Configured != configured {
				t.Errorf("got %#v, want Configured %v", err, configured)
			}
		})
	}
}

func TestWritesAreNamed(t *testing.T) {
	a := newAPI(t, failing)
	for src, want := range map[string]string{
		`post("/a") | empty`:                                    `the tool's program gave no value; already done: POST /a`,
		`post("/a/\(1)"; {}; {query: {q: 1}}) | 1, 2`:           `the tool's program gave several values instead of one; already done: POST /a/1`,
		`attempt(post("/fail/404")) | put("/b") | empty`:        `the tool's program gave no value; already done: PUT /b`,
		`attempt(post("/fail/500")) | empty`:                    `the tool's program gave no value; perhaps done: POST /fail/500`,
		`response({method: "POST", path: "/fail/302"}) | empty`: `the tool's program gave no value; perhaps done: POST /fail/302`,
		`response({method: "POST", path: "/fail/500"}) | empty`: `the tool's program gave no value; perhaps done: POST /fail/500`,
		`response({method: "POST", path: "/fail/404"}) | empty`: `the tool's program gave no value`,
		`get("/a") | empty`:                                     `the tool's program gave no value`,
		`[post("/a"), delete("/b")] | .[]`:                      `the tool's program gave several values instead of one; already done: POST /a, DELETE /b`,
		`request({method: "PATCH", path: "/c"}) | select(.x)`:   `the tool's program gave no value; already done: PATCH /c`,
	} {
		t.Run(src, func(t *testing.T) { expectError(t, a, src, want) })
	}
}

// TestFirstErrorEnds checks that nothing follows an uncaught error.
func TestFirstErrorEnds(t *testing.T) {
	a := newAPI(t, failing)
	expectError(t, a, `[post("/1"), get("/fail/404"), post("/2")]`, "the API returned 404")
	expectAsked(t, a, "POST /1", "GET /fail/404")
}

func TestInvalidReplies(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, `{"a": [1, 2`)
	})
	expectError(t, a, `get("/a")`, "the API's reply was not valid JSON")
	expectError(t, a, `post("/a") | empty`, "the API's reply was not valid JSON")
	if got := value(t, a, `response({method: "GET", path: "/a"}).body`, nil); got != `"{\"a\": [1, 2"` {
		t.Errorf("got %s", got)
	}
}

func TestDecodeBody(t *testing.T) {
	tests := []struct {
		name, contentType, body string
		status                  int
		want                    string // JSON; empty for an error
	}{
		{"json", "application/json", `{"n":9007199254740993,"d":1.10}`, 200, `{"d":1.10,"n":9007199254740993}`},
		{"problem", "application/problem+json; charset=utf-8", `{"a":1}`, 400, `{"a":1}`},
		{"bad parameter", "application/json; charset", `1`, 200, `1`},
		{"byte order mark", "application/json", "\ufeff[1]", 200, `[1]`},
		{"empty", "application/json", "", 200, `null`},
		{"blank", "application/json", " \n", 200, `null`},
		{"no content", "application/json", "x", 204, `null`},
		{"cut off", "application/json", `{"a":`, 200, ``},
		{"two values", "application/json", `1 2`, 200, ``},
		{"html that claims to be json", "application/json", `<html>`, 200, ``},
		{"text", "text/plain", `{"a":1}`, 200, `"{\"a\":1}"`},
		{"no type, object", "", ` {"a":1}`, 200, `{"a":1}`},
		{"no type, array", "", `[1]`, 200, `[1]`},
		{"no type, number", "", `12`, 200, `"12"`},
		{"no type, text", "", `{broken`, 200, `"{broken"`},
		{"not UTF-8", "text/plain", "a\xffb", 200, "\"a\ufffdb\""},
		{"unreadable type", ";;", `[1]`, 200, `"[1]"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := make(http.Header)
			if tt.contentType != "" {
				header.Set("Content-Type", tt.contentType)
			}
			v, err := DecodeBody(&Response{Status: tt.status, Header: header, Body: []byte(tt.body)})
			if err != nil {
				var e *Error
				if tt.want != "" || !errors.As(err, &e) || e.Status != tt.status {
					t.Fatalf("got %v", err)
				}
				return
			}
			if got, _ := EncodeJSON(v); string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Why there was no reply stays known when a program raises the error again, and
// is no word of the program's own.
func TestKinds(t *testing.T) {
	silent := senderFunc(func(context.Context, *Request) (*Response, error) {
		return nil, &Error{Kind: KindUnresolved, Message: "no such host"}
	})
	for src, want := range map[string]string{
		`try get("/a") catch .kind`:                                        KindUnresolved,
		`try (try get("/a") catch error) catch .kind`:                      KindUnresolved,
		`try error({message: "late", kind: "timeout"}) catch .kind`:        KindTimeout,
		`try error({message: "x", kind: "mine"}) catch "\(.kind)"`:         "null",
		`["b"] | get_all("/\(.)"; 1)[0].error.kind`:                        KindUnresolved,
		`try get("/a"; null; {errors: {unreachable: "x"}}) catch .message`: "x",
	} {
		t.Run(src, func(t *testing.T) {
			got, err := mustCompile(t, src).Run(t.Context(), &Call{Sender: silent}, nil)
			if err != nil || got != want {
				t.Errorf("got %v, %v; want %s", got, err, want)
			}
		})
	}
}
