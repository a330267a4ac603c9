package mealie

import (
	"fmt"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

// object is a taxonomy row as writes refer to it.
func (i item) object() string {
	return fmt.Sprintf(`{"id":%q,"name":%q,"slug":%q}`, i.ID, i.Name, i.Slug)
}

// row is the first row that a search finds.
func (s *server) row(path string) item {
	s.t.Helper()
	rows := refapitest.Decode[list](s.get(path), 200).Items
	if len(rows) == 0 {
		s.t.Fatalf("%s finds nothing", path)
	}
	return rows[0]
}

func TestPatchRecipe(t *testing.T) {
	s := serve(t, Options{})
	gram, flour := s.row("/api/units?search=gram&orderBy=name:asc"), s.row("/api/foods?search=plain+flour")
	vegan, wok := s.row("/api/organizers/tags?search=vegan"), s.row("/api/organizers/tools?search=wok")
	const path = "/api/recipes/hummus"
	before := s.get(path).Body

	for _, tt := range []struct {
		name, body string
		want       []string // in the reply
		lost       []string // of what was there
	}{
		{"one field", `{"description":"Smoother."}`, []string{`"description":"Smoother."`, `"recipeYield":"1 bowl"`, `"name":"Vegan"`, `tahini`}, nil},
		{"null", `{"recipeYield":null,"rating":null}`, []string{`"recipeYield":null`, `"rating":null`}, nil},
		{
			"a list is replaced", `{"tags":[` + vegan.object() + `,` + vegan.object() + `]}`,
			[]string{`"tags":[{"id":"` + vegan.ID + `","name":"Vegan","slug":"vegan"}]`, `"name":"Snack"`},
			[]string{`"name":"Picnic"`},
		},
		{"a list is emptied", `{"recipeCategory":[]}`, []string{`"recipeCategory":[]`}, []string{`"name":"Snack"`}},
		{"tools", `{"tools":[` + wok.object() + `]}`, []string{`"tools":[{"id":"` + wok.ID + `"`}, []string{`"name":"Blender"`}},
		{
			"ingredients", `{"recipeIngredient":[{"quantity":500,"unit":` + gram.object() + `,"food":` + flour.object() + `,"note":"sieved","referenceId":"` + seedID("a", "b") + `"},{"quantity":"","note":"salt","title":"Dough","originalText":"some salt"}]}`,
			[]string{`"display":"500 g plain flour sieved"`, `"referenceId":"` + seedID("a", "b") + `"`, `{"quantity":null,"unit":null,"food":null,"note":"salt","isFood":true,"disableAmount":false,"display":"salt","title":"Dough","originalText":"some salt"`},
			[]string{"tahini"},
		},
		{
			"the amount twice", `{"recipeIngredient":[{"quantity":500,"note":"500 g flour"}]}`,
			[]string{`"display":"500 500 g flour"`},
			[]string{"tahini"},
		},
		{
			"amounts off", `{"settings":{"disableAmount":true},"recipeIngredient":[{"food":` + flour.object() + `,"note":"1 cup"}]}`,
			[]string{`"disableAmount":true,"display":"1 cup"`, `"public":true`},
			nil,
		},
		{
			"steps", `{"recipeInstructions":[{"text":"Stir.","title":null,"ingredientReferences":[{"referenceId":"` + seedID("a", "b") + `"},{"referenceId":null}]}]}`,
			[]string{`"title":null,"summary":null,"text":"Stir.","ingredientReferences":[{"referenceId":"` + seedID("a", "b") + `"},{"referenceId":null}]`},
			[]string{"five minutes"},
		},
		{
			"the rest", `{"notes":[{"title":"","text":"Cold."}],"assets":[{"name":"a","icon":"b"}],"extras":{"k":"v"},"nutrition":{"calories":"9"},"recipeServings":3,"rating":"4.5"}`,
			[]string{`"notes":[{"title":"","text":"Cold."}]`, `"assets":[{"name":"a","icon":"b","fileName":null}]`, `"extras":{"k":"v"}`, `"calories":"9"`, `"recipeServings":3`, `"rating":4.5`},
			nil,
		},
		{"read-only keys", `{"tags":[{"id":"` + vegan.ID + `","name":"Vegan","slug":"vegan","recipes":[]}],"createdAt":"2020-01-01T00:00:00Z"}`, []string{`"createdAt":"2026-`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, Options{})
			a := s.do("PATCH", path, tt.body).Holds(200, tt.want...)
			a.Lacks(tt.lost...)
			for _, text := range tt.lost {
				if !strings.Contains(before, text) {
					t.Errorf("there was no %s", text)
				}
			}
			if after := s.get(path).Body; after != a.Body {
				t.Errorf("the reply is\n%s\nand the recipe\n%s", a.Body, after)
			}
		})
	}
}

