package integration

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// add adds a recipe to Mealie itself, and returns its slug. The fields are
// those of a PATCH.
func (s *mealieStack) add(t *testing.T, name, fields string) (slug string) {
	t.Helper()
	s.ask(t, "POST", "/api/recipes", fmt.Sprintf(`{"name":%q}`, name), &slug)
	s.ask(t, "PATCH", "/api/recipes/"+slug, fields, nil)
	s.Forget()
	return slug
}

// addName adds a row to a taxonomy of Mealie itself, and returns it as a write
// refers to it.
func (s *mealieStack) addName(t *testing.T, path, name string) string {
	t.Helper()
	var row struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Slug string `json:"slug,omitempty"`
	}
	s.ask(t, "POST", path, fmt.Sprintf(`{"name":%q}`, name), &row)
	s.Forget()
	text, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A shelf is what the tests of searches look for: three recipes that no other
// shares a word or a name with.
func (s *mealieStack) shelf(t *testing.T) {
	t.Helper()
	tart, quick := s.addName(t, "/api/organizers/tags", "Zesty"), s.addName(t, "/api/organizers/tags", "Quickish")
	puddings := s.addName(t, "/api/organizers/categories", "Zuppe")
	mould := s.addName(t, "/api/organizers/tools", "Zester")
	lime, sugar := s.addName(t, "/api/foods", "zedoary"), s.addName(t, "/api/foods", "zante currant")
	for _, r := range []struct{ name, tags, foods string }{
		{"Zabaglione", tart + "," + quick, fmt.Sprintf(`{"food":%s},{"food":%s}`, lime, sugar)},
		{"Zeppole", tart, fmt.Sprintf(`{"food":%s}`, lime)},
		{"Zuccotto", quick, fmt.Sprintf(`{"food":%s}`, sugar)},
	} {
		s.add(t, r.name, fmt.Sprintf(`{
			"description":"A zzz sweet","recipeYield":"4 cups","tags":[%s],"recipeCategory":[%s],"tools":[%s],
			"recipeIngredient":[%s],"settings":{"disableAmount":false}}`, r.tags, puddings, mould, r.foods))
	}
}

func TestMealieSearchRecipes(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	s.shelf(t)
	// slugs are those of a reply, with its note.
	slugs := func(t *testing.T, args string) string {
		t.Helper()
		reply := decode[struct {
			Items []map[string]any `json:"items"`
			Note  string           `json:"note"`
		}](t, s.session, "search_recipes", args)
		var names []string
		for _, item := range reply.Items {
			names = append(names, fmt.Sprint(item["slug"]))
		}
		slices.Sort(names)
		return strings.TrimSpace(strings.Join(names, " ") + " " + reply.Note)
	}
	const all = "zabaglione zeppole zuccotto"
	for _, tt := range []struct{ name, args, want string }{
		{"words", `{"query":"zuccotto"}`, "zuccotto"},
		{"no words match", `{"query":"xyzzyqwert"}`, "no recipes matched"},
		{"a tag", `{"tags":["Zesty"]}`, "zabaglione zeppole"},
		{"a tag in any case, alone", `{"tags":"zESTY"}`, "zabaglione zeppole"},
		{"one of two tags", `{"tags":["Zesty","Quickish"]}`, all},
		{"both tags", `{"tags":["Zesty","Quickish"],"require_all":true}`, "zabaglione"},
		{"a category", `{"categories":["zuppe"]}`, all},
		{"a tool", `{"tools":["zester"]}`, all},
		{"a food", `{"foods":["Zedoary"]}`, "zabaglione zeppole"},
		{"both foods", `{"foods":["zedoary","zante currant"],"require_all":true}`, "zabaglione"},
		{"tag and food", `{"tags":["zesty"],"foods":["zante currant"]}`, "zabaglione"},
		{"an unknown tag", `{"tags":["Zestier"]}`, "no recipes matched: there is no 'Zestier'"},
		{"an unknown food", `{"foods":["zzz"]}`, "no recipes matched: there is no 'zzz'"},
		{"an unknown tag beside one", `{"tags":["Zestier","Zesty"]}`, "zabaglione zeppole"},
		{"an unknown tag beside one, all wanted", `{"tags":["Zestier","Zesty"],"require_all":true}`, "no recipes matched: there is no 'Zestier'"},
		{"a page", `{"tags":["Zesty","Quickish"],"limit":2,"query":"zzz"}`, "zeppole zuccotto showing 2 of 3 — pass page=2"},
		{"the last page", `{"tags":["Zesty","Quickish"],"limit":2,"page":2,"query":"zzz"}`, "zabaglione"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			same(t, "recipes", slugs(t, tt.args), tt.want)
		})
	}

	t.Run("nothing is created", func(t *testing.T) {
		s.sent()
		slugs(t, `{"tags":["Zestiest"],"foods":["zzzz"]}`)
		same(t, "writes", s.writes(), []string(nil))
	})
	t.Run("limits above the cap return the cap", func(t *testing.T) {
		s.sent()
		slugs(t, `{"limit":5000}`)
		slugs(t, `{"limit":0}`)
		slugs(t, `{}`)
		var limits []string
		for _, line := range s.sent() {
			_, rest, _ := strings.Cut(line, "perPage=")
			limit, _, _ := strings.Cut(rest, "&")
			limits = append(limits, limit)
		}
		same(t, "limits", limits, []string{"100", "1", "20"})
	})
	t.Run("what is shown", func(t *testing.T) {
		s.expect(t, "search_recipes", `{"query":"zuccotto"}`, `{"items":[{"slug":"zuccotto","name":"Zuccotto","description":"A zzz sweet"}]}`)
		s.expect(t, "search_recipes", `{"query":"zuccotto","fields":["slug","tags","recipe_yield","cook_time"]}`,
			`{"items":[{"slug":"zuccotto","recipe_yield":"4 cups","tags":["Quickish"]}]}`)
	})
	t.Run("a page past the last", func(t *testing.T) {
		s.expect(t, "search_recipes", `{"query":"zuccotto","page":99}`, `{"items":[],"note":"nothing is on page 99: the last is page 1"}`)
	})
	t.Run("fields that there are not", func(t *testing.T) {
		s.refuses(t, "search_recipes", `{"fields":["slug","calories","notes"]}`, "there are no fields calories: there are slug, name, description, "+
			"recipe_yield, prep_time, cook_time, total_time, tags, categories, tools, source_url, rating")
	})
	t.Run("fields of full recipes", func(t *testing.T) {
		s.sent()
		for _, field := range []string{"ingredients", "instructions", "notes"} {
			s.refuses(t, "search_recipes", fmt.Sprintf(`{"fields":["slug",%q]}`, field),
				"the recipe list has no ingredients, instructions or notes: call get_recipe for them")
		}
		same(t, "sent", s.sent(), []string(nil))
	})
}

