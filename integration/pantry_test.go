package integration

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/integration/pantryapi/pantry"
)

const (
	pantryToken  = "pantry-api-token-0f2d6c1b"
	pantrySecret = "pantry-url-secret-6b1f0c9d2e7a4835"
)

// A stack is the pantry's API and Caddy with the pantry's Caddyfile.
type stack struct {
	*process
	api  *httptest.Server
	site string // http://127.0.0.1:port, or https://localhost:port
	ca   string // the file with the certificate authority, for https
}

// endpoint is the URL for clients.
func (s *stack) endpoint() string { return s.site + "/mcp/" + pantrySecret }

// startPantry runs the example as it is. With tls it is served as
// https://localhost, with a certificate of Caddy's own authority.
func startPantry(t *testing.T, withTLS bool) *stack {
	t.Helper()
	handler, err := pantry.New(pantry.Options{Token: pantryToken, File: filepath.Join(t.TempDir(), "pantry.json")})
	if err != nil {
		t.Fatal(err)
	}
	s := &stack{api: httptest.NewServer(handler)}
	t.Cleanup(s.api.Close)

	config := "caddyfile-examples/pantry/Caddyfile"
	s.site = fmt.Sprintf("http://127.0.0.1:%d", freePort(t))
	data := t.TempDir()
	if withTLS {
		s.site = fmt.Sprintf("https://localhost:%d", freePort(t))
		s.ca = filepath.Join(data, "caddy/pki/authorities/local/root.crt")
		config = withGlobalOptions(t, config, fmt.Sprintf("skip_install_trust\nhttp_port %d", freePort(t)))
	}
	s.process = start(t, build(t, "./caddymcp/cmd/caddy"), []string{
		"MCP_SITE=" + s.site,
		"MCP_ADMIN=off",
		"FOOD_MCP_URL_SECRET=" + pantrySecret,
		"FOOD_API_BASE=" + s.api.URL + "/api",
		"FOOD_API_TOKEN=" + pantryToken,
		"XDG_DATA_HOME=" + data,
	}, "run", "--config", config)
	s.waitFor(t, "serving initial configuration")
	if withTLS {
		s.waitFor(t, "certificate obtained successfully")
	}
	return s
}

// withGlobalOptions copies an example, with more global options.
func withGlobalOptions(t *testing.T, config, options string) string {
	t.Helper()
	source := filepath.Join(root, config)
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(source))); err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "{\n", "{\n"+options+"\n", 1)
	copied := filepath.Join(dir, "changed.Caddyfile")
	if err := os.WriteFile(copied, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}

// httpClient trusts the stack's authority.
func (s *stack) httpClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	if s.ca != "" {
		pem, err := os.ReadFile(s.ca)
		if err != nil {
			t.Fatal(err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			t.Fatal("no certificate in the authority's file")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
		transport.ForceAttemptHTTP2 = true
	}
	return &http.Client{Transport: transport}
}

// connect opens a session of the Go SDK's client.
func (s *stack) connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint:   s.endpoint(),
		HTTPClient: s.httpClient(t),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// callTool calls a tool and returns its text.
func callTool(t *testing.T, session *mcp.ClientSession, name string, args map[string]any) (text string, isError bool) {
	t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	res, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("calling %s: %v", name, err)
	}
	for _, c := range res.Content {
		if tc, ok := c.(*mcp.TextContent); ok {
			text += tc.Text
		}
	}
	return text, res.IsError
}

// decode calls a tool that must succeed and decodes its reply.
func decode(t *testing.T, session *mcp.ClientSession, name string, args map[string]any, target any) {
	t.Helper()
	text, isError := callTool(t, session, name, args)
	if isError {
		t.Fatalf("%s answers with an error: %s", name, text)
	}
	if err := json.Unmarshal([]byte(text), target); err != nil {
		t.Fatalf("%s: %v in %s", name, err, text)
	}
}
