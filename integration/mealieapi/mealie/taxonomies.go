package mealie

import (
	"net/http"
	"slices"
)

var foods = taxonomy[food, *food]{
	path: "/foods", table: "ingredient_foods", created: http.StatusCreated,
	rows: func(d *data) *[]*food { return &d.Foods },
	read: func(_ *data, in *input, f *food) {
		f.read(in)
		in.id("labelId", true, &f.LabelID)
	},
	show: func(d *data, f *food) any { return d.showFood(f) },
	search: func(f *food) []string {
		return append([]string{f.Name}, filled(f.PluralName)...)
	},
	used: func(d *data, id string) bool {
		return slices.ContainsFunc(d.Recipes, func(r *recipe) bool { return slices.Contains(r.foods(), id) })
	},
	gone: func(d *data, f *food) any { return d.showFood(f) },
}

var units = taxonomy[unit, *unit]{
	path: "/units", table: "ingredient_units", created: http.StatusCreated,
	rows: func(d *data) *[]*unit { return &d.Units },
	read: func(d *data, in *input, u *unit) {
		u.read(in)
		u.Fraction, u.PluralAbbreviation = true, new("")
		in.flag("fraction", &u.Fraction)
		in.text("abbreviation", &u.Abbreviation)
		in.optional("pluralAbbreviation", &u.PluralAbbreviation)
		in.flag("useAbbreviation", &u.UseAbbreviation)
	},
	show: func(_ *data, u *unit) any { return showUnit(u) },
	search: func(u *unit) []string {
		return slices.Concat([]string{u.Name, u.Abbreviation}, filled(u.PluralName), filled(u.PluralAbbreviation))
	},
	used: func(d *data, id string) bool {
		return slices.ContainsFunc(d.Recipes, func(r *recipe) bool {
			return slices.ContainsFunc(r.Ingredients, func(i ingredient) bool { return i.UnitID == id })
		})
	},
	gone: func(_ *data, u *unit) any { return showUnit(u) },
}

// read takes the fields besides the name.
func (n *noun) read(in *input) {
	n.Extras, n.Aliases = map[string]any{}, []alias{}
	in.optional("pluralName", &n.PluralName)
	in.text("description", &n.Description)
	in.flag("onHand", &n.OnHand)
	if e := in.object("extras"); e != nil {
		n.Extras = e.in
	}
	in.list("aliases", func(i *input) {
		var a alias
		i.need("name")
		i.text("name", &a.Name)
		n.Aliases = append(n.Aliases, a)
	})
}

var labels = taxonomy[label, *label]{
	path: "/groups/labels", table: "multi_purpose_labels", created: http.StatusOK, needs: []string{"groupId", "id"},
	rows: func(d *data) *[]*label { return &d.Labels },
	read: func(_ *data, in *input, l *label) {
		l.Color = "#959595"
		in.text("color", &l.Color)
	},
	show:   func(_ *data, l *label) any { return showLabel(l) },
	search: func(l *label) []string { return []string{l.Name} },
	frees: func(d *data, id string) {
		for _, f := range d.Foods {
			if f.LabelID == id {
				f.LabelID = ""
			}
		}
	},
	gone: func(_ *data, l *label) any { return showLabel(l) },
}

// A taggedInfo is a tag by itself.
type taggedInfo struct {
	tagInfo
	GroupID string          `json:"groupId"`
	Recipes []recipeSummary `json:"recipes"`
}

// organizers are tags or categories.
func organizers(plural string, rows func(*data) *[]*organizer, of func(*recipe) *[]string) taxonomy[organizer, *organizer] {
	return taxonomy[organizer, *organizer]{
		path: "/organizers/" + plural, table: plural, created: http.StatusCreated, key: slugOf,
		rows: rows,
		read: func(*data, *input, *organizer) {},
		show: func(_ *data, o *organizer) any { return showTag(o) },
		one: func(d *data, o *organizer) any {
			info := taggedInfo{tagInfo: showTag(o), GroupID: groupID, Recipes: []recipeSummary{}}
			for _, r := range d.Recipes {
				if slices.Contains(*of(r), o.ID) {
					info.Recipes = append(info.Recipes, d.summary(r))
				}
			}
			return info
		},
		search: func(o *organizer) []string { return []string{o.Name} },
		frees: func(d *data, id string) {
			for _, r := range d.Recipes {
				ids := of(r)
				*ids = slices.DeleteFunc(*ids, func(other string) bool { return other == id })
			}
		},
		gone: func(*data, *organizer) any { return nil },
	}
}

func tools() taxonomy[organizer, *organizer] {
	t := organizers("tools", func(d *data) *[]*organizer { return &d.Tools }, func(r *recipe) *[]string { return &r.Tools })
	t.read = func(_ *data, in *input, o *organizer) {
		o.OnHand = false
		in.flag("onHand", &o.OnHand)
	}
	t.show = func(_ *data, o *organizer) any { return showTool(o) }
	t.one = t.show
	t.gone = func(_ *data, o *organizer) any { return showTool(o) }
	return t
}
