package integration

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/integration/mealieapi/mealie"
)

// mealieStats is the reply of library_stats.
type mealieStats struct {
	Resource       string          `json:"resource"`
	Used           int             `json:"used"`
	Unused         int             `json:"unused"`
	RecipesScanned int             `json:"recipes_scanned"`
	Items          []mealieCounted `json:"items"`
	UnusedItems    []mealieCounted `json:"unused_items"`
	Note           string          `json:"note"`
}

type mealieCounted struct {
	ItemID  string `json:"item_id"`
	Name    string `json:"name"`
	Recipes int    `json:"recipes"`
}

func TestMealieLibraryStats(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	s.shelf(t)
	s.addName(t, "/api/organizers/tags", "Zunused")
	find := func(rows []mealieCounted, name string) *mealieCounted {
		for _, row := range rows {
			if row.Name == name {
				return &row
			}
		}
		return nil
	}
	for _, tt := range []struct {
		resource, name string
		recipes        int
	}{
		{"tags", "Zesty", 2},
		{"categories", "Zuppe", 3},
		{"tools", "Zester", 3},
		{"foods", "zedoary", 2},
	} {
		t.Run(tt.resource, func(t *testing.T) {
			got := decode[mealieStats](t, s.session, "library_stats", fmt.Sprintf(`{"resource":%q,"top":500}`, tt.resource))
			row := find(got.Items, tt.name)
			if row == nil || row.Recipes != tt.recipes || row.ItemID != s.names(t, taxonomies[tt.resource])[tt.name] {
				t.Errorf("got %+v in %+v", row, got)
			}
			if !slices.IsSortedFunc(got.Items, func(a, b mealieCounted) int { return b.Recipes - a.Recipes }) {
				t.Error("the most used do not come first")
			}
			if got.Used != len(got.Items) || got.Unused != len(got.UnusedItems) {
				t.Errorf("%d and %d are counted, %d and %d listed", got.Used, got.Unused, len(got.Items), len(got.UnusedItems))
			}
			same(t, "note", got.Note, "")
		})
	}
	t.Run("unused", func(t *testing.T) {
		got := decode[mealieStats](t, s.session, "library_stats", `{"resource":"tags"}`)
		if row := find(got.UnusedItems, "Zunused"); row == nil || row.ItemID == "" {
			t.Errorf("got %+v", got.UnusedItems)
		}
		got = decode[mealieStats](t, s.session, "library_stats", `{"resource":"tags","include_unused":false}`)
		if got.UnusedItems != nil || got.Unused == 0 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("caps", func(t *testing.T) {
		all := decode[mealieStats](t, s.session, "library_stats", `{"resource":"tags"}`)
		got := decode[mealieStats](t, s.session, "library_stats", `{"resource":"tags","top":1,"max_recipes":2,"include_unused":false}`)
		if len(got.Items) > 1 || got.RecipesScanned != 2 || !strings.Contains(got.Note, fmt.Sprintf("scanned 2 of %d — raise max_recipes; what only the others use counts as unused", all.RecipesScanned)) {
			t.Errorf("got %+v", got)
		}
		got = decode[mealieStats](t, s.session, "library_stats", `{"resource":"tags","top":1}`)
		if len(got.Items) != 1 || !strings.HasPrefix(got.Note, fmt.Sprintf("showing 1 of %d used — raise top", got.Used)) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a recipe that cannot be read", func(t *testing.T) {
		call(t, s.session, "update_recipe", `{"slug":"zeppole","description":"x"}`) // which empties the cache
		s.fails("GET", "/api/recipes/zeppole", 500, 0, ``)
		got := decode[mealieStats](t, s.session, "library_stats", `{"resource":"foods","top":500}`)
		if row := find(got.Items, "zedoary"); row == nil || row.Recipes != 1 || !strings.Contains(got.Note, "1 recipes could not be read") {
			t.Errorf("got %+v, %s", row, got.Note)
		}
	})
}

// A sweep over 2,000 recipes takes one call and eight requests at once, and
// the second none of those for a recipe.
func TestMealieSweep(t *testing.T) {
	t.Parallel()
	s := mealieSetup{api: mealie.Options{Recipes: 2000}}.start(t)
	var progress []float64
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress = append(progress, r.Params.Progress)
			if r.Params.Total != 2000 {
				t.Errorf("the total is %v", r.Params.Total)
			}
		},
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url, HTTPClient: &http.Client{Transport: authorized(t, mealieMCPToken)},
	}, &mcp.ClientSessionOptions{ProtocolVersion: modern})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	release := make(chan struct{})
	s.Fail(mealie.Fault{Method: "GET", Path: "/api/recipes/*", Hold: release})
	go func() {
		defer close(release)
		if err := s.AwaitInFlight(t.Context(), 8); err != nil {
			t.Error(err)
		}
		// A ninth would be here before another call has been answered.
		for range 3 {
			if _, err := s.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_todays_meals"}); err != nil {
				t.Error(err)
			}
		}
		atOnce := 0
		for _, r := range s.Traffic().Requests {
			if strings.HasPrefix(r.Path, "/api/recipes/") {
				atOnce++
			}
		}
		same(t, "requests at once", atOnce, 8)
	}()
	params := &mcp.CallToolParams{Name: "library_stats", Arguments: map[string]any{"resource": "foods"}}
	params.SetProgressToken("sweep")
	res, err := session.CallTool(t.Context(), params)
	if err != nil || res.IsError {
		t.Fatalf("%v %+v", err, res)
	}
	if text := res.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, `"recipes_scanned":2000,`) {
		t.Errorf("got %.300s", text)
	}
	traffic := s.Traffic()
	details, pages := 0, 0
	var library struct{ Items []struct{ Slug string } }
	s.ask(t, "GET", "/api/recipes?perPage=-1", "", &library)
	slugs := map[string]bool{}
	for _, r := range library.Items {
		slugs[r.Slug] = true
	}
	for _, r := range traffic.Requests {
		switch {
		case r.Path == "/api/recipes":
			pages++
		case strings.HasPrefix(r.Path, "/api/recipes/"):
			details++
		}
	}
	if details != len(slugs) || pages != 20 {
		t.Errorf("%d recipes and %d pages were read", details, pages)
	}
	if len(progress) != 100 || !slices.IsSorted(progress) || progress[99] != 2000 {
		t.Errorf("the progress was %v", progress)
	}

	s.Forget()
	decode[mealieStats](t, s.session, "library_stats", `{"resource":"units"}`)
	for _, line := range s.sent() {
		if strings.HasPrefix(line, "GET /api/recipes/") {
			t.Fatalf("a recipe is read again: %s", line)
		}
	}
}

