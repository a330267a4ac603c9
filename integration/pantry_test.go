package integration

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A row is an item of the pantry, as its API has it.
type row struct {
	ID         int             `json:"id"`
	Ingredient json.RawMessage `json:"ingredient"`
	Name       string          `json:"name"`
	Location   string          `json:"location"`
	State      string          `json:"state"`
	Quantity   *string         `json:"quantity"`
	Unit       string          `json:"unit"`
	Expiry     *string         `json:"expiry"`
	IsStaple   bool            `json:"is_staple"`
}

// rows asks the API for what is in the pantry, by name and location.
func (s *stack) rows(t *testing.T) map[string]row {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.api.URL+"/api/pantry/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Token "+pantryToken)
	resp, err := s.api.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var list []row
	decodeStrictly(t, resp.Body, &list)
	rows := make(map[string]row, len(list))
	for _, r := range list {
		key := r.Name + " " + r.Location
		if _, ok := rows[key]; ok {
			t.Errorf("the pantry has two rows for %s", key)
		}
		rows[key] = r
	}
	return rows
}

// An item is a row as a tool shows it: without what is empty.
type item map[string]any

// shown is the item for a row.
func (r row) shown(fields ...string) item {
	i := item{"name": r.Name, "state": r.State, "location": r.Location, "is_staple": r.IsStaple}
	if r.Quantity != nil {
		i["quantity"] = *r.Quantity
	}
	if r.Unit != "" {
		i["unit"] = r.Unit
	}
	if r.Expiry != nil {
		i["expiry"] = *r.Expiry
	}
	maps.DeleteFunc(i, func(name string, _ any) bool { return slices.Contains(fields, name) })
	return i
}

// same compares two values as JSON, in which the order of lists counts.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(g) != string(w) {
		t.Errorf("%s:\ngot  %s\nwant %s", what, g, w)
	}
}

func TestPantryTools(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		session := how.start(t).connect(t)
		if info := session.InitializeResult(); info.ServerInfo.Name != "pantry" || !strings.Contains(info.Instructions, "pantry") {
			t.Errorf("the server says it is %q: %q", info.ServerInfo.Name, info.Instructions)
		}
		want := []string{
			"get_pantry(include_out location) reads",
			"set_item_state(ingredient* location state*) writes",
			"add_to_pantry(items*) writes",
			"what_can_i_cook(servings) reads",
			"get_recipes() reads",
			"log_cook(meta_recipe notes rating recipe servings slot_choices) writes",
			"create_meta_recipe(base_ingredients id method* name* slots*) writes",
		}
		var got []string
		for _, tool := range tools(t, session) {
			if !strings.Contains(tool.Description, "Call it ") {
				t.Errorf("the description of %s does not say when to call it: %s", tool.Name, tool.Description)
			}
			effect := "writes"
			if tool.Annotations.ReadOnlyHint {
				effect = "reads"
			}
			got = append(got, fmt.Sprintf("%s(%s) %s", tool.Name, strings.Join(parameters(t, tool.InputSchema), " "), effect))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// parameters lists the properties of a schema, with a star if they are
// required.
func parameters(t *testing.T, schema any) (names []string) {
	t.Helper()
	object := schema.(map[string]any)
	required, _ := object["required"].([]any)
	properties, _ := object["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) {
			name += "*"
		}
		names = append(names, name)
	}
	return names
}

func TestGetPantry(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		s := how.start(t)
		session := s.connect(t)
		rows := s.rows(t)
		for _, tt := range []struct {
			args     string
			location string // only there
			out      bool   // with what is out
		}{
			{`{}`, "", false},
			{`{"location":"freezer"}`, "freezer", false},
			{`{"include_out":true}`, "", true},
			{`{"location":"freezer","include_out":true}`, "freezer", true},
			{`{"location":"","include_out":"true"}`, "", true}, // as models write it
			{`{"location":null,"include_out":null}`, "", false},
		} {
			t.Run(tt.args, func(t *testing.T) {
				counts := map[string]int{}
				items := map[string]int{}
				for _, r := range rows {
					if (tt.location == "" || r.Location == tt.location) && (tt.out || r.State != "out") {
						counts[r.State]++
						items[r.Location]++
					}
				}
				got := decode[struct {
					Counts map[string]int    `json:"counts"`
					Items  map[string][]item `json:"items"`
				}](t, session, "get_pantry", tt.args)
				same(t, "counts", got.Counts, counts)
				for location, list := range got.Items {
					if len(list) != items[location] {
						t.Errorf("%s has %d items, want %d", location, len(list), items[location])
					}
					delete(items, location)
					for _, i := range list {
						r := rows[fmt.Sprint(i["name"], " ", location)]
						same(t, "item", i, r.shown("location"))
					}
				}
				if len(items) > 0 {
					t.Errorf("these locations are missing: %v", items)
				}
			})
		}
	})
}

