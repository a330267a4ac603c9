package integration

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wrongSecret is one that a client might try. What is tried is not logged
// either: it may be right at another place.
const wrongSecret = "wrong-url-secret-0a1b2c3d4e5f6071"

// secrets are what must not be found.
var secrets = map[string]string{
	"the URL secret":   pantrySecret,
	"the wrong secret": wrongSecret,
	"the API token":    pantryToken,
}

// expectNone looks for secrets in a text, in any case.
func expectNone(t *testing.T, where, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		for name, secret := range secrets {
			if strings.Contains(strings.ToLower(line), secret) {
				t.Errorf("%s holds %s: %s", where, name, line)
			}
		}
	}
}

// loud edits the pantry's Caddyfile: it logs all that Caddy can, serves
// metrics, and has handlers before the endpoint's that log or fail.
func loud(t *testing.T, dir string) func(string) string {
	return func(caddyfile string) string {
		caddyfile = replace(t, caddyfile, "{\n", "{\n\tdebug\n\tmetrics\n\tservers {\n\t\ttrace\n\t}\n")
		return replace(t, caddyfile, "\n\tmcp {", fmt.Sprintf(`
	log {
		output file %s/access.log
		level DEBUG
	}
	log other {
		output file %[1]s/other.log
		format console
	}
	@methodical header X-Method *
	method @methodical PUT
	@failing header X-Fail *
	basic_auth @failing {
		nobody $2a$04$27QeLC31Q8N/AAlr1VTj6e29twURqsNq4BdNxzqxwx3khYXuFv9kC
	}

	mcp {`, dir))
	}
}

func TestSecretsLeakNowhere(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		dir := t.TempDir()
		admin := fmt.Sprintf("127.0.0.1:%d", freePort(t))
		how.edit = loud(t, dir)
		how.env = []string{"MCP_ADMIN=" + admin}
		s := how.start(t)

		s.visit(t)
		for _, path := range []string{"/config/", "/metrics", "/debug/vars", "/reverse_proxy/upstreams", "/pki/ca/local"} {
			expectNone(t, "admin "+path, get(t, "http://"+admin+path))
		}
		metrics := get(t, "http://"+admin+"/metrics")
		if !strings.Contains(metrics, `caddy_http_requests_total{`) {
			t.Error("the metrics do not count the endpoint's requests, so nothing is known of them")
		}
		for _, args := range [][]string{{"adapt", "--pretty", "--config", s.config}, {"validate", "--config", s.config}, {"fmt", s.config}} {
			cmd := exec.Command(s.cmd.Path, args...)
			cmd.Dir, cmd.Env = s.cmd.Dir, s.cmd.Env
			out, _ := cmd.CombinedOutput() // fmt has its opinions
			if len(out) == 0 {
				t.Errorf("caddy %s prints nothing", args[0])
			}
			expectNone(t, "caddy "+args[0], string(out))
		}

		s.stop(t, 20*time.Second)
		printed := s.text()
		expectNone(t, "the output", printed)
		for _, want := range []string{`"level":"debug"`, `"msg":"tool call"`, `"logger":"http.log.error`, `"logger":"http.log.trace"`, `"msg":"rewrote request"`} {
			if !strings.Contains(printed, want) {
				t.Errorf("the output does not hold %s, so nothing is known of it", want)
			}
		}
		expectFiles(t, s.home, "caddy/autosave.json")
		expectFiles(t, dir, "access.log", "other.log")
		text, err := os.ReadFile(filepath.Join(dir, "access.log"))
		if err != nil {
			t.Fatal(err)
		}
		for _, uri := range []string{"/mcp/REDACTED", "/menu", "/.well-known/oauth-protected-resource/REDACTED"} {
			if !bytes.Contains(text, []byte(`"uri":"`+uri+`"`)) {
				t.Errorf("the access log has no entry for %s", uri)
			}
		}
	})
}

