package pantry

import (
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

// cookables are the matcher's verdicts by name.
func (s *server) cookables(query string) map[string]cookable {
	s.t.Helper()
	byName := map[string]cookable{}
	for _, c := range refapitest.Decode[[]cookable](s.get("/api/what-can-i-cook/"+query), 200) {
		byName[c.Name] = c
	}
	return byName
}

func TestWhatCanICook(t *testing.T) {
	tests := []struct {
		name    string
		states  []string // "ingredient state" to set first
		recipe  string
		status  string
		missing string
	}{
		{"ready", nil, "Noodle stir-fry", "ready", ""},
		{"low is there", []string{"egg noodles out"}, "Noodle stir-fry", "ready", ""},
		{"a slot is empty", []string{"egg noodles out", "rice noodles out"}, "Noodle stir-fry", "partial", "noodles"},
		{"a base ingredient is out", nil, "Coconut curry", "partial", "Coconut milk"},
		{"back in stock", []string{"coconut milk in"}, "Coconut curry", "ready", ""},
		{"no slot can be filled", nil, "Jacket potatoes", "missing", "potato, filling"},
		{"one slot can", []string{"potatoes in"}, "Jacket potatoes", "partial", "filling"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, "")
			for _, set := range tt.states {
				at := strings.LastIndexByte(set, ' ')
				refapitest.Decode[row](s.post("/api/pantry/set-state/", `{"ingredient":"`+set[:at]+`","state":"`+set[at+1:]+`"}`), 200)
			}
			got := s.cookables("")[tt.recipe]
			if missing := strings.Join(got.Missing, ", "); got.Status != tt.status || missing != tt.missing {
				t.Errorf("got %s, missing %q; want %s, missing %q", got.Status, missing, tt.status, tt.missing)
			}
		})
	}
}

// Having some is enough, however little, and none is none however much the
// row says.
func TestMatcherIsPresenceBased(t *testing.T) {
	s := serve(t, "")
	for _, tt := range []struct {
		patch     string
		available bool
	}{
		{`{"state":"in","quantity":"0"}`, true},
		{`{"state":"in","quantity":null}`, true},
		{`{"state":"low","quantity":"0.01"}`, true},
		{`{"state":"out","quantity":"5000"}`, false},
	} {
		t.Run(tt.patch, func(t *testing.T) {
			s := &server{t, s.url}
			s.request("PATCH", "/api/pantry/"+itoa(s.rows()["Egg noodles (cupboard)"].ID)+"/", tt.patch)
			got := s.cookables("?servings=100")["Noodle stir-fry"].Slots[0].Options[0]
			if got.Ingredient != "Egg noodles" || got.Available != tt.available {
				t.Errorf("got %s", toJSON(t, got))
			}
		})
	}
}

func TestCookableShape(t *testing.T) {
	s := serve(t, "")
	for query, want := range map[string]string{
		"": `"status":"missing","servings":2,"slots":[` +
			`{"name":"potato","available":false,"options":[{"ingredient":"Potatoes","qty":"0.60","unit":"kg","state":"out","available":false}]},` +
			`{"name":"filling","available":false,"options":[{"ingredient":"Tuna","qty":"1.00","unit":"tins","state":null,"available":false},` +
			`{"ingredient":"Cheddar","qty":"80.00","unit":"g","state":null,"available":false}]}],` +
			`"base_ingredients":[{"ingredient":"Butter","qty":"20.00","unit":"g","state":"in","available":true}],` +
			`"missing":["potato","filling"],"expiry_warnings":[]}`,
		"?servings=5": `"servings":5`,
	} {
		t.Run(query, func(t *testing.T) {
			s := &server{t, s.url}
			if got := toJSON(t, s.cookables(query)["Jacket potatoes"]); !strings.Contains(got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	if got := s.cookables("?servings=5")["Jacket potatoes"].Base[0].Qty.String(); got != "50.00" {
		t.Errorf("butter for 5 is %s, want 50.00", got)
	}
	// Of two places, the better stocked one counts.
	if got := s.cookables("")["Coconut curry"].Slots[0].Options[0]; *got.State != "in" {
		t.Errorf("chicken is %s, want in", *got.State)
	}
	s.post("/api/pantry/set-state/", `{"ingredient":"chicken","location":"freezer","state":"out"}`)
	if got := s.cookables("")["Coconut curry"].Slots[0].Options[0]; *got.State != "low" || !got.Available {
		t.Errorf("chicken is %s, want low", *got.State)
	}
}

// Without slots, the base ingredients decide.
func TestMatcherWithoutSlots(t *testing.T) {
	for base, want := range map[string]string{
		`{"ingredient":"garlic"},{"ingredient":"butter"}`: "ready",
		`{"ingredient":"garlic"},{"ingredient":"tuna"}`:   "partial",
		`{"ingredient":"cheddar"},{"ingredient":"tuna"}`:  "missing",
	} {
		t.Run(want, func(t *testing.T) {
			s := serve(t, "")
			s.post("/api/create-meta-recipe/", `{"name":"Toast","method":"","slots":[],"base_ingredients":[`+base+`]}`)
			if got := s.cookables("")["Toast"].Status; got != want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestExpiryWarnings(t *testing.T) {
	s := serve(t, "")
	got := toJSON(t, s.cookables("")["Noodle stir-fry"].Expiring)
	want := `[{"ingredient":"Pork mince","location":"fridge","expiry":"2026-06-24","days_left":1},` +
		`{"ingredient":"Chicken thighs","location":"fridge","expiry":"2026-06-25","days_left":2},` +
		`{"ingredient":"Pak choi","location":"fridge","expiry":"2026-06-26","days_left":3}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	s.request("PATCH", "/api/pantry/"+itoa(s.rows()["Pork mince (fridge)"].ID)+"/", `{"expiry":"2026-06-20"}`)
	s.post("/api/pantry/set-state/", `{"ingredient":"chicken","location":"fridge","state":"out"}`)
	got = toJSON(t, s.cookables("")["Noodle stir-fry"].Expiring)
	want = `[{"ingredient":"Pork mince","location":"fridge","expiry":"2026-06-20","days_left":-3},` +
		`{"ingredient":"Pak choi","location":"fridge","expiry":"2026-06-26","days_left":3}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// An item that a recipe may take twice is warned about once.
func TestExpiryWarningsOnce(t *testing.T) {
	s := serve(t, "")
	s.post("/api/create-meta-recipe/", `{"name":"Burger","method":"",
		"slots":[{"name":"patty","options":[{"ingredient":"pork mince"},{"ingredient":"beef mince"}]}],
		"base_ingredients":[{"ingredient":"pork mince"}]}`)
	if got := s.cookables("")["Burger"].Expiring; len(got) != 1 {
		t.Errorf("got %s", toJSON(t, got))
	}
}

func TestWhatCanICookRefusals(t *testing.T) {
	s := serve(t, "")
	for query, want := range map[string]string{
		"?servings=many": `{"servings":["A valid integer is required."]}`,
		"?servings=":     `{"servings":["A valid integer is required."]}`,
		"?servings=1.5":  `{"servings":["A valid integer is required."]}`,
		"?servings=0":    `{"servings":["Ensure this value is greater than or equal to 1."]}`,
		"?servings=101":  `{"servings":["Ensure this value is less than or equal to 100."]}`,
	} {
		t.Run(query, func(t *testing.T) {
			s := &server{t, s.url}
			s.get("/api/what-can-i-cook/"+query).Is(400, want)
		})
	}
}
