package upstream_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
	"github.com/caddymcp/caddymcp/caddymcp/upstream"
)

// FuzzPathArgument holds that a tool refuses every argument of its path that
// the upstream would refuse, and names it. The upstream's own sentence is for
// paths that nothing has checked.
func FuzzPathArgument(f *testing.F) {
	for _, seed := range []string{
		"a", "", ".", "..", "a/b", "/", "a/../b", "../a", "a/..", `a\..\b`, `..\`, "./x", "%2e%2e", "%", "a?b#c", "a b", "é", "\x00", "...", "/..", "\xff",
	} {
		f.Add(seed)
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	f.Cleanup(api.Close)
	ctx, cancel := caddy.NewContext(caddy.Context{Context: f.Context()})
	f.Cleanup(cancel)
	u := &upstream.Upstream{URL: api.URL + "/api"}
	if err := u.Provision(ctx); err != nil {
		f.Fatal(err)
	}
	set := upstream.Set{u}
	book := &tools.Param{Name: "isbn", Type: "string", Required: true}
	compiled, err := tools.Compile([]*tools.Tool{
		{Name: "verb", Description: "x", Params: []*tools.Param{book}, Action: tools.Action{Request: &tools.Request{Method: "GET", Path: "/books/{isbn}"}}},
		{Name: "part", Description: "x", Params: []*tools.Param{book}, Action: tools.Action{Request: &tools.Request{Method: "GET", Path: "/books/{isbn}.json"}}},
		{Name: "program", Description: "x", Params: []*tools.Param{book}, Action: tools.Action{Run: &program.Source{Text: `get("/books/\($args.isbn)")`}}},
		{Name: "computed", Description: "x", Params: []*tools.Param{book}, Action: tools.Action{Run: &program.Source{Text: `get(["books", $args.isbn])`}}},
	}, tools.Env{Upstreams: set})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, isbn string) {
		args, err := json.Marshal(map[string]string{"isbn": isbn})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"verb", "part", "program", "computed"} {
			result, _ := compiled.Call(t.Context(), &tools.Call{Name: name, Arguments: args, Sender: set})
			for _, block := range result.Content {
				if text, ok := block.(*mcp.TextContent); ok && strings.Contains(text.Text, "path that cannot be sent") {
					t.Errorf("%s, %q: %s", name, isbn, text.Text)
				}
			}
		}
	})
}
