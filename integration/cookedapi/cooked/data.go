package cooked

import "errors"

// Data is all that the API keeps.
type data struct {
	List         list     `json:"shopping_list"`
	Recipes      []string `json:"recipes"`       // the ids of those that are saved
	ImportDrafts []string `json:"import_drafts"` // the ids of those that are not saved yet

	// LastID is the number in the last id given out, so that none comes twice.
	LastID int `json:"last_id"`
}

// check finds what an edited file may lack.
func (d *data) check() error {
	if d.List.Aisles == nil || d.List.Groups == nil {
		return errors.New("it has no aisles or no groups")
	}
	return nil
}

// sample is a list for a taco night.
func sample() *data {
	d := &data{
		List: list{
			Aisles: []aisle{
				{"aisle-produce", "Produce"},
				{"aisle-dairy", "Dairy & Eggs"},
				{"aisle-bakery", "Bakery"},
				{other, "Other"},
			},
			Groups: []*group{},
		},
		Recipes:      []string{"recipe-tacos", "recipe-pancakes"},
		ImportDrafts: []string{"draft-lime-pie"},
	}
	for _, g := range []struct {
		name, quantity, recipe string
		selected               bool
	}{
		{"Tomatoes", "4", "recipe-tacos", false},
		{"Corn tortillas", "12", "recipe-tacos", true},
		{"Milk", "500 ml", "recipe-pancakes", false},
		{"Kitchen foil", "", "", true},
	} {
		row := d.groupOf(g.name)
		row.Quantity = sum(nil, g.quantity)
		row.RecipeIDs = with(row.RecipeIDs, g.recipe)
		row.Selected = g.selected
	}
	return d
}
