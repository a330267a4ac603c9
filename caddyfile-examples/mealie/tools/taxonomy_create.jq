entries
| map(attempt(
    check(.name; "create needs a name")
    | post(taxonomy_path($args.resource); (.data // {}) + { name })
    | taxonomy_item))
| outcome
