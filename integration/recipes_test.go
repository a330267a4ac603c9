package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A cookable is what what_can_i_cook says of a recipe.
type cookable struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Slots  []struct {
		Name      string   `json:"name"`
		Available bool     `json:"available"`
		Options   []string `json:"options"`
	} `json:"slots"`
	Missing  []string `json:"missing"`
	Warnings []struct {
		Ingredient string `json:"ingredient"`
		Location   string `json:"location"`
		Expiry     string `json:"expiry"`
		DaysLeft   int    `json:"days_left"`
	} `json:"expiry_warnings"`
}

// summary is a cookable in one line: what is missing behind a minus, what
// expires soon behind an exclamation mark.
func (c cookable) summary() string {
	line := c.Name + ": " + c.Status
	for _, slot := range c.Slots {
		line += fmt.Sprintf(", %s %s", slot.Name, strings.Join(slot.Options, "|"))
		if slot.Available != (len(slot.Options) > 0) {
			line += "?"
		}
	}
	for _, name := range c.Missing {
		line += ", -" + name
	}
	for _, w := range c.Warnings {
		line += fmt.Sprintf(", !%s %s %d", w.Ingredient, w.Location, w.DaysLeft)
	}
	return line
}

func TestWhatCanICook(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		session := how.start(t).connect(t)
		for _, tt := range []struct {
			name         string
			change, args string // of set_item_state, before
			servings     string
			want         string
		}{
			{
				"ready", "", "", `{}`,
				"Noodle stir-fry: ready, noodles Egg noodles|Rice noodles, protein Pork mince|Chicken thighs|Tofu|Prawns, vegetables Pak choi|Carrots, !Pork mince fridge 1, !Chicken thighs fridge 2, !Pak choi fridge 3",
			},
			{
				"nothing for any slot", "", "", `{"servings":4}`,
				"Jacket potatoes: missing, potato , filling , -potato, -filling",
			},
			{
				"without a base ingredient", "", "", `{"servings":"8"}`,
				"Coconut curry: partial, protein Chicken thighs|Chickpeas|Prawns, vegetables Peas|Carrots, -Coconut milk, !Chicken thighs fridge 2",
			},
			{
				"after shopping", "set_item_state", `{"ingredient":"coconut milk","state":"in"}`, `{}`,
				"Coconut curry: ready, protein Chicken thighs|Chickpeas|Prawns, vegetables Peas|Carrots, !Chicken thighs fridge 2",
			},
			{
				"after the last carrot", "set_item_state", `{"ingredient":"carrot","state":"out"}`, `{}`,
				"Coconut curry: ready, protein Chicken thighs|Chickpeas|Prawns, vegetables Peas, !Chicken thighs fridge 2",
			},
		} {
			t.Run(tt.name, func(t *testing.T) {
				if tt.change != "" {
					decode[item](t, session, tt.change, tt.args)
				}
				var got []string
				for _, c := range decode[[]cookable](t, session, "what_can_i_cook", tt.servings) {
					got = append(got, c.summary())
				}
				if len(got) != 3 || !slices.Contains(got, tt.want) {
					t.Errorf("got\n%s\nwant one of the three to be\n%s", strings.Join(got, "\n"), tt.want)
				}
			})
		}
	})
}

func TestLogCook(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		s := how.start(t)
		session := s.connect(t)
		seen := map[int]bool{}
		for _, tt := range []struct {
			name, args string
			want       string
		}{
			{
				"a template", `{"meta_recipe":"noodle STIR-FRY","slot_choices":[{"slot":"noodles","ingredient":"rice sticks"},{"slot":"protein","ingredient":"tofu"}],"servings":4,"rating":5,"notes":"Good."}`,
				"Soy sauce low, Sesame oil in, Garlic in, Rice noodles low, Tofu in",
			},
			{
				"what is no option of the slot", `{"meta_recipe":"Jacket potatoes","slot_choices":[{"slot":"filling","ingredient":"chickpeas"}]}`,
				"Butter in, Chickpeas in",
			},
			{
				"a template without choices", `{"meta_recipe":"coconut curry"}`,
				"Coconut milk out, Curry powder in, Jasmine rice in, Garlic in",
			},
			{
				"a fixed recipe", `{"recipe":"egg fried rice","rating":"4"}`,
				"Jasmine rice in, Eggs in, Peas in, Soy sauce low",
			},
			{
				"with empty words for what is not meant", `{"recipe":"egg fried rice","meta_recipe":"","slot_choices":null}`,
				"Jasmine rice in, Eggs in, Peas in, Soy sauce low",
			},
		} {
			t.Run(tt.name, func(t *testing.T) {
				before := s.rows(t)
				got := decode[struct {
					ID   int `json:"id"`
					Used []struct {
						Name  string `json:"name"`
						State string `json:"state"`
					} `json:"used_ingredients"`
				}](t, session, "log_cook", tt.args)
				if got.ID == 0 || seen[got.ID] {
					t.Errorf("the log's id is %d", got.ID)
				}
				seen[got.ID] = true
				var used []string
				for _, u := range got.Used {
					used = append(used, u.Name+" "+u.State)
				}
				if got := strings.Join(used, ", "); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				same(t, "stock", s.rows(t), before)
			})
		}
	})
}

