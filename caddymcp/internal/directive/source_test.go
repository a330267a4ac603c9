package directive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// dispense parses a Caddyfile in dir, as Caddy does, and returns a dispenser
// on the word that ends in the argument under test.
func dispense(t *testing.T, dir, body string) *caddyfile.Dispenser {
	t.Helper()
	name := filepath.Join(dir, "Caddyfile")
	text := "site {\n\ttool {\n" + body + "\n\t}\n}\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	blocks, err := caddyfile.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d := caddyfile.NewDispenser(blocks[0].Segments[0])
	d.Next()
	if !d.NextBlock(0) {
		t.Fatal("no block")
	}
	return d
}

func TestSource(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "tools"), 0o700); err != nil {
		t.Fatal(err)
	}
	program1 := "# a comment\n.items\n"
	if err := os.WriteFile(filepath.Join(dir, "tools", "a.jq"), []byte(program1), 0o600); err != nil {
		t.Fatal(err)
	}
	caddy := filepath.Join(dir, "Caddyfile")
	tests := []struct {
		name, body string
		want       program.Source
	}{
		{"word", "result .items", program.Source{Text: ".items", File: caddy, Line: 3}},
		{"backticks", "\n\nresult `{ a, b }`", program.Source{Text: "{ a, b }", File: caddy, Line: 5}},
		{"backticks over lines", "result `\n.a\n| .b`", program.Source{Text: "\n.a\n| .b", File: caddy, Line: 3}},
		{"quotes", `result ".a + \"x\""`, program.Source{Text: `.a + "x"`, File: caddy, Line: 3}},
		{"heredoc", "result <<JQ\n\t.a\n\t| .b\n\tJQ", program.Source{Text: ".a\n| .b", File: caddy, Line: 4}},
		{"file", "result file tools/a.jq", program.Source{Text: program1, File: filepath.Join(dir, "tools", "a.jq"), Line: 1}},
		{"quoted word file", "result `file`", program.Source{Text: "file", File: caddy, Line: 3}},
		{"shorthand", "result `{ $x } | {http.request.uri.path}`", program.Source{Text: "{ $x } | {path}", File: caddy, Line: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := dispense(t, dir, tt.body)
			got, err := Source(d)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %+v\nwant %+v", got, tt.want)
			}
			if d.NextArg() {
				t.Errorf("left the argument %q", d.Val())
			}
		})
	}
}

func TestSourceErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "empty.jq"), []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, body, want string }{
		{"nothing", "result", "'result' needs jq: write it in backticks"},
		{"bare brace", "result {\n a: 1\n}", "'result' needs jq: write it in backticks"},
		{"a quoted word is no keyword", "result `file` empty.jq", "unexpected 'empty.jq': jq that holds"},
		{"spaces", "result .a | .b", "unexpected '|': jq that holds spaces"},
		{"empty", "result ``", "the jq after 'result' is empty"},
		{"empty heredoc", "result <<JQ\n\n\tJQ", "the jq after 'result' is empty"},
		{"heredoc ends early", "result <<JQ\nJQX | .b\n", "ends before 'X'"},
		{"heredoc ends early on a later line", "result <<JQ\n.a\nJQ_note | .b\n", "choose another marker"},
		{"environment", "result `{$x}`", "write '{ $x' instead"},
		{"environment with a default", "result `{$x:y}`", "write '{ $x:y' instead"},
		{"environment over lines", "result <<JQ\n\t.a as $x | {$x,\n\tb: 1}\n\tJQ", "write '{ $x,' instead"},
		{"no such file", "result file tools/none.jq", "none.jq"},
		{"empty file", "result file empty.jq", "the jq file 'empty.jq' is empty"},
		{"two files", "result file a.jq b.jq", "unexpected 'b.jq' after 'result file'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Source(dispense(t, dir, tt.body))
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, want it to contain %q", err, tt.want)
			}
			if !strings.Contains(err.Error(), "Caddyfile:") {
				t.Errorf("%q does not say where", err)
			}
		})
	}
}

func TestValues(t *testing.T) {
	for _, text := range []string{"1", "true", "yes", "on", "YES", "On"} {
		if got, err := Bool(text); !got || err != nil {
			t.Errorf("Bool(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "false", "no", "off", "OFF", "No"} {
		if got, err := Bool(text); got || err != nil {
			t.Errorf("Bool(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"t", "f", "2", "enabled", " true", "{env.X}"} {
		if _, err := Bool(text); err == nil {
			t.Errorf("Bool(%q) is accepted", text)
		}
	}
	if got, err := Duration("1d"); err != nil || got.Hours() != 24 {
		t.Errorf("Duration: %v, %v", got, err)
	}
	for _, text := range []string{"", "5", "0s", "-1s", "soon"} {
		if _, err := Duration(text); err == nil {
			t.Errorf("Duration(%q) is accepted", text)
		}
	}
	if got, err := Size("64KB"); err != nil || got != 64000 {
		t.Errorf("Size: %v, %v", got, err)
	}
	for _, text := range []string{"", "0", "-1", "big", "9999999TB"} {
		if _, err := Size(text); err == nil {
			t.Errorf("Size(%q) is accepted", text)
		}
	}
}

func TestOnce(t *testing.T) {
	d := caddyfile.NewTestDispenser("name")
	d.Next()
	var once Once
	if err := once.Check(d, "name"); err != nil {
		t.Fatal(err)
	}
	if err := once.Check(d, "title"); err != nil {
		t.Fatal(err)
	}
	if err := once.Check(d, "name"); err == nil || !strings.Contains(err.Error(), "'name' is given twice") {
		t.Errorf("got %v", err)
	}
}