func TestMealieGetRecipe(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	flour, cup := s.addName(t, "/api/foods", "zflour"), s.addName(t, "/api/units", "zcup")
	s.add(t, "Zopf", fmt.Sprintf(`{
		"description":"Bread","recipeYield":"1 loaf","prepTime":"20 minutes","cookTime":"","orgURL":"https://example.com/zopf","rating":4,
		"recipeIngredient":[{"title":"Dough","quantity":2,"unit":%s,"food":%s,"note":"sifted"},{"quantity":0,"note":"salt"}],
		"recipeInstructions":[{"title":"Start","text":"Knead.","ingredientReferences":[]},{"text":"Bake.","ingredientReferences":[]}],
		"notes":[{"title":"Tip","text":"Braid it."}],"settings":{"disableAmount":false}}`, cup, flour))
	const zopf = `{"slug":"zopf","name":"Zopf","description":"Bread","recipe_yield":"1 loaf","prep_time":"20 minutes",` +
		`"ingredients":["Dough: 2 zcup zflour sifted","salt"],"instructions":["Start: Knead.","Bake."],` +
		`"source_url":"https://example.com/zopf","rating":4,"notes":[{"title":"Tip","text":"Braid it."}]}`

	t.Run("trimmed", func(t *testing.T) { s.expect(t, "get_recipe", `{"slug":"zopf"}`, zopf) })
	t.Run("fields", func(t *testing.T) {
		s.expect(t, "get_recipe", `{"slug":"zopf","fields":["ingredients","cook_time"]}`, `{"ingredients":["Dough: 2 zcup zflour sifted","salt"]}`)
	})
	t.Run("fields that there are not", func(t *testing.T) {
		s.refuses(t, "get_recipe", `{"slug":"zopf","fields":["calories"]}`, "there are no fields calories: there are slug, name, description, "+
			"recipe_yield, prep_time, cook_time, total_time, tags, categories, tools, source_url, rating, ingredients, instructions, notes")
	})
	t.Run("full", func(t *testing.T) {
		full := decode[map[string]any](t, s.session, "get_recipe", `{"slug":"zopf","full":true}`)
		for _, key := range []string{"nutrition", "settings", "assets", "comments", "createdAt", "groupId"} {
			if _, ok := full[key]; !ok {
				t.Errorf("there is no %s", key)
			}
		}
	})
	t.Run("amounts that Mealie does not show", func(t *testing.T) {
		s.ask(t, "PATCH", "/api/recipes/zopf", `{"settings":{"disableAmount":true}}`, nil)
		s.expect(t, "get_recipe", `{"slug":"zopf","fields":["ingredients"]}`, `{"ingredients":["Dough: 2 zcup zflour sifted","salt"]}`)
	})
	t.Run("a change shows at once", func(t *testing.T) {
		s.ask(t, "PATCH", "/api/recipes/zopf", `{"description":"Sweet bread"}`, nil)
		s.expect(t, "get_recipe", `{"slug":"zopf","fields":["description"]}`, `{"description":"Sweet bread"}`)
	})
	t.Run("none", func(t *testing.T) { s.refuses(t, "get_recipe", `{"slug":"no such"}`, "recipe 'no such' not found") })
	t.Run("a slug cannot leave its place", func(t *testing.T) {
		s.sent()
		if text, isError := call(t, s.session, "get_recipe", `{"slug":"../users/self"}`); !isError {
			t.Errorf("got %s", text)
		}
		same(t, "sent", s.sent(), []string(nil))
	})
}

