package caddymcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

var update = flag.Bool("update", false, "write the goldens of testdata anew")

const goldenRule = "----------\n"

// goldens are the files that match, of which there must be one.
func goldens(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	return files
}

// Each golden is a Caddyfile, a rule, and the JSON config that it adapts to.
func TestAdapt(t *testing.T) {
	for _, file := range goldens(t, "testdata/adapt/*.caddyfiletest") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(text), goldenRule)
			if formatted := string(caddyfile.Format([]byte(input))); formatted != input {
				t.Errorf("the Caddyfile is not formatted; it should be\n%s", formatted)
			}
			config, err := adapt(t, input)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := json.Indent(&got, config, "", "\t"); err != nil {
				t.Fatal(err)
			}
			got.WriteByte('\n')
			if *update {
				want = got.String()
				if err := os.WriteFile(file, []byte(input+goldenRule+want), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got.String() != want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}

// A case of the error golden is its name after '===', the inside of a site
// block, a rule, and the error.
var errorCase = regexp.MustCompile(`(?m)^=== (.*)\n((?s:.*?))^----------\n((?s:.*?)\n)(?:\n|\z)`)

func TestAdaptErrors(t *testing.T) {
	for _, file := range goldens(t, "testdata/errors/*.txt") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			cases := errorCase.FindAllStringSubmatch(string(text), -1)
			if n := strings.Count("\n"+string(text), "\n=== "); len(cases) != n {
				t.Fatalf("%d of %d cases are well formed", len(cases), n)
			}
			for _, c := range cases {
				name, input, want := c[1], c[2], c[3]
				got := "it adapts\n"
				if _, err := adapt(t, ":80 {\n"+input+"}\n"); err != nil {
					got = err.Error() + "\n"
				}
				out.WriteString("=== " + name + "\n" + input + goldenRule + got + "\n")
				if *update {
					continue
				}
				t.Run(name, func(t *testing.T) {
					if got != want {
						t.Errorf("got\n%s\nwant\n%s", got, want)
					}
				})
			}
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Every message of the parsers stands in some golden.
func TestEveryParserErrorHasAGolden(t *testing.T) {
	var held []byte
	for _, file := range goldens(t, "testdata/errors/*.txt") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, text...)
	}
	// These need a file on disk; TestVariablesInJQ and others have them.
	elsewhere := []string{"Caddy replaces", "Caddy takes"}

	message := regexp.MustCompile(`\.Errf?\(("(?:[^"\\]|\\.)*")`)
	verb := regexp.MustCompile(`%[sdwqv]`)
	var sources []string
	for _, pattern := range []string{"caddyfile*.go", "access/caddyfile.go", "upstream/caddyfile.go", "internal/directive/*.go"} {
		found, _ := filepath.Glob(pattern)
		sources = append(sources, found...)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range message.FindAllSubmatch(text, -1) {
			var format string
			if err := json.Unmarshal(m[1], &format); err != nil {
				t.Fatalf("%s: %s: %v", source, m[1], err)
			}
			if slices.ContainsFunc(elsewhere, func(s string) bool { return strings.HasPrefix(format, s) }) {
				continue
			}
			parts := verb.Split(format, -1)
			for i, part := range parts {
				parts[i] = regexp.QuoteMeta(part)
			}
			if !regexp.MustCompile(strings.Join(parts, ".*")).Match(held) {
				t.Errorf("%s: no golden holds '%s'", source, format)
			}
		}
	}
}

// {$name} in jq would silently become an environment variable.
func TestVariablesInJQ(t *testing.T) {
	for name, tool := range map[string]string{
		"one line": "result `{$x}`",
		"heredoc":  "result <<JQ\n\t. as $x\n\t| {$x}\n\tJQ",
		"require":  "require `{$x} != {}` no",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "Caddyfile")
			text := ":80 {\nmcp {\nauth none\nupstream http://127.0.0.1:1\ntool x {\ndescription X\nget /x\n" + tool + "\n}\n}\n}\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), map[string]any{"filename": path})
			if err == nil || !strings.Contains(err.Error(), "write '{ $x' instead") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// The folder of files is relative to the file that names it, like every path.
func TestFilesFolder(t *testing.T) {
	for dir, want := range map[string]string{
		"images": "/etc/caddy/images", "../images": "/etc/images", "/srv/images": "/srv/images", "{env.IMAGES}": "{env.IMAGES}",
	} {
		t.Run(dir, func(t *testing.T) {
			text := "http://127.0.0.1 {\n\tmcp {\n\t\tauth none\n\t\tfiles " + dir + "\n\t}\n}\n"
			config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), map[string]any{"filename": "/etc/caddy/Caddyfile"})
			if err != nil || !bytes.Contains(config, []byte(`"dir":"`+want+`"`)) {
				t.Errorf("got %s, %v", config, err)
			}
		})
	}
}
