package integration

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// maxLines bounds the examples, and that with the fewest tools more narrowly:
// each must be short enough to be read at once.
const (
	maxLines       = 400
	maxPantryLines = 150
)

func TestExamples(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Glob(filepath.Join(root, "caddyfile-examples/*/Caddyfile"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no example is found: %v", err)
	}
	for _, path := range examples {
		name := filepath.Base(filepath.Dir(path))
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			limit := maxLines
			if name == "pantry" {
				limit = maxPantryLines
			}
			if n := bytes.Count(text, []byte("\n")); n >= limit {
				t.Errorf("it has %d lines, which is not under %d", n, limit)
			}
			expectFormatted(t, text)
			expectValid(t, path, text)
			expectNoObjection(t, path, text)
		})
	}
}

// caddyfileBlock finds the Caddyfiles of a Markdown text, and the single tools.
var caddyfileBlock = regexp.MustCompile("(?ms)^```(caddyfile|caddyfile-tool)\n(.*?)^```$")

// aroundTool is what a tool of the README stands in.
const aroundTool = "http://127.0.0.1:8080 {\n\tbind 127.0.0.1\n\tmcp {\n\t\tauth none\n\t\tupstream http://127.0.0.1:8042/api\n%s\t}\n}\n"

func TestREADME(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := caddyfileBlock.FindAllSubmatch(readme, -1)
	if opened := bytes.Count(readme, []byte("```caddyfile")); len(blocks) != opened || opened == 0 {
		t.Fatalf("found %d of %d Caddyfiles", len(blocks), opened)
	}
	for _, block := range blocks {
		first, _, _ := strings.Cut(string(block[2]), " {\n")
		t.Run(first, func(t *testing.T) {
			expectFormatted(t, block[2])
			text := string(block[2])
			if string(block[1]) == "caddyfile-tool" {
				text = strings.Replace(aroundTool, "%s", text, 1)
				text = string(caddyfile.Format([]byte(text)))
			}
			path := filepath.Join(t.TempDir(), "Caddyfile")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			expectValid(t, path, []byte(text))
		})
	}
}

// goCommand finds the go commands that a text tells its reader to run.
var goCommand = regexp.MustCompile(`\bgo (run|build) (?:-\S+ (?:[^-.\s]\S* )?)*(\./[\w/-]+)`)

func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	texts, err := filepath.Glob(filepath.Join(root, "caddyfile-examples/*/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, path := range append(texts, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range goCommand.FindAllStringSubmatch(string(text), -1) {
			found[command[2]] = true
		}
	}
	for _, pkg := range []string{"./integration/try", "./caddymcp/cmd/caddy"} {
		if !found[pkg] {
			t.Errorf("nothing tells of %s", pkg)
		}
	}
	for pkg := range found {
		if name := goTool(t, "list", "-f", "{{.Name}}", pkg); name != "main" {
			t.Errorf("%s is package %s, which cannot be run", pkg, name)
		}
	}
}

// expectFormatted checks that 'caddy fmt' would change nothing.
func expectFormatted(t *testing.T, text []byte) {
	t.Helper()
	if got := caddyfile.Format(text); !bytes.Equal(bytes.TrimSpace(got), bytes.TrimSpace(text)) {
		t.Errorf("caddy fmt would make it\n%s", got)
	}
}

// environment finds the variables of a Caddyfile that have no default.
var environment = regexp.MustCompile(`\{(?:env\.|\$)([A-Z0-9_]+)\}`)

// standIn is a value for a variable, by what its name says that it is.
func standIn(name string) string {
	switch {
	case strings.HasSuffix(name, "_URL"), strings.HasSuffix(name, "_BASE"):
		return "http://127.0.0.1:9/api"
	case strings.HasSuffix(name, "_READ_ONLY"), strings.HasSuffix(name, "_SSL"):
		return "true"
	}
	return "stand-in-2f7c1e9b8d6a4350-" + strings.ReplaceAll(strings.ToLower(name), "_", "-")
}

// standIns are values for the variables that a Caddyfile takes from the
// environment.
func standIns(caddyfile []byte) []string {
	var env []string
	for _, name := range environment.FindAllSubmatch(caddyfile, -1) {
		env = append(env, string(name[1])+"="+standIn(string(name[1])))
	}
	return env
}

// expectNoObjection checks that 'caddy mcp lint' is silent, whether the server
// may write or only reads.
func expectNoObjection(t *testing.T, path string, text []byte) {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, env := range [][]string{nil, {"MCP_OPERATE=on", "MEALIE_READ_ONLY=false"}} {
		got := runMCP(t, append(standIns(text), env...), "mcp", "lint", "--config", path)
		if got != (ran{}) {
			t.Errorf("caddy mcp lint ends with %d:\n%s%s", got.exit, got.stdout, got.stderr)
		}
	}
}

// expectValid adapts and validates a Caddyfile, with values for the variables
// that it takes from the environment. There must be no warning.
func expectValid(t *testing.T, path string, text []byte) {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"adapt", "validate"} {
		cmd := exec.Command(build(t, "./caddymcp/cmd/caddy"), command, "--config", path, "--adapter", "caddyfile")
		cmd.Env = append(append(os.Environ(), "HOME="+t.TempDir()), standIns(text)...)
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		if err := cmd.Run(); err != nil {
			t.Errorf("caddy %s: %v\n%s", command, err, log.String())
		}
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, `"level":"warn"`) || strings.Contains(line, `"level":"error"`) {
				t.Errorf("caddy %s: %s", command, line)
			}
		}
		if command == "adapt" && !strings.Contains(out.String(), `"handler":"mcp"`) {
			t.Errorf("it has no mcp handler:\n%s", out.String())
		}
	}
}
