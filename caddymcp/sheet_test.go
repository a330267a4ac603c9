package caddymcp

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The correctness sheet: what arrives at the API for what a model sends, and
// what the model reads for what the API answers. Each case is a real call
// through a real server to a real API.

// sheetSite serves one tool, whose block is given, over an API.
func sheetSite(t *testing.T, a *api, tool string) *site {
	t.Helper()
	return serveSite(t, fmt.Sprintf(`mcp {
		auth none
		upstream %s/base {
			retry 0
		}
		tool x {
			description "Does it."
			%s
		}
	}`, a.URL, tool))
}

func TestRequestsAsSent(t *testing.T) {
	for _, tc := range []struct {
		name, tool, args string
		method, uri      string
		body             string
	}{
		{
			name: "array in a query", tool: "param tag array {\nitems string\n}\nget /items",
			args: `{"tag":["x","y z"]}`, method: "GET", uri: "/base/items?tag=x&tag=y+z",
		},
		{
			name: "array in a query with commas", tool: "param tag array {\nitems string\nstyle comma\n}\nget /items",
			args: `{"tag":["x","y"]}`, method: "GET", uri: "/base/items?tag=x%2Cy",
		},
		{
			name: "array in a query with brackets", tool: "param tag array {\nitems string\nstyle brackets\n}\nget /items",
			args: `{"tag":["x","y"]}`, method: "GET", uri: "/base/items?tag%5B%5D=x&tag%5B%5D=y",
		},
		{
			name: "absent optional in a query", tool: "param q string\nparam n integer\nget /items",
			args: `{"n":3}`, method: "GET", uri: "/base/items?n=3",
		},
		{
			name: "absent optional in a body", tool: "param a string\nparam b string\npost /items",
			args: `{"a":"x"}`, method: "POST", uri: "/base/items", body: `{"a":"x"}`,
		},
		{
			name: "null and empty optionals", tool: "param a string\nparam b string\nparam c integer\npost /items",
			args: `{"a":null,"b":"","c":null}`, method: "POST", uri: "/base/items", body: `{}`,
		},
		{
			name: "kept empty and null", tool: "param a string {\nallow_empty\n}\nparam b string {\nallow_null\n}\npost /items",
			args: `{"a":"","b":null}`, method: "POST", uri: "/base/items", body: `{"a":"","b":null}`,
		},
		{
			name: "quotes and braces in a body value", tool: "param name string\npost /items",
			args:   `{"name":"x\", \"admin\": true, \"y\": \"{{.}} {}"}`,
			method: "POST", uri: "/base/items", body: `{"name":"x\", \"admin\": true, \"y\": \"{{.}} {}"}`,
		},
		{
			name: "placeholders and interpolations stay text", tool: "param name string\nparam id string required\npost /items/{id}",
			args:   `{"id":"{env.HOME}","name":"{env.HOME} \\(1+1) {http.request.host} {file./etc/passwd}"}`,
			method: "POST", uri: "/base/items/%7Benv.HOME%7D", body: `{"name":"{env.HOME} \\(1+1) {http.request.host} {file./etc/passwd}"}`,
		},
		{
			name: "a slash in a path value", tool: "param id string required\nget /items/{id}",
			args: `{"id":"users/7"}`, method: "GET", uri: "/base/items/users%2F7",
		},
		{
			name: "a query in a path value", tool: "param id string required\nget /items/{id}/sub",
			args: `{"id":"7?x=1#f"}`, method: "GET", uri: "/base/items/7%3Fx%3D1%23f/sub",
		},
		{
			name: "an escape in a path value", tool: "param id string required\nget /items/{id}",
			args: `{"id":"a%2Fb;c"}`, method: "GET", uri: "/base/items/a%252Fb%3Bc",
		},
		{
			name: "non-ASCII", tool: "param id string required\nparam q string\nget /items/{id}",
			args: `{"id":"Äpfel 🍏","q":"größer"}`, method: "GET", uri: "/base/items/%C3%84pfel%20%F0%9F%8D%8F?q=gr%C3%B6%C3%9Fer",
		},
		{
			name: "non-ASCII in a body", tool: "param name string\npost /items",
			args: `{"name":"Äpfel 🍏 <b>"}`, method: "POST", uri: "/base/items", body: `{"name":"Äpfel 🍏 <b>"}`,
		},
		{
			name: "wrong types that can be mended", tool: "param n integer\nparam b boolean\nparam s string\nparam l array {\nitems string\n}\nparam o object {\nparam k string\n}\npost /items",
			args:   `{"n":"5","b":"true","s":7,"l":"one","o":"{\"k\":\"v\"}"}`,
			method: "POST", uri: "/base/items", body: `{"b":true,"l":["one"],"n":5,"o":{"k":"v"},"s":"7"}`,
		},
		{
			name: "a number for a string id", tool: "param id string required\nget /items/{id}",
			args: `{"id":9007199254740993}`, method: "GET", uri: "/base/items/9007199254740993",
		},
		{
			name: "integers above 2^53", tool: "param id integer required\nparam n integer\nput /items/{id}",
			args:   `{"id":9007199254740993,"n":12345678901234567890}`,
			method: "PUT", uri: "/base/items/9007199254740993", body: `{"n":12345678901234567890}`,
		},
		{
			name: "parameters named like placeholders", tool: "param path string required\nparam query string required\nparam host string required\nparam file string\nparam uuid string\nget /a/{path}/{query}/{host}",
			args:   `{"path":"p","query":"q","host":"h","file":"f","uuid":"u"}`,
			method: "GET", uri: "/base/a/p/q/h?file=f&uuid=u",
		},
		{
			name: "a path in a program", tool: "param id string required\nrun `get(\"/items/\\($args.id)\")`",
			args: `{"id":"a/b?c#d%2F;"}`, method: "GET", uri: "/base/items/a%2Fb%3Fc%23d%252F%3B",
		},
		{
			name: "segments in a program", tool: "param id string required\nrun `get([\"items\", $args.id])`",
			args: `{"id":"a/b"}`, method: "GET", uri: "/base/items/a%2Fb",
		},
		{
			name: "a body in a program", tool: "param name string required\nrun `post(\"/items\"; {name: $args.name, n: 9007199254740993})`",
			args:   `{"name":"\"}, \"admin\": true, {\""}`,
			method: "POST", uri: "/base/items", body: `{"n":9007199254740993,"name":"\"}, \"admin\": true, {\""}`,
		},
		{
			name: "form", tool: "param a string\nparam l array {\nitems string\n}\npost /items {\nform\n}",
			args: `{"a":"x&admin=1","l":["1","2"]}`, method: "POST", uri: "/base/items", body: `a=x%26admin%3D1&l=1&l=2`,
		},
		{
			name: "computed query and body", tool: "param a string\npost /items {\nquery v `1`\nquery none `null`\nbody `{wrapped: .}`\n}",
			args: `{"a":"x"}`, method: "POST", uri: "/base/items?v=1", body: `{"wrapped":{"a":"x"}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := serveAPI(t, nil)
			s := sheetSite(t, a, tc.tool)
			text, isError := call(t, connect(t, s.URL+"/mcp"), "x", tc.args)
			if isError {
				t.Fatalf("the call fails: %s", text)
			}
			got := a.taken()
			if len(got) != 1 {
				t.Fatalf("the API received %d requests: %v", len(got), got)
			}
			if got[0].Method != tc.method || got[0].URI != tc.uri || got[0].Body != tc.body {
				t.Errorf("the API received\n%s %s\n%s\nwant\n%s %s\n%s",
					got[0].Method, got[0].URI, got[0].Body, tc.method, tc.uri, tc.body)
			}
		})
	}
}

// Nothing is sent for a call that is wrong, and the model reads why.
func TestRefusedBeforeSending(t *testing.T) {
	for _, tc := range []struct {
		name, tool, args string
		says             []string
	}{
		{"unknown argument", "param a string\nget /items", `{"a":"x","admin":true}`, []string{"admin"}},
		{"missing in the path", "param id string required\nget /items/{id}", `{}`, []string{"id", "required"}},
		{"missing in the query", "param q string required\nget /items", `{}`, []string{"q", "required"}},
		{"missing in the body", "param a string required\nparam b integer required\npost /items", `{}`, []string{"a", "b", "required"}},
		{"every wrong field", "param a integer\nparam b string {\nenum x y\n}\nparam c boolean\npost /items", `{"a":"many","b":"z","c":"perhaps"}`, []string{"a", "b", "c", "x, y"}},
		{"nested", "param l array {\nitems object {\nparam n integer required\n}\n}\npost /items", `{"l":[{"n":1},{"n":"x"}]}`, []string{"l[1].n"}},
		{"dots in the path", "param id string required\nget /items/{id}", `{"id":".."}`, []string{"id"}},
		{"a way out in the path", "param id string required\nget /items/{id}", `{"id":"../users/7"}`, []string{"'..'"}},
		{"a way out in a program", "param id string required\nrun `get(\"/items/\\($args.id)\")`", `{"id":"a/../b"}`, []string{"'..'"}},
		{"a dot in the path", "param id string required\nget /items/{id}", `{"id":"."}`, []string{"id"}},
		{"empty in the path", "param id string required\nget /items/{id}", `{"id":""}`, []string{"id"}},
		{"dots in a program", "param id string required\nrun `get(\"/items/\\($args.id)\")`", `{"id":".."}`, []string{".."}},
		{"empty in a program", "param id string required {\nallow_empty\n}\nrun `get(\"/items/\\($args.id)\")`", `{"id":""}`, []string{"empty"}},
		{"null in a program", "param id string\nrun `get([\"items\", $args.id])`", `{}`, []string{"path", "missing"}},
		{"bad date", "param d string {\nformat date\n}\nget /items", `{"d":"2026-02-30"}`, []string{"d", "date"}},
		{"require", "param a string\nrequire `$args.a != \"x\"` `'\\($args.a)' is not allowed`\nget /items", `{"a":"x"}`, []string{"'x' is not allowed"}},
		{"not an object", "param a string\nget /items", `[1]`, []string{"object"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := serveAPI(t, nil)
			s := sheetSite(t, a, tc.tool)
			text, isError := call(t, connect(t, s.URL+"/mcp"), "x", tc.args)
			if !isError {
				t.Fatalf("the call succeeds: %s", text)
			}
			for _, want := range tc.says {
				if !strings.Contains(text, want) {
					t.Errorf("the model reads '%s', which does not hold '%s'", text, want)
				}
			}
			if got := a.taken(); len(got) > 0 {
				t.Errorf("the API received %v", got)
			}
		})
	}
}

// What the model reads for what the API answers.
func TestRepliesAsRead(t *testing.T) {
	reply := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if contentType != "" {
				w.Header().Set("Content-Type", contentType)
			}
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	const html = "<!doctype html><html><head><title>Server Error</title></head><body><h1>Traceback</h1><p>at 10.1.2.3</p></body></html>"
	for _, tc := range []struct {
		name    string
		tool    string
		handler http.HandlerFunc
		isError bool
		want    string   // the whole text, or
		says    []string // parts of it
		never   []string
	}{
		{name: "JSON as it is", handler: reply(200, "application/json", `{"z":1,"a":12345678901234567890,"m":1.10,"é":"<"}`), want: `{"z":1,"a":12345678901234567890,"m":1.10,"é":"<"}`},
		{name: "big integers through jq", tool: "get /items\nresult `{id, price}`", handler: reply(200, "application/json", `{"price":1.10,"id":9007199254740993}`), want: `{"id":9007199254740993,"price":1.10}`},
		{name: "text", handler: reply(200, "text/plain", "out of stock"), want: "out of stock"},
		{name: "4xx with JSON", handler: reply(404, "application/json", `{"detail":"no item 7"}`), isError: true, want: "no item 7"},
		{name: "4xx with problem details", handler: reply(409, "application/problem+json", `{"type":"about:blank","title":"Conflict","detail":"the item is locked"}`), isError: true, want: "the item is locked"},
		{name: "422 of FastAPI", handler: reply(422, "application/json", `{"detail":[{"loc":["body","name"],"msg":"field required","type":"x"}]}`), isError: true, says: []string{"name", "field required"}},
		{name: "400 with field errors", handler: reply(400, "application/json", `{"state":["\"gone\" is not a valid choice."]}`), isError: true, says: []string{"state", "not a valid choice"}},
		{name: "5xx with HTML", handler: reply(500, "text/html", html), isError: true, says: []string{"500"}, never: []string{"<", "Traceback", "10.1.2.3"}},
		{name: "4xx with HTML", handler: reply(403, "text/html", html), isError: true, says: []string{"403"}, never: []string{"<", "Traceback"}},
		{name: "4xx with nothing", handler: reply(418, "", ""), isError: true, says: []string{"418"}},
		{name: "204", handler: reply(204, "", ""), never: []string{"null"}},
		{name: "204 through jq", tool: "delete /items\nresult `{deleted: (. == null)}`", handler: reply(204, "", ""), want: `{"deleted":true}`},
		{name: "JSON that is none, through jq", tool: "get /items\nresult `.name`", handler: reply(200, "application/json", `{"name":`), isError: true, says: []string{"JSON"}},
		{name: "HTML where jq wants an object", tool: "get /items\nresult `.name`", handler: reply(200, "text/html", html), isError: true, want: "the tool could not read the API's reply"},
		{name: "redirect elsewhere", handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.1.2.3/other", http.StatusFound)
		}, isError: true, says: []string{"redirect"}, never: []string{"10.1.2.3"}},
		{name: "redirect within", handler: func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/base/items" {
				http.Redirect(w, r, "/base/items/", http.StatusMovedPermanently)
				return
			}
			io.WriteString(w, "arrived")
		}, want: "arrived"},
		{name: "cut off", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"half":`)
			panic(http.ErrAbortHandler)
		}, isError: true, never: []string{"half"}},
		{name: "100 MB", handler: func(w http.ResponseWriter, _ *http.Request) {
			chunk := []byte(strings.Repeat("x", 1<<20))
			for range 100 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, isError: true, says: []string{"larger"}, never: []string{"xxx"}},
		{name: "longer than a model reads", handler: reply(200, "text/plain", strings.Repeat("ä", 100_001)), isError: true, says: []string{"100"}, never: []string{"ää"}},
		{name: "as long as a model reads", handler: reply(200, "text/plain", strings.Repeat("ä", 100_000)), want: strings.Repeat("ä", 100_000)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := serveAPI(t, tc.handler)
			tool := tc.tool
			if tool == "" {
				tool = "get /items"
			}
			s := sheetSite(t, a, tool)
			text, isError := call(t, connect(t, s.URL+"/mcp"), "x", `{}`)
			if isError != tc.isError {
				t.Fatalf("isError is %v: %.200s", isError, text)
			}
			if tc.want != "" && text != tc.want {
				t.Errorf("the model reads %.200s, want %.200s", text, tc.want)
			}
			if text == "" {
				t.Error("the model reads nothing")
			}
			for _, part := range tc.says {
				if !strings.Contains(text, part) {
					t.Errorf("'%.200s' does not hold '%s'", text, part)
				}
			}
			for _, part := range append(tc.never, a.Listener.Addr().String()) {
				if strings.Contains(text, part) {
					t.Errorf("'%.200s' holds '%s'", text, part)
				}
			}
		})
	}
}

func TestAPIThatNeverAnswers(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := serveAPI(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	s := serveSite(t, fmt.Sprintf(`mcp {
		auth none
		upstream fast %[1]s {
			timeout 50ms
			retry 0
		}
		upstream slow %[1]s
		tool x {
			description "Does it."
			upstream fast
			get /items
		}
		tool write {
			description "Writes it."
			upstream fast
			post /items
		}
		tool slow {
			description "Takes long."
			timeout 50ms
			upstream slow
			get /items
		}
	}`, a.URL))
	session := connect(t, s.URL+"/mcp")
	for tool, says := range map[string][]string{
		"x":     {"did not answer"},
		"write": {"did not answer", "may have been carried out"},
		"slow":  {"took longer"},
	} {
		start := time.Now()
		text, isError := call(t, session, tool, `{}`)
		if !isError {
			t.Errorf("%s succeeds: %s", tool, text)
		}
		for _, part := range says {
			if !strings.Contains(text, part) {
				t.Errorf("%s: '%s' does not hold '%s'", tool, text, part)
			}
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s took %s", tool, took)
		}
	}
}

func TestAPIThatIsDown(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, nil)
	a.Close()
	s := sheetSite(t, a, "get /items")
	text, isError := call(t, connect(t, s.URL+"/mcp"), "x", `{}`)
	if !isError || !strings.Contains(text, "unreachable") || strings.Contains(text, a.Listener.Addr().String()) {
		t.Errorf("the model reads '%s' (isError %v)", text, isError)
	}
}