// A recipe is a template as get_recipes shows it.
type recipe struct {
	ID     int    `json:"id"`
	Name   string `json:"name"`
	Method string `json:"method"`
	Slots  []struct {
		Name    string   `json:"name"`
		Options []amount `json:"options"`
	} `json:"slots"`
	Base []amount `json:"base_ingredients"`
}

type amount struct {
	Ingredient string `json:"ingredient"`
	Amount     string `json:"amount"`
}

func (r recipe) summary() string {
	amounts := func(list []amount) string {
		var parts []string
		for _, a := range list {
			parts = append(parts, strings.TrimSpace(a.Amount+" "+a.Ingredient))
		}
		return strings.Join(parts, "|")
	}
	var parts []string
	for _, slot := range r.Slots {
		parts = append(parts, slot.Name+" "+amounts(slot.Options))
	}
	return fmt.Sprintf("%s: %s; %s. %s", r.Name, strings.Join(parts, ", "), amounts(r.Base), r.Method)
}

func TestRecipes(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		session := how.start(t).connect(t)
		expectRecipes(t, session, []string{
			"Noodle stir-fry: noodles 150.00 g Egg noodles|150.00 g Rice noodles, protein 250.00 g Pork mince|300.00 g Chicken thighs|280.00 g Tofu|200.00 g Prawns, vegetables 2.00 Pak choi|2.00 Carrots|6.00 Spring onions; 30.00 ml Soy sauce|5.00 ml Sesame oil|2.00 cloves Garlic. Boil the noodles. Fry the protein hard, then the vegetables, then all of it with the sauce.",
			"Coconut curry: protein 600.00 g Chicken thighs|2.00 tins Chickpeas|400.00 g Prawns, vegetables 200.00 g Peas|3.00 Carrots; 1.00 tins Coconut milk|20.00 g Curry powder|300.00 g Jasmine rice|3.00 cloves Garlic. Fry the curry powder and garlic, add the protein, then the coconut milk. Simmer, and serve on rice.",
			"Jacket potatoes: potato 0.60 kg Potatoes, filling 1.00 tins Tuna|80.00 g Cheddar; 20.00 g Butter. Bake the potatoes for an hour and a half, split them, butter them and fill them.",
		})
	})
}

// expectRecipes compares the last recipes of get_recipes.
func expectRecipes(t *testing.T, session *mcp.ClientSession, want []string) {
	t.Helper()
	var got []string
	for _, r := range decode[[]recipe](t, session, "get_recipes", `{}`) {
		got = append(got, r.summary())
	}
	if len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCreateMetaRecipe(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		session := how.start(t).connect(t)
		type saved struct {
			recipe
			Created []string `json:"created_ingredients"`
		}
		id := 0
		for _, tt := range []struct {
			name    string
			args    string // %d is the id of the one before
			want    string
			created string
		}{
			{
				"create", `{"name":"Cheese toast","method":"Grill it.","slots":[{"name":"bread","options":[{"ingredient":"Sourdough","qty":2,"unit":"slices"}]}],"base_ingredients":[{"ingredient":"cheese","qty":"60","unit":"g"}]}`,
				"Cheese toast: bread 2.00 slices Sourdough; 60.00 g Cheddar. Grill it.", "Sourdough",
			},
			{
				"replace", `{"id":%d,"name":"Beans on toast","method":"Heat the beans.","slots":[{"name":"bread","options":[{"ingredient":"sourdough"},{"ingredient":"Rye bread","qty":0.5}]}]}`,
				"Beans on toast: bread Sourdough|0.50 Rye bread; . Heat the beans.", "Rye bread",
			},
			{
				"replace, with nothing new", `{"id":"%d","name":"Beans on toast","method":"Heat them.","slots":[{"name":"beans","options":[{"ingredient":"garbanzo beans","qty":1,"unit":"tins"}]}],"base_ingredients":[]}`,
				"Beans on toast: beans 1.00 tins Chickpeas; . Heat them.", "",
			},
		} {
			t.Run(tt.name, func(t *testing.T) {
				args := strings.ReplaceAll(tt.args, "%d", fmt.Sprint(id))
				got := decode[saved](t, session, "create_meta_recipe", args)
				if id != 0 && got.ID != id || got.ID == 0 {
					t.Errorf("the id is %d, and was %d", got.ID, id)
				}
				id = got.ID
				if got.summary() != tt.want {
					t.Errorf("got %s, want %s", got.summary(), tt.want)
				}
				if created := strings.Join(got.Created, ", "); created != tt.created {
					t.Errorf("created %s, want %s", created, tt.created)
				}
				expectRecipes(t, session, []string{
					"Jacket potatoes: potato 0.60 kg Potatoes, filling 1.00 tins Tuna|80.00 g Cheddar; 20.00 g Butter. Bake the potatoes for an hour and a half, split them, butter them and fill them.",
					tt.want,
				})
			})
		}
	})
}
