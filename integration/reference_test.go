package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A bookshelf is Caddy with all examples, each a site of its own.
type bookshelf struct {
	*process
	shelf *shelf
	port  int
	dir   string // of the Caddyfiles
}

// write puts an example into the folder, as a site of its own.
func (b *bookshelf) write(t *testing.T, e example) string {
	t.Helper()
	if e.program {
		writeFile(t, filepath.Join(b.dir, e.name()+".jq"), e.text)
	}
	site := fmt.Sprintf("http://%s.localhost:%d {\nbind 127.0.0.1\n%s}\n", e.name(), b.port, e.mcpBlock())
	site = strings.ReplaceAll(site, "127.0.0.1:8000", b.shelf.Listener.Addr().String())
	path := filepath.Join(b.dir, e.name()+".Caddyfile")
	writeFile(t, path, site)
	return path
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestReference runs the examples of the reference.
func TestReference(t *testing.T) {
	t.Parallel()
	list, files := examples(t)
	b := &bookshelf{shelf: newShelf(t), port: freePort(t), dir: t.TempDir()}
	for name, text := range files {
		writeFile(t, filepath.Join(b.dir, name), text)
	}
	writeFile(t, filepath.Join(b.dir, "covers", "dune.png"), string(cover))
	main := "{\nadmin off\nauto_https off\n}\n"
	var env []string
	for _, e := range list {
		path := b.write(t, e)
		if why, ok := e.refusal(); ok {
			t.Run(e.name(), func(t *testing.T) { expectRefused(t, path, why) })
			continue
		}
		main += "import " + filepath.Base(path) + "\n"
		for _, name := range environment.FindAllStringSubmatch(e.text, -1) {
			env = append(env, name[1]+"="+standIn(name[1]))
		}
	}
	config := filepath.Join(b.dir, "Caddyfile")
	writeFile(t, config, main)
	b.process = start(t, build(t, "./caddymcp/cmd/caddy"), env, "run", "--config", config, "--adapter", "caddyfile")
	b.waitFor(t, "serving initial configuration")
	b.waitFor(t, "upstream checked") // the check of an example reads the shelf
	for _, e := range list {
		if _, ok := e.refusal(); ok {
			continue
		}
		t.Run(e.name(), func(t *testing.T) {
			b.shelf.reset()
			for _, try := range e.tries {
				b.try(t, e, try)
			}
		})
	}
}

// expectRefused checks that a Caddyfile does not load, for the reason that the
// page gives.
func expectRefused(t *testing.T, path, why string) {
	t.Helper()
	cmd := exec.Command(build(t, "./caddymcp/cmd/caddy"), "adapt", "--config", path, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("it loads")
	}
	var entry struct{ Msg string }
	if err := json.Unmarshal([]byte(last(strings.Split(strings.TrimSpace(string(out)), "\n"))), &entry); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(entry.Msg, why) {
		t.Errorf("the reason is %s\n          want %s", entry.Msg, why)
	}
}

// try makes a call of the page:
//
//	<call> → <request>… → <result>
//
// The call is a tool and its arguments, after 'at <path>:' or 'as <token>:', if
// there is need for it; or 'tools/list' and a tool. A request may end in
// [<header>: <value>]. The result is the text that the model reads; behind
// 'error:' if it is an error, behind 'data:' if it is the structured content;
// 'HTTP <status>' if the endpoint refuses the call; and for tools/list some
// members of the tool, or 'nothing'.
func (b *bookshelf) try(t *testing.T, e example, chain []string) {
	t.Helper()
	what, path, token := chain[0], "/mcp", ""
	if at, rest, ok := strings.Cut(strings.TrimPrefix(what, "at "), ": "); ok && strings.HasPrefix(what, "at ") {
		what, path = rest, resolved(at)
	}
	if as, rest, ok := strings.Cut(strings.TrimPrefix(what, "as "), ": "); ok && strings.HasPrefix(what, "as ") {
		what, token = rest, resolved(as)
	}
	endpoint := fmt.Sprintf("http://%s.localhost:%d%s", e.name(), b.port, path)
	if tool, ok := strings.CutPrefix(what, "tools/list "); ok {
		b.expectListed(t, endpoint, token, tool, last(chain))
		return
	}
	tool, args, _ := strings.Cut(what, " ")
	b.shelf.taken()
	result, status := b.call(t, endpoint, token, tool, args)
	expectSent(t, b.shelf.taken(), chain[1:len(chain)-1], strings.Contains(e.text, "_all("))
	want := last(chain)
	if result == nil {
		if got := fmt.Sprintf("HTTP %d", status); got != want {
			t.Errorf("%s: it answers %s, want %s", what, got, want)
		}
		return
	}
	expectResult(t, what, result, want, e.program)
}

// expectSent compares the requests that arrived with those of the page. Those
// that are made at once arrive in any order.
func expectSent(t *testing.T, got []asked, want []string, atOnce bool) {
	t.Helper()
	if atOnce {
		slices.SortFunc(got, func(x, y asked) int { return strings.Compare(x.line, y.line) })
	}
	sent := 0
	for i, line := range want {
		headers := headerText.FindAllStringSubmatch(line, -1)
		line = headerText.ReplaceAllString(line, "")
		if !requestLine.MatchString(line) {
			t.Errorf("'%s' is no request", line)
		}
		if i >= len(got) || got[i].line != line {
			t.Errorf("it does not send %s", line)
			break
		}
		for _, header := range headers {
			if value := got[i].header.Get(header[1]); value != resolved(header[2]) {
				t.Errorf("%s is '%s', want '%s'", header[1], value, resolved(header[2]))
			}
		}
		sent = i + 1
	}
	for _, r := range got[sent:] {
		t.Errorf("it sends %s", r.line)
	}
}

// resolved puts the values of variables into a text of the page.
func resolved(text string) string {
	return environment.ReplaceAllStringFunc(text, func(variable string) string {
		return standIn(environment.FindStringSubmatch(variable)[1])
	})
}

// expectResult compares a result with that of the page. That of a program is
// JSON.
func expectResult(t *testing.T, what string, result *mcp.CallToolResult, want string, program bool) {
	t.Helper()
	got := resultText(result)
	if data, ok := strings.CutPrefix(want, "data: "); ok {
		want = compact(data)
		text, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		got = string(text)
	} else {
		var isError bool
		if want, isError = strings.CutPrefix(want, "error: "); isError != result.IsError {
			t.Errorf("%s: isError is %t", what, result.IsError)
		}
		if !isError {
			want = compact(want)
		}
	}
	var text string
	if program && json.Unmarshal([]byte(want), &text) == nil && text != "" {
		want = text
	}
	if got != want {
		t.Errorf("%s: it answers %s\n    want %s", what, got, want)
	}
}

// compact takes the spaces out of JSON.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// resultText is what a result shows: its text, or what else it holds.
func resultText(result *mcp.CallToolResult) string {
	if result == nil {
		return "nothing"
	}
	var texts []string
	for _, block := range result.Content {
		switch block := block.(type) {
		case *mcp.TextContent:
			texts = append(texts, strings.TrimSuffix(block.Text, "\n"))
		case *mcp.ImageContent:
			texts = append(texts, fmt.Sprintf("(%s, %d bytes)", block.MIMEType, len(block.Data)))
		}
	}
	return strings.Join(texts, "\n")
}

// transport sends everything to the port of the examples, whatever the site is
// called, with a token if there is one.
func (b *bookshelf) transport(t *testing.T, token string) http.RoundTripper {
	t.Helper()
	transport := plainTransport(t)
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, fmt.Sprintf("127.0.0.1:%d", b.port))
	}
	if token == "" {
		return transport
	}
	return bearer{transport, token}
}

