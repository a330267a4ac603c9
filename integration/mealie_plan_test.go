package integration

import (
	"fmt"
	"strings"
	"testing"
)

// A mealieEntry is an entry of the plan as tools show it.
type mealieEntry struct {
	EntryID    int    `json:"entry_id"`
	Date       string `json:"date"`
	EntryType  string `json:"entry_type"`
	Recipe     string `json:"recipe"`
	RecipeSlug string `json:"recipe_slug"`
	Title      string `json:"title"`
	Note       string `json:"note"`
}

func TestMealieMealPlan(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	s.add(t, "Zopf", `{}`)
	id := s.recipe(t, "zopf").ID
	s.Forget()
	plan := func(t *testing.T, from, to string) []mealieEntry {
		t.Helper()
		return decode[struct {
			Items []mealieEntry `json:"items"`
		}](t, s.session, "get_meal_plan", fmt.Sprintf(`{"start_date":%q,"end_date":%q}`, from, to)).Items
	}
	t.Run("a recipe", func(t *testing.T) {
		got := decode[mealieEntry](t, s.session, "add_meal_plan_entry", `{"date":"2031-03-01","recipe_slug":"zopf"}`)
		got.EntryID = 0
		same(t, "entry", got, mealieEntry{Date: "2031-03-01", EntryType: "dinner", Recipe: "Zopf", RecipeSlug: "zopf"})
		same(t, "writes", s.writes(), []string{fmt.Sprintf(`POST /api/households/mealplans {"date":"2031-03-01","entryType":"dinner","recipeId":"%s"}`, id)})
	})
	t.Run("a week looks the recipe up once", func(t *testing.T) {
		s.add(t, "Zelten", `{}`)
		s.ask(t, "GET", "/api/recipes/zelten", "", nil)
		s.Forget()
		for day := 2; day <= 8; day++ {
			decode[mealieEntry](t, s.session, "add_meal_plan_entry", fmt.Sprintf(`{"date":"2031-03-%02d","recipe_slug":"zelten","entry_type":"lunch"}`, day))
		}
		lookups := 0
		for _, line := range s.sent() {
			if line == "GET /api/recipes/zelten" {
				lookups++
			}
		}
		same(t, "lookups", lookups, 1)
	})
	t.Run("a recipe that has changed is looked up again", func(t *testing.T) {
		call(t, s.session, "update_recipe", `{"slug":"zelten","description":"Sweet"}`)
		s.Forget()
		decode[mealieEntry](t, s.session, "add_meal_plan_entry", `{"date":"2031-03-09","recipe_slug":"zelten"}`)
		if sent := s.sent(); len(sent) != 2 || sent[0] != "GET /api/recipes/zelten" {
			t.Errorf("sent %q", sent)
		}
	})
	t.Run("a title and a note", func(t *testing.T) {
		got := decode[mealieEntry](t, s.session, "add_meal_plan_entry", `{"date":"2031-03-01","title":"Eat out","note":"at seven","entry_type":"side","recipe_slug":""}`)
		if got.Title != "Eat out" || got.Note != "at seven" || got.EntryType != "side" || got.RecipeSlug != "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("read", func(t *testing.T) {
		entries := plan(t, "2031-03-01", "2031-03-02")
		var lines []string
		for _, e := range entries {
			lines = append(lines, e.Date+" "+e.EntryType+" "+e.RecipeSlug+e.Title)
		}
		same(t, "plan", lines, []string{"2031-03-01 dinner zopf", "2031-03-01 side Eat out", "2031-03-02 lunch zelten"})
		if empty := plan(t, "2032-01-01", "2032-01-31"); empty == nil || len(empty) != 0 {
			t.Errorf("an empty plan is %v", empty)
		}
	})
	t.Run("deleted", func(t *testing.T) {
		entry := plan(t, "2031-03-02", "2031-03-02")[0].EntryID
		s.expect(t, "delete_meal_plan_entry", fmt.Sprintf(`{"entry_id":%d}`, entry), fmt.Sprintf(`{"deleted":"%d"}`, entry))
		same(t, "plan", plan(t, "2031-03-02", "2031-03-02"), []mealieEntry{})
		s.refuses(t, "delete_meal_plan_entry", fmt.Sprintf(`{"entry_id":"%d"}`, entry), fmt.Sprintf("meal plan entry '%d' not found", entry))
	})
	s.Forget()
	for _, tt := range []struct{ name, tool, args, want string }{
		{"neither recipe nor title", "add_meal_plan_entry", `{"date":"2031-03-01"}`, "give either recipe_slug or title"},
		{"recipe and title", "add_meal_plan_entry", `{"date":"2031-03-01","title":"a","recipe_slug":"zopf"}`, "give either recipe_slug or title"},
		{"no date", "add_meal_plan_entry", `{"date":"tomorrow","title":"a"}`, `date: must be a date such as 2026-01-31 (got "tomorrow")`},
		{"no such day", "get_meal_plan", `{"start_date":"2031-02-30","end_date":"2031-03-01"}`, `start_date: must be a date such as 2026-01-31 (got "2031-02-30")`},
		{"backwards", "get_meal_plan", `{"start_date":"2031-03-02","end_date":"2031-03-01"}`, "end_date is before start_date"},
		{"an unknown meal", "add_meal_plan_entry", `{"date":"2031-03-01","title":"a","entry_type":"brunch"}`, `entry_type: must be one of breakfast, lunch, dinner, side (got "brunch")`},
		{"too many days", "random_meal_plan", `{"start_date":"2031-03-01","end_date":"2031-03-15"}`, "from 2031-03-01 to 2031-03-15 is more than 14 days: plan 14 at a time"},
		{"random backwards", "random_meal_plan", `{"start_date":"2031-03-02","end_date":"2031-03-01"}`, "end_date is before start_date"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.refuses(t, tt.tool, tt.args, tt.want)
			same(t, "sent", s.sent(), []string(nil))
		})
	}
	t.Run("no recipe", func(t *testing.T) {
		s.refuses(t, "add_meal_plan_entry", `{"date":"2031-03-01","recipe_slug":"nosuch"}`, "recipe 'nosuch' not found")
		same(t, "writes", s.writes(), []string(nil))
	})
}

