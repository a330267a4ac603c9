package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/caddymcp/caddymcp/integration/farmapi/farm"
)

// post sends a message of a version of the protocol as it is on the wire, with
// headers as pairs of name and value. Its params are without braces.
func (s *farmStack) post(t *testing.T, version, method, params string, headers ...string) (*http.Response, string) {
	t.Helper()
	if version == modern {
		params += fmt.Sprintf(`,"_meta":{"io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`, version)
		headers = append([]string{"Mcp-Method", method}, headers...)
	}
	headers = append([]string{"MCP-Protocol-Version", version}, headers...)
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s","params":{%s}}`, method, strings.TrimPrefix(params, ","))
	resp := send(t, http.MethodPost, s.url, message, headers...)
	return resp, readBody(t, resp)
}

// Farm, 4 and 5: who may call, without OAuth.
func TestFarmAccess(t *testing.T) {
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		const params = `"name":"` + readStock + `","arguments":{}`

		t.Run("a token without farm:read sees no tools", func(t *testing.T) {
			same(t, "tools", toolNames(t, s.connect(t, noscopeToken, version)), []string(nil))
			same(t, "tools", len(toolNames(t, s.connect(t, workerToken, version))), 5)
		})
		t.Run("and calls none", func(t *testing.T) {
			s.served(t)
			for _, tool := range farmLists {
				resp, body := s.post(t, version, "tools/call", `"name":"`+tool.tool+`","arguments":{}`,
					"Mcp-Name", tool.tool, "Authorization", "Bearer "+noscopeToken)
				challenge := resp.Header.Get("WWW-Authenticate")
				if resp.StatusCode != http.StatusForbidden || challenge != `Bearer realm="mcp", error="insufficient_scope", scope="daily-entries:write farm:read"` {
					t.Errorf("%s: got %s %s %s", tool.tool, resp.Status, challenge, body)
				}
			}
			same(t, "served", s.served(t), []served{})
		})
		t.Run("the body decides what is called", func(t *testing.T) {
			s.served(t)
			for _, name := range []string{"", "ping", listFlocks} {
				resp, body := s.post(t, version, "tools/call", params, "Mcp-Name", name, "Authorization", "Bearer "+noscopeToken)
				if resp.StatusCode != http.StatusForbidden {
					t.Errorf("with the name '%s' in the header: got %s %s", name, resp.Status, body)
				}
			}
			resp := send(t, http.MethodPost, s.url, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{`+params+`}}]`,
				"Authorization", "Bearer "+noscopeToken)
			if body := readBody(t, resp); resp.StatusCode != http.StatusForbidden {
				t.Errorf("in a batch: got %s %s", resp.Status, body)
			}
			same(t, "served", s.served(t), []served{})
		})
		t.Run("bad tokens", func(t *testing.T) {
			for _, tt := range []struct {
				name, authorization, challenge string
			}{
				{"none", "", `Bearer realm="mcp"`},
				{"another scheme", "Basic b3duZXI6eA==", `Bearer realm="mcp"`},
				{"empty", "Bearer ", `Bearer realm="mcp", error="invalid_token"`},
				{"garbage", "Bearer garbage", `Bearer realm="mcp", error="invalid_token"`},
				{"the API's", "Bearer " + farmAPIToken, `Bearer realm="mcp", error="invalid_token"`},
				{"a part", "Bearer " + ownerToken[:len(ownerToken)-1], `Bearer realm="mcp", error="invalid_token"`},
				{"two", "Bearer " + ownerToken + " " + workerToken, `Bearer realm="mcp", error="invalid_token"`},
			} {
				headers := []string{"Mcp-Name", readStock}
				if tt.authorization != "" {
					headers = append(headers, "Authorization", tt.authorization)
				}
				resp, body := s.post(t, version, "tools/call", params, headers...)
				if got := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != http.StatusUnauthorized || got != tt.challenge {
					t.Errorf("%s: got %s %s %s", tt.name, resp.Status, got, body)
				}
			}
			resp := send(t, http.MethodPost, s.url+"?access_token="+ownerToken, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			if readBody(t, resp); resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("a token in the URL: got %s", resp.Status)
			}
		})
		t.Run("the token decides for whom the API is asked", func(t *testing.T) {
			s.served(t)
			resp, body := s.post(t, version, "tools/call", params, "Mcp-Name", readStock, "Authorization", "Bearer "+workerToken,
				farm.UserHeader, "owner", strings.ReplaceAll(farm.UserHeader, "-", "_"), "owner")
			if resp.StatusCode != http.StatusOK || !strings.Contains(body, `\"quantity\":30`) {
				t.Errorf("got %s %s", resp.Status, body)
			}
			same(t, "served", s.served(t), []served{{"/api/stock?limit=51&offset=0", "worker", 6}})
		})
	})
}

// Farm, 6: clients of others, in the revision that each speaks.
func TestFarmClients(t *testing.T) {
	needClients(t)
	t.Parallel()
	useClients(t, func(t *testing.T) endpoint {
		s := startFarm(t, putBefore(t, "\n\tmcp {", "\n\tlog\n"))
		return endpoint{process: s.process, url: s.url, token: ownerToken}
	}, []string{listFlocks, readStock, listLots, listMovements, listEntries}, []step{
		{tool: listFlocks, args: `{"nameContains":"layer","limit":2}`, want: `"complete":false,"nextOffset":2`},
		{tool: listMovements, args: `{"lotId":"` + ledgerLot + `","offset":40}`, want: `"quantity":-5`},
		{tool: listEntries, args: `{"flock":"Layer House"}`, want: " and more: cluckwork_list_flocks lists them", isError: true},
		{tool: listLots, args: `{"grade":"Duck"}`, want: "egg grade 'Duck' not found", isError: true},
	})
}

