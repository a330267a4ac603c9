package caddymcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

var update = flag.Bool("update", false, "write the goldens of testdata anew")

const goldenRule = "----------\n"

// Each golden is a Caddyfile, a rule, and the JSON config that it adapts to.
func TestAdapt(t *testing.T) {
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, file := range files {
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
	files, err := filepath.Glob("testdata/errors/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, file := range files {
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
