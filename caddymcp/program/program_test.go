package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// An api is a REST API that records what it is asked, in front of a handler.
type api struct {
	*httptest.Server

	mu       sync.Mutex
	requests []string // method, path and query, and body
}

// newAPI starts an API. Without a handler it answers every request with what
// it was asked.
func newAPI(t testing.TB, handler http.HandlerFunc) *api {
	t.Helper()
	a := &api{}
	if handler == nil {
		handler = echo
	}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		a.mu.Lock()
		a.requests = append(a.requests, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
		a.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !json.Valid(body) {
		body = []byte("null")
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"path":%q,"method":%q,"body":%s}`, r.RequestURI, r.Method, body)
}

// asked returns the requests so far.
func (a *api) asked() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

// Send is the smallest Sender.
func (a *api) Send(ctx context.Context, req *Request) (*Response, error) {
	target := a.URL + req.Path
	switch {
	case req.URL != "":
		target = req.URL
	case req.Follow != "":
		target = a.URL + req.Follow
	}
	if q := req.Query.Encode(); q != "" {
		target += "?" + q
	}
	r, err := http.NewRequestWithContext(ctx, req.Method, target, bytes.NewReader(req.Body))
	if err != nil {
		return nil, err
	}
	if req.Header != nil {
		r.Header = req.Header.Clone()
	}
	if req.ContentType != "" {
		r.Header.Set("Content-Type", req.ContentType)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("sent: %w", ctx.Err())
		}
		return nil, &Error{Message: "the API is unreachable", Kind: "unreachable"}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, &Error{Message: "the API is unreachable", Kind: "unreachable"}
	}
	reply := &Response{Status: resp.StatusCode, Header: resp.Header, Body: body}
	if resp.StatusCode >= 400 && !req.Raw {
		value, _ := DecodeBody(reply)
		return nil, &Error{Status: resp.StatusCode, Message: fmt.Sprintf("the API returned %d", resp.StatusCode), Body: value}
	}
	return reply, nil
}

// compileRun compiles and runs a program that may make requests.
func compileRun(t testing.TB, a *api, src string, args map[string]any) (any, error) {
	t.Helper()
	p, err := Compile(Source{Text: src}, Options{Requests: true})
	if err != nil {
		t.Fatalf("compile %s: %v", src, err)
	}
	return p.Run(t.Context(), a.newCall(args), nil)
}

func (a *api) newCall(args map[string]any) *Call {
	c := &Call{Args: args, Caller: Caller{ID: "u1", Name: "Ann", Scopes: []string{"read"}}, Tool: "the_tool"}
	if a != nil {
		c.Sender = a
	}
	return c
}

// value runs a program and returns its value as JSON.
func value(t testing.TB, a *api, src string, args map[string]any) string {
	t.Helper()
	v, err := compileRun(t, a, src, args)
	if err != nil {
		t.Fatalf("run %s: %v", src, err)
	}
	b, err := EncodeJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// expectError runs a program that must fail for the model with a message.
func expectError(t testing.TB, a *api, src, message string) *Error {
	t.Helper()
	v, err := compileRun(t, a, src, nil)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: got %v, %v; want the error '%s'", src, v, err, message)
	}
	if e.Message != message {
		t.Errorf("%s:\n got %s\nwant %s", src, e.Message, message)
	}
	return e
}

func expectAsked(t testing.TB, a *api, want ...string) {
	t.Helper()
	if got := a.asked(); !slices.Equal(got, want) {
		t.Errorf("requests:\n got %q\nwant %q", got, want)
	}
}

func TestValues(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"arguments", `{a: $args.n, c: $caller, t: $tool}`, `{"a":9007199254740993,"c":{"id":"u1","name":"Ann","scopes":["read"]},"t":"the_tool"}`},
		{"big integers", `{n: 9007199254740993, plus: ($args.n + 1)}`, `{"n":9007199254740993,"plus":9007199254740994}`},
		{"own definitions", `def f($x): $x + 1; def g: f(1); [g, f(2)]`, `[2,3]`},
		{"a $-parameter named like one of ours", `def f($slug): "\($slug) \("Ä b" | slug)"; f("x")`, `"x a-b"`},
		{"clean", `{a: null, b: "", c: [], d: {}, e: 0, f: false, g: {h: null}} | clean`, `{"e":0,"f":false,"g":{"h":null}}`},
		{"clean an array", `[null, "", 1, [], {}] | clean`, `[1]`},
		{"clean everywhere", `{a: {b: {c: null}}, d: 1} | walk(clean)`, `{"d":1}`},
		{"only", `{a: 1, b: null, c: 3} | only(["a", "b", "z"])`, `{"a":1,"b":null}`},
		{"rename", `{a: 1, b: null, c: 3} | rename({a: "x", b: "y", z: "w"})`, `{"x":1,"y":null}`},
		{"index_by", `[{id: 1, n: "a"}, {id: 2, n: "b"}, {id: 1, n: "c"}] | index_by(.id) | map_values(.n)`, `{"1":"c","2":"b"}`},
		{"index_by of an object", `{x: {id: 1}} | index_by(.id)`, `{"1":{"id":1}}`},
		{"INDEX", `INDEX({id: 1}, {id: 2}; .id) | keys`, `["1","2"]`},
		{"INDEX/1", `[{id: "a"}] | INDEX(.id)`, `{"a":{"id":"a"}}`},
		{"count_by", `["a", "b", "a", null] | count_by(.)`, `{"a":2,"b":1,"null":1}`},
		{"casefold", `["STRASSE", "straße", "É", "e\u0301"] | map(casefold) | [.[0] == .[1], .[2] == .[3]]`, `[true,true]`},
		{"slug", `["Crème Brûlée!", "  Groß & Klein ", "日本", "a--b_c"] | map(slug)`, `["creme-brulee","gross-klein","","a-b-c"]`},
		{"quoted", `["a", 1, null, true] | map(quoted)`, `["'a'","'1'","'null'","'true'"]`},
		{"uuid", `[uuid, uuid] | [.[] | test("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")] + [.[0] == .[1]]`, `[true,true,false]`},
		{"days", `days("2024-02-28"; "2024-03-01")`, `["2024-02-28","2024-02-29","2024-03-01"]`},
		{"days over a change of clocks", `days("2026-03-28"; "2026-03-30") | length`, `3`},
		{"no days", `days("2024-03-01"; "2024-02-28")`, `[]`},
		{"add_days", `"2024-02-28" | [add_days(2), add_days(-59)]`, `["2024-03-01","2023-12-31"]`},
		{"note", `{a: 1} | note([null, "x", ""]) | note(["y"])`, `{"a":1,"note":"x; y"}`},
		{"no note", `{a: 1} | note([null])`, `{"a":1}`},
		{"closest", `"tomatoe" | closest(["Tomatoes", "potatoes", "salt", "Tomato"]; 2)`, `["Tomatoes","Tomato"]`},
		{"closest holds", `"rice" | closest(["basmati rice", "oil"]; 3)`, `["basmati rice"]`},
		{"closest to two letters", `"ol" | closest(["oil", "olive", "OL"]; 3)`, `["OL"]`},
		{"closest to one letter", `"m" | closest(["x", "mm"]; 3)`, `[]`},
		{"closest none", `"xyz" | closest(["basmati rice", "oil"]; 3)`, `[]`},
		{"page with more", `page([range(.offset; .offset + .limit)]; 2; 10)`, `{"complete":false,"items":[10,11],"nextOffset":12}`},
		{"page of too many", `page([range(9)]; 2; 10)`, `{"complete":false,"items":[0,1],"nextOffset":12}`},
		{"last page", `page([range(2)]; 2; 2147483645)`, `{"complete":true,"items":[0,1]}`},
		{"empty page", `page([]; 2; 0)`, `{"complete":true,"items":[]}`},
		{"check", `1 | check(. == 1; "no")`, `1`},
		{"progress and log without a client", `1 | progress(1; 2; "x") | log("info"; "y")`, `1`},
		{"the dot fields may begin with _", `{_id: 1} | ._id`, `1`},
		{"constant regexp", `"abc" | [test("b"), sub("b"; "x"), split("b"; null)]`, `[true,"axc",["a","c"]]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := DecodeJSON([]byte("9007199254740993"))
			if err != nil {
				t.Fatal(err)
			}
			if got := value(t, nil, tt.src, map[string]any{"n": n}); got != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.src, got, tt.want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"text", `error("no such thing")`, `no such thing`},
		{"text as input", `"no such thing" | error`, `no such thing`},
		{"object", `error({status: 409, message: "taken", body: {a: 1}})`, `taken`},
		{"null", `error(null)`, `the tool refused the call without saying why`},
		{"empty", `error("")`, `the tool refused the call without saying why`},
		{"number", `error(5)`, `the tool refused the call without saying why`},
		{"object without a message", `error({code: 5})`, `the tool refused the call without saying why`},
		{"no value", `empty`, `the tool's program gave no value`},
		{"several values", `1, 2`, `the tool's program gave several values instead of one`},
		{"check", `check(false; "not \(1 + 1)")`, `not 2`},
		{"bad date", `days("2026-02-30"; "2026-03-01")`, `'2026-02-30' is not a date such as 2006-01-02`},
		{"long range", `days("0001-01-01"; "9999-03-01")`, `from '0001-01-01' to '9999-03-01' is more than 3660 days`},
		{"far date", `"2026-01-01" | add_days(99999999)`, `99999999 days are too many`},
		{"offset that overflows", `page(error("read"); 2; 2147483646)`, `the rows after offset 2147483646 cannot be numbered: narrow the request`},
		{"negative offset", `page(error("read"); 2; -1)`, `there is no offset -1`},
		{"empty limit", `page(error("read"); 0; 0)`, `a page has at least 1 row, not 0`},
		{"page that cannot be read", `page(error("no such farm"); 2; 0)`, `no such farm`},
		{"find_one, nothing close", `"zzz" | find_one([{id: 1, name: "salt"}]; .id; .name; "food"; .id; null)`, `food 'zzz' not found`},
		{"find_one, close", `"slat" | find_one([{id: 1, name: "salt"}]; .id; .name; "food"; .id; "call list_foods")`, `food 'slat' not found (did you mean 'salt'?): call list_foods`},
		{
			"find_one, ten", `"A" | find_one([range(10) | {id: ., name: "a"}]; .id; .name; "flock"; .id; null)`,
			`'A' names more than one flock: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9`,
		},
		{
			"find_one, more", `"A" | find_one([range(12) | {id: ., name: "a"}]; .id; .name; "flock"; "\(.id) (active)"; "give the id")`,
			`'A' names more than one flock: 0 (active), 1 (active), 2 (active), 3 (active), 4 (active), 5 (active), 6 (active), 7 (active), 8 (active), 9 (active) and more: give the id`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if e := expectError(t, nil, tt.src, tt.want); !e.Configured {
				t.Error("the author's own words do not count as configured")
			}
		})
	}
}

