package upstream

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// parserHandler is a handler whose directive holds one upstream, so that the
// parser can be tested behind Caddy's own adapter.
type parserHandler struct {
	Upstream *Upstream `json:"upstream"`
}

func init() {
	caddy.RegisterModule(parserHandler{})
	httpcaddyfile.RegisterHandlerDirective("upstream_parser", func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		handler := &parserHandler{Upstream: new(Upstream)}
		h.Next()
		for nesting := h.Nesting(); h.NextBlock(nesting); {
			if h.Val() != "upstream" {
				return nil, h.Errf("left '%s'", h.Val())
			}
			if err := handler.Upstream.UnmarshalBlock(h); err != nil {
				return nil, err
			}
		}
		return handler, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("upstream_parser", httpcaddyfile.After, "encode")
}

func (parserHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.upstream_parser", New: func() caddy.Module { return new(parserHandler) }}
}

func (*parserHandler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	return next.ServeHTTP(w, r)
}

// adapt returns the JSON of the upstream in a site's Caddyfile.
func adapt(t testing.TB, block string) (string, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "Caddyfile")
	text := "http://x {\n\tupstream_parser {\n" + block + "\n\t}\n}\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), map[string]any{"filename": name})
	if err != nil {
		return "", err
	}
	var found json.RawMessage
	var walk func(raw json.RawMessage)
	walk = func(raw json.RawMessage) {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		if json.Unmarshal(raw, &object) == nil {
			if u, ok := object["upstream"]; ok {
				found = u
				return
			}
			for _, v := range object {
				walk(v)
			}
		} else if json.Unmarshal(raw, &list) == nil {
			for _, v := range list {
				walk(v)
			}
		}
	}
	walk(out)
	return strings.ReplaceAll(string(found), name, "Caddyfile"), nil
}

