package integration

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/caddymcp/caddymcp/integration/cookedapi/cooked"
)

// A client is a program or library of others. One that calls tools only when a
// model asks for it connects, and the others are used.
type client struct {
	name     string
	protocol string // the version of MCP that it speaks here
	use      func(*testing.T, visit, []step) (names []string, outcomes []outcome)
	connect  func(*testing.T, visit)
}

// A step is a call of a tool.
type step struct {
	tool, args string
	isError    bool
	want       string // stands in the reply
}

// An outcome is what a client got for a step.
type outcome struct {
	text    string
	isError bool
}

var everyClient = []client{
	{name: "TypeScript SDK 1", protocol: legacy, use: library("sdk")},
	{name: "TypeScript SDK 2, auto", protocol: modern, use: library("client-auto")},
	{name: "TypeScript SDK 2, legacy", protocol: legacy, use: library("client-legacy")},
	{name: "AI SDK", protocol: modern, use: library("ai-sdk")},
	{name: "Inspector, auto", protocol: modern, use: inspector("auto")},
	{name: "Inspector, legacy", protocol: legacy, use: inspector("legacy")},
	{name: "mcp-remote", protocol: legacy, use: mcpRemote},
	{name: "mcporter", protocol: legacy, use: mcporter},
	{name: "Claude Code", protocol: modern, connect: claude},
	{name: "OpenCode", protocol: legacy, connect: opencode},
}

// An endpoint is what a client has to know of a server, and the server.
type endpoint struct {
	*process        // writes an access log
	url      string // where clients connect to
	token    string // for the Authorization header, if it takes one
	ca       string // the file with the authority of its certificate, for https
}

// accessLog adds a line to an example. Caddy puts the value of a variable in
// its place before it reads the Caddyfile.
const accessLog = "MCP_BIND=127.0.0.1\n\tlog"

// useClients lets every client list the tools of an endpoint of its own, and
// take the steps.
func useClients(t *testing.T, start func(*testing.T) endpoint, names []string, steps []step) {
	t.Helper()
	for _, c := range everyClient {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := visit{start(t), t.TempDir()}
			if c.connect != nil {
				c.connect(t, v)
			} else {
				listed, outcomes := c.use(t, v, steps)
				same(t, "tools", listed, names)
				expectOutcomes(t, outcomes, steps)
			}
			v.waitFor(t, versionHeader(c.protocol))
			for _, other := range []string{modern, legacy} {
				if other != c.protocol && strings.Contains(v.text(), versionHeader(other)) {
					t.Errorf("it speaks %s, want %s", other, c.protocol)
				}
			}
		})
	}
}

// versionHeader is how the access log shows what version a client speaks.
func versionHeader(version string) string {
	return fmt.Sprintf(`"Mcp-Protocol-Version":[%q]`, version)
}

func expectOutcomes(t *testing.T, outcomes []outcome, steps []step) {
	t.Helper()
	if len(outcomes) != len(steps) {
		t.Fatalf("it got %d outcomes to %d calls", len(outcomes), len(steps))
	}
	for i, s := range steps {
		got := outcomes[i]
		if got.isError != s.isError {
			t.Errorf("%s %s: isError is %t:\n%s", s.tool, s.args, got.isError, got.text)
		}
		if !strings.Contains(got.text, s.want) {
			t.Errorf("%s %s: the reply does not hold '%s':\n%s", s.tool, s.args, s.want, got.text)
		}
		expectNone(t, "the reply", got.text)
	}
}

