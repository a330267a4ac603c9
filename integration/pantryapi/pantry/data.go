package pantry

import "fmt"

// Data is all that the API keeps.
type data struct {
	Ingredients []*ingredient `json:"ingredients"`
	Pantry      []*item       `json:"pantry"`
	MetaRecipes []*metaRecipe `json:"meta_recipes"`
	Recipes     []*recipe     `json:"recipes"`
	CookLogs    []*cookLog    `json:"cook_logs"`

	// LastID is the last id given out. No two things share one.
	LastID int `json:"last_id"`
}

// An ingredient is something that can be in stock or in a recipe.
type ingredient struct {
	ID      int      `json:"id"`
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
}

// An item is an ingredient in one place of the pantry.
type item struct {
	ID         int     `json:"id"`
	Ingredient int     `json:"ingredient"`
	Location   string  `json:"location"`
	State      string  `json:"state"`
	Quantity   *amount `json:"quantity"`
	Unit       string  `json:"unit"`
	Expiry     *string `json:"expiry"` // a date
	IsStaple   bool    `json:"is_staple"`
}

// A metaRecipe is a template: each slot is filled by one of its options.
type metaRecipe struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Method   string `json:"method"`
	Servings int    `json:"servings"`
	Slots    []slot `json:"slots"`
	Base     []part `json:"base_ingredients"`
}

type slot struct {
	ID      int    `json:"id"`
	Name    string `json:"name"`
	Options []part `json:"options"`
}

// A part is an ingredient with how much of it a recipe takes.
type part struct {
	Ingredient int     `json:"ingredient"`
	Qty        *amount `json:"qty"`
	Unit       string  `json:"unit"`
}

// A recipe is fixed.
type recipe struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Servings int    `json:"servings"`
	Parts    []part `json:"ingredients"`
}

// A cookLog is a meal that was cooked.
type cookLog struct {
	ID          int            `json:"id"`
	MetaRecipe  *int           `json:"meta_recipe"`
	Recipe      *int           `json:"recipe"`
	SlotChoices map[string]int `json:"slot_choices"`
	Servings    int            `json:"servings"`
	Rating      *int           `json:"rating"`
	Notes       string         `json:"notes"`
	CookedOn    string         `json:"cooked_on"` // a date
}

func (i *ingredient) names() []string { return append([]string{i.Name}, i.Aliases...) }
func (m *metaRecipe) names() []string { return []string{m.Name} }
func (r *recipe) names() []string     { return []string{r.Name} }

// newID gives out an id.
func (d *data) newID() int {
	d.LastID++
	return d.LastID
}

// addIngredient adds one that has no aliases yet.
func (d *data) addIngredient(name string) *ingredient {
	i := &ingredient{ID: d.newID(), Name: name, Aliases: []string{}}
	d.Ingredients = append(d.Ingredients, i)
	return i
}

// ingredient returns the one with an id, which is in use.
func (d *data) ingredient(id int) *ingredient {
	for _, i := range d.Ingredients {
		if i.ID == id {
			return i
		}
	}
	panic(fmt.Sprintf("no ingredient has the id %d", id))
}

// check finds what the handlers rely on and an edited file may lack.
func (d *data) check() error {
	known := map[int]bool{}
	for _, i := range d.Ingredients {
		known[i.ID] = true
	}
	used := map[int]bool{}
	use := func(parts []part) {
		for _, p := range parts {
			used[p.Ingredient] = true
		}
	}
	for _, i := range d.Pantry {
		used[i.Ingredient] = true
	}
	for _, m := range d.MetaRecipes {
		if m.Servings < 1 {
			return fmt.Errorf("the meta-recipe '%s' has no servings", m.Name)
		}
		use(m.Base)
		for _, s := range m.Slots {
			use(s.Options)
		}
	}
	for _, r := range d.Recipes {
		if r.Servings < 1 {
			return fmt.Errorf("the recipe '%s' has no servings", r.Name)
		}
		use(r.Parts)
	}
	for id := range used {
		if !known[id] {
			return fmt.Errorf("no ingredient has the id %d", id)
		}
	}
	return nil
}
