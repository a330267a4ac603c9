package caddymcp

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

// What the configs of commands hold as secrets.
const (
	commandToken  = "command-token-5c1e9d7a3f2b8460"
	commandSecret = "command-secret-2f7c1e9b8d6a4350"
)

// A printed is what a command has printed, and its exit code.
type printed struct {
	stdout, stderr string
	exit           int
}

// runCommand runs 'caddy mcp' with arguments, in this process.
func runCommand(ctx context.Context, args ...string) printed {
	provisioning.Lock()
	defer provisioning.Unlock()
	root := &cobra.Command{Use: "caddy", SilenceUsage: true}
	mcp := &cobra.Command{Use: "mcp"}
	configureCommand(mcp)
	root.AddCommand(mcp)
	var stdout, stderr bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	p := printed{stdout: stdout.String(), stderr: stderr.String()}
	if err == nil {
		return p
	}
	if _, failed := fmt.Sscanf(err.Error(), "exiting with status %d", &p.exit); failed != nil {
		p.exit = 1
		if !strings.Contains(p.stderr, err.Error()) {
			p.stderr += err.Error() + "\n" // which Caddy logs
		}
	}
	return p
}

// commandSite writes a Caddyfile for commands and returns its path.
func commandSite(t *testing.T, caddyfile string) string {
	t.Helper()
	t.Setenv("CADDYMCP_TEST_TOKEN", commandToken)
	t.Setenv("CADDYMCP_TEST_SECRET", commandSecret)
	t.Setenv("CADDYMCP_TEST_GUEST", "guest-token-1b5d7e9f3a2c4680")
	path := filepath.Join(t.TempDir(), "Caddyfile")
	if err := os.WriteFile(path, []byte(caddyfile), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// commandAPI is the API of the goldens.
func commandAPI(t *testing.T) *api {
	return serveAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/items", http.StatusFound)
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"detail":"it is broken"}`)
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "\x89PNG\r\n")
		default:
			fmt.Fprintf(w, `{"id":1,"name":"Tea","token":%q}`, r.Header.Get("X-Echo"))
		}
	})
}

// took is the time of a traced request.
var took = regexp.MustCompile(`(?m), [0-9.]+m?s$`)

// A golden is a Caddyfile and commands, each with what it prints on stdout and
// on stderr, its exit code if it is not 0, and what the API received. API stands
// for the API's address.
func TestCommands(t *testing.T) {
	for _, file := range goldens(t, "testdata/commands/*.txtar") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := commandAPI(t)
			var config, got string
			for i, f := range archive.Files {
				switch f.Name {
				case "Caddyfile":
					config = commandSite(t, strings.ReplaceAll(string(f.Data), "API", a.URL))
				case "command":
					args := append([]string{"mcp"}, strings.Fields(string(f.Data))...)
					got = strings.ReplaceAll(show(runCommand(t.Context(), append(args, "--config", config)...), a.taken()), a.URL, "API")
					if strings.Contains(got, commandToken) || strings.Contains(got, commandSecret) {
						t.Errorf("%sshows a secret:\n%s", f.Data, got)
					}
				case "output":
					if *update {
						archive.Files[i].Data = []byte(got)
					} else if got != string(f.Data) {
						t.Errorf("%sgives\n%s\nwant\n%s", archive.Files[i-1].Data, got, f.Data)
					}
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// show is a command's output as goldens hold it.
func show(p printed, requests []received) string {
	var text strings.Builder
	text.WriteString(p.stdout)
	for line := range strings.Lines(took.ReplaceAllString(p.stderr, ", TIME")) {
		fmt.Fprintf(&text, "stderr: %s", line)
	}
	if p.exit != 0 {
		fmt.Fprintf(&text, "exit %d\n", p.exit)
	}
	for _, r := range requests {
		fmt.Fprintf(&text, "received: %s %s %s\n", r.Method, r.URI, r.Body)
	}
	return strings.ReplaceAll(text.String(), " \n", "\n")
}