func TestMealieTodaysMeals(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	type today struct {
		Date  string        `json:"date"`
		Items []mealieEntry `json:"items"`
	}
	before := decode[today](t, s.session, "get_todays_meals", `{}`)
	decode[mealieEntry](t, s.session, "add_meal_plan_entry", fmt.Sprintf(`{"date":%q,"title":"Soup"}`, before.Date))
	after := decode[today](t, s.session, "get_todays_meals", `{}`)
	if len(after.Items) != len(before.Items)+1 || after.Items[len(after.Items)-1].Title != "Soup" {
		t.Errorf("got %+v, then %+v", before, after)
	}
}

func TestMealieRandomMealPlan(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	type planned struct {
		Items []mealieEntry `json:"items"`
		Note  string        `json:"note"`
	}
	t.Run("each day", func(t *testing.T) {
		got := decode[planned](t, s.session, "random_meal_plan", `{"start_date":"2031-02-26","end_date":"2031-03-11","entry_type":"lunch"}`)
		if len(got.Items) != 14 || got.Items[3].Date != "2031-03-01" || got.Items[0].EntryType != "lunch" || got.Items[0].RecipeSlug == "" {
			t.Errorf("got %+v", got)
		}
		same(t, "writes", len(s.writes()), 14)
	})
	t.Run("stopped", func(t *testing.T) {
		s.Fail(faultAfter("POST", "/api/households/mealplans/random", 2, 500))
		got := decode[planned](t, s.session, "random_meal_plan", `{"start_date":"2031-04-01","end_date":"2031-04-07"}`)
		if len(got.Items) != 2 || got.Note != "stopped at 2031-04-03: Mealie returned 500 — the server is unhealthy" {
			t.Errorf("got %+v", got)
		}
		same(t, "writes", len(s.writes()), 3)
	})
	t.Run("none", func(t *testing.T) {
		s.fails("POST", "/api/households/mealplans/random", 404, 0, `{"detail":{"message":"No recipes match your rules","error":true}}`)
		text, isError := call(t, s.session, "random_meal_plan", `{"start_date":"2031-05-01","end_date":"2031-05-07"}`)
		if !isError || !strings.HasPrefix(text, "No recipes match your rules") {
			t.Errorf("got %v %s", isError, text)
		}
		same(t, "writes", len(s.writes()), 1)
	})
}
