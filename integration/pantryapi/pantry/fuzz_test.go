package pantry

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Whatever is sent, the API answers with JSON and no server error, and what
// it keeps can be opened again.
func FuzzBody(f *testing.F) {
	d := seed(testDay)
	item, stirFry := itoa(d.Pantry[0].ID), itoa(d.MetaRecipes[0].ID)
	paths := []struct{ method, path string }{
		{"POST", "/api/pantry/set-state/"},
		{"POST", "/api/bulk-pantry-add/"},
		{"POST", "/api/create-meta-recipe/"},
		{"PUT", "/api/create-meta-recipe/"},
		{"POST", "/api/log-cook/"},
		{"PATCH", "/api/pantry/" + item + "/"},
	}
	for i, body := range []string{
		`{"ingredient":"noodles","state":"out","location":"cupboard"}`,
		`{"items":[{"name":"Kimchi","quantity":1e3,"unit":null},{"name":"eggs"}]}`,
		"{" + bowl + "}",
		`{"id":` + stirFry + `,` + bowl + `}`,
		`{"meta_recipe":` + stirFry + `,"slot_choices":{"noodles":"noodles"},"rating":5,"servings":"3"}`,
		`{"state":"low","quantity":"0.10","expiry":null,"is_staple":true}`,
	} {
		f.Add(i, body)
	}
	f.Fuzz(func(t *testing.T, at int, body string) {
		h, err := New(Options{Token: testToken, Now: func() time.Time { return testDay }})
		if err != nil {
			t.Fatal(err)
		}
		to := paths[uint(at)%uint(len(paths))]
		r := httptest.NewRequest(to.method, to.path, strings.NewReader(body))
		r.Header.Set("Authorization", "Token "+testToken)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%s %s %q: %d %s", to.method, to.path, body, w.Code, w.Body)
		}
		if err := h.(*api).store.Update(func(*data) error { return nil }); err != nil {
			t.Fatalf("%s %s %q: %v", to.method, to.path, body, err)
		}
	})
}
