package caddymcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// modern sends a request of 2026-07-28, whose params are given without braces.
func modern(t *testing.T, url, id, method, name, params string, headers ...string) (*http.Response, string) {
	t.Helper()
	if params != "" {
		params += ","
	}
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s%s}}`, id, method, params, modernMeta)
	headers = append([]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}, headers...)
	if name != "" {
		headers = append([]string{"Mcp-Name", name}, headers...)
	}
	return post(t, url, message, headers...)
}

// pantrySite serves two tools over an API: one reads, one writes.
func pantrySite(t *testing.T, a *api, options string) *site {
	t.Helper()
	return serveSite(t, fmt.Sprintf(`mcp {
		auth none
		upstream %s
		%s
		tool write {
			description "Writes."
			param name string
			post /items
		}
		tool read {
			description "Reads."
			param name string
			get /items
		}
	}`, a.URL, options))
}

func TestEveryRevisionOnOneURL(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, nil)
	s := pantrySite(t, a, "")
	url := s.URL + "/mcp"

	t.Run("2026-07-28", func(t *testing.T) {
		resp, body := modern(t, url, "1", "server/discover", "", "")
		if resp.StatusCode != 200 || !strings.Contains(body, "2026-07-28") {
			t.Errorf("discover: %s %s", resp.Status, body)
		}
		resp, body = modern(t, url, "2", "tools/call", "read", `"name":"read","arguments":{}`)
		if resp.StatusCode != 200 || !strings.Contains(body, `{\"ok\":true}`) {
			t.Errorf("call: %s %s", resp.Status, body)
		}
		if !strings.Contains(body, `"resultType":"complete"`) || !strings.Contains(body, `"io.modelcontextprotocol/serverInfo":{"name":"caddymcp","version":"1"}`) {
			t.Errorf("the result lacks what the revision asks for: %s", body)
		}
		if ct := resp.Header.Get("Content-Type"); ct != "application/json" {
			t.Errorf("a plain call is answered as %s", ct)
		}
		if cc := resp.Header.Get("Cache-Control"); cc != "no-store" {
			t.Errorf("Cache-Control is %s", cc)
		}
	})
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		t.Run(version, func(t *testing.T) {
			resp, body := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			if !strings.Contains(body, `"protocolVersion":"`+version+`"`) {
				t.Fatalf("initialize: %s %s", resp.Status, body)
			}
			session := resp.Header.Get("Mcp-Session-Id")
			if session == "" {
				t.Fatal("no session")
			}
			headers := []string{"Mcp-Session-Id", session, "MCP-Protocol-Version", version}
			if resp, body := post(t, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers...); resp.StatusCode != 202 {
				t.Fatalf("initialized: %s %s", resp.Status, body)
			}
			resp, body = post(t, url, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}`, headers...)
			if !strings.Contains(body, `{\"ok\":true}`) {
				t.Errorf("call: %s %s", resp.Status, body)
			}
		})
	}
	t.Run("a call without a session", func(t *testing.T) {
		resp, body := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}`, "MCP-Protocol-Version", "2025-11-25")
		if resp.StatusCode != 200 || !strings.Contains(body, `{\"ok\":true}`) {
			t.Errorf("%s %s", resp.Status, body)
		}
	})
	t.Run("a batch of 2025-03-26", func(t *testing.T) {
		resp, body := post(t, url, `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}},{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}]`)
		if resp.StatusCode != 200 || strings.Count(body, `"result"`) != 2 || !strings.Contains(body, `"id":9007199254740993`) {
			t.Errorf("%s %s", resp.Status, body)
		}
	})
	t.Run("a batch with nothing to hide", func(t *testing.T) {
		resp, body := post(t, url, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]`)
		if resp.StatusCode != 200 || strings.Count(body, `"result"`) != 3 {
			t.Errorf("%s %s", resp.Status, body)
		}
	})
	t.Run("the Go client", func(t *testing.T) {
		if text, isError := call(t, connect(t, url), "read", `{}`); isError || text != `{"ok":true}` {
			t.Errorf("%v %s", isError, text)
		}
	})
	t.Run("with a slash", func(t *testing.T) {
		resp, body := modern(t, url+"/", "1", "tools/list", "", "")
		if resp.StatusCode != 200 || !strings.Contains(body, `"read"`) {
			t.Errorf("%s %s", resp.Status, body)
		}
	})
	t.Run("a name in base64", func(t *testing.T) {
		resp, body := modern(t, url, "1", "tools/call", "=?base64?cmVhZA==?=", `"name":"read"`)
		if resp.StatusCode != 200 {
			t.Errorf("%s %s", resp.Status, body)
		}
	})
	t.Run("a header that lies", func(t *testing.T) {
		resp, body := modern(t, url, "1", "tools/call", "read", `"name":"write"`)
		if resp.StatusCode != 400 || !strings.Contains(body, "-32020") {
			t.Errorf("%s %s", resp.Status, body)
		}
	})
}

func TestJSONRPCIDs(t *testing.T) {
	t.Parallel()
	s := pantrySite(t, serveAPI(t, nil), "")
	for _, id := range []string{`1`, `"a"`, `"9007199254740993"`, `9007199254740993`, `-9007199254740993`, `123456789012345678901234567890`, `1.5`} {
		_, body := modern(t, s.URL+"/mcp", id, "tools/call", "read", `"name":"read"`)
		var reply struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(body), &reply); err != nil || string(reply.ID) != id {
			t.Errorf("id %s comes back as %s (%v): %s", id, reply.ID, err, body)
		}
		// The same on a stream.
		_, body = modern(t, s.URL+"/mcp", id, "tools/call", "read", `"name":"read","_meta":{"progressToken":1}`)
		if strings.Contains(body, "id:") {
			t.Errorf("a stand-in is seen: %s", body)
		}
	}
}

func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	s := pantrySite(t, serveAPI(t, nil), "limits {\nrequest 1KB\n}")
	url := s.URL + "/mcp"
	for _, tc := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"no JSON", `{`, 400, "-32700"},
		{"nothing", ``, 400, "-32700"},
		{"an empty batch", `[]`, 400, "-32700"},
		{"too large", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 2000) + `"}}`, 413, "larger"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			resp, body := post(t, url, tc.body)
			if resp.StatusCode != tc.status || !strings.Contains(body, tc.says) {
				t.Errorf("%s %s", resp.Status, body)
			}
		})
	}
}

