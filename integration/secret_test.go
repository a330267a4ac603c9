package integration

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// raw sends a request as it stands, over a connection of its own, and returns
// all that comes back but the date.
func (s *stack) raw(t *testing.T, method, target, body string, headers ...string) string {
	t.Helper()
	var request strings.Builder
	fmt.Fprintf(&request, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", method, target, s.address())
	for _, header := range append(headers, "Content-Type: application/json", "Accept: application/json, text/event-stream") {
		fmt.Fprintf(&request, "%s\r\n", header)
	}
	fmt.Fprintf(&request, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return exchange(t, s.address(), s.tlsConfig(t), request.String())
}

// exchange sends bytes to an address and returns what comes back until the
// server closes the connection, but the date. A nil config is without TLS.
func exchange(t *testing.T, address string, config *tls.Config, request string) string {
	t.Helper()
	var conn net.Conn
	var err error
	if config != nil {
		conn, err = tls.Dial("tcp", address, config)
	} else {
		conn, err = net.Dial("tcp", address)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	for line := range bytes.Lines(answer) {
		if !bytes.HasPrefix(line, []byte("Date: ")) {
			kept.Write(line)
		}
	}
	return kept.String()
}

// listTools is the body of a request that any way in can answer.
const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// lets tells whether the answer is that of the endpoint to listTools.
func lets(t *testing.T, answer string) bool {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(readBody(t, resp), `"name":"set_item_state"`) && resp.StatusCode == http.StatusOK
}

func TestSecretPath(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		s := how.start(t)
		const secret = pantrySecret
		for _, path := range []string{"/mcp/" + secret, "/mcp/" + secret + "/", "/mcp/" + secret + "?a=b"} {
			if answer := s.raw(t, http.MethodPost, path, listTools); !lets(t, answer) {
				t.Errorf("POST %s does not lead to the tools: %s", path, answer)
			}
		}

		// One answer for all that is the endpoint's, and one for the rest of the site.
		for _, tt := range []struct {
			name  string
			paths []string
		}{
			{"endpoint", []string{
				"/mcp", "/mcp/", "/mcp//", "/mcp?" + secret, "/mcp/?secret=" + secret,
				"/mcp/wrong", "/mcp/wrong/", "/mcp/0", "/mcp/index.php", "/mcp/mcp",
				"/mcp/" + secret[1:], "/mcp/" + secret[:len(secret)-1], "/mcp/" + secret + "0", "/mcp/" + secret + secret,
				"/mcp/" + strings.ToUpper(secret), "/mcp/P" + secret[1:],
				"/mcp/%70" + secret[1:], "/mcp/" + strings.ReplaceAll(secret, "-", "%2D"), "/mcp/" + strings.ReplaceAll(secret, "-", "%2d"),
				"/mcp%2F" + secret, "/mcp/" + secret + "%2F", "/mcp/" + secret + "%00", "/mcp/%20" + secret, "/%6Dcp/" + secret,
				"/mcp/" + secret + "//", "/mcp//" + secret, "//mcp/" + secret, "/mcp/./" + secret, "/mcp/x/../" + secret, "/x/../mcp/" + secret,
				"/mcp/" + secret + "/x", "/mcp/" + secret + "/sse", "/mcp/" + secret + "/.well-known/oauth-protected-resource",
				"/mcp/" + secret + ";x", "/mcp/" + secret + ".json",
				"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/",
				"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp/" + secret,
				"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp/" + secret,
				"/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp/" + secret, "/.well-known/openid-configuration/mcp/wrong",
			}},
			{"rest of the site", []string{
				"/", "/index.html", "/MCP/" + secret, "/Mcp", "/mcpx", "/mcp-" + secret, "/" + secret, "/api/mcp/" + secret,
				"/register", "/authorize", "/.well-known/other",
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				want := s.raw(t, http.MethodGet, tt.paths[0], "")
				if !strings.HasPrefix(want, "HTTP/1.1 404 Not Found\r\n") {
					t.Fatalf("GET %s: got %s", tt.paths[0], want)
				}
				for _, path := range tt.paths {
					for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions} {
						body := ""
						if method == http.MethodPost {
							body = listTools
						}
						if got := s.raw(t, method, path, body); got != want {
							t.Errorf("%s %s: got\n%s\nwant\n%s", method, path, got, want)
						}
					}
				}
			})
		}
	})
}

func TestSecretRotation(t *testing.T) {
	const previous = "previous-url-secret-9c8b7a6d5e4f3021"
	overEach(t, func(t *testing.T, how setup) {
		how.edit = func(caddyfile string) string {
			return replace(t, caddyfile, "url_secret {env.FOOD_MCP_URL_SECRET}", "url_secret {env.FOOD_MCP_URL_SECRET} {env.FOOD_MCP_URL_SECRET_OLD}")
		}
		how.env = []string{"FOOD_MCP_URL_SECRET_OLD=" + previous}
		s := how.start(t)
		for secret, want := range map[string]bool{pantrySecret: true, previous: true, "another-secret-9c8b7a6d5e4f3021": false, pantrySecret + previous: false} {
			for _, slash := range []string{"", "/"} {
				if got := lets(t, s.raw(t, http.MethodPost, "/mcp/"+secret+slash, listTools)); got != want {
					t.Errorf("/mcp/%s%s: got %v, want %v", secret, slash, got, want)
				}
			}
		}
		same(t, "tools of a client with the previous secret",
			len(toolNames(t, connect(t, s.site+"/mcp/"+previous, s.transport(t), legacy))), 7)
	})
}

// A secret that is missing or weak is refused when the config loads, and not
// repeated.
func TestSecretRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, secret, want string }{
		{"empty", "", "FOOD_MCP_URL_SECRET"},
		{"short", "hunter2-hunter2", "openssl rand -hex 32"},
		{"repeated", strings.Repeat("ab", 40), "openssl rand -hex 32"},
		{"with a slash", "a/slash/in-6b1f0c9d2e7a48356b1f0c9d2e7a4835", "openssl rand -hex 32"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(build(t, "./caddymcp/cmd/caddy"), "validate", "--config", pantryExample)
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "FOOD_API_BASE=http://127.0.0.1:9/api", "FOOD_API_TOKEN=x", "FOOD_MCP_URL_SECRET="+tt.secret)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), tt.want) {
				t.Errorf("got %v, want an error that says '%s':\n%s", err, tt.want, out)
			}
			if tt.secret != "" && strings.Contains(string(out), tt.secret) {
				t.Errorf("the error holds the secret:\n%s", out)
			}
		})
	}
}
