package mealie

import (
	"net/http"
	"slices"
)

// A suggestion is a recipe, and what is missing for it.
type suggestion struct {
	Recipe       recipeSummary `json:"recipe"`
	MissingFoods []*foodInfo   `json:"missingFoods"`
	MissingTools []*toolInfo   `json:"missingTools"`
}

// suggestRecipes is GET /api/recipes/suggestions: recipes with at least one of
// the foods given and few others, those first that lack the least. Where a
// recipe does not show amounts, its foods say nothing.
func (a *API) suggestRecipes(r *http.Request) (reply, error) {
	d, q := a.store.Read(), newQuery(r)
	foods, tools := q.Values["foods"], q.Values["tools"]
	limit, maxFoods, maxTools := q.integer("limit", 10), q.integer("maxMissingFoods", 5), q.integer("maxMissingTools", 5)
	foodsOnHand, toolsOnHand := q.flag("includeFoodsOnHand", true), q.flag("includeToolsOnHand", true)
	rows, err := listing[*recipe]{rows: d.Recipes, schema: d.recipeSchema()}.chosen(q, a.now())
	if err != nil {
		return reply{}, err
	}
	type candidate struct {
		suggestion
		matched int
	}
	var candidates []candidate
	for _, rec := range rows {
		c := candidate{suggestion: suggestion{Recipe: d.summary(rec), MissingFoods: []*foodInfo{}, MissingTools: []*toolInfo{}}}
		for _, id := range rec.foods() {
			f := byID(d.Foods, id)
			switch {
			case f == nil || len(foods) == 0:
			case slices.Contains(foods, id):
				c.matched++
			case !foodsOnHand || !f.OnHand:
				c.MissingFoods = append(c.MissingFoods, d.showFood(f))
			}
		}
		for _, t := range c.Recipe.Tools {
			if len(tools) > 0 && !slices.Contains(tools, t.ID) && (!toolsOnHand || !t.OnHand) {
				c.MissingTools = append(c.MissingTools, t)
			}
		}
		lacksAll := len(foods) > 0 && (c.matched == 0 || rec.Settings.DisableAmount)
		if !lacksAll && len(c.MissingFoods) <= maxFoods && len(c.MissingTools) <= maxTools {
			candidates = append(candidates, c)
		}
	}
	slices.SortStableFunc(candidates, func(x, y candidate) int {
		return slices.Compare(
			[]int{len(x.MissingTools), len(x.MissingFoods), -x.matched},
			[]int{len(y.MissingTools), len(y.MissingFoods), -y.matched})
	})
	items := []suggestion{}
	for _, c := range candidates[:min(max(limit, 0), len(candidates))] {
		items = append(items, c.suggestion)
	}
	return ok(map[string]any{"items": items})
}
