package pantry

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestListItems(t *testing.T) {
	s := serve(t, "")

	t.Run("rows", func(t *testing.T) {
		s := &server{t, s.url}
		all := refapitest.Decode[[]map[string]any](s.get("/api/pantry/"), 200)
		if len(all) < 20 {
			t.Errorf("only %d items", len(all))
		}
		counts := map[any]int{}
		for _, r := range all {
			counts[r["state"]]++
			counts[r["location"]]++
			for _, field := range []string{"id", "ingredient", "name", "location", "state", "quantity", "unit", "expiry", "is_staple"} {
				if _, ok := r[field]; !ok {
					t.Errorf("%v lacks %s", r["name"], field)
				}
			}
		}
		for _, v := range append(states, locations...) {
			if counts[v] == 0 {
				t.Errorf("nothing is '%s'", v)
			}
		}
	})
	t.Run("shape", func(t *testing.T) {
		s := &server{t, s.url}
		tofu := s.rows()["Tofu (fridge)"]
		s.get("/api/pantry/"+itoa(tofu.ID)+"/").Is(200, `{"id":`+itoa(tofu.ID)+
			`,"ingredient":{"id":`+itoa(tofu.Ingredient.ID)+`,"name":"Tofu"},"name":"Tofu","location":"fridge","state":"in",`+
			`"quantity":"280.00","unit":"g","expiry":"2026-07-13","is_staple":false}`)
		out := s.rows()["Beef mince (freezer)"]
		if out.Quantity != nil || out.Expiry != nil || out.Unit != "" || out.State != "out" {
			t.Errorf("absent fields are not null: %s", toJSON(t, out))
		}
	})
	t.Run("location", func(t *testing.T) {
		s := &server{t, s.url}
		frozen := refapitest.Decode[[]row](s.get("/api/pantry/?location=freezer"), 200)
		if len(frozen) != 4 {
			t.Errorf("%d items are frozen, want 4", len(frozen))
		}
		for _, r := range frozen {
			if r.Location != "freezer" {
				t.Errorf("%s is in the %s", r.Name, r.Location)
			}
		}
		s.get("/api/pantry/?location=shed").Is(400,
			`{"location":["Select a valid choice. shed is not one of the available choices."]}`)
	})
}

func TestPatchItem(t *testing.T) {
	tests := []struct {
		name string
		body string
		want string // the row after its ingredient
	}{
		{"nothing", `{}`, `"location":"fridge","state":"in","quantity":"280.00","unit":"g","expiry":"2026-07-13","is_staple":false`},
		{
			"all", `{"location":"freezer","state":"low","quantity":"1.5","unit":"blocks","expiry":"2026-09-01","is_staple":true}`,
			`"location":"freezer","state":"low","quantity":"1.50","unit":"blocks","expiry":"2026-09-01","is_staple":true`,
		},
		{
			"nulls", `{"quantity":null,"expiry":null,"unit":""}`,
			`"location":"fridge","state":"in","quantity":null,"unit":"","expiry":null,"is_staple":false`,
		},
		{
			"unit of 20 characters", `{"unit":"` + strings.Repeat("ü", 20) + `"}`,
			`"location":"fridge","state":"in","quantity":"280.00","unit":"` + strings.Repeat("ü", 20) + `","expiry":"2026-07-13","is_staple":false`,
		},
		{
			"fields that are not writable", `{"id":1,"name":"Cheese","ingredient":2}`,
			`"location":"fridge","state":"in","quantity":"280.00","unit":"g","expiry":"2026-07-13","is_staple":false`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, "")
			tofu := s.rows()["Tofu (fridge)"]
			want := `{"id":` + itoa(tofu.ID) + `,"ingredient":{"id":` + itoa(tofu.Ingredient.ID) + `,"name":"Tofu"},"name":"Tofu",` + tt.want + `}`
			path := "/api/pantry/" + itoa(tofu.ID) + "/"
			s.request("PATCH", path, tt.body).Is(200, want)
			s.get(path).Is(200, want)
		})
	}

	t.Run("place that is taken", func(t *testing.T) {
		s := serve(t, "")
		fresh := s.rows()["Chicken thighs (fridge)"]
		s.request("PATCH", "/api/pantry/"+itoa(fresh.ID)+"/", `{"location":"freezer"}`).Is(400,
			`{"non_field_errors":["The fields ingredient, location must make a unique set."]}`)
	})
}