func TestMealieSuggestRecipes(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	s.shelf(t)
	t.Run("foods", func(t *testing.T) {
		s.sent()
		s.expect(t, "suggest_recipes", `{"foods":["Zedoary"]}`, `{"items":[`+
			`{"slug":"zeppole","name":"Zeppole","description":"A zzz sweet"},`+
			`{"slug":"zabaglione","name":"Zabaglione","description":"A zzz sweet","missing_foods":["zante currant"]}]}`)
		var asked string
		for _, line := range s.sent() {
			if strings.Contains(line, "suggestions") {
				asked = line
			}
		}
		same(t, "asked", asked, fmt.Sprintf("GET /api/recipes/suggestions?foods=%s&limit=10&maxMissingFoods=2", s.names(t, "/api/foods")["zedoary"]))
	})
	t.Run("none missing", func(t *testing.T) {
		s.expect(t, "suggest_recipes", `{"foods":["zedoary"],"max_missing_foods":0}`, `{"items":[{"slug":"zeppole","name":"Zeppole","description":"A zzz sweet"}]}`)
	})
	t.Run("an unknown food", func(t *testing.T) {
		s.expect(t, "suggest_recipes", `{"foods":["zzz"]}`, `{"items":[],"note":"no recipes matched: there is no 'zzz'"}`)
	})
	t.Run("an unknown food beside one", func(t *testing.T) {
		s.expect(t, "suggest_recipes", `{"foods":["zzz","zedoary"],"max_missing_foods":0}`, `{"items":[{"slug":"zeppole","name":"Zeppole","description":"A zzz sweet"}]}`)
	})
	t.Run("limit", func(t *testing.T) {
		s.sent()
		call(t, s.session, "suggest_recipes", `{"limit":1000}`)
		same(t, "asked", s.sent(), []string{"GET /api/recipes/suggestions?limit=100&maxMissingFoods=2"})
	})
}

// Names are read once, until something is written that they may depend on.
func TestMealieNamesAreKept(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	s.shelf(t)
	read := func(t *testing.T) (times int) {
		t.Helper()
		s.Forget()
		call(t, s.session, "search_recipes", `{"tags":["Zesty"]}`)
		for _, line := range s.sent() {
			if strings.HasPrefix(line, "GET /api/organizers/tags") {
				times++
			}
		}
		return times
	}
	same(t, "first", read(t), 1)
	same(t, "again", read(t), 0)
	for _, tt := range []struct {
		tool, args string
		empties    int
	}{
		{"manage_taxonomy", `{"resource":"tags","action":"create","name":"Zippy"}`, 1},
		{"manage_taxonomy", `{"resource":"foods","action":"create","name":"zucca"}`, 1},
		{"update_recipe", `{"slug":"zeppole","description":"x"}`, 1},
		{"delete_recipe", `{"slug":"zeppole","confirm_slug":"zeppole"}`, 1},
		{"add_meal_plan_entry", `{"date":"2031-03-01","recipe_slug":"zuccotto"}`, 0},
		{"create_cookbook", `{"name":"Zesty things","tags":["Zesty"]}`, 0},
		{"parse_ingredients", `{"lines":["1 egg"]}`, 0},
		{"manage_taxonomy", `{"resource":"tags"}`, 0},
	} {
		t.Run(tt.tool+tt.args, func(t *testing.T) {
			if text, isError := call(t, s.session, tt.tool, tt.args); isError {
				t.Fatal(text)
			}
			same(t, "after", read(t), tt.empties)
		})
	}
}
