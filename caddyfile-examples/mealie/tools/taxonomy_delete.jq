entries
| map(attempt(
    check(.item_id; "delete needs an item_id, from list")
    | . as $item
    | rescue(
        delete(item_path; null; missing_item) | { deleted: $item.item_id };
        .status == 409 or .status >= 500;
        error("\($args.resource) item \($item.item_id | quoted) could not be deleted: \(.message). If recipes use it, "
          + if $args.resource | IN("foods", "units") then "merge it into the one to keep" else "take it out of them first" end))))
| outcome
