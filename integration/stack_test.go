package integration

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/integration/pantryapi/pantry"
)

const (
	pantryExample = "caddyfile-examples/pantry/Caddyfile"
	pantryToken   = "pantry-api-token-0f2d6c1b"
	pantrySecret  = "pantry-url-secret-6b1f0c9d2e7a4835"
)

// A setup says how the pantry runs. The zero value is the example as it is,
// over plain http on loopback.
type setup struct {
	tls  bool                            // https, with a certificate of Caddy's own authority
	wrap func(http.Handler) http.Handler // what stands before the API
	env  []string                        // more environment, which goes before the usual
	edit func(caddyfile string) string   // another Caddyfile
}

// overEach runs a test over plain http and over TLS.
func overEach(t *testing.T, test func(t *testing.T, how setup)) {
	t.Helper()
	t.Parallel()
	for _, how := range []setup{{}, {tls: true}} {
		name := "http"
		if how.tls {
			name = "https"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, how)
		})
	}
}

// A stack is the pantry's API, and Caddy with the pantry's Caddyfile.
type stack struct {
	*process
	api    *httptest.Server
	site   string // http://127.0.0.1:port, or https://localhost:port
	ca     string // the file with the certificate authority, for https
	plain  int    // the port that redirects from http, for https
	config string // the Caddyfile
}

// start runs the pantry until the test ends.
func (how setup) start(t *testing.T) *stack {
	t.Helper()
	api, err := pantry.New(pantry.Options{Token: pantryToken, File: filepath.Join(t.TempDir(), "pantry.json")})
	if err != nil {
		t.Fatal(err)
	}
	if how.wrap != nil {
		api = how.wrap(api)
	}
	s := &stack{api: httptest.NewServer(api), config: pantryExample}
	t.Cleanup(s.api.Close)

	s.site = fmt.Sprintf("http://127.0.0.1:%d", freePort(t))
	var edits []func(string) string
	if how.edit != nil {
		edits = append(edits, how.edit)
	}
	if how.tls {
		s.site = fmt.Sprintf("https://localhost:%d", freePort(t))
		s.plain = freePort(t)
		edits = append(edits, func(caddyfile string) string {
			return replace(t, caddyfile, "{\n", fmt.Sprintf("{\n\tskip_install_trust\n\thttp_port %d\n", s.plain))
		})
	}
	if edits != nil {
		s.config = copyExample(t, pantryExample, edits...)
	}
	env := append(pantryEnv(s.api.URL), "MCP_SITE="+s.site, "MCP_ADMIN=off")
	s.process = startCaddy(t, s.config, append(env, how.env...)...)
	if how.tls {
		s.ca = filepath.Join(s.home, "caddy/pki/authorities/local/root.crt")
		s.awaitCertificate(t, s.address())
	}
	return s
}

// awaitCertificate returns when a TLS handshake succeeds: Caddy obtains
// certificates in the background, and says so before it uses them.
func (p *process) awaitCertificate(t *testing.T, address string) {
	t.Helper()
	p.waitFor(t, "certificate obtained successfully")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	for {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			conn.Close()
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("no certificate is served: %v", err)
		}
	}
}

// pantryEnv is the environment of the pantry's Caddyfile, for an API.
func pantryEnv(api string) []string {
	return []string{"FOOD_MCP_URL_SECRET=" + pantrySecret, "FOOD_API_BASE=" + api + "/api", "FOOD_API_TOKEN=" + pantryToken}
}

// startExample runs an example on a free port of 127.0.0.1, and returns its
// site too.
func startExample(t *testing.T, config string, env ...string) (p *process, site string) {
	t.Helper()
	site = fmt.Sprintf("http://127.0.0.1:%d", freePort(t))
	return startCaddy(t, config, append([]string{"MCP_SITE=" + site, "MCP_ADMIN=off"}, env...)...), site
}

