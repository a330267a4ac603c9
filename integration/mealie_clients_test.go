package integration

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/mealieapi/mealie"
)

// Mealie, with twenty-five tools, among them arrays of two types and a tool
// with cases.
func TestMealieClients(t *testing.T) {
	needClients(t)
	t.Parallel()
	var names []string
	for _, line := range mealieTools {
		name, _, _ := strings.Cut(line, "(")
		names = append(names, name)
	}
	useClients(t, func(t *testing.T) endpoint {
		handler, err := mealie.New(mealie.Options{Token: mealieToken})
		if err != nil {
			t.Fatal(err)
		}
		api := httptest.NewServer(handler)
		t.Cleanup(api.Close)
		e := serveExample(t, mealieExample, mealieEnv(api.URL)...)
		e.token = mealieMCPToken
		return e
	}, names, []step{
		{tool: "search_recipes", args: `{"query":"carbonara"}`, want: `{"items":[{"slug":"spaghetti-carbonara",`},
		{tool: "get_recipe", args: `{"slug":"spaghetti-carbonara","fields":["ingredients"]}`, want: `{"ingredients":["400 g spaghetti",`},
		{tool: "create_recipe", args: `{"name":"Zopf","ingredients":["3 eggs",{"note":"salt"}],"tags":["Zesty"]}`, want: `{"slug":"zopf","name":"Zopf","note":"created new tags: Zesty"}`},
		{tool: "manage_taxonomy", args: `{"resource":"tags","search":"Zesty"}`, want: `"name":"Zesty"`},
		{tool: "get_recipe", args: `{"slug":"nosuch"}`, want: "recipe 'nosuch' not found", isError: true},
	})
}
