package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/integration/cookedapi/cooked"
)

const (
	shoppingExample = "caddyfile-examples/shopping-list/Caddyfile"
	cookedToken     = "cooked-api-token-5d1e8c3a"
	shoppingToken   = "shopping-mcp-token-7b9f2e4c6a8d1035"
)

// A shoppingStack is Caddy with the shopping list's Caddyfile, and a Cooked of
// its own that can be made new.
type shoppingStack struct {
	*process
	url     string
	api     *httptest.Server
	session *mcp.ClientSession

	mu   sync.Mutex
	list http.Handler
	sent []string // what the API has received, with its host
}

func startShopping(t *testing.T) *shoppingStack {
	t.Helper()
	s := new(shoppingStack)
	s.api = httptest.NewServer(s)
	t.Cleanup(s.api.Close)
	s.renew(t, cookedToken)
	process, site := startExample(t, shoppingExample, shoppingEnv(s.api.URL)...)
	s.process, s.url = process, site+"/mcp"
	s.session = connect(t, s.url, authorized(t, shoppingToken), modern)
	return s
}

// shoppingEnv is the environment of the shopping list's Caddyfile, for an API.
func shoppingEnv(api string) []string {
	return []string{"MCP_TOKEN=" + shoppingToken, "COOKED_URL=" + api, "COOKED_API_TOKEN=" + cookedToken}
}

// ServeHTTP is Cooked. It keeps what it receives.
func (s *shoppingStack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	s.sent = append(s.sent, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.RequestURI, body)))
	list := s.list
	s.mu.Unlock()
	list.ServeHTTP(w, r)
}

// renew makes Cooked new, with a sample list and nothing received.
func (s *shoppingStack) renew(t *testing.T, token string) {
	t.Helper()
	list, err := cooked.New(cooked.Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list, s.sent = list, nil
}

// received is what Cooked has received.
func (s *shoppingStack) received() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.sent, "\n")
}

// groups asks Cooked itself for the list, and shows a group per line.
func (s *shoppingStack) groups(t *testing.T) string {
	t.Helper()
	s.mu.Lock()
	list := s.list
	s.mu.Unlock()
	r := httptest.NewRequest(http.MethodGet, "/shopping-list", nil)
	r.Header.Set("Authorization", "Bearer "+cookedToken)
	w := httptest.NewRecorder()
	list.ServeHTTP(w, r)
	var reply struct {
		Groups []struct {
			ID             string   `json:"id"`
			Name           string   `json:"name"`
			Quantity       string   `json:"quantity"`
			Selected       bool     `json:"selected"`
			AisleID        string   `json:"aisle_id"`
			RecipeIDs      []string `json:"recipe_ids"`
			ImportDraftIDs []string `json:"import_draft_ids"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	var lines []string
	for _, g := range reply.Groups {
		line := fmt.Sprintf("[ ] %s %s (%s) %s", g.ID, g.Name, g.Quantity, g.AisleID)
		for _, id := range append(g.RecipeIDs, g.ImportDraftIDs...) {
			line += " " + id
		}
		if g.Selected {
			line = tick(line)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// The sample list, a group per line.
const (
	tomatoes  = "[ ] group-1 Tomatoes (4) aisle-produce recipe-tacos"
	tortillas = "[x] group-2 Corn tortillas (12) aisle-bakery recipe-tacos"
	milk      = "[ ] group-3 Milk (500 ml) aisle-dairy recipe-pancakes"
	foil      = "[x] group-4 Kitchen foil () aisle-other"
)

// tick and untick say that a group of the list is selected, or not.
func tick(line string) string   { return strings.Replace(line, "[ ]", "[x]", 1) }
func untick(line string) string { return strings.Replace(line, "[x]", "[ ]", 1) }

// authorized is a transport for a client with a token.
func authorized(t *testing.T, token string) http.RoundTripper {
	t.Helper()
	return bearer{plainTransport(t), token}
}

type bearer struct {
	http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}