// call calls a tool. Where the endpoint refuses the request, there is a status
// in place of a result.
func (b *bookshelf) call(t *testing.T, endpoint, token, tool, args string) (*mcp.CallToolResult, int) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := b.transport(t, token).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, resp.StatusCode
	}
	var reply struct {
		Result *mcp.CallToolResult
		Error  json.RawMessage
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	if reply.Result == nil {
		t.Fatalf("the call fails: %s", reply.Error)
	}
	return reply.Result, resp.StatusCode
}

// expectListed checks some members of a tool in the list that clients get.
func (b *bookshelf) expectListed(t *testing.T, endpoint, token, tool, want string) {
	t.Helper()
	var wanted map[string]any
	if want == "nothing" {
		wanted = nil
	} else if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	for _, listed := range tools(t, connect(t, endpoint, b.transport(t, token), modern)) {
		if listed.Name != tool {
			continue
		}
		if wanted == nil {
			t.Errorf("%s is listed", tool)
			return
		}
		text, err := json.Marshal(listed)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if !includes(got, wanted) {
			t.Errorf("%s is\n%s\nwant\n%s", tool, text, want)
		}
		return
	}
	if wanted != nil {
		t.Errorf("%s is not listed", tool)
	}
}

// includes tells whether a value has all the members that want has.
func includes(got, want any) bool {
	members, ok := want.(map[string]any)
	if !ok {
		return reflect.DeepEqual(got, want)
	}
	object, _ := got.(map[string]any)
	for name, member := range members {
		if value, ok := object[name]; !ok || !includes(value, member) {
			return false
		}
	}
	return true
}
