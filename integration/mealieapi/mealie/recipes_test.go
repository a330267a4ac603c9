package mealie

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

func TestListRecipes(t *testing.T) {
	s := serve(t, Options{})
	first := s.find("perPage", "7")
	if first.Total != 60 || first.TotalPages != 9 || first.Page != 1 || first.PerPage != 7 || len(first.Items) != 7 || first.Previous != nil {
		t.Errorf("got %+v", first)
	}
	if first.Next == nil || *first.Next != "/recipes?orderDirection=desc&page=2&perPage=7" {
		t.Errorf("next is %v", first.Next)
	}
	last := s.find("perPage", "7", "page", "9")
	if len(last.Items) != 4 || last.Next != nil || last.Previous == nil {
		t.Errorf("got %+v", last)
	}
	if beyond := s.find("perPage", "7", "page", "10"); len(beyond.Items) != 0 || beyond.Total != 60 {
		t.Errorf("got %+v", beyond)
	}
	if all := s.find("perPage", "-1"); len(all.Items) != 60 || all.TotalPages != 1 {
		t.Errorf("got %d of %d pages", len(all.Items), all.TotalPages)
	}
	if end := s.find("perPage", "7", "page", "-1"); end.Page != 9 {
		t.Errorf("the last page is %d", end.Page)
	}
	if got := s.find("perPage", "0"); len(got.Items) != 0 || got.TotalPages != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestFindRecipes(t *testing.T) {
	s := serve(t, Options{})
	id := func(path string) string { return refapitest.Decode[list](s.get(path), 200).Items[0].ID }
	tahini, tofu := id("/api/foods?search=tahini"), id("/api/foods?search=tofu")
	miso := id("/api/foods?search=miso")
	vegan := id("/api/organizers/tags?search=vegan")
	for _, tt := range []struct {
		name  string
		query []string
		want  string // names, or the number of them
	}{
		{"search", []string{"search", "carbonara"}, "Spaghetti Carbonara"},
		{"search without accents", []string{"search", "brulee"}, "Crème Brûlée"},
		{"search in ingredients", []string{"search", "kimchi"}, "Kimchi Fried Rice"},
		{"any word", []string{"search", "tabbouleh falafel", "orderBy", "name", "orderDirection", "asc"}, "Falafel, Tabbouleh"},
		{"names first", []string{"search", "soup", "perPage", "4"}, "Grandmas chicken soup, Miso Soup, Grandma's Chicken Soup, Tomato Soup"},
		{"nothing", []string{"search", "unobtainium"}, ""},
		{"tag", []string{"tags", "christmas", "orderBy", "name"}, "Quince Jelly, Mulled Wine, Mince Pies, Cinnamon Buns"},
		{"tag by id", []string{"tags", vegan, "tags", "christmas", "requireAllTags", "true", "orderBy", "name:asc"}, "Mulled Wine, Quince Jelly"},
		{"either tag", []string{"tags", "birthday", "tags", "leftovers", "orderBy", "name:asc"}, "Kimchi Fried Rice, Roast Chicken with Lemon and Thyme, Victoria Sponge"},
		{"category and tool", []string{"categories", "dessert", "tools", "ice-cream-maker"}, "Vanilla Ice Cream"},
		{"a food", []string{"foods", tahini}, "Hummus"},
		{"foods", []string{"foods", tofu, "foods", miso, "requireAllFoods", "true"}, "Miso Soup"},
		{"either food", []string{"foods", tofu, "foods", miso, "orderBy", "name:asc"}, "Miso Soup, Tofu Stir-Fry with Pak Choi"},
		{"a food that is unknown", []string{"foods", seedID("no", "food")}, ""},
		{"cookbook", []string{"cookbook", "winter-pots", "orderBy", "name:asc", "perPage", "3"}, "Beef and Ale Stew, Cauliflower Cheese, Grandma's Chicken Soup"},
		{"cookbook by id and a filter", []string{"cookbook", seedID("cookbook", "Vegan Kitchen"), "queryFilter", `recipeCategory.name = "Drinks"`, "orderBy", "name:asc"}, "Iced Mint Lemonade, Mulled Wine"},
		{"newest first", []string{"perPage", "1"}, "Grandmas chicken soup"},
		{"oldest first", []string{"perPage", "2", "orderBy", "createdAt", "orderDirection", "asc"}, "Spaghetti Carbonara, Chicken Tikka Masala"},
		{"two orders", []string{"perPage", "2", "orderBy", "rating:desc, name:asc"}, "Chocolate Chip Cookies, Grandma's Chicken Soup"},
		{"at random", []string{"perPage", "1", "orderBy", "random", "paginationSeed", "7"}, s.find("perPage", "1", "orderBy", "random", "paginationSeed", "7").names()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.in(t).find(tt.query...).names(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	t.Run("another seed", func(t *testing.T) {
		s := s.in(t)
		if s.find("orderBy", "random", "paginationSeed", "1").names() == s.find("orderBy", "random", "paginationSeed", "2").names() {
			t.Error("two seeds give one order")
		}
	})
	// A slug that names no tag is no condition: Mealie looks the ids up first.
	t.Run("unknown tag", func(t *testing.T) {
		if got := s.in(t).find("tags", "no-such-tag"); got.Total != 60 {
			t.Errorf("got %d", got.Total)
		}
	})
	for path, want := range map[string]string{
		"orderBy=colour":            `{"detail":"Invalid order_by statement \"colour\": \"colour\" is invalid"}`,
		"orderBy=random":            `"msg":"Value error, paginationSeed is required when orderBy is random"`,
		"orderDirection=up":         `"msg":"Input should be 'asc' or 'desc'"`,
		"requireAllTags=perhaps":    `"type":"bool_parsing"`,
		"cookbook=none":             `{"detail":"cookbook not found"}`,
		"queryFilter=tags.name":     `{"detail":"invalid query string: `,
		"queryFilter=mood%20=%20ok": `{"detail":"invalid attribute string: 'mood' does not exist on this schema"}`,
	} {
		t.Run(path, func(t *testing.T) {
			if a := s.in(t).get("/api/recipes?" + path); a.Status < 400 || a.Status > 422 || !strings.Contains(a.Body, want) {
				t.Errorf("got %d %s", a.Status, a.Body)
			}
		})
	}
}

// A recipe is as fat as Mealie's: nulls, empty lists, nested ids, timestamps.
func TestGetRecipe(t *testing.T) {
	s := serve(t, Options{})
	a := s.get("/api/recipes/spaghetti-carbonara")
	a.Holds(200, `"image":null`, `"comments":[]`, `"assets":[]`, `"groupId":"`, `"householdsWithIngredientFood":[]`, `"createdAt":"2026-01-05T08:00:00Z"`,
		`"saturatedFatContent":null`, `"disableComments":false`, `"display":"400 g spaghetti"`, `"ingredientReferences":[]`,
		`"notes":[{"title":"Heat","text":"If the pan`, `"lastMade":"2026-07-31T18:30:00Z"`)
	if byID := s.get("/api/recipes/" + refapitest.Decode[item](a, 200).ID); byID.Body != a.Body {
		t.Errorf("by id it is %s", byID.Body)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.Body), &keys); err != nil || len(keys) != 33 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	s.get("/api/recipes/sourdough-country-loaf").Holds(200, "the crumb is gummy", `"display":"1 handful rice flour for the basket"`)
	if long := len(s.get("/api/recipes/sourdough-country-loaf").Body); long < 7000 {
		t.Errorf("the long recipe has %d bytes", long)
	}
	s.get("/api/recipes/nothing").Holds(404, `{"detail":{"message":"No Entry Found","error":true,"exception":null}}`)
}

func TestCreateRecipe(t *testing.T) {
	s := serve(t, Options{})
	for _, tt := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"bare slug", `{"name":"Uncle Bob's Pie & Mash"}`, 201, `"uncle-bob-s-pie-mash"`},
		{"accents", `{"name":"Käsespätzle"}`, 201, `"kasespatzle"`},
		{"a name that is taken", `{"name":"Hummus"}`, 201, `"hummus-1"`},
		{"a name that is taken twice", `{"name":"hummus"}`, 201, `"hummus-2"`},
		{"more than a name", `{"name":"Bread","recipeYield":"1"}`, 201, `"bread"`},
		{"no name", `{}`, 422, `{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{}}]}`},
		{"no text", `{"name":3}`, 422, `{"detail":[{"type":"string_type","loc":["body","name"],"msg":"Input should be a valid string","input":3}]}`},
		{"no slug", `{"name":"!"}`, 500, `"message":"Unknown Error","error":true,"exception":"ValueError"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := s.in(t).do("POST", "/api/recipes", tt.body).Holds(tt.status, tt.want)
			if tt.status == 201 && a.Body != tt.want {
				t.Errorf("got %s", a.Body)
			}
		})
	}
	s.get("/api/recipes/bread").Holds(200, `"recipeYield":null`, `"recipeIngredient":[{"quantity":1,`, `"tags":[]`, `"createdAt":"2026-08-09T18:30:00Z"`)
	s.get("/api/recipes/hummus-2").Holds(200, `"name":"hummus (2)"`)
}

func TestDeleteRecipe(t *testing.T) {
	s := serve(t, Options{})
	s.get("/api/households/mealplans?perPage=-1").Holds(200, `"spaghetti-carbonara"`, `"total":10`)
	s.do("DELETE", "/api/recipes/spaghetti-carbonara", "").Holds(200, `"slug":"spaghetti-carbonara"`)
	s.get("/api/recipes/spaghetti-carbonara").Holds(404)
	s.get("/api/households/mealplans?perPage=-1").Holds(200, `"total":9`).Lacks(`"spaghetti-carbonara"`)
	s.do("DELETE", "/api/recipes/spaghetti-carbonara", "").Holds(404, "No Entry Found")

	// One recipe's row cannot be deleted by itself; the bulk action gets through.
	id := refapitest.Decode[item](s.get("/api/recipes/sunday-cassoulet"), 200).ID
	s.do("DELETE", "/api/recipes/sunday-cassoulet", "").Holds(500, `{"detail":{"message":"Unknown Error","error":true,"exception":"IntegrityError"}}`)
	s.get("/api/recipes/sunday-cassoulet").Holds(200)
	if a := s.do("POST", "/api/recipes/bulk-actions/delete", `{"recipes":["`+id+`"]}`); a.Status != 200 || a.Body != "null" {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
	s.get("/api/recipes/sunday-cassoulet").Holds(404)
}

func TestBulkActions(t *testing.T) {
	s := serve(t, Options{})
	tag := refapitest.Decode[list](s.get("/api/organizers/tags?search=freezer"), 200).Items[0]
	category := refapitest.Decode[list](s.get("/api/organizers/categories?search=snack"), 200).Items[0]
	object := func(i item) string { return `[{"id":"` + i.ID + `","name":"` + i.Name + `","slug":"` + i.Slug + `"}]` }

	s.do("POST", "/api/recipes/bulk-actions/tag", `{"recipes":["hummus","falafel"],"tags":`+object(tag)+`}`).Holds(200, "null")
	s.do("POST", "/api/recipes/bulk-actions/categorize", `{"recipes":["hummus"],"categories":`+object(category)+`}`).Holds(200, "null")
	s.get("/api/recipes/hummus").Holds(200, `"name":"Freezer"`, `"name":"Vegan"`, `"name":"Side Dish"`)
	if n := strings.Count(s.get("/api/recipes/falafel").Body, `"name":"Freezer"`); n != 1 {
		t.Errorf("falafel has the tag %d times", n)
	}
	for _, tt := range []struct {
		name, path, body string
		status           int
		want             string
	}{
		{"no slug", "tag", `{"recipes":["hummus"],"tags":[{"id":"` + tag.ID + `","name":"x"}]}`, 422, `"loc":["body","tags",0,"slug"]`},
		{"no tags", "tag", `{"recipes":["hummus"]}`, 422, `"loc":["body","tags"]`},
		{"no recipes", "delete", `{}`, 422, `"loc":["body","recipes"]`},
		{"recipes that are no texts", "delete", `{"recipes":[1]}`, 422, `"loc":["body","recipes",0]`},
		{"unknown recipe", "tag", `{"recipes":["hummus","none"],"tags":` + object(item{ID: seedID("tag", "Picnic"), Name: "Picnic", Slug: "picnic"}) + `}`, 500, `"exception":"UnexpectedNone"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.in(t).do("POST", "/api/recipes/bulk-actions/"+tt.path, tt.body).Holds(tt.status, tt.want)
		})
	}
	t.Run("all or nothing", func(t *testing.T) {
		if n := strings.Count(s.in(t).get("/api/recipes/hummus").Body, `"name":"Picnic"`); n != 1 {
			t.Errorf("hummus has the tag %d times", n)
		}
	})
}

func TestSuggestions(t *testing.T) {
	s := serve(t, Options{})
	food := func(name string) string {
		return refapitest.Decode[list](s.get("/api/foods?search="+name), 200).Items[0].ID
	}
	tofu, miso, chickpeas := food("tofu"), food("miso"), food("chickpeas")
	wok := refapitest.Decode[list](s.get("/api/organizers/tools?search=wok"), 200).Items[0].ID
	type suggestions struct {
		Items []struct {
			Recipe       item   `json:"recipe"`
			MissingFoods []item `json:"missingFoods"`
			MissingTools []item `json:"missingTools"`
		} `json:"items"`
	}
	for _, tt := range []struct {
		name, query, want string
	}{
		{"the least missing first", "foods=" + tofu + "&foods=" + miso, "Miso Soup -2 -0"},
		{"more may be missing", "foods=" + tofu + "&foods=" + miso + "&maxMissingFoods=7", "Miso Soup -2 -0, Tofu Stir-Fry with Pak Choi -7 -0"},
		{"few may be missing", "foods=" + chickpeas + "&maxMissingFoods=2", ""},
		{"tools", "foods=" + tofu + "&tools=" + wok + "&maxMissingFoods=7", "Miso Soup -3 -0, Tofu Stir-Fry with Pak Choi -7 -0"},
		{"what is on hand", "foods=" + chickpeas + "&maxMissingFoods=3&includeFoodsOnHand=false", ""},
		{"a limit", "limit=1&foods=" + chickpeas, "Hummus -3 -0"},
		{"no foods", "limit=2", "Grandmas chicken soup -0 -0, Mulled Wine -0 -0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, i := range refapitest.Decode[suggestions](s.in(t).get("/api/recipes/suggestions?"+tt.query), 200).Items {
				got = append(got, i.Recipe.Name+" -"+string(rune('0'+len(i.MissingFoods)))+" -"+string(rune('0'+len(i.MissingTools))))
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), tt.want)
			}
		})
	}
	s.get("/api/recipes/suggestions?limit=few").Holds(422, `"loc":["query","limit"]`)
}
