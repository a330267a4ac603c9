package cooked

import (
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// addIngredients adds one ingredient per line. Headings and lines without a
// word are not ingredients, and are left out of the count.
func addIngredients(d *data, r *http.Request) (any, error) {
	var body struct {
		Ingredients   string `json:"ingredients"`
		RecipeID      string `json:"recipe_id"`
		ImportDraftID string `json:"import_draft_id"`
	}
	if err := decode(r, &body); err != nil {
		return nil, err
	}
	switch {
	case body.RecipeID != "" && body.ImportDraftID != "":
		return nil, refuse(http.StatusBadRequest, "recipe_id and import_draft_id exclude each other")
	case body.RecipeID != "" && !slices.Contains(d.Recipes, body.RecipeID):
		return nil, refuse(http.StatusNotFound, "no recipe has the id '%s'", body.RecipeID)
	case body.ImportDraftID != "" && !slices.Contains(d.ImportDrafts, body.ImportDraftID):
		return nil, refuse(http.StatusNotFound, "no import draft has the id '%s'", body.ImportDraftID)
	}
	added := 0
	for line := range strings.Lines(body.Ingredients) {
		name, quantity, ok := parseIngredient(line)
		if !ok {
			continue
		}
		added++
		g := d.groupOf(name)
		g.Quantity = sum(g.Quantity, quantity)
		g.RecipeIDs = with(g.RecipeIDs, body.RecipeID)
		g.ImportDraftIDs = with(g.ImportDraftIDs, body.ImportDraftID)
	}
	return map[string]any{"added": added}, nil
}

// leading finds a quantity, which stands before the name.
var leading = regexp.MustCompile(`^([0-9]+(?:[.,/][0-9]+)?(?: ?(?:g|kg|ml|l|tsp|tbsp|cups?|tins?|packs?)\b)?) +(.+)$`)

// parseIngredient splits a line into a product's name and a quantity, which
// may be empty. It is not ok if the line is no ingredient.
func parseIngredient(line string) (name, quantity string, ok bool) {
	line = strings.Join(strings.Fields(line), " ")
	if !strings.ContainsFunc(line, unicode.IsLetter) || strings.HasSuffix(line, ":") {
		return "", "", false
	}
	if m := leading.FindStringSubmatch(line); m != nil && strings.ContainsFunc(m[2], unicode.IsLetter) {
		return m[2], m[1], true
	}
	return line, "", true
}

// groupOf returns the group of a product, or a new one.
func (d *data) groupOf(name string) *group {
	for _, g := range d.List.Groups {
		if strings.EqualFold(g.Name, name) {
			return g
		}
	}
	d.LastID++
	g := &group{
		ID:             fmt.Sprintf("group-%d", d.LastID),
		Name:           name,
		AisleID:        aisleOf(name),
		RecipeIDs:      []string{},
		ImportDraftIDs: []string{},
	}
	d.List.Groups = append(d.List.Groups, g)
	return g
}

// number is a quantity without a unit.
var number = regexp.MustCompile(`^[0-9]{1,6}(?:\.[0-9]{1,3})?$`)

// sum adds quantities: numbers as numbers, others side by side.
func sum(have *string, more string) *string {
	if more == "" {
		return have
	}
	if have == nil {
		return &more
	}
	total := *have + " + " + more
	if number.MatchString(*have) && number.MatchString(more) {
		a, _ := new(big.Rat).SetString(*have)
		b, _ := new(big.Rat).SetString(more)
		total = strings.TrimSuffix(strings.TrimRight(a.Add(a, b).FloatString(3), "0"), ".")
	}
	return &total
}

// with adds an id to a set, unless it is empty.
func with(ids []string, id string) []string {
	if id == "" || slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// aisleWords say which aisle a product stands in.
var aisleWords = []struct{ word, aisle string }{
	{"tomato", "aisle-produce"},
	{"onion", "aisle-produce"},
	{"lime", "aisle-produce"},
	{"milk", "aisle-dairy"},
	{"egg", "aisle-dairy"},
	{"butter", "aisle-dairy"},
	{"bread", "aisle-bakery"},
	{"tortilla", "aisle-bakery"},
}

func aisleOf(name string) string {
	for _, w := range aisleWords {
		if strings.Contains(strings.ToLower(name), w.word) {
			return w.aisle
		}
	}
	return other
}
