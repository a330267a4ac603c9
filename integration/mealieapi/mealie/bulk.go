package mealie

import (
	"net/http"
	"slices"
)

// serveBulkActions serves what changes several recipes at once.
func (a *API) serveBulkActions() {
	a.handleInput("POST /api/recipes/bulk-actions/tag", func(_ *http.Request, in *input) (reply, error) {
		return a.assign(in, "tags", func(d *data) []*organizer { return d.Tags }, func(r *recipe) *[]string { return &r.Tags })
	})
	a.handleInput("POST /api/recipes/bulk-actions/categorize", func(_ *http.Request, in *input) (reply, error) {
		return a.assign(in, "categories", func(d *data) []*organizer { return d.Categories }, func(r *recipe) *[]string { return &r.Categories })
	})
	a.handleInput("POST /api/recipes/bulk-actions/delete", func(_ *http.Request, in *input) (reply, error) {
		return a.change(http.StatusOK, func(d *data) (any, error) {
			recipes, err := d.named(in)
			for _, rec := range recipes {
				d.remove(rec)
			}
			return nil, err
		})
	})
}

// named are the recipes of a bulk action, by slug or id.
func (d *data) named(in *input) ([]*recipe, error) {
	var keys []string
	in.need("recipes")
	in.texts("recipes", &keys)
	if err := in.failed(); err != nil {
		return nil, err
	}
	var recipes []*recipe
	for _, key := range keys {
		rec := d.recipe(key)
		if rec == nil {
			return nil, refuse(http.StatusInternalServerError, "Unknown Error", "UnexpectedNone")
		}
		recipes = append(recipes, rec)
	}
	return recipes, nil
}

// assign adds organizers to recipes, and takes none away.
func (a *API) assign(in *input, key string, rows func(*data) []*organizer, of func(*recipe) *[]string) (reply, error) {
	return a.change(http.StatusOK, func(d *data) (any, error) {
		w := &recipeWriter{data: d, strict: a.strict}
		var ids []string
		in.need(key)
		w.organizers(in, key, rows(d), &ids, "id", "name", "slug")
		recipes, err := d.named(in)
		if err != nil {
			return nil, err
		}
		if w.err != nil {
			return nil, w.err
		}
		for _, rec := range recipes {
			have := of(rec)
			for _, id := range ids {
				if !slices.Contains(*have, id) {
					*have = append(*have, id)
				}
			}
			rec.UpdatedAt = a.now().UTC()
		}
		return nil, nil
	})
}