func TestListIsInTheOrderOfTheConfig(t *testing.T) {
	t.Parallel()
	s := pantrySite(t, serveAPI(t, nil), "")
	list, err := connect(t, s.URL+"/mcp").ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "write read" {
		t.Errorf("the tools are listed as %s", got)
	}
	if list.Tools[1].Annotations.ReadOnlyHint != true || list.Tools[0].Annotations.ReadOnlyHint {
		t.Error("the hints do not follow the methods")
	}
}

func TestReadOnlyMode(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, nil)
	s := pantrySite(t, a, "read_only TRUE")
	session := connect(t, s.URL+"/mcp")
	list, err := session.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != 1 || list.Tools[0].Name != "read" {
		t.Errorf("listed are %d tools", len(list.Tools))
	}
	text, isError := call(t, session, "write", `{}`)
	if !isError || text != "server is in read-only mode" {
		t.Errorf("%v %s", isError, text)
	}
	if got := a.taken(); len(got) > 0 {
		t.Errorf("the API received %v", got)
	}
}

// A call that is classed as reading cannot write, whatever its program says.
func TestReadOnlyIsEnforcedBelowThePrograms(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, nil)
	s := sheetSite(t, a, "read_only\nrun `request({method: (\"PO\" + \"ST\"), path: \"/items\"})`")
	text, isError := call(t, connect(t, s.URL+"/mcp"), "x", `{}`)
	if got := a.taken(); len(got) > 0 || !isError {
		t.Errorf("the API received %v, the model reads %s", got, text)
	}
}

func TestReadOnlySwitchMustBeABoolean(t *testing.T) {
	t.Setenv("CADDYMCP_TEST_READ_ONLY", "maybe")
	if _, err := loadSite(t, "mcp {\nauth none\nread_only {env.CADDYMCP_TEST_READ_ONLY}\n}"); err == nil || !strings.Contains(err.Error(), "'maybe' is not a boolean") {
		t.Errorf("the error is %v", err)
	}
	t.Setenv("CADDYMCP_TEST_READ_ONLY", "")
	if _, err := loadSite(t, "mcp {\nauth none\nread_only {env.CADDYMCP_TEST_READ_ONLY}\n}"); err != nil {
		t.Errorf("empty is not off: %v", err)
	}
}

