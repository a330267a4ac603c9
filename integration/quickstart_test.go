package integration

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	quickstartExample = "caddyfile-examples/quickstart/Caddyfile"

	// marker stands where config has secrets.
	marker = "marker-secret-3e8a1f6b"

	// markers is how often extend puts it into the config.
	markers = 11
)

// A quickstart is Caddy with tools over its own admin API.
type quickstart struct {
	*process
	url     string // the endpoint
	address string // where the site listens
	admin   string // the admin API's URL
	extra   string // where a site listens that extend adds
	session *mcp.ClientSession
}

// startQuickstart runs it with its admin API at the host.
func startQuickstart(t *testing.T, host string, env ...string) *quickstart {
	t.Helper()
	q := new(quickstart)
	q.address, q.extra = fmt.Sprintf("127.0.0.1:%d", freePort(t)), fmt.Sprintf("127.0.0.1:%d", freePort(t))
	admin := fmt.Sprintf("%s:%d", host, freePort(t))
	q.url, q.admin = "http://"+q.address+"/mcp", "http://"+admin
	q.process = startCaddy(t, quickstartExample, append(env, "MCP_SITE=http://"+q.address, "MCP_ADMIN="+admin)...)
	q.session = connect(t, q.url, reloading{plainTransport(t)}, modern)
	return q
}

// extend adds a server with markers wherever config can have secrets, and
// sends a request to each of its sites.
func (q *quickstart) extend(t *testing.T) {
	t.Helper()
	q.do(t, http.MethodPut, "/config/apps/http/servers/extra", strings.ReplaceAll(fmt.Sprintf(`{
		"listen": [%q],
		"automatic_https": {"disable": true},
		"routes": [
			{"@id": "MARKER", "match": [{"host": ["shop.example.com"], "header": {"X-Key": ["MARKER"]}}], "handle": [
				{"handler": "vars", "handle": [{"handler": "MARKER"}], "MARKER": "MARKER"},
				{"handler": "subroute", "routes": [
					{"match": [{"path": ["/MARKER"]}], "handle": [{"handler": "static_response", "body": "MARKER", "headers": {"Set-Cookie": ["MARKER"]}}]}
				]}
			]},
			{"match": [{"host": ["127.0.0.1"]}], "handle": [
				{"handler": "headers", "response": {"set": {"X-Key": ["MARKER"]}}},
				{"handler": "reverse_proxy", "upstreams": [{"dial": "127.0.0.1:9"}],
					"headers": {"request": {"set": {"Authorization": ["Bearer MARKER"]}}}}
			]}
		],
		"errors": {"routes": [{"handle": [{"handler": "static_response", "body": "MARKER"}]}]}
	}`, q.extra), "MARKER", marker))
	if config := q.do(t, http.MethodGet, "/config/", ""); strings.Count(config, marker) != markers {
		t.Fatalf("the config holds the marker %d times", strings.Count(config, marker))
	}
	for host, want := range map[string]int{"": http.StatusBadGateway, "shop.example.com": http.StatusOK} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+q.extra+"/"+marker, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("X-Key", marker)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Fatalf("the site '%s' answers %s", host, resp.Status)
		}
	}
}

// do sends a request to the admin API, which must succeed.
func (q *quickstart) do(t *testing.T, method, path, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, q.admin+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %s %v", method, path, resp.Status, reply, err)
	}
	return string(reply)
}

// Replies of the tools, which have these fields and no others.
type (
	siteList struct {
		Servers []siteServer `json:"servers"`
	}
	siteServer struct {
		Name   string   `json:"name"`
		Listen []string `json:"listen"`
		Sites  []site   `json:"sites"`
	}
	site struct {
		Hosts    []string `json:"hosts"`
		Handlers []string `json:"handlers"`
	}
	upstreamList struct {
		Upstreams []health `json:"upstreams"`
	}
	health struct {
		Address     string `json:"address"`
		NumRequests int    `json:"num_requests"`
		Fails       int    `json:"fails"`
	}
	authority struct {
		Name string `json:"name"`
		Root string `json:"root_common_name"`
	}
	counts struct {
		Requests []count `json:"requests"`
	}
	count struct {
		Server  string `json:"server"`
		Handler string `json:"handler"`
		Code    string `json:"code"`
		Count   int    `json:"count"`
	}
)

// ask calls a tool without arguments.
func ask[T any](t *testing.T, q *quickstart, tool string) T {
	t.Helper()
	return decode[T](t, q.session, tool, `{}`)
}

func TestQuickstart(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"localhost", "127.0.0.1"} { // the admin API knows one from the other
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			q := startQuickstart(t, host)
			same(t, "tools", toolNames(t, q.session), []string{"list_sites", "list_upstreams", "get_certificate_authority", "count_requests"})
			own := siteServer{"srv0", []string{q.address}, []site{{[]string{"127.0.0.1"}, []string{"mcp", "static_response"}}}}
			same(t, "sites", ask[siteList](t, q, "list_sites"), siteList{[]siteServer{own}})
			same(t, "upstreams", ask[upstreamList](t, q, "list_upstreams"), upstreamList{[]health{}})

			q.extend(t)
			same(t, "sites", ask[siteList](t, q, "list_sites"), siteList{[]siteServer{
				{"extra", []string{q.extra}, []site{
					{[]string{"shop.example.com"}, []string{"static_response", "vars"}},
					{[]string{"127.0.0.1"}, []string{"headers", "reverse_proxy"}},
				}},
				own,
			}})
			same(t, "upstreams", ask[upstreamList](t, q, "list_upstreams"), upstreamList{[]health{{Address: "127.0.0.1:9"}}})
			ca := ask[authority](t, q, "get_certificate_authority")
			if ca.Name != "Caddy Local Authority" || !strings.HasPrefix(ca.Root, ca.Name+" - ") {
				t.Errorf("the authority is %+v", ca)
			}
			q.expectCounts(t, count{"extra", "headers", "502", 1}, count{"extra", "vars", "200", 1})
		})
	}
}

