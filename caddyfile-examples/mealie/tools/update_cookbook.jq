# A Mealie without PATCH here is sent the whole row.
cookbook_body as $body
| rescue(
    patch("/api/households/cookbooks/\($args.cookbook_id)"; $body);
    .status == 405;
    (get("/api/households/cookbooks/\($args.cookbook_id)") | expect("cookbook") | only(["name", "description", "position", "public", "queryFilterString"])) as $row
    | put("/api/households/cookbooks/\($args.cookbook_id)"; $row + $body))
| cookbook
