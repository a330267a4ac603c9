package caddymcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// adapt turns a Caddyfile into the JSON config.
func adapt(t testing.TB, caddyfile string) ([]byte, error) {
	t.Helper()
	out, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), map[string]any{"filename": "Caddyfile"})
	for _, w := range warnings {
		if !strings.Contains(w.Message, "not formatted") {
			t.Errorf("adapt warns: %s", w)
		}
	}
	return out, err
}

// provisioning guards what Caddy keeps for the process when it loads a config.
var provisioning sync.Mutex

// A site is a running site block, without a listener of its own.
type site struct {
	*httptest.Server
	handler *Handler
	logs    *observer.ObservedLogs
}

// serveSite runs the body of a site block, such as "mcp { … }".
func serveSite(t testing.TB, body string) *site {
	t.Helper()
	s, err := loadSite(t, body)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// loadSite is serveSite for configs that may not load.
func loadSite(t testing.TB, body string) (*site, error) {
	t.Helper()
	return loadConfig(t, ":80 {\n"+body+"\n}")
}

// loadConfig is loadSite for a whole Caddyfile, whose sites share a port.
func loadConfig(t testing.TB, caddyfile string) (*site, error) {
	t.Helper()
	config, err := adapt(t, caddyfile)
	if err != nil {
		return nil, err
	}
	var parsed struct {
		Apps struct {
			HTTP struct {
				Servers map[string]struct {
					Routes caddyhttp.RouteList `json:"routes"`
				} `json:"servers"`
			} `json:"http"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(config, &parsed); err != nil {
		t.Fatal(err)
	}
	routes := parsed.Apps.HTTP.Servers["srv0"].Routes

	provisioning.Lock()
	ctx, err := caddy.ProvisionContext(&caddy.Config{Logging: &caddy.Logging{}})
	provisioning.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	running, cancel := caddy.NewContext(ctx)
	t.Cleanup(cancel)
	server := new(caddyhttp.Server)
	running = running.WithValue(caddyhttp.ServerCtxKey, server)
	if err := routes.Provision(running); err != nil {
		return nil, err
	}
	s := new(site)
	core, logs := observer.New(zap.DebugLevel)
	s.logs = logs
	for _, h := range handlersIn(routes) {
		h.logger = zap.New(core)
		if err := h.endpoint.list(h.Name, h.set.List()); err != nil {
			return nil, err
		}
		s.handler = h
	}
	chain := routes.Compile(caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusTeapot) // nothing claimed the request
		return nil
	}))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, server)
		if err := chain.ServeHTTP(w, r); err != nil {
			t.Errorf("the chain returned an error: %v", err)
		}
	}))
	t.Cleanup(func() {
		for _, h := range handlersIn(routes) {
			h.endpoint.end() // or streams would keep the server
		}
		s.Server.Close()
	})
	return s, nil
}

// handlersIn finds the mcp handlers of a site block.
func handlersIn(routes caddyhttp.RouteList) []*Handler {
	var found []*Handler
	for _, route := range routes {
		for _, handler := range route.Handlers {
			switch h := handler.(type) {
			case *Handler:
				found = append(found, h)
			case *caddyhttp.Subroute:
				found = append(found, handlersIn(h.Routes)...)
			}
		}
	}
	return found
}

// An api is a REST API that records what it receives.
type api struct {
	*httptest.Server
	mu       sync.Mutex
	requests []received
}

type received struct {
	Method, URI, Body string
	Header            http.Header
}

// serveAPI runs an API. A nil handler answers every request with {"ok":true}.
func serveAPI(t testing.TB, handler http.HandlerFunc) *api {
	t.Helper()
	a := new(api)
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.requests = append(a.requests, received{r.Method, r.RequestURI, string(body), r.Header.Clone()})
		a.mu.Unlock()
		if handler == nil {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"ok":true}`)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

// taken returns what was received, and forgets it.
func (a *api) taken() []received {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.requests
	a.requests = nil
	return r
}

// connect opens a session of the Go SDK's client.
func connect(t testing.TB, url string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool and returns its text and whether it is an error.
func call(t testing.TB, session *mcp.ClientSession, tool, args string) (text string, isError bool) {
	t.Helper()
	res, err := session.CallTool(context.Background(), &mcp.CallToolParams{
		Name:      tool,
		Arguments: json.RawMessage(args),
	})
	if err != nil {
		t.Fatalf("calling %s: %v", tool, err)
	}
	for _, c := range res.Content {
		if tc, ok := c.(*mcp.TextContent); ok {
			text += tc.Text
		}
	}
	return text, res.IsError
}

// post sends one raw JSON-RPC message and returns the reply.
func post(t testing.TB, url, message string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// zapOutcome is the field of a call's log line that says how it went.
func zapOutcome(kind string) zap.Field { return zap.String("outcome", kind) }
