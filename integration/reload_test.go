package integration

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A reloadable site has a Caddyfile of its own and the admin endpoint on.
type reloadable struct {
	*process
	url     string
	options string // global options besides the admin endpoint
	config  string
	admin   string
}

// startReloadable runs a site whose mcp block is given.
func startReloadable(t *testing.T, block string) *reloadable {
	t.Helper()
	r := &reloadable{url: fmt.Sprintf("http://127.0.0.1:%d", freePort(t))}
	r.run(t, block)
	return r
}

// startReloadableTLS runs it over https, with a certificate of Caddy's own
// authority.
func startReloadableTLS(t *testing.T, block string) *reloadable {
	t.Helper()
	r := &reloadable{
		url:     fmt.Sprintf("https://localhost:%d", freePort(t)),
		options: fmt.Sprintf("skip_install_trust\n\thttp_port %d", freePort(t)),
	}
	r.run(t, block)
	r.awaitCertificate(t, strings.TrimPrefix(r.url, "https://"))
	return r
}

// run starts Caddy on the block.
func (r *reloadable) run(t *testing.T, block string) {
	t.Helper()
	r.config = filepath.Join(t.TempDir(), "Caddyfile")
	r.admin = fmt.Sprintf("127.0.0.1:%d", freePort(t))
	r.write(t, block)
	r.process = startCaddy(t, r.config)
}

// caddyfile is the whole config around the block.
func (r *reloadable) caddyfile(block string) string {
	return fmt.Sprintf("{\n\tadmin %s\n\t%s\n}\n\n%s {\n\tbind 127.0.0.1\n\t%s\n}\n", r.admin, r.options, r.url, block)
}