func TestTwoBlocksOnOneSite(t *testing.T) {
	t.Parallel()
	one, two := serveAPI(t, nil), serveAPI(t, nil)
	s := serveSite(t, fmt.Sprintf(`
		mcp {
			path /one
			auth none
			upstream %s
			tool first {
				description "First."
				get /items
			}
		}
		mcp {
			path /two
			auth none
			upstream %s
			tool second {
				description "Second."
				get /items
			}
		}
		respond /other "the rest of the site"`, one.URL, two.URL))
	if text, isError := call(t, connect(t, s.URL+"/one"), "first", `{}`); isError {
		t.Error(text)
	}
	if text, isError := call(t, connect(t, s.URL+"/two"), "second", `{}`); isError {
		t.Error(text)
	}
	if len(one.taken()) != 1 || len(two.taken()) != 1 {
		t.Error("a call went to the wrong API")
	}
	if _, body := modern(t, s.URL+"/one", "1", "tools/call", "second", `"name":"second"`); !strings.Contains(body, "-32602") {
		t.Errorf("a tool of the other block can be called: %s", body)
	}
	resp, err := http.Get(s.URL + "/other")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); string(body) != "the rest of the site" {
		t.Errorf("the rest of the site answers '%s'", body)
	}
	if resp, _ := post(t, s.URL+"/three", `{}`); resp.StatusCode != http.StatusTeapot {
		t.Errorf("an unclaimed path is answered with %s", resp.Status)
	}
}

func TestTwoSites(t *testing.T) {
	t.Parallel()
	one, two := serveAPI(t, nil), serveAPI(t, nil)
	block := "http://%s.example.com {\nmcp {\nauth none\nurl https://%[1]s.example.com/mcp\nupstream %[2]s\ntool %[1]s {\ndescription \"Reads.\"\nget /items\n}\n}\n}\n"
	s, err := loadConfig(t, fmt.Sprintf(block, "one", one.URL)+fmt.Sprintf(block, "two", two.URL))
	if err != nil {
		t.Fatal(err)
	}
	for name, own := range map[string]*api{"one": one, "two": two} {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `"}}`
		req, err := http.NewRequest(http.MethodPost, s.URL+"/mcp", strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = name + ".example.com"
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(body), `{\"ok\":true}`) || len(own.taken()) != 1 {
			t.Errorf("%s: %s %s", name, resp.Status, body)
		}
	}
	if len(one.taken())+len(two.taken()) > 0 {
		t.Error("a call went to the other API as well")
	}
}

// The API may be a site of the same Caddy, and a tool that calls its own
// server is stopped.
func TestUpstreamIsTheSameCaddy(t *testing.T) {
	t.Parallel()
	s := serveSite(t, `
		mcp {
			auth none
			upstream inside {
				respond /items "from the handlers: {http.request.header.Authorization}"
			}
			tool inside {
				description "Asks the handlers in the block."
				upstream inside
				get /items
			}
		}`)
	resp, body := modern(t, s.URL+"/mcp", "1", "tools/call", "inside", `"name":"inside"`, "Authorization", "Bearer client")
	if !strings.Contains(body, "from the handlers: ") || strings.Contains(body, "client") {
		t.Errorf("%s %s", resp.Status, body)
	}
	if resp, _ := modern(t, s.URL+"/mcp", "1", "tools/list", "", "", "CDN-Loop", "caddymcp"); resp.StatusCode != http.StatusLoopDetected {
		t.Errorf("a tool that calls its own server is answered with %s", resp.Status)
	}
}

func TestThousandTools(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, nil)
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "tool t%d {\ndescription \"Reads %d.\"\nparam a string\nget /items/%d\nresult `{ok}`\n}\n", i, i, i)
	}
	s := serveSite(t, fmt.Sprintf("mcp {\nauth none\nupstream %s\n%s}", a.URL, b.String()))
	session := connect(t, s.URL+"/mcp")
	list, err := session.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != 1000 || list.NextCursor != "" {
		t.Errorf("%d tools, next page '%s'", len(list.Tools), list.NextCursor)
	}
	if text, isError := call(t, session, "t999", `{}`); isError || text != `{"ok":true}` {
		t.Errorf("%v %s", isError, text)
	}
}

func TestProgressAndLogReachTheClient(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, nil)
	s := sheetSite(t, a, "run `progress(1; 2; \"half\") | log(\"info\"; \"a line\") | get(\"/items\")`")
	got := make(chan string, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			got <- fmt.Sprintf("%v/%v %s", req.Params.Progress, req.Params.Total, req.Params.Message)
		},
	})
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	params := &mcp.CallToolParams{Name: "x"}
	params.SetProgressToken("p")
	if _, err := session.CallTool(context.Background(), params); err != nil {
		t.Fatal(err)
	}
	if line := <-got; line != "1/2 half" {
		t.Errorf("progress is '%s'", line)
	}
}
