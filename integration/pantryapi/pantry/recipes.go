package pantry

import (
	"net/http"
	"slices"
)

// A template is a meta-recipe in a reply.
type template struct {
	ID       int          `json:"id"`
	Name     string       `json:"name"`
	Method   string       `json:"method"`
	Servings int          `json:"servings"`
	Slots    []slotView   `json:"slots"`
	Base     []nestedPart `json:"base_ingredients"`
}

type slotView struct {
	ID      int          `json:"id"`
	Name    string       `json:"name"`
	Options []nestedPart `json:"options"`
}

type nestedPart struct {
	Ingredient ingredientRef `json:"ingredient"`
	Qty        *amount       `json:"qty"`
	Unit       string        `json:"unit"`
}

// A saved is a meta-recipe that was just written.
type saved struct {
	template
	Created []string `json:"created_ingredients"`
}

func (d *data) template(m *metaRecipe) template {
	t := template{m.ID, m.Name, m.Method, m.Servings, []slotView{}, d.nestedParts(m.Base)}
	for _, s := range m.Slots {
		t.Slots = append(t.Slots, slotView{s.ID, s.Name, d.nestedParts(s.Options)})
	}
	return t
}

func (d *data) nestedParts(parts []part) []nestedPart {
	nested := []nestedPart{}
	for _, p := range parts {
		nested = append(nested, nestedPart{d.ref(p.Ingredient), p.Qty, p.Unit})
	}
	return nested
}

// listMetaRecipes is GET /api/meta-recipes/.
func listMetaRecipes(d *data, _ *request) (int, any, error) {
	list := []template{}
	for _, m := range d.MetaRecipes {
		list = append(list, d.template(m))
	}
	return http.StatusOK, list, nil
}

// createMetaRecipe is POST /api/create-meta-recipe/.
func createMetaRecipe(d *data, r *request) (int, any, error) {
	m := &metaRecipe{ID: d.newID()}
	created := d.fill(m, r.body)
	if err := r.body.failed(); err != nil {
		return 0, nil, err
	}
	d.MetaRecipes = append(d.MetaRecipes, m)
	return http.StatusCreated, saved{d.template(m), created}, nil
}

// updateMetaRecipe is PUT /api/create-meta-recipe/, with the id in the body.
// It replaces the whole meta-recipe: its slots get new ids.
func updateMetaRecipe(d *data, r *request) (int, any, error) {
	r.body.need("id")
	id, given := r.body.integer("id", 1, 1<<31-1)
	m := &metaRecipe{ID: id}
	at := slices.IndexFunc(d.MetaRecipes, func(m *metaRecipe) bool { return m.ID == id })
	if given && at < 0 {
		return 0, nil, errNotFound
	}
	created := d.fill(m, r.body)
	if err := r.body.failed(); err != nil {
		return 0, nil, err
	}
	d.MetaRecipes[at] = m
	return http.StatusOK, saved{d.template(m), created}, nil
}

// fill makes a meta-recipe from a body, adding the ingredients that are not
// known. It returns their names.
func (d *data) fill(m *metaRecipe, f *fields) (created []string) {
	created = []string{}
	parts := func(f *fields, field string, empty bool) []part {
		list := []part{}
		f.list(field, empty, func(f *fields) {
			f.need("ingredient")
			name, named := f.text("ingredient", maxName, false)
			qty, _ := f.amount("qty")
			unit, _ := f.text("unit", maxUnit, true)
			if !named {
				return
			}
			known, isNew := d.ingredientFor(f, "ingredient", name)
			if isNew {
				created = append(created, known.Name)
			}
			if known != nil {
				list = append(list, part{known.ID, qty, unit})
			}
		})
		return list
	}

	f.need("name", "method", "slots")
	m.Name, _ = f.text("name", maxName, false)
	for _, other := range d.MetaRecipes {
		if other.ID != m.ID && fold(other.Name) == fold(m.Name) {
			f.fail("name", "meta recipe with this name already exists.")
		}
	}
	m.Method, _ = f.text("method", maxText, true)
	m.Servings = 2
	if servings, ok := f.integer("servings", 1, maxServings); ok {
		m.Servings = servings
	}
	m.Slots = []slot{}
	f.list("slots", true, func(f *fields) {
		f.need("name", "options")
		name, named := f.text("name", maxName, false)
		if named && slices.ContainsFunc(m.Slots, func(s slot) bool { return fold(s.Name) == fold(name) }) {
			f.fail("name", "Another slot has this name.")
		}
		m.Slots = append(m.Slots, slot{d.newID(), name, parts(f, "options", false)})
	})
	m.Base = parts(f, "base_ingredients", true)
	return created
}
