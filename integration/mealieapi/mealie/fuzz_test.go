package mealie

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// smallLibrary is one recipe and little else, for speed.
var smallLibrary = sync.OnceValue(func() *data {
	d := seed(testDay, 0)
	d.Recipes = []*recipe{d.recipe("hummus")}
	d.Foods = []*food{byID(d.Foods, seedID("food", "tahini")), byID(d.Foods, seedID("food", "feta"))}
	d.Plan = nil
	return d
})

// Whatever is sent, the API answers with JSON, with no error that it does not
// know, and what it keeps can be opened again.
func FuzzBody(f *testing.F) {
	paths := []struct{ method, path string }{
		{"POST", "/api/recipes"},
		{"PATCH", "/api/recipes/hummus"},
		{"PUT", "/api/recipes/hummus"},
		{"POST", "/api/recipes/bulk-actions/tag"},
		{"POST", "/api/households/mealplans"},
		{"POST", "/api/households/mealplans/random"},
		{"POST", "/api/households/cookbooks"},
		{"POST", "/api/parser/ingredients"},
		{"POST", "/api/foods"},
		{"PUT", "/api/units/" + seedID("unit", "gram")},
		{"PUT", "/api/foods/merge"},
	}
	vegan, tahini := seedID("tag", "Vegan"), seedID("food", "tahini")
	for i, body := range []string{
		`{"name":"Pie"}`,
		`{"name":"x","tags":[{"id":"` + vegan + `","name":"Vegan","slug":"vegan"}],"recipeIngredient":[{"quantity":1e3,"food":{"id":"` + tahini + `","name":"t"}}]}`,
		`{"name":"x","recipeInstructions":[{"text":"a","ingredientReferences":[{}]}],"notes":null,"extras":{"a":[1]}}`,
		`{"recipes":["hummus"],"tags":[{"id":"` + vegan + `","name":"Vegan","slug":"vegan"}]}`,
		`{"date":"2026-09-01","title":"x"}`,
		`{"date":"2026-09-01","entryType":"lunch"}`,
		`{"name":"x","queryFilterString":"rating > 3"}`,
		`{"ingredients":["1 1/2 cups flour","½"],"parser":"brute"}`,
		`{"name":"x","aliases":[{"name":"y"}],"labelId":null}`,
		`{"name":"x","pluralAbbreviation":null}`,
		`{"fromFood":"` + tahini + `","toFood":"` + seedID("food", "feta") + `"}`,
	} {
		f.Add(i, body)
	}
	api, err := New(Options{Token: testToken})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, at int, body string) {
		var err error
		if api.store, err = refapi.Open("", "a small library", (*data).check, smallLibrary); err != nil {
			t.Fatal(err)
		}
		to := paths[uint(at)%uint(len(paths))]
		r := httptest.NewRequest(to.method, to.path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+testToken)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if !json.Valid(w.Body.Bytes()) || w.Code == http.StatusNotFound && to.path != "/api/households/mealplans/random" {
			t.Fatalf("%s %s %q: %d %s", to.method, to.path, body, w.Code, w.Body)
		}
		if err := api.store.Update(func(*data) error { return nil }); err != nil {
			t.Fatalf("%s %s %q: %v", to.method, to.path, body, err)
		}
	})
}