func TestSetState(t *testing.T) {
	tests := []struct {
		name string
		body string
		row  string // the row that changes, and nothing else
	}{
		{"name", `{"ingredient":"Egg noodles","state":"out"}`, "Egg noodles (cupboard)"},
		{"any case and spaces", `{"ingredient":" egg  NOODLES ","state":"out"}`, "Egg noodles (cupboard)"},
		{"alias", `{"ingredient":"noodles","state":"out"}`, "Egg noodles (cupboard)"},
		{"alias in any case", `{"ingredient":"Bok Choy","state":"out"}`, "Pak choi (fridge)"},
		{"location", `{"ingredient":"chicken","location":"freezer","state":"out"}`, "Chicken thighs (freezer)"},
		{"other location", `{"ingredient":"chicken","location":"fridge","state":"out"}`, "Chicken thighs (fridge)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, "")
			want := s.rows()
			changed := want[tt.row]
			changed.State = "out"
			want[tt.row] = changed

			s.post("/api/pantry/set-state/", tt.body).Is(200, toJSON(t, changed))
			if got := s.rows(); toJSON(t, got) != toJSON(t, want) {
				t.Errorf("the pantry is now %s", toJSON(t, got))
			}
		})
	}

	t.Run("back in", func(t *testing.T) {
		s := serve(t, "")
		s.post("/api/pantry/set-state/", `{"ingredient":"scallions","state":"in"}`)
		if got := s.rows()["Spring onions (fridge)"].State; got != "in" {
			t.Errorf("spring onions are %s", got)
		}
	})
}

func TestSetStateRefusals(t *testing.T) {
	s := serve(t, "")
	tests := []struct {
		name   string
		body   string
		status int
		reply  string
	}{
		{"state", `{"ingredient":"noodles","state":"gone"}`, 400, `{"state":["\"gone\" is not a valid choice."]}`},
		{"missing state", `{"ingredient":"noodles"}`, 400, `{"state":["This field is required."]}`},
		{"blank name", `{"ingredient":" ","state":"in"}`, 400, `{"ingredient":["This field may not be blank."]}`},
		{"location", `{"ingredient":"noodles","state":"in","location":"shed"}`, 400, `{"location":["\"shed\" is not a valid choice."]}`},
		{
			"unknown", `{"ingredient":"noodels","state":"out"}`, 404,
			`{"detail":"No ingredient is called 'noodels'. Close matches: Egg noodles, Rice noodles.","matches":["Egg noodles","Rice noodles"]}`,
		},
		{
			"unknown and unlike", `{"ingredient":"xyzzy","state":"out"}`, 404,
			`{"detail":"No ingredient is called 'xyzzy'.","matches":[]}`,
		},
		{
			"ambiguous", `{"ingredient":"Mince","state":"out"}`, 400,
			`{"detail":"'Mince' could be Pork mince or Beef mince: say which.","matches":["Pork mince","Beef mince"]}`,
		},
		{
			"two places", `{"ingredient":"chicken","state":"out"}`, 400,
			`{"detail":"Chicken thighs is kept in the fridge and freezer: say which location.","matches":["Chicken thighs (fridge)","Chicken thighs (freezer)"]}`,
		},
		{
			"another place", `{"ingredient":"tofu","state":"out","location":"freezer"}`, 404,
			`{"detail":"Tofu is not in the freezer: it is kept in the fridge.","matches":["Tofu (fridge)"]}`,
		},
		{"not stocked", `{"ingredient":"tuna","state":"out"}`, 404, `{"detail":"Tuna is not in the pantry.","matches":[]}`},
	}
	before := s.rows()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{t, s.url}
			s.post("/api/pantry/set-state/", tt.body).Is(tt.status, tt.reply)
			if after := s.rows(); toJSON(t, after) != toJSON(t, before) {
				t.Errorf("the pantry changed: %s", toJSON(t, after))
			}
		})
	}
}

