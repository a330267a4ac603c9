# The list as a model reads it.
def shopping_list: {
    aisles: .aisles | map({ id, name }),
    groups: .groups | map({ id, name, quantity, selected, aisle_id, recipe_ids } | clean)
  };

# Ingredients as Cooked takes them. A line such as "Limes — 3", with the
# quantity where people read it, has it moved to the front.
def ingredient_lines:
  sub("^\\s*(?<name>\\S.*?)\\s*—\\s*(?<quantity>[0-9]+(?:[.,/][0-9]+)?)\\s*$"; "\(.quantity) \(.name)");
def as_ingredients: split("\n") | map(ingredient_lines) | join("\n");

# The ids of the groups that are selected.
def selected: [.groups[] | select(.selected) | .id];

# What can be changed of a group.
def editable: only(["name", "quantity", "aisle_id", "selected"]);
