package integration

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/integration/mealieapi/mealie"
)

const (
	mealieExample  = "caddyfile-examples/mealie/Caddyfile"
	mealieToken    = "mealie-api-token-2c7a90e1"
	mealieMCPToken = "mealie-mcp-token-4e8b1d7f5a3c9062"
)

// A mealieSetup says how Mealie runs. The zero value is the example as it is,
// over the seed's library.
type mealieSetup struct {
	api    mealie.Options
	env    []string                        // more environment, which goes before the usual
	wrap   func(http.Handler) http.Handler // what stands before the API
	tls    bool                            // Mealie speaks https, with a certificate that nobody knows
	config string                          // another Caddyfile
	faults []mealie.Fault                  // from the start, so that the check may fail
}

// A mealieStack is Caddy with the Caddyfile for Mealie, and a Mealie.
type mealieStack struct {
	*process
	*mealie.API
	url     string
	api     *httptest.Server
	session *mcp.ClientSession
}

func startMealie(t *testing.T) *mealieStack {
	t.Helper()
	return mealieSetup{}.start(t)
}

// start runs Mealie until the test ends. Without faults and more environment it
// returns once the check has passed.
func (how mealieSetup) start(t *testing.T) *mealieStack {
	t.Helper()
	s := new(mealieStack)
	how.api.Token = mealieToken
	var err error
	if s.API, err = mealie.New(how.api); err != nil {
		t.Fatal(err)
	}
	for _, fault := range how.faults {
		s.Fail(fault)
	}
	var handler http.Handler = s.API
	if how.wrap != nil {
		handler = how.wrap(handler)
	}
	if s.api = httptest.NewUnstartedServer(handler); how.tls {
		s.api.StartTLS()
	} else {
		s.api.Start()
	}
	t.Cleanup(s.api.Close)
	var site string
	s.process, site = startExample(t, cmp.Or(how.config, mealieExample), append(mealieEnv(s.api.URL), how.env...)...)
	s.url = site + "/mcp"
	s.session = connect(t, s.url, authorized(t, mealieMCPToken), modern)
	if how.faults == nil && how.env == nil {
		s.waitFor(t, "connected to Mealie")
		s.Forget()
	}
	return s
}

// mealieEnv is the environment of the Caddyfile, for an API.
func mealieEnv(api string) []string {
	return []string{"MCP_TOKEN=" + mealieMCPToken, "MEALIE_URL=" + api, "MEALIE_API_TOKEN=" + mealieToken}
}

// sent lists what Mealie has received since it was last asked: method, path,
// query and, of writes, the body.
func (s *mealieStack) sent() []string {
	var lines []string
	for _, r := range s.Traffic().Requests {
		line := r.Method + " " + r.Path
		if len(r.Query) > 0 {
			query, _ := url.QueryUnescape(r.Query.Encode())
			line += "?" + query
		}
		if r.Body != "" {
			line += " " + r.Body
		}
		lines = append(lines, line)
	}
	s.Forget()
	return lines
}

// writes are those of what was sent that are no reads.
func (s *mealieStack) writes() []string {
	var lines []string
	for _, line := range s.sent() {
		if !strings.HasPrefix(line, "GET ") && !strings.HasPrefix(line, "POST /api/parser/") {
			lines = append(lines, line)
		}
	}
	return lines
}

// ask asks Mealie itself.
func (s *mealieStack) ask(t *testing.T, method, path, body string, reply any) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+mealieToken)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.API.ServeHTTP(w, r)
	if w.Code >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	if reply != nil {
		if err := json.Unmarshal(w.Body.Bytes(), reply); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, w.Body)
		}
	}
}

// recipe asks Mealie itself for a recipe.
func (s *mealieStack) recipe(t *testing.T, slug string) (r mealieRecipe) {
	t.Helper()
	s.ask(t, "GET", "/api/recipes/"+slug, "", &r)
	return r
}

// names asks Mealie itself for the names of a taxonomy, with their ids.
func (s *mealieStack) names(t *testing.T, path string) map[string]string {
	t.Helper()
	var page struct {
		Items []struct{ ID, Name string }
	}
	s.ask(t, "GET", path+"?perPage=-1", "", &page)
	ids := map[string]string{}
	for _, row := range page.Items {
		ids[row.Name] = row.ID
	}
	return ids
}

// A mealieRecipe is a recipe as Mealie has it, as far as tests look at it.
type mealieRecipe struct {
	ID, Name, Slug, Description   string
	RecipeYield, PrepTime, OrgURL string
	Settings                      map[string]bool
	Image                         *string
	Tags, Tools                   []struct{ Name string }
	RecipeCategory                []struct{ Name string }
	RecipeIngredient              []mealieIngredient
	RecipeInstructions            []struct{ Text string }
	Notes                         []struct{ Title, Text string }
}

type mealieIngredient struct {
	Quantity                           float64
	Unit, Food                         *struct{ ID, Name string }
	Note, Title, OriginalText, Display string
	ReferenceID                        string
}

// line is what an ingredient is made of.
func (i mealieIngredient) line() string {
	line := fmt.Sprint(i.Quantity)
	if i.Unit != nil {
		line += " [" + i.Unit.Name + "]"
	}
	if i.Food != nil {
		line += " [" + i.Food.Name + "]"
	}
	return strings.TrimSpace(line + " " + i.Note)
}

// expect calls a tool that must answer with this text.
func (s *mealieStack) expect(t *testing.T, tool, args, want string) {
	t.Helper()
	if text, isError := call(t, s.session, tool, args); isError || text != want {
		t.Errorf("%s %s: isError %v\ngot  %s\nwant %s", tool, args, isError, text, want)
	}
}

// refuses calls a tool that must answer with this error.
func (s *mealieStack) refuses(t *testing.T, tool, args, want string) {
	t.Helper()
	if text, isError := call(t, s.session, tool, args); !isError || text != want {
		t.Errorf("%s %s: isError %v\ngot  %s\nwant %s", tool, args, isError, text, want)
	}
}

// fails makes Mealie answer the next requests of a kind with a failure.
func (s *mealieStack) fails(method, path string, status, times int, body string) {
	s.Fail(mealie.Fault{Method: method, Path: path, Status: status, Times: times, Body: json.RawMessage(body)})
}
