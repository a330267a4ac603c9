package pantry

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

var (
	locations = []string{"fridge", "cupboard", "freezer"}
	states    = []string{"in", "low", "out"}
)

// present says whether an item can be cooked with. How much of it there is
// does not matter.
func (i *item) present() bool { return i.State != "out" }

// An ingredientRef is an ingredient nested in a reply.
type ingredientRef struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func (d *data) ref(id int) ingredientRef { return ingredientRef{id, d.ingredient(id).Name} }

// A row is an item in a reply.
type row struct {
	ID         int           `json:"id"`
	Ingredient ingredientRef `json:"ingredient"`
	Name       string        `json:"name"`
	Location   string        `json:"location"`
	State      string        `json:"state"`
	Quantity   *amount       `json:"quantity"`
	Unit       string        `json:"unit"`
	Expiry     *string       `json:"expiry"`
	IsStaple   bool          `json:"is_staple"`
}

func (d *data) row(i *item) row {
	ref := d.ref(i.Ingredient)
	return row{i.ID, ref, ref.Name, i.Location, i.State, i.Quantity, i.Unit, i.Expiry, i.IsStaple}
}

// itemsOf are the places where an ingredient is kept: all, or the one at a
// location.
func (d *data) itemsOf(ingredient int, location string) []*item {
	var items []*item
	for _, i := range d.Pantry {
		if i.Ingredient == ingredient && (location == "" || i.Location == location) {
			items = append(items, i)
		}
	}
	return items
}

// places names where items are, such as "fridge and freezer".
func places(items []*item) string {
	var names []string
	for _, i := range items {
		names = append(names, i.Location)
	}
	return strings.Join(names, " and ")
}

// listItems is GET /api/pantry/.
func listItems(d *data, r *request) (int, any, error) {
	location := r.query.Get("location")
	if location != "" && !slices.Contains(locations, location) {
		return 0, nil, &failure{http.StatusBadRequest, map[string]any{"location": []string{
			fmt.Sprintf("Select a valid choice. %s is not one of the available choices.", location),
		}}}
	}
	rows := []row{}
	for _, i := range d.Pantry {
		if location == "" || i.Location == location {
			rows = append(rows, d.row(i))
		}
	}
	return http.StatusOK, rows, nil
}

// itemByID finds the item that a path names.
func (d *data) itemByID(id int) (*item, error) {
	for _, i := range d.Pantry {
		if i.ID == id {
			return i, nil
		}
	}
	return nil, errNotFound
}

// getItem is GET /api/pantry/<id>/.
func getItem(d *data, r *request) (int, any, error) {
	i, err := d.itemByID(r.id)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, d.row(i), nil
}

// patchItem is PATCH /api/pantry/<id>/.
func patchItem(d *data, r *request) (int, any, error) {
	i, err := d.itemByID(r.id)
	if err != nil {
		return 0, nil, err
	}
	f := r.body
	if location, ok := f.choice("location", locations); ok {
		if location != i.Location && len(d.itemsOf(i.Ingredient, location)) > 0 {
			f.fail(nonField, "The fields ingredient, location must make a unique set.")
		}
		i.Location = location
	}
	if state, ok := f.choice("state", states); ok {
		i.State = state
	}
	if quantity, ok := f.amount("quantity"); ok {
		i.Quantity = quantity
	}
	if unit, ok := f.text("unit", maxUnit, true); ok {
		i.Unit = unit
	}
	if expiry, ok := f.date("expiry"); ok {
		i.Expiry = expiry
	}
	if staple, ok := f.boolean("is_staple"); ok {
		i.IsStaple = staple
	}
	if err := f.failed(); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, d.row(i), nil
}

// setState is POST /api/pantry/set-state/.
func setState(d *data, r *request) (int, any, error) {
	f := r.body
	f.need("ingredient", "state")
	name, _ := f.text("ingredient", maxName, false)
	state, _ := f.choice("state", states)
	location, _ := f.choice("location", locations)
	if err := f.failed(); err != nil {
		return 0, nil, err
	}
	known, miss := find(d.Ingredients, "ingredient", name)
	if miss != nil {
		return 0, nil, miss.failure()
	}
	i, miss := d.itemAt(known, location)
	if miss != nil {
		return 0, nil, miss.failure()
	}
	i.State = state
	return http.StatusOK, d.row(i), nil
}

// itemAt is the item of an ingredient at a location, which may be empty if
// the ingredient is kept in one place.
func (d *data) itemAt(known *ingredient, location string) (*item, *mismatch) {
	all, at := d.itemsOf(known.ID, ""), d.itemsOf(known.ID, location)
	switch {
	case len(at) == 1:
		return at[0], nil
	case len(all) == 0:
		return nil, &mismatch{http.StatusNotFound, fmt.Sprintf("%s is not in the pantry.", known.Name), []string{}}
	}
	var matches []string
	for _, i := range all {
		matches = append(matches, fmt.Sprintf("%s (%s)", known.Name, i.Location))
	}
	if len(at) == 0 {
		return nil, &mismatch{
			http.StatusNotFound,
			fmt.Sprintf("%s is not in the %s: it is kept in the %s.", known.Name, location, places(all)), matches,
		}
	}
	return nil, &mismatch{
		http.StatusBadRequest,
		fmt.Sprintf("%s is kept in the %s: say which location.", known.Name, places(all)), matches,
	}
}

// An added is what bulkAdd did with one of its items.
type added struct {
	Name   string `json:"name"`
	Status string `json:"status"` // created or restocked
	Item   row    `json:"item"`
}

// bulkAdd is POST /api/bulk-pantry-add/.
func bulkAdd(d *data, r *request) (int, any, error) {
	f := r.body
	results := []added{}
	status := http.StatusOK
	f.need("items")
	f.list("items", false, func(f *fields) {
		f.need("name")
		name, named := f.text("name", maxName, false)
		location, _ := f.choice("location", locations)
		quantity, counted := f.amount("quantity")
		unit, measured := f.text("unit", maxUnit, true)
		if !named {
			return
		}
		known, _ := d.ingredientFor(f, "name", name)
		if known == nil {
			return
		}
		kept := d.itemsOf(known.ID, location)
		if len(kept) > 1 {
			f.fail("location", "%s is kept in the %s: say which.", known.Name, places(kept))
			return
		}
		done := "restocked"
		if len(kept) == 0 {
			done, status = "created", http.StatusCreated
			if location == "" {
				location = "cupboard"
			}
			kept = []*item{{ID: d.newID(), Ingredient: known.ID, Location: location}}
			d.Pantry = append(d.Pantry, kept[0])
		}
		i := kept[0]
		i.State = "in"
		if counted {
			i.Quantity = quantity
		}
		if measured {
			i.Unit = unit
		}
		results = append(results, added{known.Name, done, d.row(i)})
	})
	if err := f.failed(); err != nil {
		return 0, nil, err
	}
	return status, map[string]any{"results": results}, nil
}

// ingredientFor finds an ingredient by the name that a field holds, or adds
// it. An ambiguous name is reported on the field, and gives nil.
func (d *data) ingredientFor(f *fields, field, name string) (known *ingredient, isNew bool) {
	known, miss := find(d.Ingredients, "ingredient", name)
	switch {
	case miss == nil:
		return known, false
	case miss.status == http.StatusNotFound:
		return d.addIngredient(name), true
	}
	f.fail(field, "%s", miss.message)
	return nil, false
}
