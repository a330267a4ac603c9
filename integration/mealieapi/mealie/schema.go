package mealie

import (
	"strconv"
	"time"
)

// recipeSchema is what filters and sorts of recipes know.
func (d *data) recipeSchema() schema[*recipe] {
	text := func(of func(r *recipe) string) attribute[*recipe] {
		return attribute[*recipe]{aText, func(r *recipe) []string { return []string{of(r)} }}
	}
	optional := func(of func(r *recipe) *string) attribute[*recipe] {
		return attribute[*recipe]{aText, func(r *recipe) []string { return filled(of(r)) }}
	}
	date := func(of func(r *recipe) time.Time) attribute[*recipe] {
		return attribute[*recipe]{aDate, func(r *recipe) []string { return []string{instant(of(r))} }}
	}
	fixed := func(id string) attribute[*recipe] {
		return attribute[*recipe]{aUUID, func(*recipe) []string { return []string{id} }}
	}
	s := schema[*recipe]{
		"id":           {aUUID, func(r *recipe) []string { return []string{r.ID} }},
		"user_id":      fixed(userID),
		"household_id": fixed(householdID),
		"group_id":     fixed(groupID),
		"name":         text(func(r *recipe) string { return r.Name }),
		"slug":         text(func(r *recipe) string { return r.Slug }),
		"description":  optional(func(r *recipe) *string { return r.Description }),
		"image":        optional(func(r *recipe) *string { return r.Image }),
		"recipe_yield": optional(func(r *recipe) *string { return r.Yield }),
		"total_time":   optional(func(r *recipe) *string { return r.TotalTime }),
		"prep_time":    optional(func(r *recipe) *string { return r.PrepTime }),
		"cook_time":    optional(func(r *recipe) *string { return r.CookTime }),
		"perform_time": optional(func(r *recipe) *string { return r.PerformTime }),
		"org_url":      optional(func(r *recipe) *string { return r.OrgURL }),
		"rating": {aNumber, func(r *recipe) []string {
			if r.Rating == nil {
				return nil
			}
			return []string{strconv.FormatFloat(*r.Rating, 'f', -1, 64)}
		}},
		"recipe_servings": {aNumber, func(r *recipe) []string { return []string{strconv.FormatFloat(r.Servings, 'f', -1, 64)} }},
		"date_added":      {aDate, func(r *recipe) []string { return []string{r.DateAdded + "T00:00:00.000000"} }},
		"date_updated":    date(func(r *recipe) time.Time { return r.DateUpdated }),
		"created_at":      date(func(r *recipe) time.Time { return r.CreatedAt }),
		"updated_at":      date(func(r *recipe) time.Time { return r.UpdatedAt }),
		"last_made": {aDate, func(r *recipe) []string {
			if r.LastMade == nil {
				return nil
			}
			return []string{instant(*r.LastMade)}
		}},
	}
	related(s, "tags", d.Tags, func(r *recipe) []string { return r.Tags })
	related(s, "recipe_category", d.Categories, func(r *recipe) []string { return r.Categories })
	related(s, "tools", d.Tools, func(r *recipe) []string { return r.Tools })
	related(s, "recipe_ingredient.food", d.Foods, (*recipe).foods)
	delete(s, "recipe_ingredient.food.slug") // foods have none
	return s
}

// related adds the attributes of a taxonomy that recipes refer to.
func related[T any, P rowOf[T]](s schema[*recipe], name string, rows []P, of func(*recipe) []string) {
	shown := func(show func(*head) string) func(r *recipe) []string {
		return func(r *recipe) []string {
			var values []string
			for _, id := range of(r) {
				if row := byID(rows, id); row != nil {
					values = append(values, show(row.base()))
				}
			}
			return values
		}
	}
	s[name+".id"] = attribute[*recipe]{aUUID, shown(func(h *head) string { return h.ID })}
	s[name+".name"] = attribute[*recipe]{aText, shown(func(h *head) string { return h.Name })}
	s[name+".slug"] = attribute[*recipe]{aText, shown(func(h *head) string { return slugOf(h.Name) })}
}

// filled is a text that is not null.
func filled(s *string) []string {
	if s == nil {
		return nil
	}
	return []string{*s}
}
