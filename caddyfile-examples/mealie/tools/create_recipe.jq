# Mealie makes a recipe of a name, with sample lines in it.
recipe_body as $fields
| organized({}) as $organized
| ({ recipeIngredient: [], recipeInstructions: [] } + $fields + $organized.body | del(.name)) as $body
| post("/api/recipes"; { name: $args.name })
| expect_slug as $slug
| annotate(
    patch_recipe($slug; $body);
    "recipe \($slug | quoted) was created, but could not be filled in: \(.message). Complete it with update_recipe or remove it with delete_recipe")
| { slug, name }
| note($organized.notes)