func TestSetItemState(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		s := how.start(t)
		session := s.connect(t)
		for _, tt := range []struct {
			name, args string
			row, state string // what changes
		}{
			{"name", `{"ingredient":"Egg noodles","state":"out"}`, "Egg noodles cupboard", "out"},
			{"alias, what is set already", `{"ingredient":"noodles","state":"out"}`, "Egg noodles cupboard", "out"},
			{"any case, back in", `{"ingredient":" egg NOODLES","state":"in"}`, "Egg noodles cupboard", "in"},
			{"low", `{"ingredient":"tofu","state":"low"}`, "Tofu fridge", "low"},
			{"location", `{"ingredient":"chicken","state":"out","location":"freezer"}`, "Chicken thighs freezer", "out"},
			{"the other location", `{"ingredient":"chicken","state":"in","location":"fridge"}`, "Chicken thighs fridge", "in"},
			{"empty location", `{"ingredient":"butter","state":"out","location":""}`, "Butter fridge", "out"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				want := s.rows(t)
				changed := want[tt.row]
				changed.State = tt.state
				want[tt.row] = changed

				got := decode[item](t, session, "set_item_state", tt.args)
				same(t, "reply", got, changed.shown())
				same(t, "pantry", s.rows(t), want)
			})
		}
	})
}

func TestAddToPantry(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		s := how.start(t)
		session := s.connect(t)
		type added struct {
			Name     string `json:"name"`
			Status   string `json:"status"`
			Location string `json:"location"`
		}
		for _, tt := range []struct {
			name, args string
			want       []added
			quantity   string // of the first
			rows       int    // how many are new
		}{
			{
				"what is out is restocked", `{"items":[{"name":"beef mince","quantity":500,"unit":"g"}]}`,
				[]added{{"Beef mince", "restocked", "freezer"}},
				"500.00", 0,
			},
			{
				"what is in is restocked", `{"items":[{"name":"eggs","quantity":"12"}]}`,
				[]added{{"Eggs", "restocked", "fridge"}},
				"12.00", 0,
			},
			{
				"by alias", `{"items":[{"name":"scallions","location":"fridge"}]}`,
				[]added{{"Spring onions", "restocked", "fridge"}},
				"", 0,
			},
			{
				"known in a new place", `{"items":[{"name":"peas","location":"cupboard","quantity":2,"unit":"tins"}]}`,
				[]added{{"Peas", "created", "cupboard"}},
				"2.00", 1,
			},
			{
				"unknown", `{"items":[{"name":"Oat milk","location":"fridge","quantity":1.5,"unit":"l"}]}`,
				[]added{{"Oat milk", "created", "fridge"}},
				"1.50", 1,
			},
			{
				"unknown, again", `{"items":[{"name":"oat milk"}]}`,
				[]added{{"Oat milk", "restocked", "fridge"}},
				"1.50", 0,
			},
			{
				"several", `{"items":[{"name":"Kimchi","location":"fridge"},{"name":"tofu"}]}`,
				[]added{{"Kimchi", "created", "fridge"}, {"Tofu", "restocked", "fridge"}},
				"", 1,
			},
			{
				"one item without its list", `{"items":{"name":"tuna"}}`,
				[]added{{"Tuna", "created", "cupboard"}},
				"", 1,
			},
		} {
			t.Run(tt.name, func(t *testing.T) {
				before := s.rows(t)
				same(t, "reply", decode[[]added](t, session, "add_to_pantry", tt.args), tt.want)
				after := s.rows(t)
				if got := len(after) - len(before); got != tt.rows {
					t.Errorf("%d rows are new, want %d", got, tt.rows)
				}
				for i, a := range tt.want {
					r := after[a.Name+" "+a.Location]
					if r.State != "in" {
						t.Errorf("%s is '%s'", a.Name, r.State)
					}
					if i == 0 && tt.quantity != "" && (r.Quantity == nil || *r.Quantity != tt.quantity) {
						same(t, "quantity", r.Quantity, tt.quantity)
					}
				}
			})
		}
	})
}