// expectCounts checks that requests are counted so, and the tools' own as
// well. A request can be answered a little before it is counted.
func (q *quickstart) expectCounts(t *testing.T, want ...count) {
	t.Helper()
	var got []count
	for range 100 {
		got = ask[counts](t, q, "count_requests").Requests
		own := slices.IndexFunc(got, func(c count) bool { return c.Server == "srv0" })
		if own < 0 {
			continue
		}
		if c := got[own]; c.Handler != "subroute" || c.Code != "200" || c.Count < 1 {
			t.Errorf("the tools' own requests are counted as %+v", c)
		}
		if got = slices.Delete(got, own, own+1); slices.Equal(got, want) {
			return
		}
	}
	t.Errorf("the counts are %+v, want %+v and the tools' own", got, want)
}

// Whatever stands in the config, only what was reviewed leaves.
func TestQuickstartKeepsSecrets(t *testing.T) {
	t.Parallel()
	q := startQuickstart(t, "localhost")
	q.extend(t)
	for _, tool := range tools(t, q.session) {
		t.Run(tool.Name, func(t *testing.T) {
			if !tool.Annotations.ReadOnlyHint || tool.OutputSchema == nil {
				t.Errorf("it has no output schema, or does not only read: %+v", tool.Annotations)
			}
			res, err := q.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name})
			if err != nil || res.IsError {
				t.Fatalf("%+v %v", res, err)
			}
			text, err := json.Marshal(res)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{marker, "CERTIFICATE", "PRIVATE KEY", "caddymcp", "auth"} {
				if strings.Contains(strings.ReplaceAll(string(text), "Caddy Local Authority", ""), word) {
					t.Errorf("the reply holds '%s': %s", word, text)
				}
			}
		})
	}
	for _, tool := range []string{"get_config", "adapt", "reload"} {
		t.Run(tool, func(t *testing.T) {
			res, err := q.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"caddyfile": ""}})
			if err == nil {
				t.Errorf("it is there: %+v", res)
			}
		})
	}
}

// With MCP_OPERATE there are tools that show all and change it.
func TestQuickstartOperate(t *testing.T) {
	t.Parallel()
	q := startQuickstart(t, "localhost", "MCP_OPERATE=on")
	q.extend(t)
	var effects []string
	for _, tool := range tools(t, q.session)[4:] {
		effects = append(effects, fmt.Sprintf("%s reads %v destroys %v", tool.Name, tool.Annotations.ReadOnlyHint, *tool.Annotations.DestructiveHint))
	}
	same(t, "tools", effects, []string{"get_config reads true destroys false", "adapt reads true destroys false", "reload reads false destroys true"})

	if text, isError := call(t, q.session, "get_config", `{}`); isError || strings.Count(text, marker) != markers {
		t.Errorf("get_config: %v %s", isError, text)
	}
	caddyfile := fmt.Sprintf("# not-for-the-log\n{\n\tadmin %s\n}\n\nhttp://%s {\n\tbind 127.0.0.1\n\trespond \"{path} & 'more' + %%41\"\n}\n", strings.TrimPrefix(q.admin, "http://"), q.extra)
	args := func(caddyfile string) string {
		text, err := json.Marshal(map[string]string{"caddyfile": caddyfile})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := q.do(t, http.MethodGet, "/config/", "")
	if text, isError := call(t, q.session, "adapt", args(caddyfile)); isError || !strings.Contains(text, `{http.request.uri.path} & 'more' + %41`) {
		t.Errorf("adapt: %v %s", isError, text)
	}
	for _, tool := range []string{"adapt", "reload"} {
		text, isError := call(t, q.session, tool, args("http://127.0.0.1 {\n\trespnd\n}\n"))
		sentence(t, strings.ReplaceAll(text, "127.0.0.1", ""), isError)
		if !strings.Contains(text, "unrecognized directive: respnd") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	same(t, "config", q.do(t, http.MethodGet, "/config/", ""), before)

	if text, isError := call(t, q.session, "reload", args(caddyfile)); isError || text != `{"loaded":true}` {
		t.Errorf("reload: %v %s", isError, text)
	}
	same(t, "reply", get(t, "http://"+q.extra+"/new"), "/new & 'more' + %41")
	if strings.Contains(q.text(), "not-for-the-log") {
		t.Error("the Caddyfile is in the log")
	}
}

// The command after the first one of both READMEs calls a tool.
func TestQuickstartREADME(t *testing.T) {
	t.Parallel()
	q := startQuickstart(t, "localhost")
	for _, readme := range []string{"README.md", filepath.Join(filepath.Dir(quickstartExample), "README.md")} {
		t.Run(readme, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, readme))
			if err != nil {
				t.Fatal(err)
			}
			command := regexp.MustCompile(`(?m)^curl http://127\.0\.0\.1:8080/mcp -H '(.*)' -H '(.*)'[\s\\]*-d '(.*)'$`).FindStringSubmatch(string(text))
			if command == nil {
				t.Fatalf("no curl in %s", text)
			}
			same(t, "first header", command[1], "Content-Type: application/json")
			same(t, "second header", command[2], "Accept: application/json, text/event-stream")
			reply := readBody(t, send(t, http.MethodPost, q.url, command[3]))
			if !strings.Contains(reply, `"static_response"`) {
				t.Errorf("got %s", reply)
			}
		})
	}
}
