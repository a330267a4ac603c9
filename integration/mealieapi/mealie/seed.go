package mealie

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The library is text, which the seed is made of.
//
//go:embed library/*.txt
var library embed.FS

// recipeFiles hold the recipes, the oldest first.
var recipeFiles = []string{"dinners", "baking", "lighter"}

// seedStart is when the first row of the seed was made. The others follow an
// hour apart.
var seedStart = time.Date(2026, time.January, 5, 8, 0, 0, 0, time.UTC)

// seed is a library of at least n recipes, with a plan for the days around now.
func seed(now time.Time, n int) *data {
	d := &data{Recipes: []*recipe{}}
	seedTaxonomy(d, readLibrary("taxonomy"))
	for _, file := range recipeFiles {
		for block := range strings.SplitSeq("\n"+readLibrary(file), "\n= ") {
			if strings.TrimSpace(block) != "" {
				d.Recipes = append(d.Recipes, d.seedRecipe(block, now))
			}
		}
	}
	seedVariations(d, n)
	d.Cookbooks = seedCookbooks()
	d.PlanRules = []planRule{
		{Day: "unset", Type: "breakfast", Filter: `recipeCategory.name IN ["Breakfast"]`},
		{Day: "unset", Type: "dinner", Filter: `recipeCategory.name IN ["Dinner"]`},
		{Day: "sunday", Type: "side", Filter: `tags.name IN ["Birthday"] AND rating > 5`}, // which no recipe is
	}
	seedPlan(d, now)
	return d
}

func readLibrary(name string) string {
	raw, err := library.ReadFile("library/" + name + ".txt")
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(raw)
}

// seedHead is the head of the n-th row of a kind.
func seedHead(kind, name string, n int) head {
	made := seedStart.Add(time.Duration(n) * time.Hour)
	return head{ID: seedID(kind, name), Name: name, CreatedAt: made, UpdatedAt: made}
}

// seedTaxonomy reads lines of a kind and names.
func seedTaxonomy(d *data, text string) {
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind == "label" {
			name, color, _ := strings.Cut(rest, " #")
			d.Labels = append(d.Labels, &label{seedHead(kind, name, len(d.Labels)), "#" + color})
			continue
		}
		for entry := range strings.SplitSeq(rest, ", ") {
			names := strings.Split(entry, "=")
			name, plural, _ := strings.Cut(names[0], "/")
			name, onHand := strings.CutPrefix(name, "+")
			name, short := strings.CutPrefix(name, "!")
			switch kind {
			case "food":
				f := &food{noun: noun{head: seedHead(kind, name, len(d.Foods)), OnHand: onHand, Extras: map[string]any{}, Aliases: []alias{}}}
				f.LabelID = d.Labels[len(d.Labels)-1].ID
				if plural != "" {
					f.PluralName = &plural
				}
				for _, other := range names[1:] {
					f.Aliases = append(f.Aliases, alias{other})
				}
				d.Foods = append(d.Foods, f)
			case "unit":
				u := &unit{noun: noun{head: seedHead(kind, name, len(d.Units)), Extras: map[string]any{}, Aliases: []alias{}}}
				u.PluralName, u.PluralAbbreviation, u.UseAbbreviation, u.Fraction = &plural, new(""), short, !short
				if len(names) > 1 {
					u.Abbreviation = names[1]
				}
				if len(names) > 2 {
					u.PluralAbbreviation = &names[2]
				}
				d.Units = append(d.Units, u)
			case "tag":
				d.Tags = append(d.Tags, &organizer{head: seedHead(kind, name, len(d.Tags))})
			case "category":
				d.Categories = append(d.Categories, &organizer{head: seedHead(kind, name, len(d.Categories))})
			case "tool":
				d.Tools = append(d.Tools, &organizer{head: seedHead(kind, name, len(d.Tools)), OnHand: onHand})
			}
		}
	}
}

