package pantry

import (
	"net/http"
	"slices"
	"time"
)

// expirySoon is how many days before its expiry an item is warned about.
const expirySoon = 3

// A cookable is how far a meta-recipe can be cooked from what is in stock.
type cookable struct {
	ID       int             `json:"id"`
	Name     string          `json:"name"`
	Status   string          `json:"status"` // ready, partial or missing
	Servings int             `json:"servings"`
	Slots    []slotStock     `json:"slots"`
	Base     []partStock     `json:"base_ingredients"`
	Missing  []string        `json:"missing"`
	Expiring []expiryWarning `json:"expiry_warnings"`
}

type slotStock struct {
	Name      string      `json:"name"`
	Available bool        `json:"available"`
	Options   []partStock `json:"options"`
}

// A partStock is what a recipe takes of an ingredient, and what there is.
type partStock struct {
	Ingredient string  `json:"ingredient"`
	Qty        *amount `json:"qty"`
	Unit       string  `json:"unit"`
	State      *string `json:"state"` // null if it is not in the pantry
	Available  bool    `json:"available"`
}

type expiryWarning struct {
	Ingredient string `json:"ingredient"`
	Location   string `json:"location"`
	Expiry     string `json:"expiry"`
	DaysLeft   int    `json:"days_left"`
}

// whatCanICook is GET /api/what-can-i-cook/. An ingredient that is in or low
// anywhere is there, whatever its quantity.
func whatCanICook(d *data, r *request) (int, any, error) {
	servings := 0
	if r.query.Has("servings") {
		f := newFields(map[string]any{"servings": r.query.Get("servings")})
		servings, _ = f.integer("servings", 1, maxServings)
		if err := f.failed(); err != nil {
			return 0, nil, err
		}
	}
	list := []cookable{}
	for _, m := range d.MetaRecipes {
		list = append(list, d.cookable(m, servings, r.today))
	}
	return http.StatusOK, list, nil
}

// cookable compares a meta-recipe with the stock. With 0 servings it is for
// as many as the recipe says.
func (d *data) cookable(m *metaRecipe, servings int, today time.Time) cookable {
	if servings == 0 {
		servings = m.Servings
	}
	c := cookable{
		ID: m.ID, Name: m.Name, Servings: servings,
		Slots: []slotStock{}, Base: []partStock{}, Missing: []string{}, Expiring: []expiryWarning{},
	}

	filled := 0
	for _, s := range m.Slots {
		stock := slotStock{Name: s.Name, Options: []partStock{}}
		for _, p := range s.Options {
			option := d.partStock(p, servings, m.Servings)
			stock.Options = append(stock.Options, option)
			stock.Available = stock.Available || option.Available
			c.warn(d, p, today)
		}
		c.Slots = append(c.Slots, stock)
		if stock.Available {
			filled++
		} else {
			c.Missing = append(c.Missing, s.Name)
		}
	}
	for _, p := range m.Base {
		base := d.partStock(p, servings, m.Servings)
		c.Base = append(c.Base, base)
		c.warn(d, p, today)
		if !base.Available {
			c.Missing = append(c.Missing, base.Ingredient)
		} else if len(m.Slots) == 0 {
			filled++
		}
	}

	switch {
	case len(c.Missing) == 0:
		c.Status = "ready"
	case filled > 0:
		c.Status = "partial"
	default:
		c.Status = "missing"
	}
	return c
}

// partStock scales a part, and looks its ingredient up in the pantry: of
// several places the best stocked counts.
func (d *data) partStock(p part, servings, from int) partStock {
	stock := partStock{Ingredient: d.ingredient(p.Ingredient).Name, Unit: p.Unit}
	if p.Qty != nil {
		qty := p.Qty.scale(servings, from)
		stock.Qty = &qty
	}
	for _, i := range d.itemsOf(p.Ingredient, "") {
		if stock.State == nil || slices.Index(states, i.State) < slices.Index(states, *stock.State) {
			stock.State = &i.State
			stock.Available = i.present()
		}
	}
	return stock
}

// warn adds the items of a part that expire soon, or have expired.
func (c *cookable) warn(d *data, p part, today time.Time) {
	day := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	for _, i := range d.itemsOf(p.Ingredient, "") {
		if i.Expiry == nil || !i.present() {
			continue
		}
		expiry, err := time.Parse(time.DateOnly, *i.Expiry)
		left := int(expiry.Sub(day).Hours() / 24)
		w := expiryWarning{d.ingredient(i.Ingredient).Name, i.Location, *i.Expiry, left}
		if err == nil && left <= expirySoon && !slices.Contains(c.Expiring, w) {
			c.Expiring = append(c.Expiring, w)
		}
	}
}