// visit makes requests with right and wrong secrets, in all the places where
// they get to.
func (s *stack) visit(t *testing.T) {
	t.Helper()
	for _, version := range []string{modern, legacy} {
		session := connect(t, s.endpoint(), s.transport(t), version)
		call(t, session, "get_pantry", `{}`)
		call(t, session, "set_item_state", `{"ingredient":"noodels","state":"in"}`)
		call(t, session, "set_item_state", `{"ingredient":"`+pantrySecret+`","state":"`+wrongSecret+`","`+pantrySecret+`":1}`)
		call(t, session, "log_cook", `{"recipe":"`+pantrySecret+`","notes":"`+wrongSecret+`"}`)
		session.Close()
	}
	for _, secret := range []string{pantrySecret, wrongSecret, strings.ToUpper(pantrySecret)} {
		for _, path := range []string{
			"/mcp/" + secret, "/mcp/" + secret + "/", "/mcp/" + secret + "/x", "/mcp/" + secret + "0", "/mcp/x-" + secret, "/mcp//" + secret,
			"//mcp/" + secret, "/mcp/x/../" + secret, "/mcp/%20" + secret, "/mcp?secret=" + secret, "/mcp/" + secret + "?q=" + secret,
			"/.well-known/oauth-protected-resource/mcp/" + secret, "/.well-known/oauth-authorization-server/mcp/" + secret,
			"/.well-known/openid-configuration/mcp/" + secret, "/.well-known/oauth-protected-resource?resource=/mcp/" + secret,
		} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
				s.raw(t, method, path, listTools)
			}
			s.raw(t, http.MethodPost, path, listTools, "X-Method: 1")
			s.raw(t, http.MethodGet, path, "", "X-Fail: 1", "Authorization: Basic bm9ib2R5Ondyb25n")
		}
		s.raw(t, http.MethodPost, "/mcp/"+secret, listTools, "Authorization: Bearer "+secret, "Cookie: s="+secret, "X-Original-Uri: /mcp/"+secret)
		s.raw(t, http.MethodPost, "/mcp/"+secret, listTools, "Mcp-Name: "+secret, "Mcp-Session-Id: "+secret)
		s.raw(t, http.MethodPost, "/mcp/"+secret, listTools, "Origin: https://elsewhere.example.com")
		s.raw(t, http.MethodPost, "/mcp/"+secret, "{"+secret)
		s.raw(t, http.MethodPost, "/mcp/"+secret, `{"jsonrpc":"2.0","id":"`+secret+`","method":"`+secret+`","params":{"name":"`+secret+`"}}`)
		s.raw(t, http.MethodPost, "/mcp/"+secret, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+secret+`","arguments":{}}}`)
		s.raw(t, http.MethodGet, "/favicon.ico", "", "Referer: "+s.site+"/mcp/"+secret)
		s.raw(t, http.MethodGet, "/menu", "")
		s.raw(t, http.MethodGet, "/menu", "", "X-Fail: 1")

		// Another host or none, what is no HTTP, and on a port for TLS what is none.
		for _, request := range []string{
			" HTTP/1.1\r\nHost: elsewhere.example.com\r\nConnection: close\r\n\r\n",
			" HTTP/1.1\r\nConnection: close\r\n\r\n",
			" HTTP/1.0\r\n\r\n",
			" NONSENSE\r\n\r\n",
		} {
			exchange(t, s.address(), s.tlsConfig(t), "GET /mcp/"+secret+request)
			if s.ca != "" {
				exchange(t, s.address(), nil, "GET /mcp/"+secret+request)
			}
		}
		if s.ca != "" {
			s.redirects(t, secret)
		}
	}
}

// redirects looks at the port for plain http, which sends to https all but
// what holds a secret.
func (s *stack) redirects(t *testing.T, secret string) {
	t.Helper()
	address := fmt.Sprintf("localhost:%d", s.plain)
	for path, want := range map[string]string{
		"/menu":           "HTTP/1.1 308 ",
		"/mcp/" + secret:  "HTTP/1.1 404 ",
		"//mcp/" + secret: "HTTP/1.1 404 ",
		"/.well-known/oauth-protected-resource/mcp/" + secret: "HTTP/1.1 404 ",
	} {
		got := exchange(t, address, nil, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(got, want) || strings.Contains(got, secret) {
			t.Errorf("http %s: got %s", path, got)
		}
	}
}

// get fetches a page of the admin API, which may not be there.
func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	return readBody(t, resp)
}

// readBody reads a reply to its end.
func readBody(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// expectFiles looks for secrets in every file below a folder, which has at
// least the named ones.
func expectFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty, so nothing is known of it", name)
		}
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		expectNone(t, path, string(text))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
