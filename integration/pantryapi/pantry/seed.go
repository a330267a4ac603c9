package pantry

import "time"

// seed is a household's pantry on a given day.
func seed(today time.Time) *data {
	d := &data{CookLogs: []*cookLog{}}
	ids := map[string]int{}
	know := func(name string, aliases ...string) {
		i := d.addIngredient(name)
		i.Aliases = append(i.Aliases, aliases...)
		ids[name] = i.ID
	}
	stock := func(name, location, state, quantity, unit string) *item {
		i := &item{ID: d.newID(), Ingredient: ids[name], Location: location, State: state, Quantity: qty(quantity), Unit: unit}
		d.Pantry = append(d.Pantry, i)
		return i
	}
	expires := func(i *item, days int) {
		date := today.AddDate(0, 0, days).Format(time.DateOnly)
		i.Expiry = &date
	}
	staple := func(i *item) { i.IsStaple = true }
	take := func(name, quantity, unit string) part { return part{ids[name], qty(quantity), unit} }

	know("Eggs", "egg")
	know("Pork mince", "ground pork", "mince")
	know("Beef mince", "ground beef", "mince")
	know("Chicken thighs", "chicken")
	know("Tofu", "firm tofu", "bean curd")
	know("Prawns", "shrimp")
	know("Spring onions", "scallions", "green onions")
	know("Pak choi", "bok choy")
	know("Carrots", "carrot")
	know("Peas", "garden peas", "frozen peas")
	know("Whole milk", "milk")
	know("Butter")
	know("Egg noodles", "noodles", "medium egg noodles")
	know("Rice noodles", "rice sticks")
	know("Jasmine rice", "rice")
	know("Spaghetti", "pasta")
	know("Chopped tomatoes", "tinned tomatoes", "canned tomatoes")
	know("Chickpeas", "garbanzo beans")
	know("Coconut milk")
	know("Curry powder")
	know("Soy sauce", "light soy sauce", "soy")
	know("Sesame oil")
	know("Olive oil")
	know("Garlic", "garlic cloves")
	know("Potatoes", "baking potatoes", "spuds")
	know("Tuna", "tinned tuna")
	know("Cheddar", "cheese")

	expires(stock("Eggs", "fridge", "in", "6", ""), 9)
	expires(stock("Pork mince", "fridge", "in", "500", "g"), 1)
	stock("Beef mince", "freezer", "out", "", "")
	expires(stock("Chicken thighs", "fridge", "low", "2", ""), 2)
	stock("Chicken thighs", "freezer", "in", "800", "g")
	expires(stock("Tofu", "fridge", "in", "280", "g"), 20)
	stock("Prawns", "freezer", "in", "200", "g")
	stock("Spring onions", "fridge", "out", "", "")
	expires(stock("Pak choi", "fridge", "in", "2", ""), 3)
	stock("Carrots", "fridge", "in", "", "")
	stock("Peas", "freezer", "in", "900", "g")
	expires(stock("Whole milk", "fridge", "low", "0.5", "l"), 4)
	staple(stock("Butter", "fridge", "in", "", ""))
	stock("Egg noodles", "cupboard", "in", "2", "packs")
	stock("Rice noodles", "cupboard", "low", "100", "g")
	staple(stock("Jasmine rice", "cupboard", "in", "2", "kg"))
	stock("Spaghetti", "cupboard", "in", "500", "g")
	stock("Chopped tomatoes", "cupboard", "in", "3", "tins")
	stock("Chickpeas", "cupboard", "in", "2", "tins")
	stock("Coconut milk", "cupboard", "out", "", "tins")
	stock("Curry powder", "cupboard", "in", "", "")
	staple(stock("Soy sauce", "cupboard", "low", "", ""))
	staple(stock("Sesame oil", "cupboard", "in", "", ""))
	staple(stock("Olive oil", "cupboard", "in", "", ""))
	staple(stock("Garlic", "cupboard", "in", "", ""))
	stock("Potatoes", "cupboard", "out", "", "kg")

	template := func(name, method string, servings int, slots []slot, base ...part) {
		m := &metaRecipe{ID: d.newID(), Name: name, Method: method, Servings: servings, Slots: slots, Base: base}
		d.MetaRecipes = append(d.MetaRecipes, m)
	}
	choose := func(name string, options ...part) slot { return slot{d.newID(), name, options} }

	template("Noodle stir-fry", "Boil the noodles. Fry the protein hard, then the vegetables, then all of it with the sauce.", 2,
		[]slot{
			choose("noodles", take("Egg noodles", "150", "g"), take("Rice noodles", "150", "g")),
			choose("protein", take("Pork mince", "250", "g"), take("Chicken thighs", "300", "g"),
				take("Tofu", "280", "g"), take("Prawns", "200", "g")),
			choose("vegetables", take("Pak choi", "2", ""), take("Carrots", "2", ""), take("Spring onions", "6", "")),
		},
		take("Soy sauce", "30", "ml"), take("Sesame oil", "5", "ml"), take("Garlic", "2", "cloves"))
	template("Coconut curry", "Fry the curry powder and garlic, add the protein, then the coconut milk. Simmer, and serve on rice.", 4,
		[]slot{
			choose("protein", take("Chicken thighs", "600", "g"), take("Chickpeas", "2", "tins"), take("Prawns", "400", "g")),
			choose("vegetables", take("Peas", "200", "g"), take("Carrots", "3", "")),
		},
		take("Coconut milk", "1", "tins"), take("Curry powder", "20", "g"), take("Jasmine rice", "300", "g"), take("Garlic", "3", "cloves"))
	template("Jacket potatoes", "Bake the potatoes for an hour and a half, split them, butter them and fill them.", 2,
		[]slot{
			choose("potato", take("Potatoes", "0.6", "kg")),
			choose("filling", take("Tuna", "1", "tins"), take("Cheddar", "80", "g")),
		},
		take("Butter", "20", "g"))

	fixed := func(name string, servings int, parts ...part) {
		d.Recipes = append(d.Recipes, &recipe{d.newID(), name, servings, parts})
	}
	fixed("Egg fried rice", 2, take("Jasmine rice", "150", "g"), take("Eggs", "3", ""), take("Peas", "100", "g"), take("Soy sauce", "15", "ml"))
	fixed("Spaghetti with garlic and oil", 2, take("Spaghetti", "200", "g"), take("Garlic", "4", "cloves"), take("Olive oil", "60", "ml"))
	return d
}

// qty is an amount of the seed, null if it is empty.
func qty(s string) *amount {
	if s == "" {
		return nil
	}
	a, problem := parseAmount(s)
	if problem != "" {
		panic(problem)
	}
	return &a
}