// seedRecipe reads a recipe: its name, its description, and lines that begin
// with a word and a colon, or with a mark.
func (d *data) seedRecipe(block string, now time.Time) *recipe {
	made := seedStart.Add(time.Duration(len(d.Recipes)) * 31 * time.Hour)
	r := d.blankRecipe(made)
	var rest string
	r.Name, rest, _ = strings.Cut(block, "\n")
	*r.Description, rest, _ = strings.Cut(rest, "\n")
	r.Slug, r.ID = slugOf(r.Name), seedID("recipe", r.Name)
	r.Settings = settings{Public: true, ShowNutrition: len(d.Recipes)%2 == 0, DisableAmount: false}
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		mark, text := line[:1], strings.TrimSpace(line[1:])
		switch mark {
		case "-":
			r.Ingredients = append(r.Ingredients, d.seedIngredient(r, text))
		case ">":
			r.Steps = append(r.Steps, step{ID: seedID(r.ID, line), Title: new(""), Text: text, References: []stepReference{}})
		case "*":
			title, words, _ := strings.Cut(text, ": ")
			r.Notes = append(r.Notes, note{title, words})
		case "!":
			r.Stuck = true
		default:
			for field := range strings.SplitSeq(line, " | ") {
				name, value, _ := strings.Cut(field, ": ")
				d.seedField(r, name, value, now)
			}
		}
	}
	seedFat(r)
	return r
}

func (d *data) seedIngredient(r *recipe, line string) ingredient {
	p := d.parse(line).Ingredient
	i := ingredient{Quantity: p.Quantity, Note: p.Note, OriginalText: &line, ReferenceID: seedID(r.ID, "ingredient/"+line)}
	if p.Unit != nil && p.Unit.ID != nil {
		i.UnitID = *p.Unit.ID
	}
	if p.Food != nil && p.Food.ID != nil {
		i.FoodID = *p.Food.ID
	} else { // a line of words, as people write them
		i.Quantity, i.UnitID, i.Note = new(0.0), "", &line
	}
	return i
}

func (d *data) seedField(r *recipe, name, value string, now time.Time) {
	number := func() float64 {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic(fmt.Sprintf("%s: %s is '%s'", r.Name, name, value))
		}
		return n
	}
	switch name {
	case "in":
		r.Categories = named("category", value)
	case "tags":
		r.Tags = named("tag", value)
	case "tools":
		r.Tools = named("tool", value)
	case "makes":
		r.Yield = &value
		count, _, _ := strings.Cut(value, " ")
		if n, err := strconv.ParseFloat(count, 64); err == nil {
			r.Servings, r.YieldQuantity = n, n
		}
	case "prep":
		r.PrepTime = &value
	case "cook":
		r.PerformTime, r.CookTime = &value, &value
	case "total":
		r.TotalTime = &value
	case "rating":
		r.Rating = new(number())
	case "from":
		r.OrgURL = &value
	case "made":
		r.LastMade = new(now.UTC().AddDate(0, 0, -int(number())).Truncate(time.Second))
	case "image":
		r.Image = &value
	default:
		panic(fmt.Sprintf("%s: '%s' is no field", r.Name, name))
	}
}

// named are the ids of rows of the seed.
func named(kind, names string) []string {
	ids := []string{}
	for name := range strings.SplitSeq(names, ", ") {
		ids = append(ids, seedID(kind, name))
	}
	return ids
}

// seedFat adds what makes replies long and nobody reads.
func seedFat(r *recipe) {
	n := len(r.Name)
	r.Nutrition = nutrition{
		Calories: new(fmt.Sprintf("%d kcal", 180+n*17)), Carbohydrate: new(fmt.Sprintf("%d g", 10+n)), Fat: new(fmt.Sprintf("%d g", 4+n%30)),
		Protein: new(fmt.Sprintf("%d g", 3+n%25)), Sodium: new(fmt.Sprintf("%d mg", 90+n*11)), Sugar: new(fmt.Sprintf("%d g", n%20)),
	}
	if n%3 == 0 {
		r.Nutrition = nutrition{}
		r.Extras = map[string]any{"imported_by": "browser-extension", "source_hash": seedID("hash", r.Name)[:8]}
	}
	if n%4 == 0 {
		r.Assets = []asset{{Name: "Handwritten card", Icon: "mdi-file-image", FileName: new("handwritten-card.jpg")}}
		r.Comments = []comment{{ID: seedID("comment", r.Name), Text: "Made it with half of the salt. Everybody liked it.", CreatedAt: r.CreatedAt.AddDate(0, 0, 3)}}
	}
	if n%2 == 0 && r.Image == nil {
		r.Image = new(seedID("image", r.Name)[:4])
	}
}
