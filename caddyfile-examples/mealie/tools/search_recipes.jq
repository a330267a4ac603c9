(["tags", "categories", "tools", "foods"] | map({ key: ., value: lookup(.) }) | from_entries) as $named
| [$named[] | select(.unknown != [] and ($args.require_all or .ids == [])) | .unknown[]] as $unknown
| if $unknown != [] then none_named($unknown)
  else
    get("/api/recipes"; {
      search: $args.query,
      page: $args.page,
      perPage: $args.limit,
      tags: $named.tags.ids,
      categories: $named.categories.ids,
      tools: $named.tools.ids,
      foods: $named.foods.ids,
      requireAllTags: $args.require_all,
      requireAllCategories: $args.require_all,
      requireAllTools: $args.require_all,
      requireAllFoods: $args.require_all
    })
    | listing(recipe_row; "recipes")
  end
