({ foods: ["fromFood", "toFood"], units: ["fromUnit", "toUnit"] }[$args.resource]) as [$from, $to]
| entries
| map(attempt(
    check(.item_id; "merge needs an item_id: the item to give up")
    | check(.merge_into; "merge needs merge_into: the item_id to keep")
    | check(.item_id != .merge_into; "merge needs two items, and item_id and merge_into are the same")
    | . as $item
    | put(taxonomy_path($args.resource) + ["merge"]; { ($from): .item_id, ($to): .merge_into }; missing_item)
    | { merged: $item.item_id, into: $item.merge_into }))
| outcome
