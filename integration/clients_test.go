package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const clients = "clients"

// installClients installs the npm packages once, unless they are there.
var installClients = sync.OnceValue(func() error {
	if _, err := os.Stat(filepath.Join(clients, "node_modules")); err == nil {
		return nil
	}
	if out, err := exec.Command("npm", "ci", "--prefix", clients).CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
})

func needClients(t *testing.T) {
	t.Helper()
	for _, name := range []string{"npm", "node"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("the clients need %s: %v", name, err)
		}
	}
	if err := installClients(); err != nil {
		t.Fatal(err)
	}
}

// node runs a client that trusts the stack's authority. It must exit with the
// status, and print no secret.
func (s *stack) node(t *testing.T, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("node", args...)
	cmd.Dir = clients
	cmd.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+s.ca, "HOME="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // its state tells
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Fatalf("%s exits with %d, want %d\n%s\n%s", args[0], got, status, out.String(), errs.String())
	}
	expectNone(t, "what the client prints", out.String()+errs.String())
	return out.String(), errs.String()
}

func TestTypeScriptClient(t *testing.T) {
	needClients(t)
	overEach(t, func(t *testing.T, how setup) {
		s := how.start(t)
		out, errs := s.node(t, 0, "pantry.mjs", s.endpoint())
		if errs != "" {
			t.Errorf("it prints errors:\n%s", errs)
		}
		var steps []string
		decoder := json.NewDecoder(strings.NewReader(out))
		for {
			var step struct {
				Step string
				OK   bool
			}
			if err := decoder.Decode(&step); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if !step.OK {
				t.Errorf("the step '%s' fails:\n%s", step.Step, out)
			}
			steps = append(steps, step.Step)
		}
		same(t, "steps", steps, []string{
			"connect", "tools/list", "get_pantry", "set_item_state", "get_pantry again",
			"get_pantry with include_out", "bad state", "unknown ingredient", "close",
		})
		if state := s.rows(t)["Egg noodles cupboard"].State; state != "out" {
			t.Errorf("the noodles are %s", state)
		}
	})
}

func TestInspector(t *testing.T) {
	needClients(t)
	overEach(t, func(t *testing.T, how setup) {
		s := how.start(t)
		for _, tt := range []struct {
			name   string
			args   []string
			status int
			want   string // in its output
		}{
			{"list", []string{"--method", "tools/list", "--strict"}, 0, `"name":"create_meta_recipe"`},
			{"read", []string{"--method", "tools/call", "--tool-name", "get_pantry", "--tool-args-json", `{"location":"fridge"}`}, 0, `Pak choi`},
			{"write", []string{"--method", "tools/call", "--tool-name", "set_item_state", "--tool-args-json", `{"ingredient":"noodles","state":"low"}`}, 0, `Egg noodles`},
			{"bad input", []string{"--method", "tools/call", "--tool-name", "set_item_state", "--tool-args-json", `{"ingredient":"noodles","state":"gone"}`}, 5, `"isError":true`},
		} {
			for _, era := range []string{"auto", "legacy"} {
				t.Run(tt.name+" "+era, func(t *testing.T) {
					args := append([]string{
						"node_modules/.bin/mcp-inspector", "--cli", "--server-url", s.endpoint(),
						"--transport", "http", "--protocol-era", era, "--format", "json",
					}, tt.args...)
					out, errs := s.node(t, tt.status, args...)
					if !strings.Contains(out, tt.want) {
						t.Errorf("the output does not hold '%s':\n%s", tt.want, out)
					}
					if tt.status == 0 && errs != "" {
						t.Errorf("it warns:\n%s", errs)
					}
				})
			}
		}
		if state := s.rows(t)["Egg noodles cupboard"].State; state != "low" {
			t.Errorf("the noodles are %s", state)
		}
	})
}
