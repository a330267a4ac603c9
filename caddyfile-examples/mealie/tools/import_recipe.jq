post("/api/recipes/create/url"; {
    url: $args.url,
    includeTags: $args.include_tags,
    includeCategories: $args.include_categories
  })
| expect_slug as $slug
| annotate(get("/api/recipes/\($slug)"; null; fresh) | expect("recipe"); "recipe \($slug | quoted) was imported, but could not be read: \(.message)")
| recipe as { $ingredients, $instructions }
| [$ingredients[]?, $instructions[]? | select(startswith("Could not detect"))] as $placeholders
| { slug, name }
| if $placeholders != [] or $ingredients == null or $instructions == null then
    .note = "the page could not be read as a recipe, so ingredients or instructions are missing or placeholders: complete it with update_recipe or remove it with delete_recipe"
  else . end
