package integration

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/caddymcp/caddymcp/caddymcp/tokens"
	"github.com/caddymcp/caddymcp/integration/cookedapi/cooked"
	"github.com/caddymcp/caddymcp/integration/pantryapi/pantry"
)

// A ran is a command that has ended.
type ran struct {
	stdout, stderr string
	exit           int
}

// runMCP runs 'caddy mcp' with the binary. It must leave nothing in the folder
// where Caddy keeps its data.
func runMCP(t *testing.T, env []string, args ...string) ran {
	t.Helper()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), build(t, "./caddymcp/cmd/caddy"), args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home, "TMPDIR="+home)
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("caddy %s leaves %v, %v", strings.Join(args, " "), left, err)
	}
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// A counted is a reference API that counts what it receives, and an example
// over it.
type counted struct {
	api     *httptest.Server
	example string
	env     []string
	secrets []string

	mu    sync.Mutex
	reads int
	sent  []string // writes
}

// count is the API with a count of its requests.
func (c *counted) count(t *testing.T, api http.Handler) {
	c.api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		c.mu.Lock()
		if r.Method == http.MethodGet {
			c.reads++
		} else {
			c.sent = append(c.sent, fmt.Sprintf("%s %s %s", r.Method, r.URL, body))
		}
		c.mu.Unlock()
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(c.api.Close)
}

// taken is what the API has received since it was last asked.
func (c *counted) taken() (reads int, writes []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	reads, writes = c.reads, c.sent
	c.reads, c.sent = 0, nil
	return reads, writes
}

// run runs a command on the example. No secret may show.
func (c *counted) run(t *testing.T, args ...string) ran {
	t.Helper()
	got := runMCP(t, c.env, append(append([]string{"mcp"}, args...), "--config", c.example)...)
	for _, secret := range c.secrets {
		if strings.Contains(got.stdout+got.stderr, secret) {
			t.Errorf("%v shows a secret:\n%s%s", args, got.stdout, got.stderr)
		}
	}
	return got
}

func countPantry(t *testing.T) *counted {
	t.Helper()
	api, err := pantry.New(pantry.Options{Token: pantryToken})
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{example: pantryExample, secrets: []string{pantryToken, pantrySecret}}
	c.count(t, api)
	c.env = pantryEnv(c.api.URL)
	return c
}

func countShopping(t *testing.T) *counted {
	t.Helper()
	api, err := cooked.New(cooked.Options{Token: cookedToken})
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{example: shoppingExample, secrets: []string{cookedToken, shoppingToken}}
	c.count(t, api)
	c.env = shoppingEnv(c.api.URL)
	return c
}

// A dry run of every writing tool prints the write, and sends none.
func TestDryRun(t *testing.T) {
	t.Parallel()
	food, shopping := countPantry(t), countShopping(t)
	for _, tc := range []struct {
		on    *counted
		args  []string
		reads int
		want  string // the first line, and the body
	}{
		{food, []string{"set_item_state", "ingredient=butter", "state=out"}, 0, "POST {env.FOOD_API_BASE}/pantry/set-state/\n" + `{"ingredient":"butter","state":"out"}`},
		{food, []string{"add_to_pantry", `items={"name":"tea"}`, `items={"name":"salt","quantity":"2"}`}, 0, "POST {env.FOOD_API_BASE}/bulk-pantry-add/\n" + `{"items":[{"name":"tea"},{"name":"salt","quantity":2}]}`},
		{food, []string{"log_cook", "recipe=Pancakes", "rating=5"}, 0, "POST {env.FOOD_API_BASE}/log-cook/\n" + `{"rating":5,"recipe":"Pancakes"}`},
		{food, []string{"create_meta_recipe", "--json", `{"id":1,"name":"Soup","method":"Boil.","slots":[]}`}, 0, "PUT {env.FOOD_API_BASE}/create-meta-recipe/\n" + `{"id":1,"method":"Boil.","name":"Soup","slots":[]}`},
		{shopping, []string{"change_shopping_list", "action=clear"}, 0, "DELETE {env.COOKED_URL}/shopping-list\n"},
		{shopping, []string{"change_shopping_list", "action=replace_selection", "ids=group-1"}, 0, "PUT {env.COOKED_URL}/shopping-list/selection\n" + `{"ids":["group-1"]}`},
		{shopping, []string{"change_shopping_list", "action=add_selection", "ids=group-1", "ids=group-3"}, 1, "PUT {env.COOKED_URL}/shopping-list/selection\n" + `{"ids":["group-1","group-2","group-3","group-4"]}`},
		{shopping, []string{"change_shopping_list", "action=update_item", "id=group-1", "quantity="}, 1, "PUT {env.COOKED_URL}/shopping-list/groups/group-1\n" + `{"aisle_id":"aisle-produce","name":"Tomatoes","quantity":"","selected":false}`},
	} {
		t.Run(strings.Join(tc.args, " "), func(t *testing.T) {
			got := tc.on.run(t, append([]string{"call", "--dry-run"}, tc.args...)...)
			head, body, _ := strings.Cut(got.stdout, "\n\n")
			line, header, _ := strings.Cut(head, "\n")
			shown := line + "\n" + strings.TrimSuffix(body, "\n")
			if got.exit != 0 || shown != tc.want {
				t.Errorf("it ends with %d and prints\n%s\nwant\n%s\n%s", got.exit, shown, tc.want, got.stderr)
			}
			if !strings.Contains(header, "Authorization: ") || !strings.Contains(header, "_API_TOKEN}") {
				t.Errorf("the headers are\n%s", header)
			}
			if reads, writes := tc.on.taken(); reads != tc.reads || writes != nil {
				t.Errorf("%d reads are sent, want %d, and %q", reads, tc.reads, writes)
			}
		})
	}
}

