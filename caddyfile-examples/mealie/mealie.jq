# What is shown of Mealie's rows.

def names: map(.name);

# One line of the ingredients, with the heading above it. Where amounts are off
# in a recipe, Mealie displays neither food nor unit.
def ingredient_line:
  (if .disableAmount and .food then [.quantity, .unit.name, .food.name, .note] | clean | join(" ") else .display end) as $line
  | [.title, $line] | clean | join(": ") | select(. != "");

# A recipe. Rows of the recipe list have no ingredients, instructions and notes.
def recipe: {
    slug,
    name,
    description,
    recipe_yield: .recipeYield,
    prep_time: .prepTime,
    cook_time: .cookTime,
    total_time: .totalTime,
    ingredients: [.recipeIngredient[]? | ingredient_line],
    instructions: [.recipeInstructions[]? | [.title, .text] | clean | join(": ")],
    tags: .tags // [] | names,
    categories: .recipeCategory // [] | names,
    tools: .tools // [] | names,
    source_url: .orgURL,
    rating,
    notes: [.notes[]? | { title, text } | clean]
  } | clean;

def row_fields:
  ["slug", "name", "description", "recipe_yield", "prep_time", "cook_time", "total_time", "tags", "categories", "tools", "source_url", "rating"];
def recipe_fields: row_fields + ["ingredients", "instructions", "notes"];

