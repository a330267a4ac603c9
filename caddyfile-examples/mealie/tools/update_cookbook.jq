# Mealie before 3 has no PATCH here, and its PUT replaces the row.
cookbook_body as $body
| rescue(
    patch("/api/households/cookbooks/\($args.cookbook_id)"; $body);
    .status == 405;
    get("/api/households/cookbooks/\($args.cookbook_id)") as $row
    | put("/api/households/cookbooks/\($args.cookbook_id)"; $row + $body))
| cookbook
