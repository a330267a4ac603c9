package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A mealieCookbook is a cookbook as tools show it.
type mealieCookbook struct {
	CookbookID  string `json:"cookbook_id"`
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Description string `json:"description"`
	QueryFilter string `json:"query_filter"`
	Public      bool   `json:"public"`
}

func TestMealieCookbooks(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	s.shelf(t)
	var made mealieCookbook
	for _, tt := range []struct{ name, args, filter string }{
		{"names", `{"name":"Zests","description":"Sour","tags":["zESTY","quickish"],"categories":["zuppe"]}`, `tags.name IN ["Zesty","Quickish"] AND recipe_category.name IN ["Zuppe"]`},
		{"all names", `{"name":"All zests","tags":["Zesty","Quickish"],"tools":["zester"],"require_all":true,"public":true}`, `tags.name CONTAINS ALL ["Zesty","Quickish"] AND tools.name CONTAINS ALL ["Zester"]`},
		{"a filter", `{"name":"Fours","query_filter":"rating >= 4"}`, `rating >= 4`},
		{"both", `{"name":"Both","tags":["Zesty"],"query_filter":"rating >= 4 OR rating IS NULL"}`, `tags.name IN ["Zesty"] AND (rating >= 4 OR rating IS NULL)`},
		{"no filter", `{"name":"Zall"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := decode[mealieCookbook](t, s.session, "create_cookbook", tt.args)
			same(t, "filter", got.QueryFilter, tt.filter)
			if got.CookbookID == "" || got.Public != (tt.name == "all names") {
				t.Errorf("got %+v", got)
			}
			if tt.name == "names" {
				made = got
			}
		})
	}
	t.Run("an unknown name", func(t *testing.T) {
		s.Forget()
		s.refuses(t, "create_cookbook", `{"name":"Typo","tags":["Zestyy"]}`, "tag 'Zestyy' not found (did you mean 'Zesty'?)")
		same(t, "writes", s.writes(), []string(nil))
	})
	t.Run("a filter that Mealie cannot read", func(t *testing.T) {
		text, isError := call(t, s.session, "create_cookbook", `{"name":"Bad","query_filter":"tags HAS Vegan"}`)
		if !isError || !strings.HasPrefix(text, "queryFilterString: ") {
			t.Errorf("got %v %s", isError, text)
		}
	})
	t.Run("listed", func(t *testing.T) {
		list := decode[struct {
			Items []mealieCookbook `json:"items"`
		}](t, s.session, "list_cookbooks", `{}`).Items
		if !slices.Contains(list, made) {
			t.Errorf("%+v is not in %+v", made, list)
		}
	})
	t.Run("its recipes", func(t *testing.T) {
		for _, key := range []string{made.Slug, made.CookbookID} {
			text, isError := call(t, s.session, "get_cookbook_recipes", fmt.Sprintf(`{"cookbook":%q,"limit":2}`, key))
			if isError || !strings.Contains(text, `"note":"showing 2 of 3 — pass page=2"`) {
				t.Errorf("got %v %s", isError, text)
			}
		}
		s.refuses(t, "get_cookbook_recipes", `{"cookbook":"nosuch"}`, "cookbook 'nosuch' not found")
	})
	t.Run("changed", func(t *testing.T) {
		s.Forget()
		want := made
		want.Description = "Sourer"
		got := decode[mealieCookbook](t, s.session, "update_cookbook", fmt.Sprintf(`{"cookbook_id":%q,"description":"Sourer"}`, made.CookbookID))
		same(t, "cookbook", got, want)
		same(t, "sent", s.bodies(t, "PUT", made.CookbookID), []map[string]any{{
			"name": "Zests", "description": "Sourer", "position": 1, "public": false, "queryFilterString": made.QueryFilter,
		}})
		want.Name, want.Slug, want.QueryFilter = "Sours", "sours", `tools.name IN ["Zester"]`
		got = decode[mealieCookbook](t, s.session, "update_cookbook", fmt.Sprintf(`{"cookbook_id":%q,"name":"Sours","tools":["ZESTER"]}`, made.CookbookID))
		same(t, "cookbook", got, want)
		want.QueryFilter = ""
		got = decode[mealieCookbook](t, s.session, "update_cookbook", fmt.Sprintf(`{"cookbook_id":%q,"query_filter":""}`, made.CookbookID))
		same(t, "cookbook", got, want)
	})
	t.Run("nothing to change", func(t *testing.T) {
		s.sent()
		s.refuses(t, "update_cookbook", fmt.Sprintf(`{"cookbook_id":%q,"require_all":true}`, made.CookbookID), "nothing to update: give at least one field of the cookbook")
		same(t, "sent", s.sent(), []string(nil))
	})
	t.Run("none to change", func(t *testing.T) {
		s.refuses(t, "update_cookbook", `{"cookbook_id":"nosuch","name":"x"}`, "cookbook 'nosuch' not found")
	})
	t.Run("deleted", func(t *testing.T) {
		args := fmt.Sprintf(`{"cookbook_id":%q}`, made.CookbookID)
		s.expect(t, "delete_cookbook", args, fmt.Sprintf(`{"deleted":"%s"}`, made.CookbookID))
		s.refuses(t, "delete_cookbook", args, fmt.Sprintf("cookbook '%s' not found", made.CookbookID))
	})
}

// A Mealie that has PATCH for cookbooks is sent nothing else.
func TestMealieCookbookPatch(t *testing.T) {
	t.Parallel()
	s := mealieSetup{wrap: func(api http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPatch {
				api.ServeHTTP(w, r)
				return
			}
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			same(t, "body", body, map[string]any{"name": "New"})
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"id":"7","slug":"new","name":"New","public":false}`)
		})
	}}.start(t)
	s.expect(t, "update_cookbook", `{"cookbook_id":"7","name":"New"}`, `{"cookbook_id":"7","slug":"new","name":"New","public":false}`)
	same(t, "sent besides", s.sent(), []string(nil))
}

// The description of query_filter shows filters that Mealie can read.
func TestMealieFilterExamples(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	for _, tool := range tools(t, s.session) {
		if tool.Name != "create_cookbook" {
			continue
		}
		property := tool.InputSchema.(map[string]any)["properties"].(map[string]any)["query_filter"].(map[string]any)
		_, examples, _ := strings.Cut(property["description"].(string), "such as: ")
		filters := strings.Split(examples, " or: ")
		if len(filters) != 3 {
			t.Fatalf("there are %d examples", len(filters))
		}
		for i, filter := range filters {
			args, err := json.Marshal(map[string]any{"name": fmt.Sprint("Example ", i), "query_filter": filter})
			if err != nil {
				t.Fatal(err)
			}
			got := decode[mealieCookbook](t, s.session, "create_cookbook", string(args))
			same(t, "filter", got.QueryFilter, filter)
		}
	}
}
