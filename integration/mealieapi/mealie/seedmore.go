package mealie

import (
	"fmt"
	"slices"
	"time"
)

// seedVariations adds recipes until there are n, each like one of the seed.
func seedVariations(d *data, n int) {
	styles := []string{"Weeknight", "Grandma's", "Easy", "Spiced", "Rustic", "Lighter", "Festive", "Smoky", "Garden", "Classic"}
	originals := d.Recipes
	for i := 0; len(d.Recipes) < n; i++ {
		like := originals[i%len(originals)]
		r := *like
		round := i / len(originals)
		r.Name = fmt.Sprintf("%s %s", styles[round%len(styles)], like.Name)
		if batch := round / len(styles); batch > 0 {
			r.Name = fmt.Sprintf("%s No. %d", r.Name, batch+1)
		}
		r.Slug, r.ID, r.Stuck = slugOf(r.Name), seedID("recipe", r.Name), false
		r.CreatedAt = like.CreatedAt.Add(time.Duration(i+1) * time.Minute)
		r.UpdatedAt, r.DateUpdated = r.CreatedAt, r.CreatedAt
		r.Ingredients = slices.Clone(like.Ingredients)
		for j := range r.Ingredients {
			r.Ingredients[j].ReferenceID = seedID(r.ID, fmt.Sprint(j))
		}
		d.Recipes = append(d.Recipes, &r)
	}
}

func seedCookbooks() []*cookbook {
	books := []*cookbook{}
	for i, b := range []struct {
		name, description, filter string
		public                    bool
	}{
		{"Weeknight Dinners", "Quick things for tired people.", `tags.name IN ["Quick"] AND recipeCategory.name IN ["Dinner"]`, true},
		{"Vegan Kitchen", "", `tags.name CONTAINS ALL ["Vegan"]`, false},
		{"Best of the Oven", "Baked and rated.", `tools.name IN ["Oven"] AND rating >= 4`, false},
		{"Winter Pots", "", `tags.name IN ["Winter"] OR tools.name IN ["Slow Cooker"]`, false},
		{"Everything", "The whole library.", "", true},
	} {
		books = append(books, &cookbook{
			ID: seedID("cookbook", b.name), Name: b.name, Description: b.description, Position: i + 1, Public: b.public,
			Filter: b.filter, CreatedAt: seedStart.Add(time.Duration(i) * time.Hour),
		})
	}
	return books
}

// seedPlan plans the week around now.
func seedPlan(d *data, now time.Time) {
	add := func(days int, kind, title, text string, rec *recipe) {
		e := &planEntry{Date: now.AddDate(0, 0, days).Format(time.DateOnly), Type: kind, Title: title, Text: text}
		if rec != nil {
			e.RecipeID = rec.ID
		}
		d.plan(e, now.AddDate(0, 0, days-7).Truncate(time.Second))
	}
	for day := -3; day <= 3; day++ {
		add(day, "dinner", "", "", d.Recipes[(day+3)*2])
	}
	add(0, "breakfast", "Leftover bread pudding", "There is half of it in the fridge.", nil)
	add(0, "side", "Green salad", "", nil)
	add(1, "lunch", "Lunch with Ana", "At the office.", nil)
}
