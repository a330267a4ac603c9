get("/api/recipes/\($args.slug)"; null; fresh)
| expect("recipe").id as $id
| rescue(
    delete("/api/recipes/\($args.slug)") | { deleted: $args.slug };
    .status >= 500;
    .message as $why
    | post("/api/recipes/bulk-actions/delete"; { recipes: [$id] })
    | { deleted: $args.slug, note: "the plain delete failed (\($why)), so the bulk delete was used" })