// The exit code tells who has refused.
func TestCommandExitCodes(t *testing.T) {
	t.Parallel()
	food, shopping := countPantry(t), countShopping(t)
	down := &counted{example: pantryExample, env: append(slices.Clone(food.env), "FOOD_API_BASE=http://127.0.0.1:9/api")}
	for _, tc := range []struct {
		name           string
		on             *counted
		args           []string
		exit           int
		stdout, stderr string // what is held
	}{
		{"a read", food, []string{"call", "get_pantry", "location=fridge", "--trace"}, 0, `"fridge"`, "GET {env.FOOD_API_BASE}/pantry/?location=fridge 200, "},
		{"a write", food, []string{"call", "set_item_state", "ingredient=butter", "state=low"}, 0, `{"name":"Butter","state":"low"`, ""},
		{"a wrong argument", food, []string{"call", "set_item_state", "ingredient=butter", "state=gone"}, 2, "state: must be one of in, low, out", ""},
		{"an unknown argument", food, []string{"call", "get_pantry", "place=fridge"}, 2, "the arguments are location, include_out", ""},
		{"a condition", shopping, []string{"call", "change_shopping_list", "action=remove"}, 2, "remove needs ids", ""},
		{"an error of the API", food, []string{"call", "set_item_state", "ingredient=unobtainium", "state=out"}, 3, "unobtainium", "status 404"},
		{"no API", down, []string{"call", "get_pantry", "--trace"}, 3, "the pantry API does not answer", "no reply (dial tcp 127.0.0.1:9"},
		{"no such tool", food, []string{"call", "get_pantries"}, 1, "", "there are get_pantry, set_item_state"},
		{"no such flag", food, []string{"tools", "--colour"}, 1, "", "unknown flag: --colour"},
		{"no such command", food, []string{"cook"}, 1, "", `unknown command "cook" for "caddy mcp"`},
		{"no such caller", shopping, []string{"call", "read", "target=shopping_list", "--caller", "guest"}, 1, "", "there are assistant"},
		{"no secret", &counted{example: pantryExample}, []string{"tools"}, 1, "", "FOOD_MCP_URL_SECRET"},
		{"no config", &counted{example: "caddyfile-examples/none/Caddyfile"}, []string{"tools"}, 1, "", "no such file"},
		{"checks", food, []string{"check"}, 0, "pantry: has no check\n", ""},
		{"help", food, []string{}, 0, "caddy mcp", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.on.run(t, tc.args...)
			if got.exit != tc.exit || !strings.Contains(got.stdout, tc.stdout) || !strings.Contains(got.stderr, tc.stderr) {
				t.Errorf("it ends with %d, want %d:\n%s%s", got.exit, tc.exit, got.stdout, got.stderr)
			}
			if tc.exit == 1 && got.stdout != "" {
				t.Errorf("it prints on stdout: %s", got.stdout)
			}
		})
	}
}

// The sizes are of what the server sends.
func TestToolSizes(t *testing.T) {
	t.Parallel()
	food := countPantry(t)
	reply := strings.TrimSuffix(food.run(t, "tools", "--json").stdout, "\n")
	table := food.run(t, "tools").stdout
	total := fmt.Sprintf("%d", tokens.Count(reply))
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if fields := strings.Fields(lines[len(lines)-1]); len(lines) != 9 || fields[2] != total {
		t.Errorf("want 7 tools and a total of %s:\n%s", total, table)
	}
	s := setup{}.start(t)
	session := s.connect(t)
	for i, tool := range tools(t, session) {
		if !strings.HasPrefix(lines[i+1], tool.Name+" ") {
			t.Errorf("line %d is not of %s:\n%s", i+1, tool.Name, table)
		}
	}
	if n, _ := food.taken(); n != 0 {
		t.Errorf("%d requests are sent", n)
	}
}

// Ctrl-C ends a call and the request that it has sent.
func TestCommandInterrupt(t *testing.T) {
	t.Parallel()
	arrived, gone := make(chan struct{}), make(chan struct{})
	food := &counted{example: pantryExample}
	food.count(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(gone)
	}))
	p := start(t, build(t, "./caddymcp/cmd/caddy"), pantryEnv(food.api.URL), "mcp", "call", "get_pantry", "--config", food.example)
	<-arrived
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.waitFor(t, "the call was cancelled")
	<-p.ended
	<-gone
	if exit := p.cmd.ProcessState.ExitCode(); exit != 3 {
		t.Errorf("it ends with %d", exit)
	}
}