// Farm, 5: optional parameters are of one type each.
func TestFarmParameters(t *testing.T) {
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		for _, tool := range tools(t, s.connect(t, ownerToken, version)) {
			properties := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
			for name, property := range properties {
				if _, ok := property.(map[string]any)["type"].(string); !ok {
					t.Errorf("%s of %s has not one type: %v", name, tool.Name, property)
				}
			}
		}
	})
}

// Farm, 5: what is refused is no error of the server.
func TestFarmLog(t *testing.T) {
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		session := s.connect(t, ownerToken, version)
		refused := []struct{ tool, args, outcome string }{
			{listEntries, `{"flock":"Layer House"}`, "refused"},
			{listEntries, `{"flock":"Moon House"}`, "refused"},
			{listMovements, `{"lotId":"` + foreignLot + `"}`, "upstream_error"},
			{listFlocks, `{"status":"Sold"}`, "refused"},
			{readStock, `{"offset":2147483647}`, "refused"},
		}
		for _, tt := range refused {
			if text, isError := call(t, session, tt.tool, tt.args); !isError {
				t.Errorf("%s %s: got %s", tt.tool, tt.args, text)
			}
		}
		for token, status := range map[string]int{noscopeToken: http.StatusForbidden, "garbage": http.StatusUnauthorized} {
			resp, _ := s.post(t, version, "tools/call", `"name":"`+readStock+`","arguments":{}`, "Mcp-Name", readStock, "Authorization", "Bearer "+token)
			if resp.StatusCode != status {
				t.Errorf("got %s", resp.Status)
			}
		}
		session.Close()
		s.stop(t, 20*time.Second)
		s.waitFor(t, `"reason":"insufficient scope: this takes farm:read"`)
		s.waitFor(t, `"reason":"the bearer token is not valid"`)

		var outcomes []string
		for line := range strings.Lines(s.text()) {
			var entry map[string]any
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			logger, _ := entry["logger"].(string)
			if entry["level"] == "error" || strings.HasPrefix(logger, "http.handlers.mcp") && entry["level"] != "info" {
				t.Errorf("it is an error: %s", line)
			}
			for key := range entry {
				if strings.Contains(key, "stack") {
					t.Errorf("it has a stack: %s", line)
				}
			}
			if entry["msg"] == "tool call" {
				outcomes = append(outcomes, fmt.Sprint(entry["tool"], " ", entry["caller"], " ", entry["outcome"]))
			}
		}
		var want []string
		for _, tt := range refused {
			want = append(want, tt.tool+" bearer:owner "+tt.outcome)
		}
		same(t, "calls", outcomes, want)
	})
}

// What a model reads when the API fails.
func TestFarmFailures(t *testing.T) {
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		session := s.connect(t, ownerToken, version)
		for fault, want := range map[string]string{
			"page":   "the farm failed (status 500): try again later",
			"detail": "the API answered with an error (status 422)",
			"down":   "the farm does not answer",
		} {
			t.Run(fault, func(t *testing.T) {
				s.fail(t, fault)
				for _, list := range farmLists {
					s.refuses(t, session, list.tool, list.args, want)
				}
				s.refuses(t, session, listLots, map[string]any{"grade": "Large"}, want)
			})
		}
		s.fail(t, "")
		if page := s.read(t, session, readStock, nil); len(page.Items) != 6 {
			t.Errorf("when the API is back: got %v", page)
		}
	}, putBefore(t, "\t\t\terror 401", "\t\t\tretry 0\n"))

	t.Run("no reply in time", func(t *testing.T) {
		t.Parallel()
		s := startFarm(t, putBefore(t, "\t\t\terror 401", "\t\t\ttimeout 100ms\n"))
		s.fail(t, "slow")
		s.refuses(t, s.connect(t, ownerToken, modern), readStock, nil, "the farm does not answer")
	})
	t.Run("another token for the API", func(t *testing.T) {
		t.Parallel()
		s := startFarm(t, func(caddyfile string) string {
			return replace(t, caddyfile, "Bearer {env.FARM_API_TOKEN}", "Bearer {env.FARM_OWNER_TOKEN}")
		})
		s.refuses(t, s.connect(t, ownerToken, modern), readStock, nil, "the farm refused the service's token: check FARM_API_TOKEN")
	})
}

// The command that tries the surfaces runs it, with a token for each caller.
func TestTryFarm(t *testing.T) {
	t.Parallel()
	p, site, url := startTry(t, "farm")
	same(t, "endpoint", url, site+"/mcp")
	for name, want := range map[string]int{"FARM_OWNER_TOKEN": 5, "FARM_WORKER_TOKEN": 5, "FARM_NOSCOPE_TOKEN": 0} {
		_, token, _ := strings.Cut(p.waitFor(t, name), "Authorization: Bearer ")
		same(t, "tools with "+name, len(toolNames(t, connect(t, url, authorized(t, token), modern))), want)
	}
}
