package pantry

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

func TestLogCook(t *testing.T) {
	tests := []struct {
		name  string
		body  string
		reply string // after the id
		used  string // "name qty state", in order
	}{
		{
			"meta-recipe with choices", `{"meta_recipe":"noodle stir-fry","slot_choices":{"noodles":"noodles","protein":"shrimp"},"servings":4,"rating":5,"notes":"Good."}`,
			`"meta_recipe":"Noodle stir-fry","recipe":null,"slot_choices":{"noodles":"Egg noodles","protein":"Prawns"},"servings":4,"rating":5,"notes":"Good.","cooked_on":"2026-06-23"`,
			"Soy sauce 60.00 low, Sesame oil 10.00 in, Garlic 4.00 in, Egg noodles 300.00 in, Prawns 400.00 in",
		},
		{
			"meta-recipe alone", `{"meta_recipe":"Jacket potatoes"}`,
			`"meta_recipe":"Jacket potatoes","recipe":null,"slot_choices":{},"servings":2,"rating":null,"notes":"","cooked_on":"2026-06-23"`,
			"Butter 20.00 in",
		},
		{
			"substitute", `{"meta_recipe":"Jacket potatoes","slot_choices":{"filling":"tofu"}}`,
			`"meta_recipe":"Jacket potatoes","recipe":null,"slot_choices":{"filling":"Tofu"},"servings":2,"rating":null,"notes":"","cooked_on":"2026-06-23"`,
			"Butter 20.00 in, Tofu null in",
		},
		{
			"recipe", `{"recipe":"egg fried rice","rating":1,"meta_recipe":null}`,
			`"meta_recipe":null,"recipe":"Egg fried rice","slot_choices":{},"servings":2,"rating":1,"notes":"","cooked_on":"2026-06-23"`,
			"Jasmine rice 150.00 in, Eggs 3.00 in, Peas 100.00 in, Soy sauce 15.00 low",
		},
		{
			"null options", `{"recipe":"egg fried rice","rating":null,"slot_choices":null,"servings":1}`,
			`"meta_recipe":null,"recipe":"Egg fried rice","slot_choices":{},"servings":1,"rating":null,"notes":"","cooked_on":"2026-06-23"`,
			"Jasmine rice 75.00 in, Eggs 1.50 in, Peas 50.00 in, Soy sauce 7.50 low",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, "")
			before := s.get("/api/pantry/").Body
			got := s.post("/api/log-cook/", tt.body)
			logged := refapitest.Decode[loggedCook](got, 201)
			if logged.ID == 0 || !strings.Contains(got.Body, tt.reply) {
				t.Errorf("got  %s\nwant %s", got.Body, tt.reply)
			}
			var used []string
			for _, p := range logged.Used {
				qty := "null"
				if p.Qty != nil {
					qty = p.Qty.String()
				}
				used = append(used, p.Ingredient+" "+qty+" "+*p.State)
			}
			if got := strings.Join(used, ", "); got != tt.used {
				t.Errorf("used %s\nwant %s", got, tt.used)
			}
			if after := s.get("/api/pantry/").Body; after != before {
				t.Errorf("the stock changed: %s", after)
			}
		})
	}
}

func TestLogCookByID(t *testing.T) {
	s := serve(t, "")
	id := itoa(s.templates()["Coconut curry"].ID)
	for _, given := range []string{id, `"` + id + `"`} {
		got := refapitest.Decode[loggedCook](s.post("/api/log-cook/", `{"meta_recipe":`+given+`}`), 201)
		if *got.MetaRecipe != "Coconut curry" {
			t.Errorf("%s is %s", given, *got.MetaRecipe)
		}
	}
}

func TestLogCookIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pantry.json")
	s := serve(t, file)
	logged := refapitest.Decode[loggedCook](s.post("/api/log-cook/", `{"recipe":"egg fried rice","rating":4,"notes":"Salty."}`), 201)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d data
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.CookLogs) != 1 || d.CookLogs[0].ID != logged.ID || *d.CookLogs[0].Rating != 4 || d.CookLogs[0].Notes != "Salty." {
		t.Errorf("the file holds the cook logs %s", toJSON(t, d.CookLogs))
	}
}

func TestLogCookRefusals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pantry.json")
	s := serve(t, file)
	const one = `{"non_field_errors":["Give exactly one of meta_recipe and recipe."]}`
	tests := []struct {
		name   string
		body   string
		status int
		reply  string
	}{
		{"neither", `{"rating":3}`, 400, one},
		{"both", `{"meta_recipe":"Coconut curry","recipe":"Egg fried rice"}`, 400, one},
		{"both null", `{"meta_recipe":null,"recipe":null}`, 400, one},
		{"no object", `[]`, 400, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`},
		{"rating too low", `{"recipe":"Egg fried rice","rating":0}`, 400, `{"rating":["Ensure this value is greater than or equal to 1."]}`},
		{"rating too high", `{"recipe":"Egg fried rice","rating":6}`, 400, `{"rating":["Ensure this value is less than or equal to 5."]}`},
		{"rating between", `{"recipe":"Egg fried rice","rating":4.5}`, 400, `{"rating":["A valid integer is required."]}`},
		{"rating in words", `{"recipe":"Egg fried rice","rating":"good"}`, 400, `{"rating":["A valid integer is required."]}`},
		{"rating true", `{"recipe":"Egg fried rice","rating":true}`, 400, `{"rating":["A valid integer is required."]}`},
		{
			"unknown meta-recipe", `{"meta_recipe":"stir fry noodle"}`, 404,
			`{"detail":"No meta-recipe is called 'stir fry noodle'. Close matches: Noodle stir-fry.","matches":["Noodle stir-fry"]}`,
		},
		{
			"unknown recipe", `{"recipe":"fried rice"}`, 404,
			`{"detail":"No recipe is called 'fried rice'. Close matches: Egg fried rice.","matches":["Egg fried rice"]}`,
		},
		{"a meta-recipe is no recipe", `{"recipe":"Coconut curry"}`, 404, `{"detail":"No recipe is called 'Coconut curry'.","matches":[]}`},
		{"unknown id", `{"recipe":9999}`, 400, `{"recipe":["Invalid pk \"9999\" - object does not exist."]}`},
		{"object for a recipe", `{"recipe":{}}`, 400, `{"recipe":["Not a valid string."]}`},
		{
			"unknown slot", `{"meta_recipe":"Jacket potatoes","slot_choices":{"sauce":"butter"}}`, 400,
			`{"slot_choices":{"sauce":["Jacket potatoes has no such slot. It has: potato, filling."]}}`,
		},
		{
			"unknown choice", `{"meta_recipe":"Jacket potatoes","slot_choices":{"filling":"chedar"}}`, 400,
			`{"slot_choices":{"filling":["No ingredient is called 'chedar'. Close matches: Cheddar."]}}`,
		},
		{
			"choices that are no object", `{"meta_recipe":"Jacket potatoes","slot_choices":["tuna"]}`, 400,
			`{"slot_choices":{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}}`,
		},
		{
			"choices for a recipe", `{"recipe":"Egg fried rice","slot_choices":{"a":"b"}}`, 400,
			`{"slot_choices":["Only a meta-recipe has slots."]}`,
		},
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{t, s.url}
			s.post("/api/log-cook/", tt.body).Is(tt.status, tt.reply)
			after, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != string(before) {
				t.Error("a refused cook was logged")
			}
		})
	}
}
