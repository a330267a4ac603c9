package mealie

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The seed is whole: what recipes refer to exists, and no slug comes twice.
func TestSeed(t *testing.T) {
	for _, n := range []int{0, 2000} {
		d := seed(testDay, n)
		if want := max(n, 60); len(d.Recipes) != want {
			t.Errorf("%d recipes, want %d", len(d.Recipes), want)
		}
		slugs, matched, lines := map[string]bool{}, 0, 0
		for _, r := range d.Recipes {
			if slugs[r.Slug] {
				t.Errorf("two recipes are called %s", r.Slug)
			}
			slugs[r.Slug] = true
			for kind, ids := range map[string][]string{"tag": r.Tags, "category": r.Categories, "tool": r.Tools} {
				rows := map[string][]*organizer{"tag": d.Tags, "category": d.Categories, "tool": d.Tools}[kind]
				for _, id := range ids {
					if byID(rows, id) == nil {
						t.Errorf("%s has a %s that does not exist", r.Name, kind)
					}
				}
			}
			if len(r.Ingredients) == 0 || len(r.Steps) == 0 || *r.Description == "" {
				t.Errorf("%s lacks something", r.Name)
			}
			for _, i := range r.Ingredients {
				lines++
				if i.FoodID != "" {
					matched++
				}
			}
		}
		if matched*10 < lines*8 || matched == lines {
			t.Errorf("%d of %d ingredients have a food", matched, lines)
		}
		for _, c := range d.Cookbooks {
			if c.Filter == "" {
				continue
			}
			f, _, err := parseFilter(c.Filter)
			if err == nil {
				_, err = compile(f, d.recipeSchema(), testDay)
			}
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}

// The same clock gives the same library, and ids do not depend on it.
func TestSeedIsDeterministic(t *testing.T) {
	text := func(now time.Time) string {
		raw, err := json.Marshal(seed(now, 100))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if first, second := text(testDay), text(testDay); first != second {
		t.Error("two seeds differ")
	}
	if id := seedID("recipe", "Hummus"); !strings.Contains(text(testDay.AddDate(1, 0, 0)), id) || id[14] != '4' {
		t.Errorf("hummus is %s", id)
	}
}

func TestLargeLibrary(t *testing.T) {
	s := serve(t, Options{Recipes: 2000})
	got := map[string]bool{}
	for page := 1; page <= 20; page++ {
		for _, i := range s.find("perPage", "100", "page", string(rune('0'+page/10))+string(rune('0'+page%10))).Items {
			got[i.Slug] = true
		}
	}
	if len(got) != 2000 {
		t.Errorf("a sweep finds %d recipes", len(got))
	}
	s.get("/api/recipes/weeknight-hummus").Holds(200, `"name":"Weeknight Hummus"`, "tahini")
}
