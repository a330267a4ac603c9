package upstream

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

func TestHeaders(t *testing.T) {
	t.Setenv("UPSTREAM_TEST_TOKEN", "t0k{env.HOME}en")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	full := &Call{CallerID: "u1", CallerName: "Ann", CallerScopes: []string{"read", "write"}, Tool: "add"}
	tests := []struct {
		name, value string
		call        *Call
		want        []string
	}{
		{"literal", "plain", full, []string{"plain"}},
		{"environment, values not expanded again", "Token {env.UPSTREAM_TEST_TOKEN}", full, []string{"Token t0k{env.HOME}en"}},
		{"file", "{file." + secret + "}", full, []string{"from-file"}},
		{"caller", "{mcp.caller.id}/{mcp.caller.name}/{mcp.caller.scopes}/{mcp.tool}", full, []string{"u1/Ann/read write/add"}},
		{"some unset", "tool={mcp.tool} name={mcp.caller.name}", &Call{Tool: "add"}, []string{"tool=add name="}},
		{"all unset", "Bearer {mcp.caller.id}", &Call{}, nil},
		{"unknown", "{http.auth.user.id}", full, nil},
		{"unknown of ours", "{mcp.caller.email}", full, nil},
		{"request", "{http.request.host}", full, []string{"food.example.com"}},
		{"injection", "{mcp.caller.name}", &Call{CallerName: "{env.UPSTREAM_TEST_TOKEN}"}, []string{"{env.UPSTREAM_TEST_TOKEN}"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAPI(t, nil)
			u := ready(t, &Upstream{URL: a.URL, Headers: []Header{{"X-Test", tt.value}}})
			req := get("/a")
			req.Header = http.Header{"x-test": {"from the tool"}, "X-Arg": {"{env.UPSTREAM_TEST_TOKEN}"}}
			if _, err := u.Send(callFor(t.Context(), tt.call, nil), req); err != nil {
				t.Fatal(err)
			}
			r, _ := a.last(t)
			if got := r.Header.Values("X-Test"); strings.Join(got, "|") != strings.Join(tt.want, "|") || len(got) != len(tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := r.Header.Get("X-Arg"); got != "{env.UPSTREAM_TEST_TOKEN}" {
				t.Errorf("the tool's header was expanded to %q", got)
			}
		})
	}
}

func TestHeadersWithoutCall(t *testing.T) {
	t.Setenv("UPSTREAM_TEST_TOKEN", "abc")
	a := newAPI(t, nil)
	u := ready(t, &Upstream{URL: a.URL, Headers: []Header{
		{"Authorization", "Token {env.UPSTREAM_TEST_TOKEN}"},
		{"X-User", "{mcp.caller.id}"},
		{"X-Path", "{http.request.method}"},
		{"Host", "inner.example"},
		{"X-Twice", "1"},
		{"X-Twice", "2"},
	}})
	mustSend(t, u, get("/a"))
	r, _ := a.last(t)
	if r.Header.Get("Authorization") != "Token abc" || r.Host != "inner.example" {
		t.Errorf("got %q, Host %q", r.Header.Get("Authorization"), r.Host)
	}
	if len(r.Header["X-User"])+len(r.Header["X-Path"]) != 0 || strings.Join(r.Header["X-Twice"], ",") != "1,2" {
		t.Errorf("got %v", r.Header)
	}
}

func TestHeaderConfigErrors(t *testing.T) {
	t.Setenv("UPSTREAM_TEST_EMPTY", "")
	tests := []struct{ name, value, want string }{
		{"Authorization", "Token abc", "write {env.NAME}"},
		{"authorization", "Basic {", "write {env.NAME}"},
		{"Cookie", "a=b", "write {env.NAME}"},
		{"Proxy-Authorization", "x", "write {env.NAME}"},
		{"x-api-key", "abc", "write {env.NAME}"},
		{"API-Key", "abc", "write {env.NAME}"},
		{"X-Auth-Token", "abc", "write {env.NAME}"},
		{"Private-Token", "abc", "write {env.NAME}"},
		{"x-client-secret", "abc", "write {env.NAME}"},
		{"Ocp-Apim-Subscription-Key", "abc", "write {env.NAME}"},
		{"X-Api-Password", "abc", "write {env.NAME}"},
		{"X-Key", "{BOOKS_KEY}", "unknown placeholder '{BOOKS_KEY}': did you mean '{env.BOOKS_KEY}'?"},
		{"Authorization", "Bearer {env.HOME}{BOOKS_KEY}", "did you mean '{env.BOOKS_KEY}'?"},
		{"X-Filter", `{"a": 1}`, `unknown placeholder '{"a": 1}': write a brace that begins none as '\{'`},
		{"X-Filter", "{}", "unknown placeholder '{}'"},
		{"Authorization", "Token {env.UPSTREAM_TEST_EMPTY}", "{env.UPSTREAM_TEST_EMPTY}, which is not set or empty"},
		{"X-Key", "{env.UPSTREAM_TEST_UNSET}", "{env.UPSTREAM_TEST_UNSET}, which is not set or empty"},
		{"X-Key", "{file./no/such/file}", "{file./no/such/file}, which is not set or empty"},
		{"X-Key", "a\r\nX-Other: b", "line break"},
		{"X Key", "a", "'X Key' is not a header name"},
		{"", "a", "is not a header name"},
		{"Connection", "close", "belongs to the connection"},
		{"CDN-Loop", "me", "belongs to the connection"},
		{"transfer-encoding", "chunked", "belongs to the connection"},
		{"Authorization", "{http.request.header.Authorization}", "the caller's own credentials"},
		{"X-Token", "{http.request.header.authorization}", "the caller's own credentials"},
		{"X-Token", "a {http.request.cookie.sid}", "the caller's own credentials"},
		{"X-Url", "{http.request.uri}", "the caller's own credentials"},
		{"X-Url", "{http.request.orig_uri.path}", "the caller's own credentials"},
		{"X-Body", "{http.request.body}", "the caller's own credentials"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.value, func(t *testing.T) {
			err := provision(t, &Upstream{URL: "http://127.0.0.1:1", Headers: []Header{{tt.name, tt.value}}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestLiteralHeaders has what is no credential, although it looks like one.
func TestLiteralHeaders(t *testing.T) {
	for name, value := range map[string]string{
		"Idempotency-Key": "abc", "X-Csrf-Token": "fetch", "Tokens": "2", "X-Key-Id": "abc", "Key": "abc", "X-Filter": `\{"a":1\}`,
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t, nil)
			mustSend(t, ready(t, &Upstream{URL: a.URL, Headers: []Header{{name, value}}}), get("/a"))
			if r, _ := a.last(t); r.Header.Get(name) != strings.ReplaceAll(value, "\\", "") {
				t.Errorf("got %q", r.Header.Get(name))
			}
		})
	}
}

func TestToolHeadersRefused(t *testing.T) {
	a := newAPI(t, nil)
	u := ready(t, &Upstream{URL: a.URL})
	for name, value := range map[string]string{
		"Host": "evil", "host": "evil", "Connection": "close", "Content-Length": "0", "Transfer-Encoding": "chunked",
		"CDN-Loop": "x", "Te": "trailers", "Upgrade": "h2c", "Accept-Encoding": "br", "X-A": "a\r\nb: c", "X\r\nB": "c", "": "x",
	} {
		t.Run(name, func(t *testing.T) {
			req := get("/a")
			req.Header = http.Header{name: {value}}
			refusal(t, u, req)
		})
	}
	a.expect(t)
}

func TestSecretsWithLineBreaks(t *testing.T) {
	a := newAPI(t, nil)
	u := ready(t, &Upstream{URL: a.URL, Headers: []Header{{"X-User", "{mcp.caller.name}"}}})
	ctx := WithCall(t.Context(), &Call{CallerName: "x\r\nX-Admin: 1"})
	_, err := u.Send(ctx, get("/a"))
	if err == nil || err.Error() != "the header 'X-User' of the API cannot be sent" {
		t.Errorf("got %v", err)
	}
	a.expect(t)
}

func TestContentType(t *testing.T) {
	a := newAPI(t, nil)
	u := ready(t, &Upstream{URL: a.URL})
	req := &program.Request{Method: "PATCH", Path: "/a", Body: []byte("{}"), ContentType: "application/json"}
	req.Header = http.Header{"Content-Type": {"application/merge-patch+json"}}
	mustSend(t, u, req)
	if r, _ := a.last(t); r.Header.Get("Content-Type") != "application/merge-patch+json" {
		t.Errorf("got %v", r.Header)
	}
}

func TestMCPPlaceholdersAreNeverLiteral(t *testing.T) {
	repl := caddy.NewReplacer()
	got, err := Header{"X", "{mcp.tool}{mcp.x}"}.value(&Call{}, repl)
	if got != "" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
