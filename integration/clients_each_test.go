package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A visit is one client at an endpoint.
type visit struct {
	endpoint
	folder string // the client's home, with nothing in it
}

// installed is the path of a file in the clients' folder.
func installed(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(clients, name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// script is a client's command.
func script(t *testing.T, name string) string {
	t.Helper()
	return installed(t, "node_modules/.bin/"+name)
}

// command is a command of a client. It sees nothing of the user's, and asks no
// server but that of the endpoint.
func (v visit) command(t *testing.T, path string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = v.folder
	cmd.Env = []string{
		"PATH=" + installed(t, "node_modules/.bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"HOME=" + v.folder,
		"TMPDIR=" + v.folder,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"OPENCODE_DISABLE_AUTOUPDATE=1",
		"OPENCODE_DISABLE_MODELS_FETCH=1",
		"NPM_CONFIG_OFFLINE=true", // for OpenCode, which installs a package
	}
	if v.ca != "" {
		cmd.Env = append(cmd.Env, "NODE_EXTRA_CA_CERTS="+v.ca)
	}
	return cmd
}

// run runs a command, which must exit with the status.
func (v visit) run(t *testing.T, status int, cmd *exec.Cmd) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Fatalf("%s exits with %d, want %d\n%s\n%s", filepath.Base(cmd.Path), got, status, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// authorization is how most clients take a header on their command line.
func (v visit) authorization(assign string) []string {
	if v.token == "" {
		return nil
	}
	return []string{"--header", "Authorization" + assign + "Bearer " + v.token}
}

// library is a client library, which drive.mjs uses.
func library(name string) func(*testing.T, visit, []step) ([]string, []outcome) {
	return func(t *testing.T, v visit, steps []step) (names []string, outcomes []outcome) {
		type call struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		var calls []call
		for _, s := range steps {
			calls = append(calls, call{s.tool, json.RawMessage(s.args)})
		}
		input, err := json.Marshal(calls)
		if err != nil {
			t.Fatal(err)
		}
		cmd := v.command(t, installed(t, "drive.mjs"), name, v.url, v.token)
		cmd.Stdin = bytes.NewReader(input)
		out, errs := v.run(t, 0, cmd)
		expectSilence(t, errs)
		var printed struct {
			Tools   []string              `json:"tools"`
			Results []*mcp.CallToolResult `json:"results"`
		}
		decodeStrictly(t, strings.NewReader(out), &printed)
		for _, result := range printed.Results {
			outcomes = append(outcomes, outcomeOf(t, result))
		}
		return printed.Tools, outcomes
	}
}

// inspector is the command line of the MCP Inspector, which warns of what
// strict clients refuse in a schema.
func inspector(era string) func(*testing.T, visit, []step) ([]string, []outcome) {
	return func(t *testing.T, v visit, steps []step) (names []string, outcomes []outcome) {
		run := func(status int, result any, args ...string) {
			t.Helper()
			server := []string{"--cli", "--server-url", v.url, "--transport", "http", "--protocol-era", era, "--format", "json"}
			cmd := v.command(t, script(t, "mcp-inspector"), slices.Concat(server, v.authorization(": "), args)...)
			out, errs := v.run(t, status, cmd)
			if status == 0 {
				expectSilence(t, errs)
			}
			var printed struct {
				Result json.RawMessage `json:"result"`
			}
			decodeStrictly(t, strings.NewReader(out), &printed)
			if err := json.Unmarshal(printed.Result, result); err != nil {
				t.Fatal(err)
			}
		}
		var list mcp.ListToolsResult
		run(0, &list, "--method", "tools/list", "--strict")
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		for _, s := range steps {
			status := 0
			if s.isError {
				status = 5
			}
			var result mcp.CallToolResult
			run(status, &result, "--method", "tools/call", "--tool-name", s.tool, "--tool-args-json", s.args)
			outcomes = append(outcomes, outcomeOf(t, &result))
		}
		return names, outcomes
	}
}

// mcpRemote is for clients that only know servers on standard input and
// output, as the Go SDK's does here.
func mcpRemote(t *testing.T, v visit, steps []step) (names []string, outcomes []outcome) {
	var errs bytes.Buffer
	cmd := v.command(t, script(t, "mcp-remote"), append([]string{v.url, "--allow-http"}, v.authorization(": ")...)...)
	cmd.Stderr = &errs
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	defer session.Close()
	for _, s := range steps {
		text, isError := call(t, session, s.tool, s.args)
		outcomes = append(outcomes, outcome{text, isError})
	}
	return toolNames(t, session), outcomes
}

// mcporter is a command line that shows a tool's text.
func mcporter(t *testing.T, v visit, steps []step) (names []string, outcomes []outcome) {
	run := func(status int, args ...string) string {
		t.Helper()
		args = append(args, "--http-url", v.url, "--allow-http")
		cmd := v.command(t, script(t, "mcporter"), append(args, v.authorization("=")...)...)
		out, errs := v.run(t, status, cmd)
		expectSilence(t, errs)
		return out
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal([]byte(run(0, "list", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	for _, s := range steps {
		status := 0
		if s.isError {
			status = 1
		}
		text := run(status, "call", "--output", "text", "--tool", s.tool, "--args", s.args)
		outcomes = append(outcomes, outcome{text, status == 1})
	}
	return names, outcomes
}

// claude is Claude Code. It exits with 0 also where it does not connect.
func claude(t *testing.T, v visit) {
	binary := installed(t, "node_modules/@anthropic-ai/claude-code-linux-x64/claude")
	v.run(t, 0, v.command(t, binary, append([]string{"mcp", "add", "--transport", "http", "mine", v.url}, v.authorization(": ")...)...))
	out, _ := v.run(t, 0, v.command(t, binary, "mcp", "list"))
	if !strings.Contains(out, "mine: "+v.url+" (HTTP) - ✔ Connected") {
		t.Errorf("it does not connect:\n%s", out)
	}
}

// opencode is OpenCode. It exits with 0 also where it does not connect.
func opencode(t *testing.T, v visit) {
	mine := map[string]any{"type": "remote", "url": v.url}
	if v.token != "" {
		mine["headers"] = map[string]string{"Authorization": "Bearer " + v.token}
	}
	config, err := json.Marshal(map[string]any{"mcp": map[string]any{"mine": mine}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(v.folder, "opencode.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := v.run(t, 0, v.command(t, installed(t, "node_modules/opencode-linux-x64/bin/opencode"), "mcp", "list"))
	if !strings.Contains(out, "✓ mine") {
		t.Errorf("it does not connect:\n%s", out)
	}
}

// outcomeOf is a result whose content is one text.
func outcomeOf(t *testing.T, result *mcp.CallToolResult) outcome {
	t.Helper()
	if len(result.Content) == 1 {
		if content, ok := result.Content[0].(*mcp.TextContent); ok {
			return outcome{content.Text, result.IsError}
		}
	}
	t.Fatalf("the result is not one text: %v", result.Content)
	return outcome{}
}

// expectSilence fails if a client has something to say of the server.
func expectSilence(t *testing.T, stderr string) {
	t.Helper()
	if stderr != "" {
		t.Errorf("the client complains:\n%s", stderr)
	}
}
