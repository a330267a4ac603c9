entries
| map(attempt(
    check(.item_id; "delete needs an item_id, from list")
    | . as $item
    | delete(item_path; null; missing_item)
    | { deleted: $item.item_id }))
| outcome
