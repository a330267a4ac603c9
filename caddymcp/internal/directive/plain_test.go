package directive

import (
	"encoding/json"
	"go/build"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// adapted is what a handler directive of a site finds in the token text.
func adapted(t *testing.T, text string) string {
	t.Helper()
	config := "http://x {\n\trespond <<END\n\t\t" + text + "\n\t\tEND\n}\n"
	out, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(config), nil)
	if err != nil {
		t.Fatalf("adapting %q: %v", text, err)
	}
	body := regexp.MustCompile(`"body":("(?:[^"\\]|\\.)*")`).FindSubmatch(out)
	if body == nil {
		t.Fatalf("no body in %s", out)
	}
	var got string
	if err := json.Unmarshal(body[1], &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestPlainUndoesEveryShorthand(t *testing.T) {
	texts := make([]string, 0, len(shorthands)+len(families))
	for _, name := range shorthands {
		texts = append(texts, "{"+name+"}")
	}
	for _, family := range families {
		texts = append(texts, "{"+family+"x-y_1}")
	}
	for _, text := range texts {
		t.Run(text, func(t *testing.T) {
			long := adapted(t, text)
			if long == text {
				t.Fatalf("the adapter leaves %q alone: it is no shorthand", text)
			}
			if got := Plain(long); got != text {
				t.Errorf("Plain(%q) = %q, want %q", long, got, text)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	tests := []struct{ written, want string }{
		{`map({path, query}) | {query} + {file}`, ""},
		{`a {re.name.1} {err.status_code} {rp.upstream.address} {resp.header.X-A} b`, ""},
		{`{env.TOKEN} {status} {detail} {arg.path} {http.auth.user.id}`, ""},
		{`{path}{path}{query.q}`, ""},
		{`{path.file}`, "{file}"},
		{`{http.request.header.a.b}`, ""},
		{`{http.request.unknown}`, ""},
		{`{file./run/secrets/x}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.written, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.written
			}
			if got := Plain(adapted(t, tt.written)); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestShorthandsAreComplete reads the names in Caddy's own source, so that a
// new version with more of them is noticed.
func TestShorthandsAreComplete(t *testing.T) {
	pkg, err := build.Import("github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(pkg.Dir, "shorthands.go"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, name := range append(append([]string{}, shorthands...), families...) {
		known[name] = true
	}
	found := 0
	for _, m := range regexp.MustCompile(`"\{([^"}]+)\}", "\{http\.`).FindAllStringSubmatch(string(source), -1) {
		found++
		if !known[m[1]] {
			t.Errorf("Caddy has a shorthand that Plain does not know: {%s}", m[1])
		}
	}
	for _, m := range regexp.MustCompile("MustCompile\\(`\\{([^`(]+)\\(").FindAllStringSubmatch(string(source), -1) {
		found++
		if name := strings.ReplaceAll(m[1], `\.`, "."); !known[name] {
			t.Errorf("Caddy has a family of shorthands that Plain does not know: {%s…}", name)
		}
	}
	if found != len(known) {
		t.Errorf("found %d names in Caddy's source, know %d", found, len(known))
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range []string{"{path}", "{header.a}{query}", "{http.request.uri.path.file}", "{{path}}", "{http."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "{http.") {
			return // not told from a replaced shorthand
		}
		if got := Plain(lengthen(text)); lengthen(got) != lengthen(text) {
			t.Errorf("Plain(%q) = %q means something else", text, got)
		}
	})
}
