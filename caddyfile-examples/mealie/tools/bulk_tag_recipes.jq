organized({}) as $organized
| $organized.body as { $tags, recipeCategory: $categories }
| (if $tags then post("/api/recipes/bulk-actions/tag"; { recipes: $args.slugs, $tags }) else null end) as $tagged
| (if $categories then post("/api/recipes/bulk-actions/categorize"; { recipes: $args.slugs, $categories }) else null end) as $categorized
| { recipes: $args.slugs, tags: $tags // [] | names, categories: $categories // [] | names }
| clean
| note($organized.notes)
