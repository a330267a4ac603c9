package pantry

import (
	"slices"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

// templates are the meta-recipes by name.
func (s *server) templates() map[string]template {
	s.t.Helper()
	byName := map[string]template{}
	for _, m := range refapitest.Decode[[]template](s.get("/api/meta-recipes/"), 200) {
		byName[m.Name] = m
	}
	return byName
}

// describe is a meta-recipe without its ids: what a person would read.
func describe(m template) string {
	parts := func(parts []nestedPart) string {
		var list []string
		for _, p := range parts {
			qty := "some"
			if p.Qty != nil {
				qty = p.Qty.String()
			}
			list = append(list, strings.TrimSpace(p.Ingredient.Name+" "+qty+" "+p.Unit))
		}
		return strings.Join(list, " or ")
	}
	var slots []string
	for _, s := range m.Slots {
		slots = append(slots, s.Name+": "+parts(s.Options))
	}
	return m.Name + " for " + itoa(m.Servings) + "; " + strings.Join(slots, "; ") + "; base: " + parts(m.Base)
}

func TestListMetaRecipes(t *testing.T) {
	s := serve(t, "")
	all := s.templates()
	if len(all) != 3 {
		t.Errorf("%d meta-recipes, want 3", len(all))
	}
	const want = "Jacket potatoes for 2; potato: Potatoes 0.60 kg; filling: Tuna 1.00 tins or Cheddar 80.00 g; base: Butter 20.00 g"
	if got := describe(all["Jacket potatoes"]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

const bowl = `"name":"Rice bowl","method":"Pile it up.","servings":1,
	"slots":[{"name":"topping","options":[{"ingredient":"firm tofu","qty":"140","unit":"g"},{"ingredient":"Kimchi"}]}],
	"base_ingredients":[{"ingredient":"rice","qty":75,"unit":"g"},{"ingredient":"kimchi","unit":"spoon"},{"ingredient":"Gochujang"}]`

const bowlText = "Rice bowl for 1; topping: Tofu 140.00 g or Kimchi some; base: Jasmine rice 75.00 g or Kimchi some spoon or Gochujang some"

func TestCreateMetaRecipe(t *testing.T) {
	s := serve(t, "")
	got := refapitest.Decode[saved](s.post("/api/create-meta-recipe/", "{"+bowl+"}"), 201)
	if text := describe(got.template); text != bowlText {
		t.Errorf("got  %s\nwant %s", text, bowlText)
	}
	if want := []string{"Kimchi", "Gochujang"}; !slices.Equal(got.Created, want) {
		t.Errorf("created %v, want %v", got.Created, want)
	}
	if kept := s.templates()["Rice bowl"]; toJSON(t, kept) != toJSON(t, got.template) {
		t.Errorf("kept %s", toJSON(t, kept))
	}
	if rows := s.rows(); len(rows) != len(serve(t, "").rows()) {
		t.Error("a recipe's ingredients were put into the pantry")
	}

	// What was created is known from now on.
	again := strings.Replace(bowl, "Rice bowl", "Other bowl", 1)
	if got := refapitest.Decode[saved](s.post("/api/create-meta-recipe/", "{"+again+"}"), 201); len(got.Created) != 0 {
		t.Errorf("created %v again", got.Created)
	}
}

func TestCreateMetaRecipeDefaults(t *testing.T) {
	s := serve(t, "")
	got := refapitest.Decode[saved](s.post("/api/create-meta-recipe/", `{"name":"Plan","method":"","slots":[]}`), 201)
	if text := describe(got.template); text != "Plan for 2; ; base: " {
		t.Errorf("got %s", text)
	}
	if !strings.Contains(toJSON(t, got), `"slots":[],"base_ingredients":[],"created_ingredients":[]`) {
		t.Errorf("empty lists are not lists: %s", toJSON(t, got))
	}
}

func TestUpdateMetaRecipe(t *testing.T) {
	s := serve(t, "")
	before := s.templates()
	old := before["Noodle stir-fry"]
	got := refapitest.Decode[saved](s.request("PUT", "/api/create-meta-recipe/", `{"id":`+itoa(old.ID)+","+bowl+"}"), 200)
	if got.ID != old.ID {
		t.Errorf("the id changed from %d to %d", old.ID, got.ID)
	}
	after := s.templates()
	if text := describe(after["Rice bowl"]); text != bowlText {
		t.Errorf("got  %s\nwant %s", text, bowlText)
	}
	if len(after) != len(before) {
		t.Errorf("%d meta-recipes, were %d", len(after), len(before))
	}
	for _, s := range old.Slots {
		if s.ID >= got.Slots[0].ID {
			t.Errorf("the new slot's id %d is not after %d", got.Slots[0].ID, s.ID)
		}
	}
	// Its own name is not taken, and nothing is created twice.
	again := refapitest.Decode[saved](s.request("PUT", "/api/create-meta-recipe/", `{"id":`+itoa(old.ID)+","+bowl+"}"), 200)
	if len(again.Created) != 0 {
		t.Errorf("created %v again", again.Created)
	}
}

func TestMetaRecipeRefusals(t *testing.T) {
	s := serve(t, "")
	tests := []struct {
		name   string
		method string
		body   string
		status int
		reply  string
	}{
		{
			"nothing", "POST", `{}`, 400,
			`{"method":["This field is required."],"name":["This field is required."],"slots":["This field is required."]}`,
		},
		{
			"name taken", "POST", `{"name":"noodle STIR-fry","method":"","slots":[]}`, 400,
			`{"name":["meta recipe with this name already exists."]}`,
		},
		{
			"slot without options", "POST", `{"name":"X","method":"","slots":[{"name":"a","options":[]}]}`, 400,
			`{"slots":[{"options":{"non_field_errors":["This list may not be empty."]}}]}`,
		},
		{
			"deep", "POST", `{"name":"X","method":"","slots":[{"name":"a","options":[{"ingredient":"New"},{"qty":"x"}]}]}`, 400,
			`{"slots":[{"options":[{},{"ingredient":["This field is required."],"qty":["A valid number is required."]}]}]}`,
		},
		{
			"ambiguous ingredient", "POST", `{"name":"X","method":"","slots":[],"base_ingredients":[{"ingredient":"mince"}]}`, 400,
			`{"base_ingredients":[{"ingredient":["'mince' could be Pork mince or Beef mince: say which."]}]}`,
		},
		{
			"slot named twice", "POST",
			`{"name":"X","method":"","slots":[{"name":"a","options":[{"ingredient":"New"}]},{"name":"A","options":[{"ingredient":"New"}]}]}`, 400,
			`{"slots":[{},{"name":["Another slot has this name."]}]}`,
		},
		{
			"servings", "POST", `{"name":"X","method":"","slots":[],"servings":0}`, 400,
			`{"servings":["Ensure this value is greater than or equal to 1."]}`,
		},
		{
			"too many servings", "POST", `{"name":"X","method":"","slots":[],"servings":99999999999999999999}`, 400,
			`{"servings":["Ensure this value is less than or equal to 100."]}`,
		},
		{"update without id", "PUT", `{"name":"X","method":"","slots":[]}`, 400, `{"id":["This field is required."]}`},
		{"update of nothing", "PUT", `{"id":9999,"name":"X","method":"","slots":[]}`, 404, `{"detail":"Not found."}`},
		{
			"update in part", "PUT", `{"id":ID,"name":"X"}`, 400,
			`{"method":["This field is required."],"slots":["This field is required."]}`,
		},
		{
			"update to a name taken", "PUT", `{"id":ID,"name":"Coconut curry","method":"","slots":[]}`, 400,
			`{"name":["meta recipe with this name already exists."]}`,
		},
	}
	before := s.get("/api/meta-recipes/").Body
	id := itoa(s.templates()["Noodle stir-fry"].ID)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{t, s.url}
			s.request(tt.method, "/api/create-meta-recipe/", strings.Replace(tt.body, "ID", id, 1)).Is(tt.status, tt.reply)
			if s.get("/api/meta-recipes/").Body != before {
				t.Error("the meta-recipes changed")
			}
			if got := s.post("/api/pantry/set-state/", `{"ingredient":"New","state":"in"}`); !strings.Contains(got.Body, "No ingredient") {
				t.Errorf("an ingredient was kept: %s", got.Body)
			}
		})
	}
}
