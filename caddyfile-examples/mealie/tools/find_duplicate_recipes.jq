# Mealie itself puts a number in brackets after a name that there is already.
library($args.max_recipes) as $library
| $library.items
| group_by(.name | sub(" \\([0-9]+\\)$"; "") | casefold | gsub("[^\\p{L}\\p{N}]+"; ""))
| map(select(length > 1) | { name: .[0].name, recipes: map({ slug, name }) })
| { items: ., recipes_scanned: $library.items | length }
| note([(select(.items == []) | "no duplicates found"), ($library | scanned)])