# The fields that were asked for, else those named.
def fields($default): only($args.fields // $default);
def unknown_fields($known): ($args.fields // []) - $known;
def recipe_row: recipe | fields(["slug", "name", "description"]);

def plan_entry:
  { entry_id: .id, date, entry_type: .entryType, recipe: .recipe.name, recipe_slug: .recipe.slug, title, note: .text } | clean;

def cookbook: { cookbook_id: .id, slug, name, description, query_filter: .queryFilterString, public } | clean;

def taxonomy_item:
  { item_id: .id, name, plural_name: .pluralName, abbreviation, description, label: .label.name, aliases: .aliases // [] | names } | clean;

# A page of rows, with a hint at the next one.
def listing(row; $what):
  . as $page
  | { items: .items | map(row) }
  | note([
      $page
      | (select(.total == 0) | "no \($what) matched"),
        (select(.items == [] and .total > 0) | "nothing is on page \(.page): the last is page \(.total_pages)"),
        (select(.page < .total_pages) | "showing \(.items | length) of \(.total) — pass page=\(.page + 1)")
    ]);

# Recipes and taxonomy are kept for a while; before a write they are read anew.
def fresh: { headers: { "Cache-Control": "no-cache" } };

# A reply that a write builds on: a proxy or a login page can answer as well.
def expect($what): check(type == "object" and (.id | type) == "string"; "Mealie's reply holds no \($what)");
def expect_slug: check(type == "string" and test("^[\\w-]+$"); "Mealie's reply holds no slug: see search_recipes for whether the recipe was saved");

# The whole library, up to a cap.
def library($cap):
  pages(get("/api/recipes"; { page: ., perPage: 100, orderBy: "name", orderDirection: "asc" }); .items; $cap);
def scanned: select(.complete | not) | "scanned \(.items | length) of \(.total) — raise max_recipes";

# Foods, units, labels, tags, categories and tools.
def taxonomy_path($resource):
  ["api", ({ labels: "groups", tags: "organizers", categories: "organizers", tools: "organizers" }[$resource] | values), $resource];
def taxonomy($resource; $options):
  pages(get(taxonomy_path($resource); { page: ., perPage: 500 }; $options); .items; 100000).items;
def by_name: index_by(.name, .pluralName | strings | casefold);

# The ids of what names mean, and the names that mean nothing.
def lookup($resource):
  ($args[$resource] // []) as $names
  | (if $names == [] then {} else taxonomy($resource; null) | by_name end) as $known
  | { ids: [$names[] | $known[casefold].id | values], unknown: [$names[] | select($known[casefold] == null)] };
def none_named($unknown): { items: [], note: "no recipes matched: there is no \($unknown | map(quoted) | join(", "))" };

# Taxonomy objects go into a write without what Mealie adds to them. One that
# it did not match has no id.
def writable: only(["id", "name", "slug", "groupId"]);
def linked: if type == "object" and .id != null then writable else null end;

# What the parser made of a line, as an ingredient for a recipe.
def parsed_line:
  . as { $input, $ingredient, $confidence }
  | $ingredient
  | { $input, quantity, unit: .unit | linked // .name, food: .food | linked // .name, note, confidence: $confidence.average }
  | clean;

# A new row. Where another call has made one of that name by now, it is that.
def added($resource; $name):
  rescue(post(taxonomy_path($resource); { $name }) | { row: ., new: true }; .status == 400;
    (taxonomy($resource; fresh) | by_name)[$name | casefold] as $row | if $row then { $row, new: false } else error end);

# The objects of what names mean. What there is not is created.
def resolve($resource):
  ($args[$resource] | unique_by(casefold)) as $names
  | (taxonomy($resource; fresh) | by_name) as $known
  | reduce $names[] as $name ({ objects: [], created: [] };
      if $known[$name | casefold] then .objects += [$known[$name | casefold] | writable]
      else
        added($resource; $name) as { $row, $new }
        | .objects += [$row | writable]
        | if $new then .created += [$name] end
      end)
  | { objects, note: if .created == [] then null else "created new \($resource): \(.created | join(", "))" end };

# The tags, categories and tools of a recipe, with those of the arguments.
def organized($recipe):
  reduce ({ tags: "tags", categories: "recipeCategory", tools: "tools" } | to_entries[]) as { key: $resource, value: $field }
    ({ body: {}, notes: [] };
      if $args[$resource] == null then .
      else
        resolve($resource) as $named
        | .body[$field] = ([
            ($recipe[$field] // [])[] | select($args["replace_\($resource)"] | not) | writable
          ] + $named.objects | unique_by(.id))
        | .notes += [$named.note]
      end);

# An ingredient as Mealie takes it. Foods and units need an id: the name of one
# without goes into the note. Of a line in which Mealie knows nothing, the
# quantity goes too, since it stands in the line.
def loose: if linked then empty elif type == "object" then .name else . end | strings | select(. != "");
def ingredient($line):
  { unit: .unit | linked, food: .food | linked } as $links
  | (if $line != null and $links == { unit: null, food: null } then { quantity: 0, note: $line }
     else { quantity: (.quantity // 0), note: [(.unit, .food | loose), (.note // "")] | clean | join(" ") } end)
  + ({ originalText: $line // .originalText // .input, title, referenceId: .referenceId // uuid } + $links | clean);

# Lines of text go through Mealie's parser; objects are taken as they are.
def as_ingredients:
  [.[] | strings] as $lines
  | (if $lines == [] then [] else post("/api/parser/ingredients"; { ingredients: $lines }) end) as $parsed
  | check($parsed | type == "array" and length == ($lines | length); "Mealie's parser did not answer for each line: nothing was written")
  | ([$lines, $parsed] | transpose | map({ key: .[0], value: .[1].ingredient }) | from_entries) as $by_line
  | map(if type == "string" then . as $line | $by_line[$line] | del(.referenceId) | ingredient($line) else ingredient(null) end);

# The fields of a recipe that the arguments give.
def each(f): if . == null then null else map(f) end;
def recipe_body:
  (if $args.ingredients then $args.ingredients | as_ingredients else null end) as $ingredients
  | {
      name: $args.name,
      description: $args.description,
      recipeYield: $args.recipe_yield,
      prepTime: $args.prep_time,
      cookTime: $args.cook_time,
      orgURL: $args.source_url,
      recipeIngredient: $ingredients,
      recipeInstructions: $args.instructions | each({ text: ., ingredientReferences: [] }),
      notes: $args.notes | each({ title: .title // "", text })
    }
  | map_values(values);

# PATCH of a recipe. Where amounts are off, Mealie shows neither the units nor
# the foods of what was written, so they are turned on.
def patch_recipe($slug; $body):
  patch("/api/recipes/\($slug)"; $body)
  | check(type == "object" and .slug; "Mealie's reply holds no recipe: see get_recipe for what was changed")
  | if $body.recipeIngredient and .settings.disableAmount and any(.recipeIngredient[]; .food or .unit) then
      patch("/api/recipes/\(.slug)"; { settings: (.settings + { disableAmount: false }) }) end;

# The filter of a cookbook: names as Mealie writes them, and the filter given.
def filter_text:
  check(tojson == "\"\(.)\""; "\(quoted) cannot stand in a filter of Mealie's, because of a quote, a backslash or a control character: rename it, or filter by its id in query_filter");
def filter($field; $resource; $what):
  if ($args[$resource] // []) == [] then empty
  else
    taxonomy($resource; fresh) as $known
    | ($args[$resource] | map(find_one($known; .id; .name; $what; .name; null).name | filter_text)) as $names
    | "\($field).name \(if $args.require_all then "CONTAINS ALL" else "IN" end) \($names | tojson)"
  end;
def cookbook_filter:
  [filter("tags"; "tags"; "tag"), filter("recipe_category"; "categories"; "category"), filter("tools"; "tools"; "tool")] as $named
  | $named + [$args.query_filter | strings | select(. != "") | if $named == [] then . else "(\(.))" end]
  | join(" AND ");
def cookbook_body:
  { name: $args.name, description: $args.description, public: $args.public }
  + if [$args | .tags, .categories, .tools, .query_filter | values] == [] then {} else { queryFilterString: cookbook_filter } end
  | map_values(values);

# One write of manage_taxonomy, or one for each of its items.
def entries: $args.items // [$args];
def item_path: taxonomy_path($args.resource) + [.item_id];
def missing_item: { errors: { "404": "\($args.resource) item \(.item_id | quoted) not found" } };
def outcome:
  if $args.items == null then .[0] | if .ok then .value else error(.error) end
  else
    [.[] | select(.ok) | .value] as $results
    | [to_entries[] | select(.value.ok | not) | { index: .key, item: $args.items[.key], error: .value.error.message }] as $errors
    | { $results, $errors, count: $results | length, failed: $errors | length }
  end;
