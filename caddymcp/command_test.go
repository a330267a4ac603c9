package caddymcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/caddymcp/caddymcp/caddymcp/tokens"
)

// toolSite writes a Caddyfile with one mcp block over an API.
func toolSite(t *testing.T, a *api, block string) string {
	t.Helper()
	return commandSite(t, fmt.Sprintf(":80 {\n\tmcp {\n\t\tauth none\n\t\tupstream %s {\n\t\t\tsafe post /search\n\t\t\tcache 1m /items\n\t\t}\n%s\n\t}\n}\n", a.URL, block))
}

// What `caddy mcp tools` prints is what a client of the same config gets.
func TestToolsAreThoseOfAClient(t *testing.T) {
	block := `name pantry
		tool set_item {
			title "Change an item"
			description "Change an item."
			param state string required {
				enum in low out
			}
			put /item
			result .id
			meta example.com/kind "\"write\""
		}`
	a := serveAPI(t, nil)
	p := runCommand(t.Context(), "mcp", "tools", "--json", "--config", toolSite(t, a, block))
	if p.exit != 0 {
		t.Fatal(p.stderr)
	}
	s := serveSite(t, fmt.Sprintf("mcp {\nauth none\nupstream %s\n%s\n}", a.URL, block))
	_, reply := post(t, s.URL+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list")
	if want := `{"jsonrpc":"2.0","id":1,"result":` + strings.TrimSpace(p.stdout) + `}`; reply != want {
		t.Errorf("a client gets\n%s\nwant\n%s", reply, want)
	}
	table := runCommand(t.Context(), "mcp", "tools", "--config", toolSite(t, a, block)).stdout
	total := fmt.Sprintf("%d", tokens.Count(strings.TrimSpace(p.stdout)))
	if !regexp.MustCompile(`(?m)^total +\d+ +` + total + ` `).MatchString(table) {
		t.Errorf("the total is not %s:\n%s", total, table)
	}
}

// A dry run sends what reads and nothing else, whatever the tool does.
func TestDryRunSendsNoWrite(t *testing.T) {
	for _, tc := range []struct {
		name, tool string
		args       []string
		sent       []string // before it stops
		stops      string   // where, or empty if it does not
	}{
		{"one request", "post /items", nil, nil, "POST /items"},
		{"a delete", "delete /items", nil, nil, "DELETE /items"},
		{"a read", "get /things\nresult .id", nil, []string{"GET /things"}, ""},
		{"a safe request", "post /search", nil, []string{"POST /search"}, ""},
		{
			"a case", "param action string required {\nenum look drop\nlocal\n}\ncase action look {\nget /things\n}\ncase action drop {\ndelete /things\n}",
			[]string{"action=drop"},
			nil, "DELETE /things",
		},
		{
			"a read that writes", "read_only false\nrun `get(\"/start\") | post(\"/a\"; {})`",
			nil, nil, "GET /start",
		},
		{
			"a case that reads beside one that writes by GET",
			"param action string required {\nenum look start\nlocal\n}\ncase action look {\nget /things\nresult .id\n}\ncase action start {\nread_only false\nget /start\n}",
			[]string{"action=look"},
			[]string{"GET /things"},
			"",
		},
		{
			"a case that writes by GET",
			"param action string required {\nenum look start\nlocal\n}\ncase action look {\nget /things\n}\ncase action start {\nread_only false\nget /start\n}",
			[]string{"action=start"},
			nil, "GET /start",
		},
		{
			"a write that is caught", "run `attempt(post(\"/a\")) as $a | log(\"info\"; \"went on\") | put(\"/b\") | get(\"/c\")`",
			nil, nil, "POST /a",
		},
		{
			"a write that is rescued", "run `rescue(post(\"/a\"); true; null) | log(\"info\"; \"went on\") | put(\"/b\")`",
			nil, nil, "POST /a",
		},
		{
			"a write whose status does not matter", "run `response({method: \"POST\", path: [\"a\"]}) | log(\"info\"; \"went on\") | put(\"/b\")`",
			nil, nil, "POST /a",
		},
		{
			"a write for each", "run `[1, 2, 3] | map(put([\"a\", .]; {}))`",
			nil, nil, "PUT /a/1",
		},
		{
			"reads before", "run `get(\"/items\") as $x | get(\"/items\") as $y | [\"a\", \"b\"] | fetch_all({path: \"/\\(.)\"}; 1) | post(\"/items\"; $x)`",
			nil,
			[]string{"GET /items", "GET /a", "GET /b"},
			"POST /items",
		},
		{
			"a redirect to a write", "run `get(\"/moved\") | post(\"/moved\"; {})`",
			nil,
			[]string{"GET /moved", "GET /moved/"},
			"POST /moved",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := serveAPI(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/moved" {
					http.Redirect(w, r, "/moved/", http.StatusTemporaryRedirect)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{"id":1}`)
			})
			config := toolSite(t, a, "tool x {\ndescription \"Does it.\"\n"+tc.tool+"\n}")
			p := runCommand(t.Context(), slices.Concat([]string{"mcp", "call", "x"}, tc.args, []string{"--dry-run", "--trace", "--config", config})...)
			if p.exit != 0 {
				t.Errorf("it ends with %d: %s%s", p.exit, p.stdout, p.stderr)
			}
			var sent []string
			for _, r := range a.taken() {
				sent = append(sent, r.Method+" "+r.URI)
			}
			if !slices.Equal(sent, tc.sent) {
				t.Errorf("it sends %q, want %q", sent, tc.sent)
			}
			first, _, _ := strings.Cut(p.stdout, "\n")
			method, path, _ := strings.Cut(tc.stops, " ")
			if stops := method + " " + a.URL + path; tc.stops != "" && first != stops {
				t.Errorf("it stops at '%s', want '%s'", first, stops)
			}
			if tc.stops == "" && !strings.HasPrefix(first, `{"id":1}`) && first != "1" {
				t.Errorf("it prints '%s'", first)
			}
			if strings.Contains(p.stderr, "went on") {
				t.Error("the program goes on after the write")
			}
		})
	}
}

func TestDryRunPrintsBodies(t *testing.T) {
	files := t.TempDir()
	for name, text := range map[string]string{"note.txt": "hello", "photo.png": "\x89PNG\r\n\x1a\n\x00\xff"} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	boundary := regexp.MustCompile(`[0-9a-f]{60}`)
	for _, tc := range []struct{ name, request, want string }{
		{"json", "post /x {\nbody `{ a: [1, \"é\"] }`\n}", `{"a":[1,"é"]}`},
		{"form", "post /x {\nform\nbody `{ a: \"b c\", n: 2 }`\n}", "a=b+c&n=2"},
		{"nothing", "delete /x", ""},
		{
			"multipart with text", "post /x {\nmultipart\nbody `{ note: {file: \"note.txt\"} }`\n}",
			"--B\nContent-Disposition: form-data; name=\"note\"; filename=\"note.txt\"\nContent-Type: text/plain; charset=utf-8\n\nhello\n--B--",
		},
		{
			"multipart with a picture", "post /x {\nmultipart\nbody `{ a: \"b\", photo: {file: \"photo.png\"} }`\n}",
			"--B\nContent-Disposition: form-data; name=\"a\"\n\nb\n--B\nContent-Disposition: form-data; name=\"photo\"; filename=\"photo.png\"\nContent-Type: image/png\n\n(10 bytes)\n--B--",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := serveAPI(t, nil)
			config := toolSite(t, a, "files "+files+"\ntool x {\ndescription \"Does it.\"\n"+tc.request+"\n}")
			p := runCommand(t.Context(), "mcp", "call", "x", "--dry-run", "--config", config)
			_, body, _ := strings.Cut(p.stdout, "\n\n")
			body = strings.ReplaceAll(boundary.ReplaceAllString(body, "B"), "\r", "")
			if strings.TrimSuffix(body, "\n") != tc.want {
				t.Errorf("the body is\n%s\nwant\n%s\n%s", body, tc.want, p.stderr)
			}
			if n := len(a.taken()); n != 0 {
				t.Errorf("%d requests are sent", n)
			}
		})
	}
}

// Limits hold for a call from the command line too.
func TestCallKeepsLimits(t *testing.T) {
	for _, tc := range []struct {
		name, limit, want string
		exit              int
	}{
		{"reply", "reply 5", "the result has 11 characters, the limit is 5", exitNo},
		{"time", "time 50ms", "the call took longer than", exitFailed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := serveAPI(t, func(w http.ResponseWriter, r *http.Request) {
				if tc.name == "time" {
					<-r.Context().Done()
				}
				fmt.Fprint(w, "hello world")
			})
			config := toolSite(t, a, "limits {\n"+tc.limit+"\n}\ntool x {\ndescription \"Does it.\"\nget /things\n}")
			p := runCommand(t.Context(), "mcp", "call", "x", "--config", config)
			if !strings.HasPrefix(p.stdout, tc.want) || p.exit != tc.exit {
				t.Errorf("it says '%s' and ends with %d, want %d", p.stdout, p.exit, tc.exit)
			}
		})
	}
}

// An interrupt ends the call, and the request that it has sent.
func TestCallEndsWithItsContext(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	a := serveAPI(t, func(_ http.ResponseWriter, r *http.Request) {
		interrupt()
		<-r.Context().Done()
	})
	config := toolSite(t, a, "tool x {\ndescription \"Does it.\"\nget /slow\n}")
	p := runCommand(ctx, "mcp", "call", "x", "--config", config)
	if p.exit != exitFailed || p.stdout != "the call was cancelled\n" {
		t.Errorf("it ends with %d and says '%s'", p.exit, p.stdout)
	}
}

// An interrupt of 'check' is no answer of an API.
func TestCheckEndsWithItsContext(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	a := serveAPI(t, func(_ http.ResponseWriter, r *http.Request) {
		interrupt()
		<-r.Context().Done()
	})
	config := commandSite(t, fmt.Sprintf(":80 {\n\tmcp {\n\t\tauth none\n\t\tupstream %s {\n\t\t\tcheck `get(\"/\")`\n\t\t}\n\t}\n}\n", a.URL))
	p := runCommand(ctx, "mcp", "check", "--config", config)
	if p.exit != 1 || p.stdout != "" || !strings.Contains(p.stderr, "the command was stopped") {
		t.Errorf("it ends with %d and says '%s%s'", p.exit, p.stdout, p.stderr)
	}
}

// What cannot be printed is no success. Nothing is left even if the command ends
// by that at once, as it does where nobody reads a pipe.
func TestCommandsNeedTheirOutput(t *testing.T) {
	config := toolSite(t, serveAPI(t, nil), "tool x {\ntitle X\ndescription \"X.\"\nget /x\n}")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for _, args := range [][]string{{"tools"}, {"tools", "--json"}, {"check"}, {"lint"}, {"call", "x"}} {
		provisioning.Lock()
		cmd := &cobra.Command{Use: "mcp", SilenceUsage: true}
		configureCommand(cmd)
		out := &fullDisk{folder: tmp}
		cmd.SetOut(out)
		cmd.SetArgs(append(args, "--config", config))
		err := cmd.ExecuteContext(t.Context())
		provisioning.Unlock()
		if !errors.Is(err, errFull) || len(out.left) > 0 {
			t.Errorf("%v ends with %v, and leaves %v", args, err, out.left)
		}
	}
}

// A command starts no checks, and leaves nothing behind.
func TestCommandsLeaveNothing(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	a := serveAPI(t, nil)
	config := commandSite(t, fmt.Sprintf("localhost {\n\ttls internal\n\tmcp {\n\t\tauth none\n\t\tupstream %s {\n\t\t\tcheck `get(\"/\") | .ok | tostring`\n\t\t}\n\t}\n}\n", a.URL))
	before := endpointCount()
	for _, command := range []string{"tools", "lint"} {
		if p := runCommand(t.Context(), "mcp", command, "--config", config); p.exit != 0 {
			t.Errorf("%s: %s", command, p.stderr)
		}
	}
	if n := len(a.taken()); n != 0 {
		t.Errorf("%d requests are sent", n)
	}
	if n := endpointCount(); n != before {
		t.Errorf("%d endpoints are left", n-before)
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("there is %v left, %v", left, err)
	}
}

// endpointCount is how many endpoints are in use.
func endpointCount() (n int) {
	endpoints.Range(func(any, any) bool { n++; return true })
	return n
}

// Variables of a file are set, but those of the environment go before.
func TestEnvFile(t *testing.T) {
	for _, name := range []string{"CADDYMCP_TEST_UNSET_URL", "CADDYMCP_TEST_NAME"} {
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	a := serveAPI(t, nil)
	config := commandSite(t, ":80 {\n\tmcp {\n\t\tname {$CADDYMCP_TEST_NAME}\n\t\tauth none\n\t\tupstream {env.CADDYMCP_TEST_UNSET_URL}\n\t\ttool x {\n\t\t\tdescription \"X.\"\n\t\t\tget /x\n\t\t}\n\t}\n}\n")
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("# what the API needs\nexport CADDYMCP_TEST_UNSET_URL=\""+a.URL+"\"\nCADDYMCP_TEST_NAME=kitchen\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := runCommand(t.Context(), "mcp", "call", "x", "--config", config); p.exit != 1 {
		t.Errorf("without the file it ends with %d", p.exit)
	}
	p := runCommand(t.Context(), "mcp", "call", "x", "--config", config, "--envfile", file, "--server", "kitchen")
	if p.exit != 0 || p.stdout != `{"ok":true}`+"\n" {
		t.Errorf("it ends with %d: %s%s", p.exit, p.stdout, p.stderr)
	}
	if p := runCommand(t.Context(), "mcp", "tools", "--config", config, "--envfile", file+".no"); p.exit != 1 || !strings.Contains(p.stderr, "reading environment file") {
		t.Errorf("with a file that is missing it ends with %d: %s", p.exit, p.stderr)
	}
}

// A config can be JSON as well.
func TestCommandsOnJSON(t *testing.T) {
	a := serveAPI(t, nil)
	config, err := adapt(t, fmt.Sprintf(":80 {\nmcp {\nauth none\nupstream %s\ntool x {\ndescription \"X.\"\nget /x\n}\n}\n}", a.URL))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "caddy.json")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	p := runCommand(t.Context(), "mcp", "tools", "--json", "--config", path)
	if !json.Valid([]byte(p.stdout)) || !strings.Contains(p.stdout, `"name":"x"`) {
		t.Errorf("it prints %s%s", p.stdout, p.stderr)
	}
}

// Without a config that is named, it is the Caddyfile of the folder.
func TestCommandsFindTheCaddyfile(t *testing.T) {
	t.Chdir(t.TempDir())
	if p := runCommand(t.Context(), "mcp", "tools"); p.exit != 1 || !strings.Contains(p.stderr, "there is no Caddyfile in this folder") {
		t.Errorf("without one it ends with %d: %s", p.exit, p.stderr)
	}
	t.Chdir(filepath.Dir(toolSite(t, serveAPI(t, nil), "name kitchen")))
	if p := runCommand(t.Context(), "mcp", "tools"); p.exit != 0 || !strings.Contains(p.stdout, "0 tools of kitchen") {
		t.Errorf("it ends with %d: %s%s", p.exit, p.stdout, p.stderr)
	}
}

// Every endpoint has a name by which it can be chosen, and can be called,
// whatever the addresses of its site.
func TestCommandsOnAddresses(t *testing.T) {
	t.Setenv("CADDYMCP_TEST_HOST", "::1")
	a := serveAPI(t, nil)
	for _, tc := range []struct {
		site   string
		places []string
	}{
		{"http://127.0.0.1:8081, http://127.0.0.1:8082", []string{"127.0.0.1:8081/mcp", "127.0.0.1:8082/mcp"}},
		{"http://a.example.com, https://a.example.com", []string{"a.example.com/mcp", "a.example.com:80/mcp"}},
		{"http://[::1]:8081", []string{"[::1]:8081/mcp"}},
		{"https://[::1]", []string{"[::1]/mcp"}},
		{"http://{env.CADDYMCP_TEST_HOST}:8081", []string{"[::1]:8081/mcp"}},
		{"*.example.com", []string{"*.example.com/mcp"}},
		{":8081", []string{"localhost:8081/mcp"}},
		{"http://a.example.com {\n\tbind unix//run/a.sock\n", []string{"a.example.com/mcp"}},
	} {
		t.Run(tc.site, func(t *testing.T) {
			site, more, _ := strings.Cut(tc.site, " {\n")
			config := commandSite(t, fmt.Sprintf("%s {\n%s\tmcp {\n\t\tname dup\n\t\tauth none\n\t\tupstream %s\n\t\ttool x {\n\t\t\tdescription \"X.\"\n\t\t\tget /x\n\t\t}\n\t}\n}\n", site, more, a.URL))
			for _, place := range tc.places {
				list := runCommand(t.Context(), "mcp", "tools", "--config", config, "--server", place)
				if list.exit != 0 || !strings.Contains(list.stdout, "1 tools of dup at "+place) {
					t.Errorf("%s: %s%s", place, list.stdout, list.stderr)
				}
				if p := runCommand(t.Context(), "mcp", "call", "x", "--config", config, "--server", "dup at "+place); p.exit != 0 {
					t.Errorf("%s: %s%s", place, p.stdout, p.stderr)
				}
			}
		})
	}
}

func TestCommandsRefuseConfigs(t *testing.T) {
	for _, tc := range []struct{ name, config, want string }{
		{"without a block", ":80 {\nrespond 404\n}\n", "the config has no mcp block"},
		{"without a site", "{\nadmin off\n}\n", "the config has no mcp block"},
		{"misspelt", ":80 {\nmcp {\nauht none\n}\n}\n", "auht"},
		{"that does not load", ":80 {\nmcp {\nauth none\nupstream {env.CADDYMCP_TEST_UNSET}\n}\n}\n", "CADDYMCP_TEST_UNSET"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := commandSite(t, tc.config)
			before := endpointCount()
			for _, command := range []string{"tools", "check", "lint"} {
				p := runCommand(t.Context(), "mcp", command, "--config", config)
				if p.exit != 1 || p.stdout != "" || !strings.Contains(p.stderr, tc.want) {
					t.Errorf("%s ends with %d: %s%s", command, p.exit, p.stdout, p.stderr)
				}
			}
			if n := endpointCount(); n != before {
				t.Errorf("%d endpoints are left", n-before)
			}
		})
	}
}

// A config with an app that Caddy does not know is as wrong to a command as it
// is to Caddy.
func TestCommandsKnowApps(t *testing.T) {
	config := filepath.Join(t.TempDir(), "caddy.json")
	text := `{"apps":{"nope":{},"http":{"servers":{"a":{"routes":[{"handle":[{"handler":"mcp","auth":{"none":true},"upstreams":[{"url":"http://127.0.0.1:9"}]}]}]}}}}}`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := runCommand(t.Context(), "mcp", "tools", "--config", config); p.exit != 1 || !strings.Contains(p.stderr, "the app 'nope'") {
		t.Errorf("it ends with %d: %s%s", p.exit, p.stdout, p.stderr)
	}
}
