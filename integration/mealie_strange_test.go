package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What answers in Mealie's place, with a success, makes no tool write, delete
// or report what is not so.
func TestMealieStrangeReplies(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	call(t, s.session, "create_recipe", `{"name":"Zopf"}`)
	s.addName(t, "/api/organizers/tags", "Zesty")
	tag := s.names(t, "/api/organizers/tags")["Zesty"]
	page := `"<html>Please log in</html>"`
	for _, tt := range []struct {
		tool, args, method, path, reply, want string
		writes                                int
	}{
		{"update_recipe", `{"slug":"zopf","tags":["Zesty"]}`, "GET", "/api/recipes/*", `null`, "Mealie's reply holds no recipe", 0},
		{"update_recipe", `{"slug":"zopf","tags":["Zesty"]}`, "GET", "/api/recipes/*", `{}`, "Mealie's reply holds no recipe", 0},
		{"update_recipe", `{"slug":"zopf","tags":["Zesty"]}`, "GET", "/api/recipes/*", page, "Mealie's reply holds no recipe", 0},
		{"update_recipe", `{"slug":"zopf","description":"x"}`, "PATCH", "/api/recipes/*", `null`, "Mealie's reply holds no recipe: see get_recipe for what was changed", 1},
		{"create_recipe", `{"name":"Zuppa"}`, "PATCH", "/api/recipes/*", page, "recipe 'zuppa' was created, but could not be filled in: Mealie's reply holds no recipe: see get_recipe for what was changed. Complete it with update_recipe or remove it with delete_recipe", 2},
		{"delete_recipe", `{"slug":"zopf","confirm_slug":"zopf"}`, "GET", "/api/recipes/*", `null`, "Mealie's reply holds no recipe", 0},
		{"manage_taxonomy", fmt.Sprintf(`{"resource":"tags","action":"update","item_id":%q,"name":"Zest"}`, tag), "GET", "/api/organizers/tags/*", `{}`, "Mealie's reply holds no item", 0},
		{"add_meal_plan_entry", `{"date":"2026-09-01","recipe_slug":"zopf"}`, "GET", "/api/recipes/*", `null`, "Mealie's reply holds no recipe", 0},
		{"update_cookbook", `{"cookbook_id":"7","name":"x"}`, "GET", "/api/households/cookbooks/*", `{}`, "Mealie's reply holds no cookbook", 1}, // a PATCH, which it does not have
		{"create_recipe", `{"name":"Zabaione"}`, "POST", "/api/recipes", page, "Mealie's reply holds no slug: see search_recipes for whether the recipe was saved", 1},
		{"import_recipe_from_url", `{"url":"https://example.com/x"}`, "POST", "/api/recipes/create/url", `null`, "Mealie's reply holds no slug: see search_recipes for whether the recipe was saved", 1},
		{"get_recipe", `{"slug":"suggestions"}`, "GET", "/nothing", `{}`, "Mealie's reply holds no recipe", 0},
		{"library_stats", `{"resource":"tags"}`, "GET", "/api/recipes", `{"items":null}`, "the API's reply holds no list of rows", 0},
	} {
		t.Run(tt.tool+" "+tt.reply, func(t *testing.T) {
			s.Forget()
			s.fails(tt.method, tt.path, 200, 1, tt.reply)
			s.refuses(t, tt.tool, tt.args, tt.want)
			if writes := s.writes(); len(writes) != tt.writes {
				t.Errorf("sent %q", writes)
			}
		})
	}
	same(t, "the recipe's name", s.recipe(t, "zopf").Name, "Zopf")
}

// Names are looked up anew before a write, and one that another call creates
// in the meantime is taken.
func TestMealieNamesAreFresh(t *testing.T) {
	t.Parallel()
	s := mealieSetup{wrap: func(api http.Handler) http.Handler {
		raced := false
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.URL.Path == "/api/organizers/tags" && !raced {
				raced = true
				other, err := http.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), strings.NewReader(`{"name":"Zippy"}`))
				if err != nil {
					t.Error(err)
					return
				}
				other.Header = r.Header.Clone()
				api.ServeHTTP(httptest.NewRecorder(), other)
			}
			api.ServeHTTP(w, r)
		})
	}}.start(t)
	call(t, s.session, "create_recipe", `{"name":"Zopf"}`)
	t.Run("another call creates the tag", func(t *testing.T) {
		s.expect(t, "update_recipe", `{"slug":"zopf","tags":["zippy"]}`, `{"slug":"zopf","name":"Zopf"}`)
		same(t, "tags", s.recipe(t, "zopf").Tags, []any{map[string]any{"Name": "Zippy"}})
	})
	t.Run("another client creates the tag", func(t *testing.T) {
		call(t, s.session, "search_recipes", `{"tags":["Zesty"]}`) // which keeps the tags
		s.addName(t, "/api/organizers/tags", "Zesty")
		s.expect(t, "update_recipe", `{"slug":"zopf","tags":["zesty"],"replace_tags":true}`, `{"slug":"zopf","name":"Zopf"}`)
		call(t, s.session, "search_recipes", `{"tags":["Zany"]}`)
		s.addName(t, "/api/organizers/tags", "Zany")
		if text, isError := call(t, s.session, "create_cookbook", `{"name":"Zs","tags":["zany"]}`); isError {
			t.Error(text)
		}
	})
	t.Run("no name", func(t *testing.T) {
		s.refuses(t, "update_recipe", `{"slug":"zopf","tags":[""]}`, `tags[0]: must have at least 1 character (got "")`)
	})
	t.Run("another refusal", func(t *testing.T) {
		s.fails("POST", "/api/organizers/tags", 400, 1, `{"detail":{"message":"no more tags"}}`)
		s.refuses(t, "update_recipe", `{"slug":"zopf","tags":["Zoo"]}`, "no more tags")
	})
}

// Mealie's filters have no way to write a quote.
func TestMealieFilterNames(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	for _, name := range []string{`12" pan`, `back\slash`} {
		s.addName(t, "/api/organizers/tools", name)
		args, err := json.Marshal(map[string]any{"name": "Odd", "tools": []string{name}})
		if err != nil {
			t.Fatal(err)
		}
		s.Forget()
		s.refuses(t, "create_cookbook", string(args), "'"+name+"' cannot stand in a filter of Mealie's, because of a quote, a backslash or a control character: rename it, or filter by its id in query_filter")
		same(t, "writes", s.writes(), []string(nil))
	}
	id := s.names(t, "/api/organizers/tools")[`12" pan`]
	args, err := json.Marshal(map[string]any{"name": "By id", "query_filter": fmt.Sprintf("tools.id IN [%q]", id)})
	if err != nil {
		t.Fatal(err)
	}
	if text, isError := call(t, s.session, "create_cookbook", string(args)); isError {
		t.Error(text)
	}
}
