package integration

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/integration/farmapi/farm"
)

const (
	farmExample  = "caddyfile-examples/farm/Caddyfile"
	farmAPIToken = "farm-api-token-5e0b7d3c9a1f2846"
	ownerToken   = "farm-owner-token-1c8e4a7f0b3d5926"
	workerToken  = "farm-worker-token-9d2f6b0a4c7e1835"
	noscopeToken = "farm-noscope-token-3a5c7e9f1b2d4068"
)

// The farm's tools.
const (
	listFlocks    = "cluckwork_list_flocks"
	readStock     = "cluckwork_read_stock"
	listLots      = "cluckwork_list_egg_lots"
	listMovements = "cluckwork_list_egg_lot_movements"
	listEntries   = "cluckwork_list_daily_entries"
)

// Ids of the farm's sample.
const (
	northFlock   = "f10c0000-0000-4000-8000-000000000001"
	southFlock   = "f10c0000-0000-4000-8000-000000000002"
	foreignFlock = "f10c0000-0000-4000-8000-000000000005"
	sharedFlock  = "f10c0000-0000-4000-8000-000000000006" // the first of thirty
	missingFlock = "f10c0000-0000-4000-8000-000000000999"
	largeGrade   = "96ade000-0000-4000-8000-000000000001"
	crackedGrade = "96ade000-0000-4000-8000-000000000004" // one of two farms
	foreignGrade = "96ade000-0000-4000-8000-000000000007"
	missingGrade = "96ade000-0000-4000-8000-000000000999"
	ledgerLot    = "e6610000-0000-4000-8000-000000000001" // with 41 movements
	southLot     = "e6610000-0000-4000-8000-000000000003"
	foreignLot   = "e6610000-0000-4000-8000-000000000106"
	missingLot   = "e6610000-0000-4000-8000-000000000999"
	firstEntry   = "da170000-0000-4000-8000-000000000001"
)

// A farmStack is the farm's API, and Caddy with the farm's Caddyfile.
type farmStack struct {
	*process
	api *httptest.Server
	url string
}

// startFarm runs the farm until the test ends. The Caddyfile goes through the
// edits.
func startFarm(t *testing.T, edits ...func(caddyfile string) string) *farmStack {
	t.Helper()
	api, err := farm.New(farm.Options{Token: farmAPIToken, File: filepath.Join(t.TempDir(), "farm.json")})
	if err != nil {
		t.Fatal(err)
	}
	s := &farmStack{api: httptest.NewServer(api)}
	t.Cleanup(s.api.Close)

	process, site := startExample(t, copyExample(t, farmExample, edits...), farmEnv(s.api.URL)...)
	s.process, s.url = process, site+"/mcp"
	return s
}

// farmEnv is the environment of the farm's Caddyfile, for an API.
func farmEnv(api string) []string {
	return []string{
		"FARM_URL=" + api,
		"FARM_API_TOKEN=" + farmAPIToken,
		"FARM_OWNER_TOKEN=" + ownerToken,
		"FARM_WORKER_TOKEN=" + workerToken,
		"FARM_NOSCOPE_TOKEN=" + noscopeToken,
	}
}

// putBefore adds something to a Caddyfile, before a text that is in it.
func putBefore(t *testing.T, before, more string) func(string) string {
	return func(caddyfile string) string { return replace(t, caddyfile, before, more+before) }
}

// overEras runs a test of the farm in both eras of the protocol, each with a
// stack of its own.
func overEras(t *testing.T, test func(t *testing.T, s *farmStack, version string), edits ...func(string) string) {
	t.Helper()
	t.Parallel()
	for _, version := range []string{modern, legacy} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			test(t, startFarm(t, edits...), version)
		})
	}
}

// connect connects a caller by its token.
func (s *farmStack) connect(t *testing.T, token, version string) *mcp.ClientSession {
	t.Helper()
	return connect(t, s.url, authorized(t, token), version)
}

// do sends the API a request of its own, for a user.
func (s *farmStack) do(t *testing.T, user, method, path, body string) string {
	t.Helper()
	resp := send(t, method, s.api.URL+path, body, "Authorization", "Bearer "+farmAPIToken, farm.UserHeader, user)
	text := readBody(t, resp)
	if resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %s", method, path, resp.Status, text)
	}
	return text
}

// fail makes the API fail.
func (s *farmStack) fail(t *testing.T, fault string) {
	t.Helper()
	s.do(t, "", http.MethodPut, "/control/fault", `"`+fault+`"`)
}

// served is a list that the API was asked for.
type served struct {
	URI  string `json:"uri"`
	User string `json:"user"`
	Rows int    `json:"rows"`
}

// served returns what the API was asked for since the last time.
func (s *farmStack) served(t *testing.T) (list []served) {
	t.Helper()
	decodeStrictly(t, strings.NewReader(s.do(t, "", http.MethodGet, "/control/served", "")), &list)
	s.do(t, "", http.MethodDelete, "/control/served", "")
	return list
}

// A farmPage is what each of the farm's tools replies.
type farmPage struct {
	Items      []map[string]any `json:"items"`
	Complete   bool             `json:"complete"`
	NextOffset int              `json:"nextOffset,omitempty"`
}

// read calls a tool of the farm that must succeed. Its text and its structured
// content are the same.
func (s *farmStack) read(t *testing.T, session *mcp.ClientSession, tool string, args map[string]any) (page farmPage) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Content) != 1 || result.IsError {
		t.Fatalf("%s %v: got %+v", tool, args, result.Content)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	decodeStrictly(t, strings.NewReader(text), &page)
	if page.Items == nil || page.Complete != (page.NextOffset == 0) {
		t.Errorf("%s %v is not a page: %s", tool, args, text)
	}
	var fromText any
	if err := json.Unmarshal([]byte(text), &fromText); err != nil {
		t.Fatal(err)
	}
	same(t, "structured content", result.StructuredContent, fromText)
	return page
}

// all follows the pages of a tool to the last one.
func (s *farmStack) all(t *testing.T, session *mcp.ClientSession, tool string, args map[string]any) []map[string]any {
	t.Helper()
	rows := []map[string]any{}
	for offset := 0; ; {
		asked := map[string]any{"limit": 100, "offset": offset}
		for name, value := range args {
			asked[name] = value
		}
		page := s.read(t, session, tool, asked)
		rows = append(rows, page.Items...)
		if page.Complete {
			return rows
		}
		if page.NextOffset <= offset {
			t.Fatalf("%s: after offset %d comes %d", tool, offset, page.NextOffset)
		}
		offset = page.NextOffset
	}
}

// refuses calls a tool of the farm that must refuse in a sentence that is want,
// in which a star stands for any text.
func (s *farmStack) refuses(t *testing.T, session *mcp.ClientSession, tool string, args map[string]any, want string) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	text, isError := call(t, session, tool, string(raw))
	refusal(t, text, isError, want)
}
