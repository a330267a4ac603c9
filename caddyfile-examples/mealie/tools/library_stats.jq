$args as { $resource, $top, $include_unused }
| library($args.max_recipes) as $library
| (if $resource | IN("foods", "units") then
     $resource[:-1] as $part
     | $library.items | get_all("/api/recipes/\(.slug)"; 8; "reading recipes") | map(if .ok then [.body.recipeIngredient[]? | .[$part].id? | values] else null end)
   else
     { tags: "tags", categories: "recipeCategory", tools: "tools" }[$resource] as $field
     | $library.items | map([.[$field][]?.id])
   end) as $uses
| ([$uses[] | values | unique[]] | count_by(.)) as $counts
| (taxonomy($resource; null) | map({ item_id: .id, name, recipes: $counts[.id] // 0 }) | sort_by(-.recipes, (.name | casefold))) as $rows
| [$rows[] | select(.recipes > 0)] as $used
| [$rows[] | select(.recipes == 0) | { item_id, name }] as $unused
| { $resource, used: $used | length, unused: $unused | length, recipes_scanned: $library.items | length, items: $used[:$top] }
| if $include_unused then .unused_items = $unused[:$top] else . end
| note([
    (select(.used > $top) | "showing \($top) of \(.used) used — raise top"),
    (select($include_unused and .unused > $top) | "showing \($top) of \(.unused) unused — raise top"),
    ($library | scanned, (select(.complete | not) | "what only the others use counts as unused")),
    ([$uses[] | nulls] | length | select(. > 0) | "\(.) recipes could not be read: what only they use counts as unused")
  ])
