package integration

import (
	"regexp"
	"strings"
	"testing"
)

// unplain finds what no sentence for a model has: markup, a second line, a
// stack trace, or the API's address.
var unplain = regexp.MustCompile(`</?[a-zA-Z]|\n|goroutine |[Tt]raceback|127\.0\.0\.1|https?://`)

// sentence checks that a tool refuses, in one plain sentence.
func sentence(t *testing.T, text string, isError bool) {
	t.Helper()
	switch {
	case !isError:
		t.Errorf("it is accepted: %s", text)
	case text == "" || len(text) > 400:
		t.Errorf("it has %d characters: %s", len(text), text)
	case unplain.MatchString(text):
		t.Errorf("it is not one plain sentence: %s", text)
	}
}

// refusal checks that a tool refuses, in a sentence that is want. A star stands
// for any text.
func refusal(t *testing.T, text string, isError bool, want string) {
	t.Helper()
	sentence(t, text, isError)
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), `\*`, ".*")
	if !regexp.MustCompile("^" + pattern + "$").MatchString(text) {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestRefusals(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		s := how.start(t)
		session := s.connect(t)
		before := s.rows(t)
		for _, tt := range []struct {
			name, tool, args string
			want             string // parts between stars
		}{
			{
				"unknown name", "set_item_state", `{"ingredient":"noodels","state":"out"}`,
				"No ingredient is called 'noodels'. Close matches: Egg noodles, Rice noodles.",
			},
			{
				"unknown name like none", "set_item_state", `{"ingredient":"xyzzy","state":"out"}`,
				"No ingredient is called 'xyzzy'.",
			},
			{
				"ambiguous name", "set_item_state", `{"ingredient":"mince","state":"out"}`,
				"'mince' could be Pork mince or Beef mince: say which.",
			},
			{
				"two places", "set_item_state", `{"ingredient":"chicken","state":"out"}`,
				"Chicken thighs is kept in the fridge and freezer: say which location.",
			},
			{
				"another place", "set_item_state", `{"ingredient":"tofu","state":"out","location":"freezer"}`,
				"Tofu is not in the freezer: it is kept in the fridge.",
			},
			{
				"not in the pantry", "set_item_state", `{"ingredient":"tuna","state":"out"}`,
				"Tuna is not in the pantry.",
			},
			{
				"markup in a name", "set_item_state", `{"ingredient":"<b>tofu</b>","state":"out"}`,
				"No ingredient is called 'tofu'.*Tofu*",
			},
			{
				"bad state", "set_item_state", `{"ingredient":"tofu","state":"gone"}`,
				"state: *in, low, out*",
			},
			{
				"all that is wrong", "set_item_state", `{"state":"gone","location":"shed"}`,
				"*ingredient: *; state: *in, low, out*; location: *fridge, cupboard, freezer*",
			},
			{
				"misspelt parameter", "get_pantry", `{"locaton":"fridge"}`,
				"locaton: *'location'*",
			},
			{
				"bad location", "get_pantry", `{"location":"shed"}`,
				"location: *fridge, cupboard, freezer*",
			},
			{
				"no items", "add_to_pantry", `{"items":[]}`,
				"items: *1*",
			},
			{
				"ambiguous item", "add_to_pantry", `{"items":[{"name":"Kimchi"},{"name":"mince"}]}`,
				"*'mince' could be Pork mince or Beef mince: say which.*",
			},
			{
				"item in two places", "add_to_pantry", `{"items":[{"name":"Kimchi"},{"name":"chicken"}]}`,
				"*Chicken thighs is kept in the fridge and freezer: say which.*",
			},
			{
				"item without a name", "add_to_pantry", `{"items":[{"quantity":1}]}`,
				"items[0].name: *required*",
			},
			{
				"bad quantity", "add_to_pantry", `{"items":[{"name":"Kimchi","quantity":1.234}]}`,
				"*quantity: *2 decimal places*",
			},
			{
				"servings", "what_can_i_cook", `{"servings":0}`,
				"servings: *1*",
			},
			{
				"part of a serving", "what_can_i_cook", `{"servings":1.5}`,
				"servings: *integer*",
			},
			{
				"neither recipe", "log_cook", `{"rating":3}`,
				"give either meta_recipe or recipe",
			},
			{
				"both recipes", "log_cook", `{"recipe":"Egg fried rice","meta_recipe":"Coconut curry"}`,
				"give either meta_recipe or recipe",
			},
			{
				"unknown template", "log_cook", `{"meta_recipe":"stir fry noodle"}`,
				"No meta-recipe is called 'stir fry noodle'. Close matches: Noodle stir-fry.",
			},
			{
				"unknown recipe", "log_cook", `{"recipe":"fried rice"}`,
				"No recipe is called 'fried rice'. Close matches: Egg fried rice.",
			},
			{
				"rating", "log_cook", `{"recipe":"Egg fried rice","rating":6}`,
				"rating: *5*",
			},
			{
				"choices for a fixed recipe", "log_cook", `{"recipe":"Egg fried rice","slot_choices":[{"slot":"protein","ingredient":"tofu"}]}`,
				"slot_choices: Only a meta-recipe has slots.",
			},
			{
				"unknown choice", "log_cook", `{"meta_recipe":"Jacket potatoes","slot_choices":[{"slot":"filling","ingredient":"chedar"}]}`,
				"*No ingredient is called 'chedar'. Close matches: Cheddar.",
			},
			{
				"name in use", "create_meta_recipe", `{"name":"coconut CURRY","method":"","slots":[]}`,
				"name: meta recipe with this name already exists.",
			},
			{
				"ambiguous option", "create_meta_recipe", `{"name":"Patties","method":"Fry.","slots":[{"name":"meat","options":[{"ingredient":"mince"}]}]}`,
				"*'mince' could be Pork mince or Beef mince: say which.",
			},
			{
				"no such template", "create_meta_recipe", `{"id":99999,"name":"Toast","method":"","slots":[]}`,
				"Not found.",
			},
			{
				"template without parts", "create_meta_recipe", `{"name":"Toast"}`,
				"method: *; slots: *",
			},
		} {
			t.Run(tt.name, func(t *testing.T) {
				text, isError := call(t, session, tt.tool, tt.args)
				refusal(t, text, isError, tt.want)
			})
		}
		same(t, "pantry", s.rows(t), before)
	})
}
