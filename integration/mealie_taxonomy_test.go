package integration

import (
	"fmt"
	"strings"
	"testing"
)

// taxonomies are where Mealie keeps each resource.
var taxonomies = map[string]string{
	"foods": "/api/foods", "units": "/api/units", "labels": "/api/groups/labels",
	"tags": "/api/organizers/tags", "categories": "/api/organizers/categories", "tools": "/api/organizers/tools",
}

func TestMealieParseIngredients(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	s.addName(t, "/api/foods", "zflour")
	s.addName(t, "/api/units", "zcup")
	foods, units := s.names(t, "/api/foods"), s.names(t, "/api/units")
	s.Forget()
	text, isError := call(t, s.session, "parse_ingredients", `{"lines":["2 zcup zflour, sifted"]}`)
	want := fmt.Sprintf(`"quantity":2,"unit":{"id":"%s","name":"zcup"},"food":{"id":"%s","name":"zflour"},"note":"sifted","confidence":0.9725}]}`, units["zcup"], foods["zflour"])
	if isError || !strings.HasPrefix(text, `{"items":[{"input":"2 zcup zflour, sifted",`) || !strings.HasSuffix(text, want) {
		t.Errorf("got %v %s\nwant … %s", isError, text, want)
	}
	same(t, "sent", s.sent(), []string{`POST /api/parser/ingredients {"ingredients":["2 zcup zflour, sifted"]}`})
	text, _ = call(t, s.session, "parse_ingredients", `{"lines":"1 nosuchfood"}`)
	if !strings.Contains(text, "nosuchfood") {
		t.Errorf("the name of a food that is not known is lost: %s", text)
	}
	s.refuses(t, "parse_ingredients", `{"lines":[]}`, "lines: must have at least 1 item, it has 0")
}

func TestMealieTaxonomy(t *testing.T) {
	t.Parallel()
	s := strictly().start(t)
	for resource, path := range taxonomies {
		t.Run(resource, func(t *testing.T) {
			manage := func(action, more string) string {
				return fmt.Sprintf(`{"resource":%q,"action":%q%s}`, resource, action, more)
			}
			text, isError := call(t, s.session, "manage_taxonomy", manage("create", `,"name":"Zzzone"`))
			id := s.names(t, path)["Zzzone"]
			if want := fmt.Sprintf(`{"item_id":"%s","name":"Zzzone"}`, id); isError || text != want {
				t.Errorf("got %v %s, want %s", isError, text, want)
			}
			s.expect(t, "manage_taxonomy", manage("list", `,"search":"Zzzone"`), fmt.Sprintf(`{"items":[{"item_id":"%s","name":"Zzzone"}]}`, id))
			s.expect(t, "manage_taxonomy", manage("list", `,"search":"xyzzyqwert"`), fmt.Sprintf(`{"items":[],"note":"no %s matched"}`, resource))
			s.expect(t, "manage_taxonomy", manage("update", fmt.Sprintf(`,"item_id":%q,"name":"Zzztwo"`, id)), fmt.Sprintf(`{"item_id":"%s","name":"Zzztwo"}`, id))
			s.expect(t, "manage_taxonomy", manage("delete", fmt.Sprintf(`,"item_id":%q`, id)), fmt.Sprintf(`{"deleted":"%s"}`, id))
			for _, action := range []string{"update", "delete"} {
				s.refuses(t, "manage_taxonomy", manage(action, fmt.Sprintf(`,"item_id":%q,"name":"x"`, id)), fmt.Sprintf("%s item '%s' not found", resource, id))
			}
		})
	}
	s.Forget()
	for _, tt := range []struct{ name, args, want string }{
		{"no resource", `{}`, "resource: is required"},
		{"unknown resource", `{"resource":"people"}`, `resource: must be one of foods, units, labels, tags, categories, tools (got "people")`},
		{"create without a name", `{"resource":"tags","action":"create"}`, "create needs a name"},
		{"update without an id", `{"resource":"tags","action":"update","name":"a"}`, "update needs an item_id, from list"},
		{"update of nothing", `{"resource":"tags","action":"update","item_id":"a"}`, "update needs a name, data or both"},
		{"delete without an id", `{"resource":"tags","action":"delete"}`, "delete needs an item_id, from list"},
		{"merge without an id", `{"resource":"foods","action":"merge","merge_into":"a"}`, "merge needs an item_id: the item to give up"},
		{"merge into nothing", `{"resource":"foods","action":"merge","item_id":"a"}`, "merge needs merge_into: the item_id to keep"},
		{"merge into itself", `{"resource":"foods","action":"merge","item_id":"a","merge_into":"a"}`, "merge needs two items, and item_id and merge_into are the same"},
		{"merge of tags", `{"resource":"tags","action":"merge","item_id":"a","merge_into":"b"}`, "Mealie merges foods and units only: for tags, change the recipes that use the one and then delete it"},
		{"items of a list", `{"resource":"tags","items":[{"name":"a"}]}`, "items batches writes: list takes search and page"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.refuses(t, "manage_taxonomy", tt.args, tt.want)
			same(t, "sent", s.sent(), []string(nil))
		})
	}
}