func TestFindOne(t *testing.T) {
	rows := `[{id: 1, name: "Salt"}, {id: "2", name: "oil"}, {id: 3, name: "1"}, {id: 4, name: null}]`
	for asked, want := range map[string]string{`1`: `1`, `"1"`: `1`, `"2"`: `"2"`, `"SALT"`: `1`, `"Oil"`: `"2"`} {
		t.Run(asked, func(t *testing.T) {
			src := asked + ` | find_one(` + rows + `; .id; .name; "food"; .id; null).id`
			if got := value(t, nil, src, nil); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// What find_one says holds no rows of the API.
func TestFindOneQuotesNoRows(t *testing.T) {
	const rows = `[{id: 1, name: "salt"}, {id: 2, name: "salt"}]`
	for src, want := range map[string]string{
		rows + ` | find_one(.; .id; .name; "food"; .id; null)`:                 "find_one: the input must be the id or the name",
		rows + `[0] | find_one([.]; .id; .name; "food"; .id; null)`:            "find_one: the input must be the id or the name",
		`null | find_one(` + rows + `; .id; .name; "food"; .id; null)`:         "find_one: the input must be the id or the name",
		`true | find_one(` + rows + `; .id; .name; "food"; .id; null)`:         "find_one: the input must be the id or the name",
		`"salt" | find_one(` + rows + `; .id; .name; "food"; .; null)`:         "find_one: object in place of a text",
		`"salt" | find_one(` + rows + `; .id; .name; ` + rows + `; .id; null)`: "find_one: array in place of a text",
		`"zzzz" | find_one(` + rows + `; .id; .name; ` + rows + `; .id; null)`: "find_one: array in place of a text",
		`"zzzz" | find_one(` + rows + `; .id; .name; "food"; .id; {a: 1})`:     "find_one: object in place of a text",
	} {
		t.Run(src, func(t *testing.T) {
			_, err := compileRun(t, nil, src, nil)
			var bug *Bug
			if !errors.As(err, &bug) || bug.Error() != want {
				t.Errorf("got %v, want the bug '%s'", err, want)
			}
		})
	}
}

func TestBugs(t *testing.T) {
	for _, src := range []string{
		`{} + 1`, `"x" | .a`, `attempt({} + 1)`, `rescue([] | .a; true; 1)`, `annotate(1 | .a; "x")`,
		`only(["a"])`, `limit(-1; 1)`, `log("loud"; "x")`, `add_days(1)`,
		`{} | quoted`, `[1] | quoted`, `check(false; "no \({a: 1} | quoted)")`, `page([]; 2; {rows: 1})`, `page([]; "2"; 1)`,
	} {
		t.Run(src, func(t *testing.T) {
			v, err := compileRun(t, nil, src, nil)
			var bug *Bug
			if !errors.As(err, &bug) {
				t.Fatalf("got %v, %v; want a bug", v, err)
			}
		})
	}
}

func TestRequests(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string
	}{
		{"get", `get("/a")`, []string{"GET /a"}},
		{"query", `get("/a"; {q: ["x", null, 1], z: null, b: true})`, []string{"GET /a?b=true&q=x&q=1"}},
		{"options", `get("/a"; null; {query: {x: 1}})`, []string{"GET /a?x=1"}},
		{"head", `head("/a")`, []string{"HEAD /a"}},
		{"delete", `delete("/a/\(1)")`, []string{"DELETE /a/1"}},
		{"post", `post("/a"; {b: "<&>", n: 9007199254740993})`, []string{`POST /a {"b":"<&>","n":9007199254740993}`}},
		{"post without a body", `post("/a")`, []string{"POST /a"}},
		{"form", `post("/a"; null; {form: {b: ["x y", 1]}})`, []string{"POST /a b=x+y&b=1"}},
		{"segments", `put(["a"] + ["b/c", 7]; 1)`, []string{"PUT /a/b%2Fc/7 1"}},
		{"request", `request({method: "patch", path: "/a/\("x/y")", query: {q: 1}, body: []})`, []string{"PATCH /a/x%2Fy?q=1 []"}},
		{"delete with a body", `request({method: "DELETE", path: ["a"], body: {ids: [1]}})`, []string{`DELETE /a {"ids":[1]}`}},
		{"follow", `follow("/next?page=2")`, []string{"GET /next?page=2"}},
		{
			"in order", `post("/1") as $a | post("/2") as $b | [post("/3"), post("/4")] | {x: post("/5"), y: post("/6")}`,
			[]string{"POST /1", "POST /2", "POST /3", "POST /4", "POST /5", "POST /6"},
		},
		{"trailing slash", `get("/a/\(1)/")`, []string{"GET /a/1/"}},
		{"a // b", `post("/a").nothing // post("/b")`, []string{"POST /a", "POST /b"}},
		{"a // b is lazy", `1 // post("/b")`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAPI(t, nil)
			if _, err := compileRun(t, a, tt.src, nil); err != nil {
				t.Fatal(err)
			}
			expectAsked(t, a, tt.want...)
		})
	}
}