// The pantry, over TLS, with a secret in the URL.
func TestPantryClients(t *testing.T) {
	needClients(t)
	t.Parallel()
	useClients(t, func(t *testing.T) endpoint {
		s := setup{tls: true, env: []string{accessLog}}.start(t)
		return endpoint{process: s.process, url: s.endpoint(), ca: s.ca}
	}, []string{
		"get_pantry", "set_item_state", "add_to_pantry", "what_can_i_cook", "get_recipes", "log_cook", "create_meta_recipe",
	}, []step{
		{tool: "get_pantry", args: `{"location":"fridge"}`, want: `"name":"Whole milk","state":"low"`},
		{tool: "set_item_state", args: `{"ingredient":"milk","state":"out"}`, want: `"name":"Whole milk","state":"out"`},
		{tool: "get_pantry", args: `{"location":"fridge","include_out":true}`, want: `"name":"Whole milk","state":"out"`},
		{tool: "set_item_state", args: `{"ingredient":"milk","state":"gone"}`, want: "state: must be one of in, low, out", isError: true},
		{tool: "set_item_state", args: `{"ingredient":"noodels","state":"in"}`, want: "Egg noodles", isError: true},
	})
}

// The shopping list, with a bearer token.
func TestShoppingClients(t *testing.T) {
	needClients(t)
	t.Parallel()
	useClients(t, func(t *testing.T) endpoint {
		list, err := cooked.New(cooked.Options{Token: cookedToken})
		if err != nil {
			t.Fatal(err)
		}
		api := httptest.NewServer(list)
		t.Cleanup(api.Close)
		e := serveExample(t, shoppingExample, shoppingEnv(api.URL)...)
		e.token = shoppingToken
		return e
	}, []string{"read", "change_shopping_list"}, []step{
		{tool: "read", args: `{"target":"shopping_list"}`, want: `"name":"Tomatoes","quantity":"4","selected":false`},
		{tool: "change_shopping_list", args: `{"action":"add_selection","ids":["group-1"]}`, want: `{"selected":["group-1",`},
		{tool: "read", args: `{"target":"shopping_list"}`, want: `"name":"Tomatoes","quantity":"4","selected":true`},
		{tool: "change_shopping_list", args: `{"action":"update_item"}`, want: "update_item needs id", isError: true},
	})
}

// The quickstart, open to all, and with structured results.
func TestQuickstartClients(t *testing.T) {
	needClients(t)
	t.Parallel()
	useClients(t, func(t *testing.T) endpoint {
		return serveExample(t, quickstartExample, fmt.Sprintf("MCP_ADMIN=127.0.0.1:%d", freePort(t)), "MCP_OPERATE=on")
	}, []string{
		"list_sites", "list_upstreams", "get_certificate_authority", "count_requests", "get_config", "adapt", "reload",
	}, []step{
		{tool: "list_sites", args: `{}`, want: `"handlers":["mcp"`},
		{tool: "get_certificate_authority", args: `{}`, want: `"name":"Caddy Local Authority"`},
		{tool: "get_config", args: `{}`, want: `"handler":"mcp"`},
		{tool: "adapt", args: `{"caddyfile":":80\nrespond hello\n"}`, want: `"body":"hello"`},
		{tool: "reload", args: `{"caddyfile":":80\nrespond {\n"}`, want: "Caddy refuses it: ", isError: true},
		{tool: "list_sites", args: `{"server":"srv0"}`, want: "server: ", isError: true},
	})
}

// serveExample runs an example that writes an access log.
func serveExample(t *testing.T, example string, env ...string) endpoint {
	t.Helper()
	p, site := startExample(t, example, append(env, accessLog)...)
	return endpoint{process: p, url: site + "/mcp"}
}

const clients = "clients"

// installClients installs the npm packages once, unless they are there.
var installClients = sync.OnceValue(func() error {
	lock, err := os.Stat(filepath.Join(clients, "package-lock.json"))
	if err != nil {
		return err
	}
	done, err := os.Stat(filepath.Join(clients, "node_modules/.package-lock.json"))
	if err == nil && done.ModTime().After(lock.ModTime()) {
		return nil
	}
	if out, err := exec.Command("npm", "ci", "--prefix", clients).CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
})

func needClients(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("the clients need npm: %v", err)
	}
	if err := installClients(); err != nil {
		t.Fatal(err)
	}
}