func TestMealieTaxonomyRows(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	t.Run("an update keeps what it is not given", func(t *testing.T) {
		var row struct{ ID string }
		s.ask(t, "POST", "/api/foods", `{"name":"zedoary","pluralName":"zedoaries","description":"a root","aliases":[{"name":"white turmeric"}],"extras":{"a":"b"}}`, &row)
		s.expect(t, "manage_taxonomy", fmt.Sprintf(`{"resource":"foods","action":"update","item_id":%q,"data":{"description":"a rhizome"}}`, row.ID),
			fmt.Sprintf(`{"item_id":"%s","name":"zedoary","plural_name":"zedoaries","description":"a rhizome","aliases":["white turmeric"]}`, row.ID))
		var food struct{ Extras map[string]any }
		s.ask(t, "GET", "/api/foods/"+row.ID, "", &food)
		same(t, "extras", food.Extras, map[string]any{"a": "b"})
	})
	t.Run("data of a new row", func(t *testing.T) {
		text, isError := call(t, s.session, "manage_taxonomy", `{"resource":"units","action":"create","name":"zcup","data":{"abbreviation":"zc","pluralName":"zcups"}}`)
		if isError || !strings.HasSuffix(text, `"name":"zcup","plural_name":"zcups","abbreviation":"zc"}`) {
			t.Errorf("got %v %s", isError, text)
		}
	})
	t.Run("merged", func(t *testing.T) {
		loser, keeper := s.addName(t, "/api/foods", "zflour"), s.addName(t, "/api/foods", "zmeal")
		s.add(t, "Zopf", fmt.Sprintf(`{"recipeIngredient":[{"food":%s}]}`, loser))
		foods := s.names(t, "/api/foods")
		s.expect(t, "manage_taxonomy", fmt.Sprintf(`{"resource":"foods","action":"merge","item_id":%q,"merge_into":%q}`, foods["zflour"], foods["zmeal"]),
			fmt.Sprintf(`{"merged":"%s","into":"%s"}`, foods["zflour"], foods["zmeal"]))
		if food := s.recipe(t, "zopf").RecipeIngredient[0].Food; food == nil || food.Name != "zmeal" {
			t.Errorf("the recipe has %+v, of %s", food, keeper)
		}
	})
	t.Run("in use", func(t *testing.T) {
		id := s.names(t, "/api/foods")["zmeal"]
		s.refuses(t, "manage_taxonomy", fmt.Sprintf(`{"resource":"foods","action":"delete","item_id":%q}`, id),
			fmt.Sprintf("foods item '%s' could not be deleted: An unexpected error occurred. If recipes use it, merge it into the one to keep", id))
	})
	t.Run("a batch goes on after a bad item", func(t *testing.T) {
		s.Forget()
		text, isError := call(t, s.session, "manage_taxonomy", `{"resource":"tags","action":"create","items":[{"name":"Zone"},{"item_id":"x"},{"name":"Ztwo"}]}`)
		tags := s.names(t, "/api/organizers/tags")
		want := fmt.Sprintf(`{"results":[{"item_id":"%s","name":"Zone"},{"item_id":"%s","name":"Ztwo"}],`+
			`"errors":[{"index":1,"item":{"item_id":"x"},"error":"create needs a name"}],"count":2,"failed":1}`, tags["Zone"], tags["Ztwo"])
		if isError || text != want {
			t.Errorf("got %v\n%s\nwant\n%s", isError, text, want)
		}
		text, _ = call(t, s.session, "manage_taxonomy", fmt.Sprintf(`{"resource":"tags","action":"update","items":[{"item_id":%q,"name":"Zuno"},{"item_id":%q,"name":"Zuno"},{"item_id":%q,"name":"Zdue"}]}`,
			tags["Zone"], "00000000-0000-4000-8000-000000000000", tags["Ztwo"]))
		if !strings.Contains(text, `"count":2,"failed":1`) || !strings.Contains(text, "tags item '00000000-0000-4000-8000-000000000000' not found") {
			t.Errorf("got %s", text)
		}
		text, _ = call(t, s.session, "manage_taxonomy", fmt.Sprintf(`{"resource":"tags","action":"delete","items":[{"item_id":%q},{"item_id":%q}]}`, tags["Zone"], tags["Ztwo"]))
		same(t, "deleted", text, fmt.Sprintf(`{"results":[{"deleted":"%s"},{"deleted":"%s"}],"errors":[],"count":2,"failed":0}`, tags["Zone"], tags["Ztwo"]))
	})
	t.Run("pages", func(t *testing.T) {
		for i := range 60 {
			s.addName(t, "/api/foods", fmt.Sprintf("Zz %02d", i))
		}
		type page struct {
			Items []map[string]any `json:"items"`
			Note  string           `json:"note"`
		}
		first := decode[page](t, s.session, "manage_taxonomy", `{"resource":"foods","search":"Zz"}`)
		if len(first.Items) != 50 || !strings.HasPrefix(first.Note, "showing 50 of ") || !strings.HasSuffix(first.Note, " — pass page=2") {
			t.Errorf("got %d, %s", len(first.Items), first.Note)
		}
		second := decode[page](t, s.session, "manage_taxonomy", `{"resource":"foods","search":"Zz","page":"2"}`)
		if len(second.Items) < 10 || second.Note != "" {
			t.Errorf("got %d, %s", len(second.Items), second.Note)
		}
	})
}
