lookup("foods") as $foods
| lookup("tools") as $tools
| [$foods, $tools | select(.ids == []) | .unknown[]] as $unknown
| if $unknown != [] then none_named($unknown)
  else
    get("/api/recipes/suggestions"; {
      foods: $foods.ids,
      tools: $tools.ids,
      maxMissingFoods: $args.max_missing_foods,
      limit: $args.limit
    })
    | {
        items: .items | map((.recipe | recipe_row) + ({
          missing_foods: .missingFoods // [] | names,
          missing_tools: .missingTools // [] | names
        } | clean))
      }
    | note([select(.items == []) | "no recipes matched — raise max_missing_foods"])
  end