func TestRenameRecipe(t *testing.T) {
	s := serve(t, Options{})
	id := refapitest.Decode[item](s.get("/api/recipes/hummus"), 200).ID
	s.do("PATCH", "/api/recipes/hummus", `{"name":"Hummus bi Tahini"}`).Holds(200, `"slug":"hummus-bi-tahini"`, `"id":"`+id+`"`)
	s.get("/api/recipes/hummus").Holds(404)
	s.get("/api/recipes/hummus-bi-tahini").Holds(200)
	s.do("PATCH", "/api/recipes/hummus-bi-tahini", `{"name":"Falafel"}`).Holds(400, `{"detail":{"message":"Recipe already exists","error":true,"exception":null}}`)
	s.do("PATCH", "/api/recipes/hummus-bi-tahini", `{"name":"HUMMUS bi tahini"}`).Holds(200, `"slug":"hummus-bi-tahini"`)
	s.do("PATCH", "/api/recipes/hummus", `{"name":"x"}`).Holds(404, "No Entry Found")
	s.do("PATCH", "/api/recipes/hummus-bi-tahini", `{"name":"?"}`).Holds(500, "ValueError")
}

// PUT replaces the row: what it leaves out is lost.
func TestPutRecipe(t *testing.T) {
	s := serve(t, Options{})
	before := refapitest.Decode[recipeInfo](s.get("/api/recipes/hummus"), 200)
	after := refapitest.Decode[recipeInfo](s.do("PUT", "/api/recipes/hummus", `{"name":"Hummus","description":"New."}`), 200)
	if after.ID != before.ID || !after.CreatedAt.Equal(before.CreatedAt) || *after.Description != "New." {
		t.Errorf("got %+v", after)
	}
	if len(after.Tags) != 0 || len(after.Ingredients) != 0 || len(after.Instructions) != 0 || after.RecipeYield != nil || after.Rating != nil {
		t.Errorf("something is left: %+v", after)
	}
	s.do("PUT", "/api/recipes/hummus", `{"description":"x"}`).Holds(500, "IntegrityError")
}