// A sweep ends when its caller goes away.
func TestMealieSweepEnds(t *testing.T) {
	t.Parallel()
	s := mealieSetup{api: mealie.Options{Recipes: 500}}.start(t)
	hold := make(chan struct{})
	s.Fail(mealie.Fault{Method: "GET", Path: "/api/recipes/*", Hold: hold})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: "library_stats", Arguments: map[string]any{"resource": "foods"}})
		ended <- err
	}()
	if err := s.AwaitInFlight(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the call did not fail")
	}
	s.waitFor(t, `"outcome":"cancelled"`)
	close(hold)
	for _, r := range s.Traffic().Requests[1:] {
		if r.Path == "/api/foods" {
			t.Error("the sweep went on")
		}
	}
	if n := s.Traffic().Total; n > 6+8 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestMealieFindDuplicates(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	for _, name := range []string{"Zuppa Inglese", "Zuppa  inglese!", "Zuppa-Ingles", "Züppa Inglese"} {
		s.add(t, name, `{}`)
	}
	type reply struct {
		Items []struct {
			Name    string `json:"name"`
			Recipes []struct {
				Slug string `json:"slug"`
				Name string `json:"name"`
			} `json:"recipes"`
		} `json:"items"`
		RecipesScanned int    `json:"recipes_scanned"`
		Note           string `json:"note"`
	}
	found := 0
	for _, item := range decode[reply](t, s.session, "find_duplicate_recipes", `{}`).Items {
		if !strings.HasPrefix(item.Name, "Zuppa") {
			continue
		}
		found++
		var names []string
		for _, r := range item.Recipes {
			names = append(names, r.Name)
		}
		slices.Sort(names)
		same(t, "names", names, []string{"Zuppa  inglese! (1)", "Zuppa Inglese"})
	}
	same(t, "groups", found, 1)
	got := decode[reply](t, s.session, "find_duplicate_recipes", `{"max_recipes":3}`)
	if got.RecipesScanned != 3 || !strings.Contains(got.Note, "scanned 3 of ") {
		t.Errorf("got %+v", got)
	}
}

