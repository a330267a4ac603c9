package mealie

import (
	"fmt"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

func TestPlan(t *testing.T) {
	s := serve(t, Options{})
	type entries struct {
		Total int        `json:"total"`
		Items []planInfo `json:"items"`
	}
	week := refapitest.Decode[entries](s.get("/api/households/mealplans?start_date=2026-08-08&end_date=2026-08-10&perPage=-1&orderBy=date&orderDirection=asc"), 200)
	if week.Total != 6 || week.Items[0].Date != "2026-08-08" || week.Items[5].Date != "2026-08-10" {
		t.Errorf("got %+v", week)
	}
	today := refapitest.Decode[[]planInfo](s.get("/api/households/mealplans/today"), 200)
	if len(today) != 3 || today[0].Recipe == nil || today[1].Title != "Leftover bread pudding" || today[1].RecipeID != nil {
		t.Errorf("got %+v", today)
	}

	hummus := refapitest.Decode[item](s.get("/api/recipes/hummus"), 200).ID
	added := refapitest.Decode[planInfo](s.do("POST", "/api/households/mealplans", `{"date":"2026-09-01","entryType":"side","recipeId":"`+hummus+`"}`), 201)
	if added.Recipe.Slug != "hummus" || added.EntryType != "side" || added.ID == 0 {
		t.Errorf("got %+v", added)
	}
	path := fmt.Sprintf("/api/households/mealplans/%d", added.ID)
	s.get(path).Holds(200, `"date":"2026-09-01"`)
	s.do("POST", "/api/households/mealplans", `{"date":"2026-09-01","title":"Pizza","text":"Out."}`).Holds(201, `"entryType":"breakfast","title":"Pizza","text":"Out.","recipeId":null`)
	s.do("DELETE", path, "").Holds(200, `"recipeId":"`+hummus+`"`)
	s.do("DELETE", path, "").Holds(404, `{"detail":{"message":"Not found.","error":true,"exception":null}}`)
	s.get(path).Holds(404)
	if left := refapitest.Decode[entries](s.get("/api/households/mealplans?start_date=2026-09-01"), 200); left.Total != 1 {
		t.Errorf("got %+v", left)
	}
}

func TestPlanRefusals(t *testing.T) {
	s := serve(t, Options{})
	const path = "/api/households/mealplans"
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"no date", "POST", path, `{"title":"x"}`, 422, `"loc":["body","date"],"msg":"Field required"`},
		{"a day that is none", "POST", path, `{"date":"2026-02-30","title":"x"}`, 422, `"type":"date_from_datetime_parsing","loc":["body","date"]`},
		{"a meal that is none", "POST", path, `{"date":"2026-09-01","entryType":"brunch","title":"x"}`, 422, `"msg":"Input should be 'breakfast', 'lunch', 'dinner' or 'side'"`},
		{"neither recipe nor title", "POST", path, `{"date":"2026-09-01"}`, 422, "must be provided"},
		{"an id that is none", "POST", path, `{"date":"2026-09-01","recipeId":"hummus"}`, 422, `"type":"uuid_parsing","loc":["body","recipeId"]`},
		{"an unknown recipe", "POST", path, `{"date":"2026-09-01","recipeId":"` + seedID("no", "recipe") + `"}`, 400, "FOREIGN KEY"},
		{"an entry that is no number", "DELETE", path + "/x", "", 422, `"loc":["path","item_id"]`},
		{"a range that is none", "GET", path + "?start_date=monday", "", 422, `"loc":["query","start_date"]`},
		{"random without a date", "POST", path + "/random", `{}`, 422, `"loc":["body","date"]`},
		{"random where nothing matches", "POST", path + "/random", `{"date":"2026-08-09","entryType":"side"}`, 404, `{"detail":{"message":"No recipes match your rules","error":true,"exception":null}}`},
	} {
		t.Run(tt.name, func(t *testing.T) { s.in(t).do(tt.method, tt.path, tt.body).Holds(tt.status, tt.want) })
	}
}

// A random meal follows the rules for the day and the meal.
func TestRandomPlan(t *testing.T) {
	s := serve(t, Options{})
	for _, tt := range []struct{ meal, category string }{{"breakfast", "Breakfast"}, {"dinner", "Dinner"}} {
		got := map[string]bool{}
		for day := 1; day <= 5; day++ {
			e := refapitest.Decode[planInfo](s.do("POST", "/api/households/mealplans/random", fmt.Sprintf(`{"date":"2026-09-%02d","entryType":%q}`, day, tt.meal)), 200)
			got[e.Recipe.Name] = true
			found := false
			for _, c := range e.Recipe.RecipeCategory {
				found = found || c.Name == tt.category
			}
			if !found || e.EntryType != tt.meal {
				t.Errorf("for %s it is %s", tt.meal, e.Recipe.Name)
			}
		}
		if len(got) == 1 {
			t.Errorf("always %v", got)
		}
	}
	s.do("POST", "/api/households/mealplans/random", `{"date":"2026-08-10","entryType":"side"}`).Holds(200)
}
