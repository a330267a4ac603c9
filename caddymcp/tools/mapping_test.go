package tools

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

func TestMapping(t *testing.T) {
	str := func(name string) *Param { return &Param{Name: name, Type: "string"} }
	required := func(name string) *Param { return &Param{Name: name, Type: "string", Required: true} }
	list := func(name, style string) *Param {
		return &Param{Name: name, Type: "array", Items: &Param{Type: "string"}, Style: style}
	}
	with := func(tool *Tool, change func(*Request)) *Tool {
		change(tool.Request)
		return tool
	}
	tests := []struct {
		name string
		tool *Tool
		args string
		want string
	}{
		{"query", get("/x", str("a"), str("b")), `{"b":"1 2&c=d","a":"ü"}`, `GET /x?a=%C3%BC&b=1+2%26c%3Dd`},
		{"absent optionals", get("/x", str("a"), str("b")), `{"a":null,"b":""}`, `GET /x`},
		{"array repeats", get("/x", list("tag", "")), `{"tag":["x","y"]}`, `GET /x?tag=x&tag=y`},
		{"array with commas", get("/x", list("tag", "comma")), `{"tag":["x","y"]}`, `GET /x?tag=x%2Cy`},
		{"array with brackets", get("/x", list("tag", "brackets")), `{"tag":["x","y"]}`, `GET /x?tag%5B%5D=x&tag%5B%5D=y`},
		{"empty array with commas", get("/x", list("tag", "comma")), `{"tag":[]}`, `GET /x`},
		{"empty array", get("/x", list("tag", "")), `{"tag":[]}`, `GET /x`},
		{
			"numbers and booleans", get("/x", &Param{Name: "n", Type: "integer"}, &Param{Name: "f", Type: "number"}, &Param{Name: "b", Type: "boolean"}),
			`{"n":9007199254740993,"f":1.10,"b":false}`, `GET /x?b=false&f=1.10&n=9007199254740993`,
		},
		{"default", get("/x", &Param{Name: "n", Type: "integer", Default: ptr("5")}), `{}`, `GET /x?n=5`},
		{"as", get("/x", &Param{Name: "per_page", Type: "integer", As: "perPage"}), `{"per_page":5}`, `GET /x?perPage=5`},
		{"local", get("/x", &Param{Name: "all", Type: "boolean", Local: true}), `{"all":true}`, `GET /x`},
		{"path", get("/items/{id}/x", required("id")), `{"id":"a"}`, `GET /items/a/x`},
		{"path stays in its segment", get("/items/{id}", required("id")), `{"id":"a/items/7?x=1#y%2f"}`, `GET /items/a%2Fitems%2F7%3Fx%3D1%23y%252f`},
		{"path of a number", get("/items/{id}", &Param{Name: "id", Type: "integer", Required: true}), `{"id":"9007199254740993"}`, `GET /items/9007199254740993`},
		{"literal path is kept", get("/a%2Fb;v=1/ü/{id}.json", required("id")), `{"id":"x"}`, `GET /a%2Fb;v=1/%C3%BC/x.json`},
		{"head", verb("HEAD", "/x", str("a")), `{"a":"1"}`, `HEAD /x?a=1`},
		{"delete", verb("DELETE", "/x/{id}", required("id"), str("why")), `{"id":"1","why":"w"}`, `DELETE /x/1?why=w`},
		{"delete with a body", verb("DELETE", "/x", &Param{Name: "ids", Type: "array", Items: &Param{Type: "string"}, In: "body"}), `{"ids":["1"]}`, `DELETE /x {"ids":["1"]}`},
		{
			"body", verb("POST", "/x/{id}", required("id"), str("a"), &Param{Name: "n", Type: "integer"}), `{"id":"1","a":"\"},{\"admin\":true","n":12345678901234567890}`,
			`POST /x/1 {"a":"\"},{\"admin\":true","n":12345678901234567890}`,
		},
		{"body of nothing", verb("POST", "/x", str("a")), `{}`, `POST /x {}`},
		{"no body", verb("POST", "/x"), `{}`, `POST /x`},
		{"no body but the path", verb("PUT", "/x/{id}", required("id")), `{"id":"1"}`, `PUT /x/1`},
		{"null in a body", verb("PATCH", "/x", &Param{Name: "note", Type: "string", AllowNull: true}), `{"note":null}`, `PATCH /x {"note":null}`},
		{"empty in a body", verb("PATCH", "/x", &Param{Name: "note", Type: "string", AllowEmpty: true}), `{"note":""}`, `PATCH /x {"note":""}`},
		{"in query", verb("POST", "/x", &Param{Name: "dry", Type: "boolean", In: "query"}, str("a")), `{"dry":true,"a":"1"}`, `POST /x?dry=true {"a":"1"}`},
		{"in header", get("/x", &Param{Name: "lang", Type: "string", In: "header", As: "accept-language"}), `{"lang":"de"}`, `GET /x Accept-Language: de`},
		{"in path only", get("/x/{id}", &Param{Name: "id", Type: "string", Required: true, In: "path"}), `{"id":"1"}`, `GET /x/1`},
		{
			"nested body", verb("POST", "/x", &Param{Name: "items", Type: "array", Items: &Param{Type: "object", Params: []*Param{str("name"), str("unit")}}}),
			`{"items":[{"name":"egg","unit":""},{"name":"rice"}]}`, `POST /x {"items":[{"name":"egg"},{"name":"rice"}]}`,
		},
		{
			"computed query", with(get("/x", str("a")), func(r *Request) {
				r.Query = []Field{{"q", *jq(`"a=\(.a)"`)}, {"ids", *jq(`[1,"2"]`)}, {"none", *jq(`.missing`)}}
			}), `{"a":"1"}`, `GET /x?a=1&ids=1&ids=2&q=a%3D1`,
		},
		{
			"computed query sees the names of the API", with(get("/x", &Param{Name: "page_size", Type: "integer", As: "size"}), func(r *Request) {
				r.Query = []Field{{"next", *jq(`.size + 1`)}}
			}), `{"page_size":1}`, `GET /x?next=2&size=1`,
		},
		{
			"computed header", with(verb("POST", "/x", str("a")), func(r *Request) {
				r.Headers = []Field{{"X-Who", *jq(`"\($tool):\(.a)"`)}, {"X-None", *jq(`null`)}}
			}), `{"a":"1"}`, `POST /x X-Who: t:1 {"a":"1"}`,
		},
		{
			"computed body", with(verb("PUT", "/x/{id}", required("id"), str("a")), func(r *Request) {
				r.Body = jq(`{id: $args.id, values: [.a]}`)
			}), `{"id":"7","a":"1"}`, `PUT /x/7 {"id":"7","values":["1"]}`,
		},
		{"computed body of nothing", with(verb("POST", "/x", str("a")), func(r *Request) { r.Body = jq(`null`) }), `{"a":"1"}`, `POST /x`},
		{"computed body that is an array", with(verb("POST", "/x", list("ids", "")), func(r *Request) { r.Body = jq(`.ids`) }), `{"ids":["1"]}`, `POST /x ["1"]`},
		{
			"form", with(verb("POST", "/x", str("a"), list("tag", ""), list("ids", "brackets"), &Param{Name: "n", Type: "integer"}), func(r *Request) { r.Encoding = "form" }),
			`{"a":"1&b=2","tag":["x","y"],"ids":["1"],"n":5}`, `POST /x a=1%26b%3D2&ids%5B%5D=1&n=5&tag=x&tag=y`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sender := &recorder{body: "{}"}
			result, _ := invoke(t, compile(t, Env{}, tt.tool), sender, tt.args)
			if result.IsError {
				t.Fatal(text(t, result))
			}
			if got := sender.lines(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestMappingRefuses(t *testing.T) {
	id := &Param{Name: "id", Type: "string", Required: true}
	tests := []struct {
		name string
		tool *Tool
		args string
		want string
	}{
		{"missing path argument", get("/items/{id}", id), `{}`, `error: id: is required`},
		{"null path argument", get("/items/{id}", id), `{"id":null}`, `error: id: is required`},
		{"empty path argument", get("/items/{id}", id), `{"id":""}`, `error: id: must not be empty`},
		{"dots", get("/items/{id}", id), `{"id":".."}`, `error: id: may not be '.' or '..', or lead there`},
		{"a path that leaves", get("/items/{id}", id), `{"id":"../users/7"}`, `error: id: may not be '.' or '..', or lead there`},
		{"dot in two halves", get("/items/{id}{id}", id), `{"id":"."}`, `error: id: may not be '.' or '..', or lead there`},
		{
			"an object in the path", &Tool{
				Name: "t", Description: "d", Input: `{"type":"object","properties":{"id":{}},"required":["id"]}`,
				Action: Action{Request: &Request{Method: "GET", Path: "/items/{id}"}},
			}, `{"id":{"secret":1}}`, `error: id: must be a string, a number or a boolean, because it is part of the path`,
		},
		{
			"comma in a comma list", get("/x", &Param{Name: "tag", Type: "array", Style: "comma", Items: &Param{Type: "string"}}), `{"tag":["a","b,c"]}`,
			`error: tag[1]: must not contain a comma`,
		},
		{
			"line break in a header", get("/x", &Param{Name: "lang", Type: "string", In: "header"}), `{"lang":"de\r\nX-Admin: 1"}`,
			`error: the header field 'lang' holds`,
		},
		{
			"line break in a computed header",
			func() *Tool {
				tool := get("/x", &Param{Name: "a", Type: "string", Local: true})
				tool.Request.Headers = []Field{{"X-A", *jq(`$args.a`)}}
				return tool
			}(),
			`{"a":"1\n2"}`, `error: the header field 'X-A' holds`,
		},
		{"unknown argument", get("/x", id), `{"id":"1","foo":2}`, `error: foo: unknown argument`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sender := &recorder{body: "{}"}
			result, outcome := invoke(t, compile(t, Env{}, tt.tool), sender, tt.args)
			if got := text(t, result); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if outcome.Kind != Refused || outcome.Err != nil {
				t.Errorf("got the outcome %v, want a refusal", outcome)
			}
			if len(sender.requests) > 0 {
				t.Errorf("sent %s", sender.lines())
			}
		})
	}
}

// web sends requests to a real server, the shortest way.
type web struct{ url string }

func (w web) Send(ctx context.Context, r *program.Request) (*program.Response, error) {
	url := w.url + r.Path
	if len(r.Query) > 0 {
		url += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, url, strings.NewReader(string(r.Body)))
	if err != nil {
		return nil, err
	}
	req.Header = r.Header
	if r.Body != nil {
		req.Header.Set("Content-Type", r.ContentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return &program.Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, err
}

// TestOverHTTP sends what is hard to get right and looks at what an API reads.
func TestOverHTTP(t *testing.T) {
	type seen struct {
		Path  string              `json:"path"`
		Query map[string][]string `json:"query"`
		Type  string              `json:"type"`
		Body  string              `json:"body"`
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/items/{id}", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(seen{r.PathValue("id"), r.URL.Query(), r.Header.Get("Content-Type"), string(body)})
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	id := &Param{Name: "id", Type: "string", Required: true}
	name := &Param{Name: "name", Type: "string"}
	form := verb("POST", "/items/{id}", id, name)
	form.Request.Encoding = "form"
	tests := []struct {
		name string
		tool *Tool
		args string
		want string
	}{
		{
			"an id that looks like a path", get("/items/{id}", id), `{"id":"a/items/7?x=1"}`,
			`{"path":"a/items/7?x=1","query":{},"type":"","body":""}`,
		},
		{
			"arrays", get("/items/{id}", id, &Param{Name: "tag", Type: "array", Items: &Param{Type: "string"}}), `{"id":"1","tag":["x","y&z"]}`,
			`{"path":"1","query":{"tag":["x","y&z"]},"type":"","body":""}`,
		},
		{
			"quotes in a body", verb("PUT", "/items/{id}", id, name), `{"id":"1","name":"a\", \"admin\": true, \"b\": \""}`,
			`{"path":"1","query":{},"type":"application/json","body":"{\"name\":\"a\\\", \\\"admin\\\": true, \\\"b\\\": \\\"\"}"}`,
		},
		{
			"form", form, `{"id":"1","name":"ü & =;"}`,
			`{"path":"1","query":{},"type":"application/x-www-form-urlencoded","body":"name=%C3%BC+%26+%3D%3B"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, _ := invoke(t, compile(t, Env{}, tt.tool), web{server.URL}, tt.args)
			if got := strings.TrimSpace(strings.ReplaceAll(text(t, result), `\u0026`, "&")); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestRequestCarriesItsCall(t *testing.T) {
	tool := get("/x", &Param{Name: "a", Type: "string"})
	tool.Errors = []program.ErrorText{{On: []string{"404"}, Message: "no {arg.a}"}}
	sender := &recorder{body: "1"}
	invoke(t, compile(t, Env{}, tool), sender, `{"a":"b"}`)
	req := sender.requests[0]
	if req.Upstream != "api" || !req.ReadOnly || len(req.Errors) != 1 || req.Args["a"] != "b" {
		t.Errorf("got %+v", req)
	}
}

func FuzzPathTemplate(f *testing.F) {
	for _, template := range []string{"/x/{a}", "/{a}{b}", "/%2e%2E/x", "/a b", "/{", "/}", "x", "/ü/{a}.json", "//{a}/./"} {
		f.Add(template, "../y?z#", ".")
	}
	f.Fuzz(func(t *testing.T, template, a, b string) {
		p, err := parsePath(template)
		if err != nil {
			return
		}
		args := map[string]any{}
		for i, name := range p.names() {
			args[name] = []string{a, b}[i%2]
		}
		path, err := p.expand(args)
		if err != nil {
			return
		}
		if strings.ContainsAny(path, "?#\\ \r\n") || !strings.HasPrefix(path, "/") {
			t.Errorf("%q makes %q", template, path)
		}
		if strings.Count(path, "/") != strings.Count(p.pattern(), "/") {
			t.Errorf("%q makes %q, which has other segments", template, path)
		}
		for segment := range strings.SplitSeq(path, "/") {
			if segment == "." || segment == ".." {
				t.Errorf("%q makes %q", template, path)
			}
		}
	})
}