func TestBulkAdd(t *testing.T) {
	type result struct {
		Name, Status string
		Item         row
	}
	type results struct{ Results []result }
	tests := []struct {
		name   string
		body   string
		status int
		done   string // "name status" of each result
		row    string // one row afterwards …
		want   string // … as "state quantity unit"
		added  int    // how many rows are new
	}{
		{"restock what is out", `{"items":[{"name":"beef mince"}]}`, 200, "Beef mince restocked", "Beef mince (freezer)", "in  ", 0},
		{"restock by alias", `{"items":[{"name":"scallions","quantity":"6"}]}`, 200, "Spring onions restocked", "Spring onions (fridge)", "in 6.00 ", 0},
		{
			"restock what is low", `{"items":[{"name":"soy","location":"cupboard","quantity":150,"unit":"ml"}]}`, 200,
			"Soy sauce restocked", "Soy sauce (cupboard)", "in 150.00 ml", 0,
		},
		{"restock keeps what is not given", `{"items":[{"name":"tofu"}]}`, 200, "Tofu restocked", "Tofu (fridge)", "in 280.00 g", 0},
		{
			"restock one of two places", `{"items":[{"name":"chicken","location":"fridge"}]}`, 200,
			"Chicken thighs restocked", "Chicken thighs (fridge)", "in 2.00 ", 0,
		},
		{
			"known in a new place", `{"items":[{"name":"peas","location":"cupboard","unit":"tins","quantity":"2"}]}`, 201,
			"Peas created", "Peas (cupboard)", "in 2.00 tins", 1,
		},
		{"known but not stocked", `{"items":[{"name":"tinned tuna"}]}`, 201, "Tuna created", "Tuna (cupboard)", "in  ", 1},
		{
			"unknown", `{"items":[{"name":"Oat milk","location":"fridge","quantity":1,"unit":"l"}]}`, 201,
			"Oat milk created", "Oat milk (fridge)", "in 1.00 l", 1,
		},
		{
			"several", `{"items":[{"name":"eggs","quantity":12},{"name":"Kimchi","location":"fridge"}]}`, 201,
			"Eggs restocked, Kimchi created", "Eggs (fridge)", "in 12.00 ", 1,
		},
		{
			"twice in one request", `{"items":[{"name":"Kimchi"},{"name":"kimchi","quantity":2}]}`, 201,
			"Kimchi created, Kimchi restocked", "Kimchi (cupboard)", "in 2.00 ", 1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, "")
			before := s.rows()
			for _, again := range []bool{false, true} {
				got := s.post("/api/bulk-pantry-add/", tt.body)
				if !again {
					done := ""
					for i, r := range refapitest.Decode[results](got, tt.status).Results {
						if i > 0 {
							done += ", "
						}
						done += r.Name + " " + r.Status
						if r.Item.State != "in" || r.Item.Name != r.Name {
							t.Errorf("the result holds the row %s", toJSON(t, r.Item))
						}
					}
					if done != tt.done {
						t.Errorf("got %s, want %s", done, tt.done)
					}
				} else if got.Status != 200 {
					t.Errorf("the same request again answers %d", got.Status)
				}
				after := s.rows()
				r, ok := after[tt.row]
				quantity := ""
				if r.Quantity != nil {
					quantity = r.Quantity.String()
				}
				if got := r.State + " " + quantity + " " + r.Unit; !ok || got != tt.want {
					t.Errorf("%s is %q, want %q", tt.row, got, tt.want)
				}
				if added := len(after) - len(before); added != tt.added {
					t.Errorf("%d rows are new, want %d", added, tt.added)
				}
			}
		})
	}
}

func TestBulkAddRefusals(t *testing.T) {
	s := serve(t, "")
	tests := []struct {
		name  string
		body  string
		reply string // of a 400
	}{
		{"no items", `{}`, `{"items":["This field is required."]}`},
		{"null", `{"items":null}`, `{"items":["This field may not be null."]}`},
		{"no list", `{"items":"eggs"}`, `{"items":{"non_field_errors":["Expected a list of items but got type \"str\"."]}}`},
		{"empty list", `{"items":[]}`, `{"items":{"non_field_errors":["This list may not be empty."]}}`},
		{
			"long list", `{"items":[` + strings.Repeat("{},", maxList) + `{}]}`,
			`{"items":{"non_field_errors":["Ensure this field has no more than 50 elements."]}}`,
		},
		{"no objects", `{"items":["eggs",7]}`, `{"items":[{"non_field_errors":["Invalid data. Expected a dictionary, but got str."]},` +
			`{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]}]}`},
		{
			"one of two", `{"items":[{"name":"Kimchi"},{"quantity":"x"}]}`,
			`{"items":[{},{"name":["This field is required."],"quantity":["A valid number is required."]}]}`,
		},
		{
			"ambiguous", `{"items":[{"name":"Kimchi"},{"name":"mince"}]}`,
			`{"items":[{},{"name":["'mince' could be Pork mince or Beef mince: say which."]}]}`,
		},
		{
			"two places", `{"items":[{"name":"chicken"}]}`,
			`{"items":[{"location":["Chicken thighs is kept in the fridge and freezer: say which."]}]}`,
		},
		{"location", `{"items":[{"name":"Kimchi","location":"shed"}]}`, `{"items":[{"location":["\"shed\" is not a valid choice."]}]}`},
	}
	before := s.rows()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{t, s.url}
			s.post("/api/bulk-pantry-add/", tt.body).Is(400, tt.reply)
			after := s.rows()
			if !maps.EqualFunc(before, after, func(a, b row) bool { return toJSON(t, a) == toJSON(t, b) }) {
				t.Error("a refused request was carried out in part")
			}
			// An ingredient that it would have added is still unknown.
			if got := s.post("/api/pantry/set-state/", `{"ingredient":"Kimchi","state":"in"}`); got.Status != 404 ||
				got.Body != `{"detail":"No ingredient is called 'Kimchi'.","matches":[]}` {
				t.Errorf("an ingredient was kept: %s", got.Body)
			}
		})
	}
}
