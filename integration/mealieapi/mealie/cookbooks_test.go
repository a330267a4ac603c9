package mealie

import (
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

func TestCookbooks(t *testing.T) {
	s := serve(t, Options{})
	const path = "/api/households/cookbooks"
	s.get(path+"?perPage=-1").Holds(200, `"total":5`, `"slug":"weeknight-dinners"`, `"queryFilterString":"tags.name CONTAINS ALL [\"Vegan\"]"`,
		`"queryFilter":{"parts":[{"leftParenthesis":null,"rightParenthesis":null,"logicalOperator":null,"attributeName":"tags.name","relationalOperator":"IN","value":["Winter"]},`+
			`{"leftParenthesis":null,"rightParenthesis":null,"logicalOperator":"OR","attributeName":"tools.name","relationalOperator":"IN","value":["Slow Cooker"]}]}`)
	s.get(path+"/winter-pots").Holds(200, `"name":"Winter Pots"`, `"slug":"mulled-wine"`)
	s.get(path+"/everything").Holds(200, `"slug":"hummus"`)

	made := refapitest.Decode[cookbookInfo](s.do("POST", path, `{"name":"Soups","queryFilterString":"(recipeCategory.name = \"Soup\") AND rating >= 4"}`), 201)
	if p := made.QueryFilter.Parts; len(p) != 2 || *p[0].LeftParenthesis != "(" || *p[0].RightParenthesis != ")" || p[0].AttributeName != "recipe_category.name" || p[0].Value != "Soup" {
		t.Errorf("got %+v", made)
	}
	if got := s.find("cookbook", "soups", "orderBy", "name:asc").names(); got != "Grandma's Chicken Soup, Red Lentil Dal, Tomato Soup" {
		t.Errorf("got %s", got)
	}
	// PUT replaces the row: what is not given is lost.
	s.do("PUT", path+"/"+made.ID, `{"name":"All Soups","public":true}`).Holds(200, `"slug":"all-soups"`, `"queryFilterString":""`, `"public":true`, `"id":"`+made.ID+`"`)
	s.get(path + "/soups").Holds(404)
	s.do("DELETE", path+"/"+made.ID, "").Holds(200, `"name":"All Soups"`)
	s.get(path + "/" + made.ID).Holds(404)
	s.do("DELETE", path+"/"+made.ID, "").Holds(404, `"message":"Not found."`)
	s.do("PUT", path+"/winter-pots", `{"name":"x"}`).Holds(404)

	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"no name", `{}`, 422, `"loc":["body","name"]`},
		{"a name that is taken", `{"name":"winter pots"}`, 400, `"exception":"(sqlite3.IntegrityError) UNIQUE constraint failed: cookbooks.name`},
		{"syntax", `{"name":"x","queryFilterString":"tags has Vegan"}`, 422, `"loc":["body","queryFilterString"],"msg":"Value error, invalid query string: unexpected 'has'"`},
		{"an unknown attribute", `{"name":"x","queryFilterString":"tag = \"x\""}`, 422, "'tag' does not exist on this schema"},
		{"a position in words", `{"name":"x","position":"first"}`, 422, `"type":"int_type"`},
	} {
		t.Run(tt.name, func(t *testing.T) { s.in(t).do("POST", path, tt.body).Holds(tt.status, tt.want) })
	}
}