func TestCaddyfile(t *testing.T) {
	tests := []struct{ name, block, want string }{
		{"URL", "upstream http://127.0.0.1:8042/api", `{"url":"http://127.0.0.1:8042/api"}`},
		{"host and port", "upstream unix//run/api.sock", `{"url":"unix//run/api.sock"}`},
		{"placeholder", "upstream {env.FOOD_API_BASE}", `{"url":"{env.FOOD_API_BASE}"}`},
		{"file shorthand", "upstream {file.base}", `{"url":"{file.base}"}`},
		{"name and URL", "upstream pantry http://a", `{"name":"pantry","url":"http://a"}`},
		{"public web", "upstream web {\npublic_web\n}", `{"name":"web","public_web":true}`},
		{
			"header", "upstream http://a {\nheader Authorization \"Token {env.T}\"\nheader X-A {file.token}\nheader X-B {http.auth.user.id}\n}",
			`{"headers":[{"name":"Authorization","value":"Token {env.T}"},{"name":"X-A","value":"{file.token}"},{"name":"X-B","value":"{http.auth.user.id}"}],"url":"http://a"}`,
		},
		{
			"error", "upstream http://a {\nerror 401 4xx unreachable \"no: {status} {path} {arg.query}\"\nerror timeout slow\n}",
			`{"errors":[{"message":"no: {status} {path} {arg.query}","on":["401","4xx","unreachable"]},{"message":"slow","on":["timeout"]}],"url":"http://a"}`,
		},
		{"retry", "upstream http://a {\nretry 0\n}", `{"retries":0,"url":"http://a"}`},
		{"retry with a backoff", "upstream http://a {\nretry 3 1s\n}", `{"retries":3,"retry_backoff":1000000000,"url":"http://a"}`},
		{
			"safe", "upstream http://a {\nsafe post /parser /x/*\nsafe PUT /y\n}",
			`{"safe":[{"method":"POST","path":"/parser"},{"method":"POST","path":"/x/*"},{"method":"PUT","path":"/y"}],"url":"http://a"}`,
		},
		{
			"cache", "upstream http://a {\ncache 5m /foods /units/* {\ndrop_on /foods /units\n}\ncache 1h /x\n}",
			`{"caches":[{"drop_on":["/foods","/units"],"for":300000000000,"paths":["/foods","/units/*"]},{"for":3600000000000,"paths":["/x"]}],"url":"http://a"}`,
		},
		{
			"limits", "upstream http://a {\nconcurrency 4\ntimeout 20s\nmax_response 1MB\nverify_tls {file.v}\n}",
			`{"concurrency":4,"max_response":1000000,"timeout":20000000000,"url":"http://a","verify_tls":"{file.v}"}`,
		},
		{
			"check", "upstream http://a {\ncheck `get(\"/v\") | {path}` {\nrequired\n}\n}",
			`{"check":{"program":{"file":"Caddyfile","line":4,"text":"get(\"/v\") | {path}"},"required":true},"url":"http://a"}`,
		},
		{
			"transport", "upstream https://a {\ntransport http {\ndial_timeout 5s\ntls_server_name b\n}\ntimeout 1s\n}",
			`{"timeout":1000000000,"transport":{"dial_timeout":5000000000,"tls":{"server_name":"b"}},"url":"https://a"}`,
		},
		{
			"handlers", "upstream api {\nreverse_proxy a:1 b:2 {\nlb_policy first\n}\nheader X-A 1\n@old path /old/*\nrewrite @old /new\n}",
			`{"headers":[{"name":"X-A","value":"1"}],"name":"api","routes":[{"group":"group0","handle":[{"handler":"rewrite","uri":"/new"}],"match":[{"path":["/old/*"]}]},{"handle":[{"handler":"reverse_proxy","load_balancing":{"selection_policy":{"policy":"first"}},"upstreams":[{"dial":"a:1"},{"dial":"b:2"}]}]}]}`,
		},
		{
			"route", "upstream {\nroute {\nheader X-A 1\nerror \"gone\" 410\n}\n}",
			`{"routes":[{"handle":[{"handler":"subroute","routes":[{"handle":[{"handler":"headers","response":{"set":{"X-A":["1"]}}},{"error":"gone","handler":"error","status_code":410}]}]}]}]}`,
		},
		{"handler that ends in a heredoc", "upstream {\nrespond <<END\na\nEND\n}", `{"routes":[{"handle":[{"body":"a","handler":"static_response"}]}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := adapt(t, tt.block)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCaddyfileErrors(t *testing.T) {
	in := func(line string) string { return "upstream http://a {\n" + line + "\n}" }
	tests := []struct{ name, block, want string }{
		{"no URL", "upstream pantry", "upstream 'pantry': there is no URL: write 'upstream [<name>] <url>'"},
		{"nothing", "upstream", "upstream: there is no URL"},
		{"empty", `upstream ""`, "upstream has an empty argument"},
		{"three arguments", "upstream a http://a b", "unexpected 'b': upstream takes a name and a URL"},
		{"bad name", "upstream 7up http://a", "'7up' is not a name for an upstream"},
		{"URL and handlers", in("respond hi"), "keep one"},
		{"URL and public_web", in("public_web"), "keep one"},
		{"public_web argument", "upstream {\npublic_web yes\n}", "unexpected 'yes'"},
		{"unknown word", in("heade X-A 1"), "unrecognized 'heade' in upstream: it is neither one of cache, check"},
		{"unknown word beside a handler", "upstream {\nreverse_proxy a:1\nretries 1\n}", "unrecognized 'retries'"},
		{"directive that is no handler", "upstream {\ntls internal\n}", "upstream: reading its handlers: "},
		{"header without a value", in("header X-A"), "write 'header <name> <value>'"},
		{"header with three", in("header X-A b c"), "write 'header <name> <value>'"},
		{"header with a block", in("header X-A b {\nc\n}"), "'header' takes no block"},
		{"literal secret", in("header Authorization \"Token abc\""), "write {env.NAME}"},
		{"forwarded credentials", in("header X-Token {header.Authorization}"), "the caller's own credentials"},
		{"error without a message", in("error 404"), "write 'error <status>... <message>'"},
		{"error without a status", in("error gone away"), "'gone' is not a failure"},
		{"retry", in("retry"), "write 'retry <n> [<backoff>]'"},
		{"retry text", in("retry often"), "'often' is not a number of repetitions"},
		{"retry backoff", in("retry 2 500"), "'500' is not a duration"},
		{"retry twice", in("retry 2\nretry 3"), "'retry' is given twice"},
		{"safe", in("safe POST"), "write 'safe <method> <path>...'"},
		{"safe path", in("safe POST parse"), "the path 'parse' does not begin with '/'"},
		{"safe path with a parameter", in("safe POST /parser/{query}"), "in the path '/parser/{query}', only a segment that is '*' stands for any other: write '/parser' and '/parser/*'"},
		{"path with the base path", "upstream http://a/api {\nsafe POST /api/parse\n}", "upstream: the path '/api/parse' begins with the path of the URL 'http://a/api': paths are below the URL, so write '/parse'"},
		{"header placeholder", in("header X-Key {BOOKS_KEY}"), "unknown placeholder '{BOOKS_KEY}': did you mean '{env.BOOKS_KEY}'?"},
		{"URL placeholder", "upstream {BOOKS_URL}", "upstream: unknown placeholder '{BOOKS_URL}': did you mean '{env.BOOKS_URL}'?"},
		{"URL shorthand", "upstream http://{host}/", "upstream: unknown placeholder '{host}': did you mean '{env.host}'?"},
		{"verify_tls placeholder", in("verify_tls {VERIFY}"), "unknown placeholder '{VERIFY}': did you mean '{env.VERIFY}'?"},
		{"literal key", in("header X-Api-Key abc"), "the header 'X-Api-Key' holds its secret in plain text: write {env.NAME}"},
		{"cache", in("cache 5m"), "write 'cache <duration> <path>...'"},
		{"cache duration", in("cache long /a"), "'long' is not a duration"},
		{"cache path", in("cache 5m a"), "the path 'a' does not begin"},
		{"cache word", in("cache 5m /a {\ndrop /b\n}"), "unrecognized 'drop' in cache"},
		{"cache drop_on", in("cache 5m /a {\ndrop_on\n}"), "write 'drop_on <path>...'"},
		{"concurrency", in("concurrency"), "write 'concurrency <n>'"},
		{"concurrency zero", in("concurrency 0"), "'0' is not a number of requests"},
		{"timeout", in("timeout 1s 2s"), "write 'timeout <duration>'"},
		{"timeout text", in("timeout 5"), "'5' is not a duration"},
		{"timeout twice", in("timeout 5s\ntimeout 5s"), "'timeout' is given twice"},
		{"max_response", in("max_response big"), "'big' is not a size"},
		{"check", in("check"), "'check' needs jq"},
		{"check word", in("check `.` {\nrequire\n}"), "unrecognized 'require' in check"},
		{"verify_tls", in("verify_tls maybe"), "'maybe' is not a boolean"},
		{"transport", in("transport fastcgi"), "write 'transport http'"},
		{"transport word", in("transport http {\nfoo\n}"), "foo"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := adapt(t, tt.block)
			if err == nil {
				t.Fatalf("no error: %s", out)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %q\nwant %q", err, tt.want)
			}
			if !strings.Contains(err.Error(), "Caddyfile:") {
				t.Errorf("%q does not say where", err)
			}
		})
	}
}

// TestGrammarIsTested has every word of the block occur in the tests above.
func TestGrammarIsTested(t *testing.T) {
	source, err := os.ReadFile("caddyfile_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for word := range subdirectives {
		if !strings.Contains(string(source), `\n`+word) && !strings.Contains(string(source), `in("`+word) {
			t.Errorf("'%s' does not occur", word)
		}
	}
}

// TestAdaptedConfigWorks provisions what the parser made, as Caddy decodes it.
func TestAdaptedConfigWorks(t *testing.T) {
	a := newAPI(t, nil)
	out, err := adapt(t, "upstream api {\nreverse_proxy "+strings.TrimPrefix(a.URL, "http://")+"\nheader X-A {mcp.tool}\n}")
	if err != nil {
		t.Fatal(err)
	}
	u := new(Upstream)
	if err := caddy.StrictUnmarshalJSON([]byte(out), u); err != nil {
		t.Fatal(err)
	}
	ready(t, u)
	if _, err := u.Send(WithCall(t.Context(), &Call{Tool: "add"}), get("/a")); err != nil {
		t.Fatal(err)
	}
	if r, _ := a.last(t); r.Header.Get("X-A") != "add" {
		t.Errorf("got %v", r.Header)
	}
}

func FuzzCaddyfile(f *testing.F) {
	for _, block := range []string{
		"upstream http://a {\ncache 5m /a {\ndrop_on /b\n}\n}", "upstream {\nrespond x\n}", "upstream a b {\ncheck <<J\nx\nJ\n}",
		"upstream {\n@a path /\nroute @a {\n}\n}",
	} {
		f.Add(block)
	}
	f.Fuzz(func(t *testing.T, block string) {
		if strings.Contains(block, "import") || strings.Contains(block, "file") {
			return // would read files
		}
		_, _ = adapt(t, block) // does not panic
	})
}
