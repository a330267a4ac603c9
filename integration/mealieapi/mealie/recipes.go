package mealie

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// serveRecipes serves what is below /api/recipes, but for imports and bulk
// actions.
func (a *API) serveRecipes() {
	a.handle("GET /api/recipes", a.listRecipes)
	a.handleInput("POST /api/recipes", a.createRecipe)
	a.handle("GET /api/recipes/suggestions", a.suggestRecipes)
	a.handle("GET /api/recipes/{slug}", func(r *http.Request) (reply, error) {
		d := a.store.Read()
		rec := d.recipe(r.PathValue("slug"))
		if rec == nil {
			return reply{}, errNoEntry
		}
		return ok(d.full(rec))
	})
	a.handleInput("PATCH /api/recipes/{slug}", func(r *http.Request, in *input) (reply, error) { return a.updateRecipe(r, in, false) })
	a.handleInput("PUT /api/recipes/{slug}", func(r *http.Request, in *input) (reply, error) { return a.updateRecipe(r, in, true) })
	a.handle("DELETE /api/recipes/{slug}", func(r *http.Request) (reply, error) {
		return a.change(http.StatusOK, func(d *data) (any, error) {
			rec := d.recipe(r.PathValue("slug"))
			if rec == nil {
				return nil, errNoEntry
			}
			if rec.Stuck {
				return nil, errUnknown
			}
			shown := d.full(rec)
			d.remove(rec)
			return shown, nil
		})
	})
}

var (
	errNoEntry = refuse(http.StatusNotFound, "No Entry Found", "")
	errExists  = refuse(http.StatusBadRequest, "Recipe already exists", "")
)

// texts are those that a search of recipes looks at.
func (r *recipe) texts() []string {
	texts := []string{r.Name}
	if r.Description != nil {
		texts = append(texts, *r.Description)
	}
	for _, i := range r.Ingredients {
		for _, text := range []*string{i.Note, i.OriginalText} {
			if text != nil {
				texts = append(texts, *text)
			}
		}
	}
	return texts
}

// listRecipes is GET /api/recipes. A cookbook's filter takes the place of the
// filters by tag, category, tool and food.
func (a *API) listRecipes(r *http.Request) (reply, error) {
	d, q := a.store.Read(), newQuery(r)
	rows := slices.Clone(d.Recipes)
	if key := q.Get("cookbook"); key != "" {
		book := d.cookbook(key, true)
		if book == nil {
			return reply{}, detail(http.StatusNotFound, "cookbook not found")
		}
		var err error
		if rows, err = a.contents(d, book); err != nil {
			return reply{}, err
		}
	} else {
		rows = narrow(rows, known(d.Categories, q.Values["categories"]), q.flag("requireAllCategories", false), func(r *recipe) []string { return r.Categories })
		rows = narrow(rows, known(d.Tags, q.Values["tags"]), q.flag("requireAllTags", false), func(r *recipe) []string { return r.Tags })
		rows = narrow(rows, known(d.Tools, q.Values["tools"]), q.flag("requireAllTools", false), func(r *recipe) []string { return r.Tools })
		rows = narrow(rows, q.Values["foods"], q.flag("requireAllFoods", false), (*recipe).foods)
	}
	return listing[*recipe]{
		path: "/recipes", rows: rows, schema: d.recipeSchema(), search: (*recipe).texts,
		show: func(r *recipe) any { return d.summary(r) },
	}.page(q, a.now())
}

// known are the ids of the organizers that slugs or ids name. As in Mealie, a
// slug that names none is no condition at all.
func known(rows []*organizer, keys []string) []string {
	var ids []string
	for _, key := range keys {
		for _, o := range rows {
			if o.ID == key || slugOf(o.Name) == key {
				ids = append(ids, o.ID)
			}
		}
	}
	return ids
}

// narrow keeps the recipes that have one or all of some ids.
func narrow(rows []*recipe, ids []string, all bool, of func(*recipe) []string) []*recipe {
	if len(ids) == 0 {
		return rows
	}
	return slices.DeleteFunc(rows, func(r *recipe) bool {
		n := 0
		have := of(r)
		for _, id := range ids {
			if slices.Contains(have, id) {
				n++
			}
		}
		return n == 0 || all && n < len(ids)
	})
}

// foods are the ids of the foods that a recipe takes.
func (r *recipe) foods() []string {
	var ids []string
	for _, i := range r.Ingredients {
		if i.FoodID != "" && !slices.Contains(ids, i.FoodID) {
			ids = append(ids, i.FoodID)
		}
	}
	return ids
}

// createRecipe is POST /api/recipes, which takes a name and nothing else.
func (a *API) createRecipe(_ *http.Request, in *input) (reply, error) {
	var name string
	in.need("name")
	in.text("name", &name)
	if err := in.failed(); err != nil {
		return reply{}, err
	}
	return a.change(http.StatusCreated, func(d *data) (any, error) {
		rec, err := d.addRecipe(name, a.now())
		if err != nil {
			return nil, err
		}
		return rec.Slug, nil
	})
}

// addRecipe adds one with Mealie's texts to start from. A name that is taken
// gets a number.
func (d *data) addRecipe(name string, now time.Time) (*recipe, error) {
	rec := d.blankRecipe(now)
	for i := 0; ; i++ {
		rec.Name = name
		if i > 0 {
			rec.Name = fmt.Sprintf("%s (%d)", name, i)
		}
		if rec.Slug = slugOf(rec.Name); rec.Slug == "" {
			return nil, refuse(http.StatusInternalServerError, "Unknown Error", "ValueError")
		}
		if d.recipe(rec.Slug) == nil {
			break
		}
		if i == 10 {
			return nil, errExists
		}
	}
	rec.Ingredients = []ingredient{{Quantity: new(1.0), Note: new("1 Cup Flour"), ReferenceID: d.newID()}}
	rec.Steps = []step{{ID: d.newID(), Title: new(""), Text: "Recipe steps as well as other fields in the recipe page support markdown syntax.", References: []stepReference{}}}
	d.Recipes = append(d.Recipes, rec)
	return rec, nil
}

// blankRecipe is one without a name.
func (d *data) blankRecipe(now time.Time) *recipe {
	return &recipe{
		ID: d.newID(), Description: new(""), Categories: []string{}, Tags: []string{}, Tools: []string{},
		DateAdded: now.Format(time.DateOnly), DateUpdated: now.UTC(), CreatedAt: now.UTC(), UpdatedAt: now.UTC(),
		Ingredients: []ingredient{}, Steps: []step{}, Assets: []asset{}, Notes: []note{}, Extras: map[string]any{}, Comments: []comment{},
		Settings: settings{DisableAmount: true},
	}
}