// copyExample copies the folder of an example, where its Caddyfile goes through
// the edits, and returns the new Caddyfile.
func copyExample(t *testing.T, example string, edits ...func(caddyfile string) string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, filepath.Dir(example)))); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, filepath.Base(example))
	text, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	caddyfile := string(text)
	for _, edit := range edits {
		caddyfile = edit(caddyfile)
	}
	if err := os.WriteFile(copied, []byte(caddyfile), 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}

// replace replaces the first place where old stands in text.
func replace(t *testing.T, text, old, with string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("'%s' is not in the Caddyfile", old)
	}
	return strings.Replace(text, old, with, 1)
}

// endpoint is the URL for clients.
func (s *stack) endpoint() string { return s.site + "/mcp/" + pantrySecret }

// address is where the site listens.
func (s *stack) address() string {
	_, address, _ := strings.Cut(s.site, "://")
	return address
}

// tlsConfig trusts the stack's authority. It is nil for plain http.
func (s *stack) tlsConfig(t *testing.T) *tls.Config {
	t.Helper()
	if s.ca == "" {
		return nil
	}
	pem, err := os.ReadFile(s.ca)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatal("no certificate in the authority's file")
	}
	return &tls.Config{RootCAs: pool, ServerName: "localhost"}
}

// transport is for clients of the stack.
func (s *stack) transport(t *testing.T) *http.Transport {
	t.Helper()
	transport := plainTransport(t)
	transport.TLSClientConfig, transport.ForceAttemptHTTP2 = s.tlsConfig(t), true
	return transport
}

// reloading sends a request again whose connection is closed before the reply.
// A reload closes connections that are idle, and HTTP/1.1 has no way to say so
// to a client that is just writing.
type reloading struct{ http.RoundTripper }

func (again reloading) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	for range 5 {
		attempt := r.Clone(r.Context())
		if r.GetBody != nil {
			if attempt.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
		if resp, err = again.RoundTripper.RoundTrip(attempt); err == nil || r.Context().Err() != nil {
			break
		}
	}
	return resp, err
}

// plainTransport is for one client, and keeps no connection after the test.
func plainTransport(t *testing.T) *http.Transport {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// Revisions of the protocol: the first without sessions, and the last with.
const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
)

// connect connects the Go SDK's client.
func (s *stack) connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	return connect(t, s.endpoint(), s.transport(t), modern)
}

// connect connects the Go SDK's client, and closes it when the test ends.
func connect(t *testing.T, endpoint string, transport http.RoundTripper, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint:   endpoint,
		HTTPClient: &http.Client{Transport: transport},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the server speaks %s, want %s", got, version)
	}
	return session
}

// call calls a tool with arguments in JSON, and returns its text.
func call(t *testing.T, session *mcp.ClientSession, tool, args string) (text string, isError bool) {
	t.Helper()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{
		Name:      tool,
		Arguments: json.RawMessage(args),
	})
	if err != nil {
		t.Fatalf("calling %s: %v", tool, err)
	}
	if len(res.Content) != 1 {
		t.Fatalf("%s answers with %d blocks", tool, len(res.Content))
	}
	content, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s answers with a %T", tool, res.Content[0])
	}
	return content.Text, res.IsError
}

// decode calls a tool that must succeed, and decodes its reply. The reply has
// no fields but those of T.
func decode[T any](t *testing.T, session *mcp.ClientSession, tool, args string) (reply T) {
	t.Helper()
	text, isError := call(t, session, tool, args)
	if isError {
		t.Fatalf("%s answers with an error: %s", tool, text)
	}
	decodeStrictly(t, strings.NewReader(text), &reply)
	return reply
}

// decodeStrictly decodes JSON that has no fields but those of into.
func decodeStrictly(t *testing.T, from io.Reader, into any) {
	t.Helper()
	decoder := json.NewDecoder(from)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// tools lists a server's tools.
func tools(t *testing.T, session *mcp.ClientSession) []*mcp.Tool {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

// toolNames lists the names of a server's tools.
func toolNames(t *testing.T, session *mcp.ClientSession) (names []string) {
	t.Helper()
	for _, tool := range tools(t, session) {
		names = append(names, tool.Name)
	}
	return names
}
