get("/api/recipes/\($args.slug)"; null; fresh)
| expect("recipe") as $recipe
| recipe_body as $fields
| organized($recipe) as $organized
| patch_recipe($args.slug; $fields + $organized.body)
| { slug, name, renamed_from: (if .slug == $args.slug then null else $args.slug end) }
| clean
| note($organized.notes)
