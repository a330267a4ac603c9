recipe_body as $fields
| organized({}) as $organized
| ($fields + $organized.body | del(.name)) as $body
| post("/api/recipes"; { name: $args.name }) as $slug
| if $body == {} then { $slug, name: $args.name }
  else
    annotate(
      patch("/api/recipes/\($slug)"; $body) | { slug, name };
      "recipe \($slug | quoted) was created, but could not be filled in: \(.message). Complete it with update_recipe or remove it with delete_recipe")
  end
| note($organized.notes)
