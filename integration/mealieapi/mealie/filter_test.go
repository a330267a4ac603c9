package mealie

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	s := serve(t, Options{})
	for _, tt := range []struct{ filter, want string }{ // names in order, or an error
		{`name = "Hummus"`, "Hummus"},
		{`name = "hummus"`, ""}, // case matters
		{`name = Tomato Soup`, "Tomato Soup"},
		{`name LIKE "%taGIne%"`, "Lamb Tagine with Apricots"},
		{`name like "_ummus"`, "Hummus"},
		{`name NOT LIKE "%a%" AND recipeCategory.name = "Dessert"`, "Crème Brûlée, Mince Pies"},
		{`tags.name IN ["Birthday", "Leftovers"]`, "Kimchi Fried Rice, Roast Chicken with Lemon and Thyme, Victoria Sponge"},
		{`tags.name in ["birthday"]`, ""},
		{`tags.name IN [Birthday]`, "Victoria Sponge"},
		{`tags.slug = "birthday"`, "Victoria Sponge"},
		{`tags.id = "` + seedID("tag", "Birthday") + `"`, "Victoria Sponge"},
		{`tags.name CONTAINS ALL ["Christmas", "Vegan"]`, "Mulled Wine, Quince Jelly"},
		{`tags.name CONTAINS ALL ["Christmas"] AND tags.name NOT IN ["Vegan"]`, "Cinnamon Buns, Mince Pies"},
		{`recipeIngredient.food.name IN ["tahini"]`, "Hummus"},
		{`rating >= 5 AND createdAt > "2026-02-01"`, "Chocolate Chip Cookies, Grandma's Chicken Soup, Tiramisù"},
		{`rating < 3.5`, "Spinach and Feta Omelette"},
		{`rating IS NULL AND recipe_category.name = "Drinks"`, "Iced Mint Lemonade"},
		{`lastMade IS NOT NULL AND lastMade < "$NOW-20d"`, "Grandma's Chicken Soup"},
		{`lastMade >= $NOW-2d`, "Buttermilk Pancakes, Chocolate Chip Cookies"},
		{`dateAdded <= "2026-01-05"`, "Spaghetti Carbonara"},
		{`orgURL <> "x" AND rating = 5 AND tools.name = "Frying Pan"`, "Spaghetti Carbonara"},
		// AND and OR bind alike, to the right.
		{`name = "Hummus" OR name = "Falafel" AND rating > 4`, "Hummus"},
		{`name = "Hummus" AND rating > 4 OR name = "Falafel"`, ""},
		{`(name = "Hummus" AND rating > 4) OR name = "Falafel"`, "Falafel"},
		{`((name = "Hummus"))`, "Hummus"},

		{`name`, "invalid query string: unexpected 'name'"},
		{`name =`, "invalid query string: it ends too early"},
		{`name == "x"`, "invalid query string: unexpected '='"},
		{`name = "x`, "invalid query string: a quote is not closed"},
		{`(name = "x"`, "invalid query string: parenthesis are unbalanced"},
		{`name = "x")(`, "invalid query string: unexpected ')'"},
		{`name = "x" name = "y"`, "invalid query string: unexpected 'name'"},
		{`name = "x" AND`, "invalid query string: it ends too early"},
		{`name EQUALS "x"`, "invalid query string: unexpected 'EQUALS'"},
		{`name IN "x"`, "invalid query string: IN must be given a list of values enclosed by [ and ]"},
		{`name IN ["x"`, "invalid query string: it ends too early"},
		{`name IN []`, "invalid query string: unexpected ']'"},
		{`name IN ["x" "y"]`, "invalid query string: unexpected 'y'"},
		{`name = x "y"`, "invalid query string: unexpected 'y'"},
		{`rating IS 3`, `invalid query string: \"IS\" can only be used with \"NULL\", not \"3\"`},
		{`rating > high`, "invalid query string: invalid number 'high'"},
		{`rating LIKE "4%"`, `invalid query string: \"LIKE\" can only be used with string columns`},
		{`id = "x"`, "invalid query string: invalid UUID 'x'"},
		{`createdAt > "soon"`, "invalid query string: unknown date or datetime format 'soon'"},
		{`createdAt > $NOW-d`, "Invalid amount in NOW string ($NOW-d)"},
		{`createdAt > $NOW5d`, "Invalid amount in NOW string ($NOW5d)"},
		{`createdAt > $NOW-5w`, "Invalid time unit in NOW string ($NOW-5w)"},
		{`Name = "x"`, ""}, // attributes are not case-sensitive, as in Python's camel case
		{`tag.name = "x"`, "invalid attribute string: 'tag.name' does not exist on this schema"},
		{strings.Repeat("(", maxFilter) + `name = "x"`, "invalid query string: it is longer than"},
	} {
		t.Run(tt.filter[:min(len(tt.filter), 60)], func(t *testing.T) {
			s := s.in(t)
			if strings.HasPrefix(strings.ToLower(tt.want), "invalid ") {
				s.get("/api/recipes?queryFilter="+url.QueryEscape(tt.filter)).Holds(http.StatusBadRequest, `{"detail":"`+tt.want)
				return
			}
			if got := s.find("queryFilter", tt.filter, "orderBy", "name:asc").names(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A filter is read or refused, whatever it is, and what is read can be shown
// and read again.
func FuzzFilter(f *testing.F) {
	for _, filter := range []string{
		`tags.name IN ["Dinner"]`, `recipeCategory.name IN ["Dessert"] AND rating > 3`, `tags.name CONTAINS ALL ["Vegan", "Quick"]`,
		`createdAt > "2026-01-01" AND (tools.name IN ["Air Fryer"] OR name LIKE "%a_b%")`, `lastMade IS NOT NULL`, `lastMade < $NOW-30d`, `((`, `name = é"`,
	} {
		f.Add(filter)
	}
	d := seed(testDay, 0)
	f.Fuzz(func(t *testing.T, text string) {
		parsed, parts, err := parseFilter(text)
		if err != nil {
			if parsed != nil || err.Error() == "" {
				t.Fatalf("%q: %v with %v", text, err, parsed)
			}
			return
		}
		if len(parts) == 0 {
			t.Fatalf("%q has no parts", text)
		}
		opened, closed := 0, 0
		for _, p := range parts {
			if p.LeftParenthesis != nil {
				opened += len(*p.LeftParenthesis)
			}
			if p.RightParenthesis != nil {
				closed += len(*p.RightParenthesis)
			}
		}
		if opened != closed {
			t.Fatalf("%q: %d opened, %d closed", text, opened, closed)
		}
		if holds, err := compile(parsed, d.recipeSchema(), testDay); err == nil {
			for _, r := range d.Recipes {
				holds(r)
			}
		}
	})
}
