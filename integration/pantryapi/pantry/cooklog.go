package pantry

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A loggedCook is a cook log in a reply, with what was probably used.
type loggedCook struct {
	ID          int               `json:"id"`
	MetaRecipe  *string           `json:"meta_recipe"`
	Recipe      *string           `json:"recipe"`
	SlotChoices map[string]string `json:"slot_choices"`
	Servings    int               `json:"servings"`
	Rating      *int              `json:"rating"`
	Notes       string            `json:"notes"`
	CookedOn    string            `json:"cooked_on"`
	Used        []partStock       `json:"used_ingredients"`
}

// logCook is POST /api/log-cook/. It changes no stock: used_ingredients is
// what the caller may want to mark as low or out.
func logCook(d *data, r *request) (int, any, error) {
	f := r.body
	log := &cookLog{ID: d.newID(), SlotChoices: map[string]int{}, CookedOn: r.today.Format(time.DateOnly)}
	reply := loggedCook{ID: log.ID, SlotChoices: map[string]string{}, CookedOn: log.CookedOn, Used: []partStock{}}

	template, fixed := f.in["meta_recipe"] != nil, f.in["recipe"] != nil
	if template == fixed {
		f.fail(nonField, "Give exactly one of meta_recipe and recipe.")
		return 0, nil, f.failed()
	}

	var used []part
	var from int
	if template {
		m, err := pick(f, "meta_recipe", "meta-recipe", d.MetaRecipes, func(m *metaRecipe) int { return m.ID })
		if err != nil {
			return 0, nil, err
		}
		log.MetaRecipe, reply.MetaRecipe = &m.ID, &m.Name
		from = m.Servings
		used = slices.Concat(m.Base, d.chosen(f, m, log))
	} else {
		rec, err := pick(f, "recipe", "recipe", d.Recipes, func(r *recipe) int { return r.ID })
		if err != nil {
			return 0, nil, err
		}
		log.Recipe, reply.Recipe = &rec.ID, &rec.Name
		from = rec.Servings
		used = rec.Parts
		if f.in["slot_choices"] != nil {
			f.fail("slot_choices", "Only a meta-recipe has slots.")
		}
	}

	log.Servings = from
	if servings, ok := f.integer("servings", 1, maxServings); ok {
		log.Servings = servings
	}
	if f.in["rating"] != nil {
		if rating, ok := f.integer("rating", 1, 5); ok {
			log.Rating = &rating
		}
	}
	log.Notes, _ = f.text("notes", maxText, true)
	if err := f.failed(); err != nil {
		return 0, nil, err
	}

	d.CookLogs = append(d.CookLogs, log)
	reply.Servings, reply.Rating, reply.Notes = log.Servings, log.Rating, log.Notes
	for slot, id := range log.SlotChoices {
		reply.SlotChoices[slot] = d.ingredient(id).Name
	}
	for _, p := range used {
		reply.Used = append(reply.Used, d.partStock(p, log.Servings, from))
	}
	return http.StatusCreated, reply, nil
}

// pick takes a recipe from a field that holds its id or its name.
func pick[T named](f *fields, field, kind string, all []T, id func(T) int) (none T, err error) {
	name, ok := f.text(field, maxName, false)
	if !ok {
		return none, f.failed()
	}
	found, miss := find(all, kind, name)
	if miss == nil {
		return found, nil
	}
	n, err := strconv.Atoi(name)
	if err != nil {
		return none, miss.failure()
	}
	for _, t := range all {
		if id(t) == n {
			return t, nil
		}
	}
	f.fail(field, `Invalid pk "%d" - object does not exist.`, n)
	return none, f.failed()
}

// chosen reads slot_choices, an object of ingredient names by slot name, into
// the log, and returns what the choices take. An ingredient that is no option
// of its slot is a substitute, of an unknown quantity.
func (d *data) chosen(f *fields, m *metaRecipe, log *cookLog) []part {
	given, ok := f.in["slot_choices"]
	if given == nil || !ok {
		return nil
	}
	choices := newFields(given)
	known := map[string]bool{}
	var used []part
	for _, s := range m.Slots {
		known[s.Name] = true
		name, ok := choices.text(s.Name, maxName, false)
		if !ok {
			continue
		}
		i, miss := find(d.Ingredients, "ingredient", name)
		if miss != nil {
			choices.fail(s.Name, "%s", miss.message)
			continue
		}
		log.SlotChoices[s.Name] = i.ID
		p := part{Ingredient: i.ID}
		if at := slices.IndexFunc(s.Options, func(p part) bool { return p.Ingredient == i.ID }); at >= 0 {
			p = s.Options[at]
		}
		used = append(used, p)
	}
	for name := range choices.in {
		if !known[name] {
			choices.fail(name, "%s has no such slot. It has: %s.", m.Name, slotNames(m))
		}
	}
	if len(choices.errors) > 0 {
		f.errors["slot_choices"] = choices.errors
	}
	return used
}

func slotNames(m *metaRecipe) string {
	var names []string
	for _, s := range m.Slots {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}
