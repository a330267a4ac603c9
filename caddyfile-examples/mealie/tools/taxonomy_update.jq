# Mealie's PUT replaces the row, so it is read first. What it computes is left out.
entries
| map(attempt(
    check(.item_id; "update needs an item_id, from list")
    | check(.name or .data; "update needs a name, data or both")
    | missing_item as $errors
    | (get(item_path; null; fresh + $errors) | expect("item")) as $row
    | ($row + (.data // {}) + only(["name"]) | del(.createdAt, .updatedAt, .label, .householdsWithIngredientFood, .recipes)) as $body
    | put(item_path; $body; $errors)
    | taxonomy_item))
| outcome
