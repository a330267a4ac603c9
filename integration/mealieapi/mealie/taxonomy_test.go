package mealie

import (
	"slices"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

func TestTaxonomies(t *testing.T) {
	for _, tt := range []struct {
		path, create string
		status       int
		created      []string
		search       string
		update       string // ID stands for the id
		updated      []string
		lost         string // by the update
		deleted      string
	}{
		{
			"/api/foods", `{"name":"dragon fruit","pluralName":"dragon fruits","labelId":"` + seedID("label", "Produce") + `","aliases":[{"name":"pitaya"}],"extras":{"k":"v"}}`, 201,
			[]string{`"pluralName":"dragon fruits"`, `"aliases":[{"name":"pitaya"}]`, `"label":{"name":"Produce"`, `"extras":{"k":"v"}`, `"createdAt":"2026-08-09T18:30:00Z"`},
			"dragon", `{"name":"pitaya","description":"Pink."}`,
			[]string{`"name":"pitaya"`, `"description":"Pink."`, `"labelId":null`, `"aliases":[]`},
			"dragon fruits", `"name":"pitaya"`,
		},
		{
			"/api/units", `{"name":"smidgen","abbreviation":"smi","useAbbreviation":true}`, 201,
			[]string{`"abbreviation":"smi"`, `"fraction":true`, `"pluralAbbreviation":""`},
			"smi", `{"name":"smidge"}`,
			[]string{`"name":"smidge"`, `"useAbbreviation":false`},
			`"smi"`, `"name":"smidge"`,
		},
		{
			"/api/groups/labels", `{"name":"Bakery","color":"#112233"}`, 200,
			[]string{`"color":"#112233"`, `"groupId":"` + groupID},
			"bakery", `{"name":"Bread","id":"ID","groupId":"` + groupID + `"}`,
			[]string{`"name":"Bread"`, `"color":"#959595"`},
			"#112233", `"name":"Bread"`,
		},
		{
			"/api/organizers/tags", `{"name":"Äpfel & Co"}`, 201,
			[]string{`"slug":"apfel-co"`, `"groupId":"` + groupID},
			"apfel", `{"name":"Apples"}`,
			[]string{`"slug":"apples"`, `"recipes":[]`},
			"apfel-co", "null",
		},
		{"/api/organizers/categories", `{"name":"Brunch"}`, 201, []string{`"slug":"brunch"`}, "brunch", `{"name":"Late Breakfast"}`, []string{`"slug":"late-breakfast"`}, "runch", "null"},
		{
			"/api/organizers/tools", `{"name":"Pressure Cooker","onHand":true}`, 201,
			[]string{`"onHand":true`, `"householdsWithTool":[]`},
			"pressure", `{"name":"Instant Pot"}`,
			[]string{`"slug":"instant-pot"`, `"onHand":false`},
			"pressure", `"name":"Instant Pot"`,
		},
	} {
		t.Run(tt.path, func(t *testing.T) {
			s := serve(t, Options{})
			made := refapitest.Decode[item](s.do("POST", tt.path, tt.create).Holds(tt.status, tt.created...), tt.status)
			if found := s.row(tt.path + "?search=" + tt.search); found.ID != made.ID {
				t.Errorf("found %+v", found)
			}
			one := tt.path + "/" + made.ID
			s.get(one).Holds(200, made.Name)
			s.do("POST", tt.path, tt.create).Holds(400, `"message":"An unexpected error occurred","error":true,"exception":"(sqlite3.IntegrityError) UNIQUE`)
			s.do("PUT", one, strings.ReplaceAll(tt.update, "ID", made.ID)).Holds(200, tt.updated...).Lacks(tt.lost)
			s.get(one).Holds(200, tt.updated...)
			s.do("DELETE", one, "").Holds(200, tt.deleted)
			s.get(one).Holds(404, `{"detail":{"message":"Not found.","error":true,"exception":null}}`)
			s.do("PUT", one, tt.update).Holds(404)
			s.do("DELETE", one, "").Holds(404)

			s.do("POST", tt.path, `{}`).Holds(422, `"loc":["body","name"]`)
			s.get(tt.path+"/nothing").Holds(422, `"type":"uuid_parsing","loc":["path","item_id"]`)
			s.get(tt.path+"?perPage=2&orderBy=name&orderDirection=asc").Holds(200, `"per_page":2`, `"next":"`+strings.TrimPrefix(tt.path, "/api")+`?orderBy=name`)
			s.get(tt.path+"?queryFilter=name%20LIKE%20%22zzz%25%22").Holds(200, `"items":[]`)
		})
	}
}

func TestTaxonomyInUse(t *testing.T) {
	tahini, gram, vegan, produce := seedID("food", "tahini"), seedID("unit", "gram"), seedID("tag", "Vegan"), seedID("label", "Produce")
	for _, path := range []string{"/api/foods/" + tahini, "/api/units/" + gram} {
		t.Run(path, func(t *testing.T) {
			serve(t, Options{}).do("DELETE", path, "").Holds(409, `"error":true,"exception":"(sqlite3.IntegrityError) FOREIGN KEY`)
			serve(t, Options{Strict: true}).do("DELETE", path, "").Holds(500, "FOREIGN KEY")
		})
	}
	s := serve(t, Options{})
	s.do("DELETE", "/api/organizers/tags/"+vegan, "").Holds(200, "null")
	s.get("/api/recipes/hummus").Holds(200, `"name":"Vegetarian"`).Lacks(`"name":"Vegan"`)
	for _, r := range s.api.store.Read().Recipes {
		if slices.Contains(r.Tags, vegan) {
			t.Errorf("%s still has the tag", r.Name)
		}
	}
	s.do("DELETE", "/api/groups/labels/"+produce, "").Holds(200)
	s.get("/api/foods/"+seedID("food", "onion")).Holds(200, `"label":null`)
	s.do("PUT", "/api/groups/labels/"+seedID("label", "Pantry"), `{"name":"x"}`).Holds(422, `["body","groupId"]`, `["body","id"]`)
	s.get("/api/organizers/tags/"+seedID("tag", "Picnic")).Holds(200, `"slug":"hummus"`)
}

func TestMerge(t *testing.T) {
	s := serve(t, Options{})
	for _, tt := range []struct {
		kind, body, want string
		from             string
		recipe, shows    string
	}{
		{"foods", `{"fromFood":"` + seedID("food", "cheddar") + `","toFood":"` + seedID("food", "feta") + `"}`, "Successfully merged foods", seedID("food", "cheddar"), "cauliflower-cheese", `"display":"150 g feta"`},
		{"units", `{"fromUnit":"` + seedID("unit", "tablespoon") + `","toUnit":"` + seedID("unit", "cup") + `"}`, "Successfully merged units", seedID("unit", "tablespoon"), "greek-salad", `"display":"4 cups olive oil"`},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			s := s.in(t)
			s.do("PUT", "/api/"+tt.kind+"/merge", tt.body).Holds(200, `"message":"`+tt.want+`"`, `"error":false`)
			s.get("/api/" + tt.kind + "/" + tt.from).Holds(404)
			s.get("/api/recipes/"+tt.recipe).Holds(200, tt.shows)
			s.do("PUT", "/api/"+tt.kind+"/merge", tt.body).Holds(500, `{"detail":"Failed to merge `+tt.kind+`"}`)
			s.do("PUT", "/api/"+tt.kind+"/merge", `{}`).Holds(422, `"type":"missing"`)
		})
	}
	feta := seedID("food", "feta")
	s.do("PUT", "/api/foods/merge", `{"fromFood":"`+feta+`","toFood":"`+feta+`"}`).Holds(200)
	s.get("/api/foods/" + feta).Holds(200)
}
