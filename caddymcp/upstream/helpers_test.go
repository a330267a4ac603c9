package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/standard"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// ready validates and provisions an upstream, and cleans it up after the test.
// Retries wait a millisecond unless the test says otherwise.
func ready(t testing.TB, u *Upstream) *Upstream {
	t.Helper()
	if u.RetryBackoff == 0 {
		u.RetryBackoff = caddy.Duration(time.Millisecond)
	}
	if err := provision(t, u); err != nil {
		t.Fatal(err)
	}
	return u
}

func provision(t testing.TB, u *Upstream) error {
	t.Helper()
	ctx, err := caddy.ProvisionContext(&caddy.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Validate(); err != nil {
		return err
	}
	if err := u.Provision(ctx); err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := u.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	return nil
}

// An api is a test server that records what it receives.
type api struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
	body []string
}

// newAPI starts a server that answers with handler, or with {} if that is nil.
func newAPI(t testing.TB, handler http.HandlerFunc) *api {
	t.Helper()
	a := new(api)
	a.Server = httptest.NewServer(a.record(handler))
	t.Cleanup(a.Close)
	return a
}

func (a *api) record(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		a.mu.Lock()
		a.seen = append(a.seen, r)
		a.body = append(a.body, string(body))
		a.mu.Unlock()
		if handler == nil {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{}`)
			return
		}
		handler(w, r)
	}
}

// requests are the method and URI of every request so far.
func (a *api) requests() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]string, len(a.seen))
	for i, r := range a.seen {
		list[i] = r.Method + " " + r.RequestURI
	}
	return list
}

// last is the latest request and its body.
func (a *api) last(t testing.TB) (*http.Request, string) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.seen) == 0 {
		t.Fatal("the API got no request")
	}
	return a.seen[len(a.seen)-1], a.body[len(a.body)-1]
}

func (a *api) expect(t testing.TB, want ...string) {
	t.Helper()
	if got := a.requests(); !slices.Equal(got, want) {
		t.Errorf("the API got %q, want %q", got, want)
	}
}

func get(path string) *program.Request { return &program.Request{Method: "GET", Path: path} }

func post(path, body string) *program.Request {
	return &program.Request{Method: "POST", Path: path, Body: []byte(body), ContentType: "application/json"}
}

// mustSend sends and expects a reply.
func mustSend(t testing.TB, u program.Sender, req *program.Request) *program.Response {
	t.Helper()
	resp, err := u.Send(t.Context(), req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.Path, err)
	}
	return resp
}

// refusal sends and expects a *program.Error.
func refusal(t testing.TB, u program.Sender, req *program.Request) *program.Error {
	t.Helper()
	resp, err := u.Send(t.Context(), req)
	failure, ok := errors.AsType[*program.Error](err)
	if !ok {
		t.Fatalf("%s %s: got %v, %v, want a *program.Error", req.Method, req.Path, resp, err)
	}
	return failure
}

// handlers makes a chain of handlers from their JSON.
func handlers(configs ...string) caddyhttp.RouteList {
	var routes caddyhttp.RouteList
	for _, config := range configs {
		routes = append(routes, caddyhttp.Route{HandlersRaw: []json.RawMessage{json.RawMessage(config)}})
	}
	return routes
}

// funcHandler is a Caddy handler made of a function, by the name in its config.
type funcHandler struct {
	Name string `json:"name"`
	f    func(http.ResponseWriter, *http.Request) error
}

var (
	funcsMu sync.Mutex
	funcs   = map[string]func(http.ResponseWriter, *http.Request) error{}
)

func init() { caddy.RegisterModule(funcHandler{}) }

func (funcHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.upstream_test", New: func() caddy.Module { return new(funcHandler) }}
}

func (h *funcHandler) Provision(caddy.Context) error {
	funcsMu.Lock()
	defer funcsMu.Unlock()
	h.f = funcs[h.Name]
	return nil
}

func (h *funcHandler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	return h.f(w, r)
}

// chainOf is an upstream whose chain is f.
func chainOf(t testing.TB, f func(http.ResponseWriter, *http.Request) error) *Upstream {
	t.Helper()
	funcsMu.Lock()
	funcs[t.Name()] = f
	funcsMu.Unlock()
	name, err := json.Marshal(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return &Upstream{Routes: handlers(`{"handler": "upstream_test", "name": ` + string(name) + `}`)}
}

// callFor is a context with the call of an MCP request, as Caddy prepares it.
func callFor(ctx context.Context, call *Call, header http.Header) context.Context {
	r := httptest.NewRequest("POST", "https://food.example.com/mcp/secret", nil)
	r.RemoteAddr = "203.0.113.9:1234"
	r.Header = header
	call.Server = new(caddyhttp.Server)
	call.Request = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), httptest.NewRecorder(), call.Server)
	return WithCall(ctx, call)
}