func TestRecipeRefusals(t *testing.T) {
	s := serve(t, Options{})
	before := s.get("/api/recipes/hummus").Body
	id := seedID("no", "row")
	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"a food without an id", `{"recipeIngredient":[{"note":"a"},{"food":{"name":"flour"}}]}`, 422, `{"detail":[{"type":"missing","loc":["body","recipeIngredient",1,"food","IngredientFood","id"],"msg":"Field required","input":{"name":"flour"}}]}`},
		{"a food with no id", `{"recipeIngredient":[{"food":{"id":null,"name":"flour"}}]}`, 422, `"type":"uuid_type","loc":["body","recipeIngredient",0,"food","IngredientFood","id"]`},
		{"a food as text", `{"recipeIngredient":[{"food":"flour"}]}`, 422, `"loc":["body","recipeIngredient",0,"food","IngredientFood"]`},
		{"a unit without a name", `{"recipeIngredient":[{"unit":{"id":"` + id + `"}}]}`, 422, `"loc":["body","recipeIngredient",0,"unit","IngredientUnit","name"]`},
		{"an unknown unit", `{"recipeIngredient":[{"unit":{"id":"` + id + `","name":"x"}}]}`, 500, `"message":"Unknown Error"`},
		{"an unknown food", `{"recipeIngredient":[{"food":{"id":"` + id + `","name":"x"}}]}`, 500, `"message":"Unknown Error"`},
		{"no reference", `{"recipeIngredient":[{"referenceId":null}]}`, 422, `"loc":["body","recipeIngredient",0,"referenceId"]`},
		{"a quantity in words", `{"recipeIngredient":[{"quantity":"two"}]}`, 422, `"loc":["body","recipeIngredient",0,"quantity"]`},
		{"an infinite quantity", `{"recipeIngredient":[{"quantity":"inf"}]}`, 422, `"loc":["body","recipeIngredient",0,"quantity"]`},
		{"ingredients as text", `{"recipeIngredient":["2 cups flour"]}`, 422, `"loc":["body","recipeIngredient",0]`},
		{"no list", `{"recipeIngredient":"flour"}`, 422, `"type":"list_type"`},
		{"a step without text", `{"recipeInstructions":[{"ingredientReferences":[]}]}`, 422, `"loc":["body","recipeInstructions",0,"text"]`},
		{"a step without references", `{"recipeInstructions":[{"text":"Stir."}]}`, 422, `"loc":["body","recipeInstructions",0,"ingredientReferences"]`},
		{"steps as text", `{"recipeInstructions":["Stir."]}`, 422, `"loc":["body","recipeInstructions",0]`},
		{"tags as text", `{"tags":["Vegan"]}`, 422, `"loc":["body","tags",0]`},
		{"a tag without a slug", `{"tags":[{"name":"Vegan"}]}`, 422, `"loc":["body","tags",0,"slug"]`},
		{"an unknown tag", `{"tags":[{"name":"New","slug":"new"}]}`, 500, `"message":"Unknown Error"`},
		{"a tool without an id", `{"tools":[{"name":"Wok","slug":"wok"}]}`, 422, `"loc":["body","tools",0,"id"]`},
		{"a note without a title", `{"notes":[{"text":"x"}]}`, 422, `"loc":["body","notes",0,"title"]`},
		{"a rating in words", `{"rating":"good"}`, 422, `"loc":["body","rating"]`},
		{"a setting in words", `{"settings":{"public":"yes"}}`, 422, `"type":"bool_type","loc":["body","settings","public"]`},
		{"all that is wrong", `{"rating":"good","name":3}`, 422, `["body","name"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.in(t).do("PATCH", "/api/recipes/hummus", tt.body).Holds(tt.status, tt.want)
		})
	}
	s.do("PATCH", "/api/recipes/nothing", `{"tags":["Vegan"]}`).Holds(422)
	if after := s.get("/api/recipes/hummus").Body; after != before {
		t.Errorf("what was refused has changed the recipe:\n%s", after)
	}
}

// Some versions fail on read-only keys in writes.
func TestStrict(t *testing.T) {
	tag := seedID("tag", "Vegan")
	flour := seedID("food", "plain flour")
	for _, tt := range []struct{ name, method, path, body string }{
		{"tag of a recipe", "PATCH", "/api/recipes/hummus", `{"tags":[{"id":"` + tag + `","name":"Vegan","slug":"vegan","createdAt":"2026-01-01T00:00:00Z"}]}`},
		{"food of an ingredient", "PATCH", "/api/recipes/hummus", `{"recipeIngredient":[{"food":{"id":"` + flour + `","name":"plain flour","aliases":[]}}]}`},
		{"bulk", "POST", "/api/recipes/bulk-actions/tag", `{"recipes":["hummus"],"tags":[{"id":"` + tag + `","name":"Vegan","slug":"vegan","recipes":[]}]}`},
		{"food", "PUT", "/api/foods/" + flour, `{"name":"flour","label":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			serve(t, Options{}).do(tt.method, tt.path, tt.body).Holds(200)
			serve(t, Options{Strict: true}).do(tt.method, tt.path, tt.body).Holds(500, `"error":true,"exception":"TypeError"`)
		})
	}
	s := serve(t, Options{Strict: true})
	s.do("PATCH", "/api/recipes/hummus", `{"tags":[{"id":"`+tag+`","name":"Vegan","slug":"vegan","groupId":"`+groupID+`"}]}`).Holds(200)
}
