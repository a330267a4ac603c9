package mealie

import (
	"fmt"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

func TestParseIngredients(t *testing.T) {
	s := serve(t, Options{})
	before := s.get("/api/foods?perPage=-1").Body
	for _, tt := range []struct{ line, want string }{ // quantity | unit | food | note; a ? has no id
		{"2 cups flour", "2|cup|plain flour|"},
		{"500 g Plain Flour", "500|gram|plain flour|"},
		{"500g flour", "500|gram|plain flour|"},
		{"1 1/2 tsp cumin", "1.5|teaspoon|cumin|"},
		{"½ onion, finely chopped", "0.5||onion|finely chopped"},
		{"1½ cups rice", "1.5|cup|long-grain rice|"},
		{"2-3 tomatoes (ripe)", "2||tomato|ripe"},
		{"0,5 l milk", "0.5|litre|milk|"},
		{"a pinch of salt", "1|pinch|salt|"},
		{"2 fl oz of cream", "2|fluid ounce|cream|"},
		{"3 garlic cloves", "3||garlic|"},
		{"1 knob unobtainium", "1|?knob|?unobtainium|"},
		{"1 cup unobtainium", "1|cup|?unobtainium|"},
		{"salt", "0||salt|"},
		{"jalapeno", "0||jalapeño|"},
		{"1/0 onion", "0||?1/0 onion|"},
		{"4", "4|||"},
		{"", "0|||"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			a := s.in(t).do("POST", "/api/parser/ingredients", fmt.Sprintf(`{"ingredients":[%q]}`, tt.line))
			got := refapitest.Decode[[]parsed](a, 200)
			if len(got) != 1 || got[0].Input != tt.line {
				t.Fatalf("got %s", a.Body)
			}
			i := got[0].Ingredient
			unit, food := "", ""
			if i.Unit != nil {
				unit = map[bool]string{true: "?"}[i.Unit.ID == nil] + i.Unit.Name
			}
			if i.Food != nil {
				food = map[bool]string{true: "?"}[i.Food.ID == nil] + i.Food.Name
			}
			if is := fmt.Sprintf("%v|%s|%s|%s", *i.Quantity, unit, food, *i.Note); is != tt.want {
				t.Errorf("got  %s\nwant %s", is, tt.want)
			}
		})
	}
	s.do("POST", "/api/parser/ingredients", `{"ingredients":["1 knob unobtainium"]}`).Holds(200, `"unit":{"id":null,"name":"knob"`, `"food":{"id":null,"name":"unobtainium"`, `"confidence":{"average":0.8055,`)
	s.do("POST", "/api/parser/ingredients", `{"ingredients":[],"parser":"brute"}`).Holds(200, "[]")
	s.do("POST", "/api/parser/ingredients", `{"ingredients":["x"],"parser":"openai"}`).Holds(400, "OpenAI is not enabled")
	s.do("POST", "/api/parser/ingredients", `{"ingredients":["x"],"parser":"best"}`).Holds(422, `"msg":"Input should be 'nlp', 'brute' or 'openai'"`)
	s.do("POST", "/api/parser/ingredients", `{"ingredients":[{"x":1}]}`).Holds(422, `"loc":["body","ingredients",0]`)
	s.do("POST", "/api/parser/ingredients", `{"ingredients":"x"}`).Holds(422, `"type":"list_type"`)
	if after := s.get("/api/foods?perPage=-1").Body; after != before {
		t.Error("the parser has changed the foods")
	}
}

func TestQuantityText(t *testing.T) {
	for _, tt := range []struct {
		quantity float64
		fraction bool
		want     string
	}{
		{2, true, "2"},
		{2.5, false, "2.5"},
		{2.5, true, "2 ¹/₂"},
		{0.333, true, "¹/₃"},
		{0.6666, false, "0.667"},
		{1.999, true, "2"},
		{0.0001, true, "0"},
		{1e9, true, "1000000000"},
	} {
		if got := quantityText(tt.quantity, tt.fraction); got != tt.want {
			t.Errorf("%v is %s, want %s", tt.quantity, got, tt.want)
		}
	}
}
