days($args.start_date; $args.end_date) as $days
| reduce $days[] as $day ({ items: [] };
    if .failed then .
    else
      attempt(post("/api/households/mealplans/random"; { date: $day, entryType: $args.entry_type })) as $planned
      | if $planned.ok then .items += [$planned.value | plan_entry] | progress(.items | length; $days | length; "planned \($day)")
        else .failed = $planned.error | .note = "stopped at \($day): \($planned.error.message)" end
    end)
| if .items == [] then error(.failed) else del(.failed) end