// Ctrl-C also ends a command that still waits for its config.
func TestCommandInterruptWhileLoading(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			fifo := filepath.Join(t.TempDir(), "Caddyfile")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			p := start(t, build(t, "./caddymcp/cmd/caddy"), nil, "mcp", "tools", "--config", fifo)
			writer, err := os.OpenFile(fifo, os.O_WRONLY, 0) // once the command reads
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
			if err := p.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			p.waitFor(t, "the command was stopped: "+signal.String()+" signal received")
			<-p.ended
			if exit := p.cmd.ProcessState.ExitCode(); exit != 1 {
				t.Errorf("it ends with %d", exit)
			}
		})
	}
}

// A command does not disturb a server that runs on the same config, and can
// call its tools beside it.
func TestCommandBesideAServer(t *testing.T) {
	t.Parallel()
	q := startQuickstart(t, "localhost")
	env := []string{"MCP_SITE=http://" + q.address, "MCP_ADMIN=" + strings.TrimPrefix(q.admin, "http://")}
	got := runMCP(t, env, "mcp", "call", "list_sites", "--config", quickstartExample)
	if text, _ := call(t, q.session, "list_sites", `{}`); got.stdout != text+"\n" || got.exit != 0 {
		t.Errorf("the command prints\n%s%s\nand a client reads\n%s", got.stdout, got.stderr, text)
	}
}

// Provisioning can make a certificate authority, which is not kept.
func TestCommandKeepsOutOfStorage(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "Caddyfile")
	text := "localhost {\n\ttls internal\n\tmcp {\n\t\tauth none\n\t\tupstream http://127.0.0.1:9\n\t}\n}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := runMCP(t, nil, "mcp", "tools", "--config", config); got.exit != 0 || got.stderr != "" {
		t.Errorf("it ends with %d: %s", got.exit, got.stderr)
	}
}

func TestCommandCompletion(t *testing.T) {
	t.Parallel()
	food := countPantry(t)
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"call", "--config", pantryExample, "get_r"}, "get_recipes\tRecipes and their alternatives\n:4\n"},
		{[]string{"call", "--config", pantryExample, "set_item_state", ""}, "ingredient=\nlocation=\nstate=\n:6\n"},
		{[]string{"call", "--config", pantryExample, "set_item_state", "state="}, "state=in\nstate=low\nstate=out\n:4\n"},
	} {
		got := runMCP(t, food.env, append([]string{"__complete", "mcp"}, tc.args...)...)
		if got.stdout != tc.want {
			t.Errorf("for %q it offers\n%s\nwant\n%s\n%s", tc.args, got.stdout, tc.want, got.stderr)
		}
	}
	if script := runMCP(t, nil, "completion", "fish"); script.exit != 0 || !strings.Contains(script.stdout, "__complete") {
		t.Errorf("there is no script: %s", script.stderr)
	}
}

// The environment file is read as Caddy reads it, and is not shown.
func TestCommandEnvFile(t *testing.T) {
	t.Parallel()
	food := countPantry(t)
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte(strings.Join(food.env, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	food.env = nil
	if got := food.run(t, "call", "get_pantry", "location=fridge", "--envfile", file); got.exit != 0 || !strings.HasPrefix(got.stdout, `{"counts":`) {
		t.Errorf("it ends with %d:\n%s%s", got.exit, got.stdout, got.stderr)
	}
}

// Provisioning can open the database of an ACME server, which a Caddy that
// runs has locked, and can keep an authority in a storage of its own.
func TestCommandKeepsOutOfOtherStorage(t *testing.T) {
	t.Parallel()
	kept := filepath.Join(t.TempDir(), "kept")
	for _, tc := range []struct{ name, handlers, pki string }{
		{"of an ACME server", `{"handler":"acme_server"},`, `{}`},
		{"of an authority", ``, fmt.Sprintf(`{"certificate_authorities":{"local":{"storage":{"module":"file_system","root":%q}}}}`, kept)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := filepath.Join(t.TempDir(), "caddy.json")
			text := `{"apps":{"pki":` + tc.pki + `,"http":{"servers":{"a":{"listen":["127.0.0.1:9"],"routes":[{"handle":[` + tc.handlers +
				`{"handler":"mcp","auth":{"none":true},"upstreams":[{"routes":[{"handle":[{"handler":"reverse_proxy","transport":{"protocol":"http","tls":{"ca":{"provider":"pki_root","authority":["local"]}}},"upstreams":[{"dial":"127.0.0.1:9"}]}]}]}]}]}]}}}}}`
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := runMCP(t, nil, "mcp", "tools", "--config", config); got.exit != 0 || got.stderr != "" {
				t.Errorf("it ends with %d: %s", got.exit, got.stderr)
			}
			if _, err := os.Stat(kept); !os.IsNotExist(err) {
				t.Errorf("the authority is kept, %v", err)
			}
		})
	}
}