func (r *reloadable) write(t *testing.T, block string) {
	t.Helper()
	if err := os.WriteFile(r.config, []byte(r.caddyfile(block)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// reload writes the block and has Caddy load it.
func (r *reloadable) reload(t *testing.T, block string) error {
	t.Helper()
	r.write(t, block)
	cmd := exec.Command(build(t, "./caddymcp/cmd/caddy"), "reload", "--config", r.config, "--force", "--address", r.admin)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// load has Caddy load a config through its admin endpoint, which is quicker
// than a command. Caddy replaces that endpoint too, and may cut off the reply:
// then the config is loaded again.
func (r *reloadable) load(t *testing.T, block string) {
	t.Helper()
	client := &http.Client{Transport: reloading{&http.Transport{DisableKeepAlives: true}}}
	resp, err := client.Post("http://"+r.admin+"/load", "text/caddyfile", strings.NewReader(r.caddyfile(block)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("loading answers %s: %s", resp.Status, body)
	}
}

func reloadBlock(api, description string, more ...string) string {
	return fmt.Sprintf("mcp {\nauth none\nupstream %s\ntool wait {\ndescription %q\nget /wait\n}\n%s\n}", api, description, strings.Join(more, "\n"))
}

// A reload keeps sessions and the calls in flight, and tells clients of tools
// that changed, and of nothing else.
func TestReload(t *testing.T) {
	t.Parallel()
	var waits atomic.Int64
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			waits.Add(1)
			arrived <- struct{}{}
			<-release
		}
		io.WriteString(w, "the whole reply of "+r.URL.Path)
	}))
	t.Cleanup(api.Close)
	r := startReloadable(t, reloadBlock(api.URL, "Waits."))

	changed := make(chan struct{}, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint:   r.url + "/mcp",
		HTTPClient: &http.Client{Transport: reloading{plainTransport(t)}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	var inFlight string
	var calls sync.WaitGroup
	calls.Go(func() {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"})
		if err != nil {
			t.Errorf("the call in flight: %v", err)
			return
		}
		inFlight = res.Content[0].(*mcp.TextContent).Text
	})
	<-arrived

	if err := r.reload(t, reloadBlock(api.URL, "Waits.", "instructions \"Nothing else changed.\"")); err != nil {
		t.Fatal(err)
	}
	if err := r.reload(t, reloadBlock(api.URL, "Waits.", "tool broken {")); err == nil {
		t.Fatal("a broken config was taken")
	}
	select {
	case <-changed:
		t.Error("clients were told of a change, but the tools are the same")
	default:
	}

	second := "tool second {\ndescription \"New.\"\nget /second\n}"
	if err := r.reload(t, reloadBlock(api.URL, "Waits.", second)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-changed:
	case <-time.After(30 * time.Second):
		t.Error("clients were not told that the tools changed")
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 {
		t.Errorf("the session lists %v: %v", list, err)
	}
	if text, isError := call(t, session, "second", `{}`); isError || text != "the whole reply of /second" {
		t.Errorf("the new tool answers %s", text)
	}

	close(release)
	calls.Wait()
	if inFlight != "the whole reply of /wait" || waits.Load() != 1 {
		t.Errorf("the call in flight got '%s', and the API %d requests", inFlight, waits.Load())
	}

	if err := r.reload(t, reloadBlock(api.URL, "Waits.")); err != nil {
		t.Fatal(err)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "second"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("a tool that was removed answers with %v", err)
	}
}

// Streams do not keep the process from ending. No other test of this package
// runs beside it.
func TestExitWithStreamsOpen(t *testing.T) {
	block := reloadBlock("http://127.0.0.1:1", "Waits.")
	t.Run("http", func(t *testing.T) {
		exitWithStreamsOpen(t, startReloadable(t, block), time.Second)
	})
	// Go's HTTP/2 server gives clients a second to close their connections.
	t.Run("https", func(t *testing.T) {
		exitWithStreamsOpen(t, startReloadableTLS(t, block), 3*time.Second)
	})
}

func exitWithStreamsOpen(t *testing.T, r *reloadable, patience time.Duration) {
	url := r.url + "/mcp"

	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	resp := send(t, http.MethodPost, url, initialize)
	session := resp.Header.Get("Mcp-Session-Id")
	resp.Body.Close()
	get := send(t, http.MethodGet, url, "", "Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-11-25")
	defer get.Body.Close()
	listen := send(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	defer listen.Body.Close()
	if get.StatusCode != 200 || listen.StatusCode != 200 {
		t.Fatalf("the streams answer %s and %s", get.Status, listen.Status)
	}
	var reading sync.WaitGroup
	for name, stream := range map[string]io.Reader{"GET": get.Body, "listen": listen.Body} {
		reading.Go(func() {
			if _, err := io.Copy(io.Discard, stream); err != nil {
				t.Errorf("the %s stream was cut: %v", name, err)
			}
		})
	}
	r.stop(t, patience)
	reading.Wait()
}

// newRequest makes a request as clients of MCP send it, with headers as pairs of
// name and value.
func newRequest(ctx context.Context, t *testing.T, method, url, body string, headers ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}

// send sends a request and returns as soon as its headers are there.
func send(t *testing.T, method, url, body string, headers ...string) *http.Response {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2: true,
	}}
	t.Cleanup(client.CloseIdleConnections)
	resp, err := client.Do(newRequest(context.Background(), t, method, url, body, headers...))
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// A call ends on the config on which it began, also when the next one has no
// mcp block any more.
func TestCallOutlivesItsConfig(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(api string) string{
		"changed": func(api string) string { return shapedBlock(api, "new") },
		"removed": func(string) string { return "respond 404" },
	} {
		for _, version := range []string{"2025-11-25", modern} {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				arrived, release := make(chan struct{}), make(chan struct{})
				api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					close(arrived)
					<-release
					io.WriteString(w, "the whole reply")
				}))
				t.Cleanup(api.Close)
				r := startReloadable(t, shapedBlock(api.URL, "old"))
				session := connect(t, r.url+"/mcp", http.DefaultTransport, version)
				var text string
				var calls sync.WaitGroup
				calls.Go(func() { text, _ = call(t, session, "wait", `{}`) })
				<-arrived
				if err := r.reload(t, next(api.URL)); err != nil {
					t.Error(err)
				}
				close(release)
				calls.Wait()
				if text != "old: the whole reply" {
					t.Errorf("the call got '%s'", text)
				}
			})
		}
	}
}

// shapedBlock is a block whose replies tell the config.
func shapedBlock(api, config string) string {
	return strings.Replace(reloadBlock(api, "Waits."), "get /wait", "get /wait\nresult `\""+config+": \" + .`", 1)
}