// mealieLinks is the reply of check_recipe_links.
type mealieLinks struct {
	SourcesChecked int          `json:"sources_checked"`
	Broken         []mealieLink `json:"broken"`
	Unverified     []mealieLink `json:"unverified"`
	WithoutImage   []string     `json:"without_image"`
	Note           string       `json:"note"`
}

type mealieLink struct {
	Slug   string `json:"slug"`
	URL    string `json:"url"`
	Reason string `json:"reason"`
}

// Links lead to the test's own server, which is at no public address: it is
// never asked. What the verdict on public servers is, TestMealieLinkVerdicts
// tests.
func TestMealieCheckLinks(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	asked := make(chan string, 10)
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	t.Cleanup(web.Close)
	var recipes []struct{ Slug string }
	var page struct{ Items []struct{ Slug string } }
	s.ask(t, "GET", "/api/recipes?perPage=-1", "", &page)
	for recipes = page.Items; len(recipes) > 0; recipes = recipes[1:] {
		s.ask(t, "PATCH", "/api/recipes/"+recipes[0].Slug, `{"orgURL":""}`, nil)
	}
	s.add(t, "Zopf", fmt.Sprintf(`{"orgURL":"%s/zopf"}`, web.URL))
	s.add(t, "Zelten", fmt.Sprintf(`{"orgURL":"%s/zopf"}`, web.URL))
	s.add(t, "Zuppa", `{"orgURL":"http://169.254.169.254/latest"}`)
	s.add(t, "Zeppole", `{"orgURL":"http://localhost:1/"}`)
	s.add(t, "Zimtstern", `{"orgURL":"file:///etc/passwd"}`)
	s.add(t, "Zander", `{"orgURL":"http://nosuch.invalid/"}`)

	got := decode[mealieLinks](t, s.session, "check_recipe_links", `{"max_recipes":2000}`)
	same(t, "checked", got.SourcesChecked, 5)
	reasons := func(links []mealieLink) (lines []string) {
		for _, link := range links {
			lines = append(lines, link.Slug+": "+link.Reason)
		}
		slices.Sort(lines)
		return lines
	}
	const private = ": site is not at a public address"
	same(t, "unverified", reasons(got.Unverified), []string{"zander: no such host", "zelten" + private, "zeppole" + private, "zopf" + private, "zuppa" + private})
	same(t, "broken", reasons(got.Broken), []string{"zimtstern: this needs a whole http or https URL without a user name"})
	if !slices.Contains(got.WithoutImage, "zopf") {
		t.Errorf("without an image are %v", got.WithoutImage)
	}
	select {
	case path := <-asked:
		t.Errorf("a server of an inner address was asked for %s", path)
	default:
	}

	t.Run("sources alone", func(t *testing.T) {
		got := decode[mealieLinks](t, s.session, "check_recipe_links", `{"check_images":false,"max_recipes":2000}`)
		if len(got.WithoutImage) != 0 || got.SourcesChecked != 5 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("images alone, of some", func(t *testing.T) {
		got := decode[mealieLinks](t, s.session, "check_recipe_links", `{"check_sources":false,"max_recipes":3}`)
		if got.SourcesChecked != 0 || !strings.HasPrefix(got.Note, "scanned 3 of ") {
			t.Errorf("got %+v", got)
		}
	})
}
