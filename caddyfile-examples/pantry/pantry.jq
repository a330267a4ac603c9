# An item as a model reads it.
def item: { name, state, location, quantity, unit, expiry, is_staple } | clean;

# The rows of the pantry by location, and how many there are in each state.
# What has run out is left out unless the caller asked for it.
def by_location:
  map(select($args.include_out or .state != "out")) as $items
  | {
      counts: $items | count_by(.state),
      items: $items
        | group_by(.location)
        | map({ key: .[0].location, value: map(item | del(.location)) })
        | from_entries
    };

# An ingredient of a recipe: how much of it, as people write it.
def amount: [.qty, .unit] | map(values | select(. != "")) | join(" ");

# A recipe template, with the choices for each slot.
def part: { ingredient: .ingredient.name, amount: amount } | clean;
def recipe: {
    id,
    name,
    method,
    slots: .slots | map({ name, options: .options | map(part) }),
    base_ingredients: .base_ingredients | map(part)
  };

# How much of a recipe is in stock.
def cookable: {
    name,
    status,
    slots: .slots | map({ name, available, options: [.options[] | select(.available) | .ingredient] }),
    missing,
    expiry_warnings: .expiry_warnings | map({ ingredient, location, expiry, days_left })
  } | clean;

# The choices as the API takes them: ingredients by slot.
def slot_choices:
  if .slot_choices == null then {}
  else { slot_choices: .slot_choices | map({ key: .slot, value: .ingredient }) | from_entries } end;
