package caddymcp

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/caddymcp/caddymcp/caddymcp/upstream"
)

// A panic in a tool is a tool error and a log line, and the server goes on.
func TestPanicInATool(t *testing.T) {
	t.Parallel()
	s := pantrySite(t, serveAPI(t, nil), "")
	good := s.handler.upstreams
	s.handler.upstreams = upstream.Set{nil, nil}
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		var body string
		if version >= modernVersion {
			_, body = modern(t, s.URL+"/mcp", "1", "tools/call", "read", `"name":"read"`)
		} else {
			_, body = post(t, s.URL+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}`)
		}
		if !strings.Contains(body, `"isError":true`) || !strings.Contains(body, "the tool failed") {
			t.Errorf("%s: %s", version, body)
		}
	}
	entries := s.logs.FilterField(zapOutcome("panic")).All()
	if len(entries) != 2 || entries[0].Level.String() != "error" {
		t.Errorf("%d log lines", len(entries))
	}
	s.handler.upstreams = good
	if _, body := modern(t, s.URL+"/mcp", "1", "tools/call", "read", `"name":"read"`); strings.Contains(body, `"isError":true`) {
		t.Errorf("the server does not go on: %s", body)
	}
}

// scopedSite has two tools, one of which needs a scope, and two callers.
func scopedSite(t *testing.T, a *api) *site {
	t.Helper()
	t.Setenv("CADDYMCP_TEST_COOK", "cook-token-7f3a9c1e5b2d8064")
	t.Setenv("CADDYMCP_TEST_GUEST", "guest-token-1b5d7e9f3a2c4680")
	return serveSite(t, fmt.Sprintf(`mcp {
		auth {
			bearer cook {env.CADDYMCP_TEST_COOK} {
				scopes pantry:read pantry:write
			}
			bearer guest {env.CADDYMCP_TEST_GUEST} {
				scopes pantry:read
			}
		}
		upstream %s {
			header X-Caller "{mcp.caller.id} {mcp.caller.name} {mcp.caller.scopes} {mcp.tool}"
		}
		tool read {
			description "Reads."
			scope pantry:read
			get /items
		}
		tool write {
			description "Writes."
			scope pantry:write
			post /items
		}
	}`, a.URL))
}

func TestScopes(t *testing.T) {
	a := serveAPI(t, nil)
	s := scopedSite(t, a)
	url := s.URL + "/mcp"
	cook := []string{"Authorization", "Bearer cook-token-7f3a9c1e5b2d8064"}
	guest := []string{"Authorization", "Bearer guest-token-1b5d7e9f3a2c4680"}

	_, body := modern(t, url, "1", "tools/list", "", "", guest...)
	if !strings.Contains(body, `"read"`) || strings.Contains(body, `"write"`) || !strings.Contains(body, `"cacheScope":"private"`) {
		t.Errorf("a guest sees %s", body)
	}
	if _, body := modern(t, url, "1", "tools/list", "", "", cook...); !strings.Contains(body, `"write"`) {
		t.Errorf("a cook sees %s", body)
	}

	resp, _ := modern(t, url, "1", "tools/call", "write", `"name":"write"`, guest...)
	challenge := resp.Header.Get("WWW-Authenticate")
	if resp.StatusCode != 403 || !strings.Contains(challenge, `error="insufficient_scope"`) || !strings.Contains(challenge, `scope="pantry:read pantry:write"`) {
		t.Errorf("a guest who writes gets %s %s", resp.Status, challenge)
	}
	t.Run("the body decides, not the header", func(t *testing.T) {
		resp, body := modern(t, url, "1", "tools/call", "read", `"name":"write"`, guest...)
		if resp.StatusCode != 403 {
			t.Errorf("%s %s", resp.Status, body)
		}
	})
	t.Run("any member of a batch", func(t *testing.T) {
		resp, body := post(t, url, `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write"}}]`, guest...)
		if resp.StatusCode != 403 {
			t.Errorf("%s %s", resp.Status, body)
		}
	})
	t.Run("a name that decoders read differently", func(t *testing.T) {
		for _, params := range []string{
			`{"name":"write","name":"read"}`, `{"name":"read","name":"write"}`,
			`{"name":"write","NAME":"read"}`, `{"NAME":"read","name":"write"}`, `{"Name":"write","name":"read"}`,
		} {
			_, body := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`, guest...)
			for _, r := range a.taken() {
				if r.Method == http.MethodPost {
					t.Errorf("a guest wrote with %s: %s", params, body)
				}
			}
		}
	})
	t.Run("who calls is told to the API", func(t *testing.T) {
		a.taken()
		if resp, body := modern(t, url, "1", "tools/call", "write", `"name":"write"`, cook...); resp.StatusCode != 200 {
			t.Fatalf("%s %s", resp.Status, body)
		}
		got := a.taken()
		if len(got) != 1 || got[0].Header.Get("X-Caller") != "bearer:cook cook pantry:read pantry:write write" {
			t.Errorf("the API received %v", got)
		}
		if got[0].Header.Get("Authorization") != "" {
			t.Error("the caller's token went upstream")
		}
	})
}

// A session belongs to the caller who opened it.
func TestSessionsAreBoundToTheirCaller(t *testing.T) {
	s := scopedSite(t, serveAPI(t, nil))
	url := s.URL + "/mcp"
	resp, body := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, "Authorization", "Bearer cook-token-7f3a9c1e5b2d8064")
	id := resp.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatalf("no session: %s", body)
	}
	for token, want := range map[string]bool{"cook-token-7f3a9c1e5b2d8064": true, "guest-token-1b5d7e9f3a2c4680": false} {
		resp, body := post(t, url, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
			"Authorization", "Bearer "+token, "Mcp-Session-Id", id, "MCP-Protocol-Version", "2025-11-25")
		if status := map[bool]int{true: 200, false: 404}[want]; resp.StatusCode != status {
			t.Errorf("with the token of %.5s: %s %s", token, resp.Status, body)
		}
	}
}

// In a session the caller of each call is the one who sends it, although the
// SDK hands on the context of the first request.
func TestTheCallOfASessionIsItsOwn(t *testing.T) {
	a := serveAPI(t, nil)
	s := serveSite(t, fmt.Sprintf(`mcp {
		auth none
		upstream %s {
			header X-Trace {http.request.header.X-Trace}
		}
		tool read {
			description "Reads."
			get /items
		}
	}`, a.URL))
	url := s.URL + "/mcp"
	resp, _ := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, "X-Trace", "first")
	id := resp.Header.Get("Mcp-Session-Id")
	post(t, url, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read"}}`,
		"X-Trace", "second", "Mcp-Session-Id", id, "MCP-Protocol-Version", "2025-11-25")
	if got := a.taken(); len(got) != 1 || got[0].Header.Get("X-Trace") != "second" {
		t.Errorf("the API received %v", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	t.Run("rate", func(t *testing.T) {
		t.Parallel()
		a := serveAPI(t, nil)
		s := pantrySite(t, a, "limits {\nrate 3/h\n}")
		session := connect(t, s.URL+"/mcp")
		for range 3 {
			if text, isError := call(t, session, "read", `{}`); isError {
				t.Fatal(text)
			}
		}
		text, isError := call(t, session, "read", `{}`)
		if !isError || !strings.Contains(text, "try again in") || len(a.taken()) != 3 {
			t.Errorf("the fourth call: %v %s", isError, text)
		}
	})
	t.Run("calls at once", func(t *testing.T) {
		t.Parallel()
		var mu sync.Mutex
		running, most := 0, 0
		arrived, step := make(chan struct{}), make(chan struct{})
		a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			arrived <- struct{}{}
			<-step
			mu.Lock()
			running--
			mu.Unlock()
		})
		s := pantrySite(t, a, "limits {\ncalls 2\n}")
		var calls sync.WaitGroup
		for range 6 {
			calls.Go(func() { modern(t, s.URL+"/mcp", "1", "tools/call", "read", `"name":"read"`) })
		}
		<-arrived
		<-arrived // two run, and each that ends lets the next one in
		for range 4 {
			step <- struct{}{}
			<-arrived
		}
		step <- struct{}{}
		step <- struct{}{}
		calls.Wait()
		if most != 2 {
			t.Errorf("%d calls ran at once", most)
		}
	})
}

func TestNewLimiter(t *testing.T) {
	for _, text := range []string{"600/m", "1/s", "5/h"} {
		if l, err := newLimiter(text); err != nil || l == nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if l, err := newLimiter("0"); err != nil || l != nil {
		t.Errorf("0 is a limit: %v", err)
	}
	for _, text := range []string{"600", "x/m", "-1/m", "0/m", "5/d", "/m"} {
		if _, err := newLimiter(text); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inside := filepath.Join(dir, "uploads")
	for name, text := range map[string]string{"uploads/a.png": "picture", "uploads/big.png": strings.Repeat("x", 11), "uploads/a.txt": "text", "secret.png": "secret"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret.png", filepath.Join(inside, "link.png")); err != nil {
		t.Fatal(err)
	}
	f := &Files{Dir: inside, Extensions: []string{".png"}, MaxSize: 10}
	if err := f.provision(); err != nil {
		t.Fatal(err)
	}
	if data, err := f.ReadFile("a.png"); err != nil || string(data) != "picture" {
		t.Errorf("a.png: %s %v", data, err)
	}
	for name, says := range map[string]string{
		"a.txt":             "must end in .png",
		"big.png":           "larger than the 10 bytes",
		"none.png":          "does not exist",
		"../secret.png":     "must lie in",
		"link.png":          "must lie in",
		dir + "/secret.png": "must lie in",
	} {
		_, err := f.ReadFile(name)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUpload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.png"), []byte("\x89PNG picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := serveAPI(t, nil)
	s := serveSite(t, fmt.Sprintf(`mcp {
		auth none
		upstream %s
		files %s {
			extensions .png
		}
		tool upload {
			description "Uploads a picture."
			param path string required
			run `+"`put(\"/image\"; null; {multipart: {extension: \"png\", image: {file: $args.path}}}) | {uploaded: true}`"+`
		}
	}`, a.URL, dir))
	session := connect(t, s.URL+"/mcp")
	if text, isError := call(t, session, "upload", `{"path":"a.png"}`); isError {
		t.Fatal(text)
	}
	got := a.taken()
	if len(got) != 1 || !strings.Contains(got[0].Body, "\x89PNG picture") || !strings.Contains(got[0].Body, `filename="a.png"`) {
		t.Errorf("the API received %v", got)
	}
	if text, isError := call(t, session, "upload", `{"path":"../../etc/passwd.png"}`); !isError || len(a.taken()) > 0 {
		t.Errorf("a path out of the folder: %s", text)
	}
}

// A page of a listed origin can call and read; one of another origin cannot.
func TestOrigins(t *testing.T) {
	t.Parallel()
	s := serveSite(t, `mcp {
		auth {
			bearer cook sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
			origins https://app.example.com
		}
	}`)
	for _, tc := range []struct {
		name, method, origin string
		status               int
		allowed              string
	}{
		{"no origin", http.MethodPost, "", 401, ""},
		{"preflight of a listed one", http.MethodOptions, "https://app.example.com", 204, "https://app.example.com"},
		{"a listed one", http.MethodPost, "https://app.example.com", 401, "https://app.example.com"},
		{"preflight of another", http.MethodOptions, "https://evil.example", 403, ""},
		{"another", http.MethodPost, "https://evil.example", 403, ""},
		{"null", http.MethodPost, "null", 403, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req, err := http.NewRequest(tc.method, s.URL+"/mcp", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			if tc.origin != "" {
				req.Header.Set("Origin", tc.origin)
			}
			if tc.method == http.MethodOptions {
				req.Header.Set("Access-Control-Request-Method", "POST")
				req.Header.Set("Access-Control-Request-Headers", "authorization, mcp-method")
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			h := resp.Header
			if resp.StatusCode != tc.status || h.Get("Access-Control-Allow-Origin") != tc.allowed {
				t.Errorf("%s, allowed '%s'", resp.Status, h.Get("Access-Control-Allow-Origin"))
			}
			if tc.status == 204 && h.Get("Access-Control-Allow-Headers") != "authorization, mcp-method" {
				t.Errorf("headers allowed: %s", h.Get("Access-Control-Allow-Headers"))
			}
		})
	}
}
