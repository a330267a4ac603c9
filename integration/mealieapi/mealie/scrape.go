package mealie

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// A scraped is a recipe of another site.
type scraped struct {
	name, description string
	yield             string
	prep, cook, total string
	ingredients       []string
	steps             []string
	tags, categories  []string
}

// scrape finds a recipe in a page: one in JSON-LD, or for want of it, the page's
// Open Graph title. Mealie then writes placeholders where the ingredients and
// instructions would be, as for a page that a browser has to render. It is nil
// if there is neither.
func scrape(page []byte) *scraped {
	og := map[string]string{}
	z := html.NewTokenizer(bytes.NewReader(page))
	for inJSON := false; ; {
		switch z.Next() {
		case html.ErrorToken:
			if og["og:title"] == "" {
				return nil
			}
			return &scraped{
				name: og["og:title"], description: og["og:description"],
				ingredients: []string{"Could not detect ingredients"}, steps: []string{"Could not detect instructions"},
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			attr := func(name string) string {
				for _, a := range t.Attr {
					if a.Key == name {
						return a.Val
					}
				}
				return ""
			}
			inJSON = t.Data == "script" && attr("type") == "application/ld+json"
			if t.Data == "meta" {
				og[attr("property")] = attr("content")
			}
		case html.TextToken:
			if inJSON {
				if found := linkedData(z.Text()); found != nil {
					return found
				}
			}
		case html.EndTagToken:
			inJSON = false
		}
	}
}

// linkedData reads schema.org's Recipe.
func linkedData(raw []byte) *scraped {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	r := recipeIn(v)
	if r == nil {
		return nil
	}
	s := &scraped{
		name: textOf(r["name"]), description: textOf(r["description"]), yield: textOf(r["recipeYield"]),
		prep: spell(textOf(r["prepTime"])), cook: spell(textOf(r["cookTime"])), total: spell(textOf(r["totalTime"])),
		ingredients: textsOf(r["recipeIngredient"]), steps: textsOf(r["recipeInstructions"]),
		tags: textsOf(r["keywords"]), categories: textsOf(r["recipeCategory"]),
	}
	if s.name == "" || len(s.ingredients)+len(s.steps) == 0 {
		return nil
	}
	if text, ok := r["keywords"].(string); ok {
		s.tags = nil
		for tag := range strings.SplitSeq(text, ",") {
			s.tags = append(s.tags, strings.TrimSpace(tag))
		}
	}
	return s
}

// recipeIn finds the first object of the type Recipe.
func recipeIn(v any) map[string]any {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if found := recipeIn(element); found != nil {
				return found
			}
		}
	case map[string]any:
		if slices.Contains(textsOf(v["@type"]), "Recipe") {
			return v
		}
		return recipeIn(v["@graph"])
	}
	return nil
}

// textsOf are the texts of a value, a list, or a list of objects with texts.
func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	case []any:
		var texts []string
		for _, element := range v {
			texts = append(texts, textsOf(element)...)
		}
		return texts
	case map[string]any:
		for _, key := range []string{"text", "itemListElement", "name"} {
			if v[key] != nil {
				return textsOf(v[key])
			}
		}
	}
	return nil
}

func textOf(v any) string {
	if texts := textsOf(v); len(texts) > 0 {
		return strings.TrimSpace(texts[0])
	}
	return ""
}

var isoDuration = regexp.MustCompile(`^P(?:T(?:([0-9]{1,4})H)?(?:([0-9]{1,5})M)?)$`)

// spell writes PT1H30M as 1 Hour 30 Minutes, and anything else as it is.
func spell(duration string) string {
	m := isoDuration.FindStringSubmatch(duration)
	if m == nil {
		return duration
	}
	var words []string
	for i, what := range []string{"Hour", "Minute"} {
		switch n, _ := strconv.Atoi("0" + m[i+1]); n {
		case 0:
		case 1:
			words = append(words, "1 "+what)
		default:
			words = append(words, fmt.Sprintf("%d %ss", n, what))
		}
	}
	return strings.Join(words, " ")
}

// fill puts what was found into a new recipe.
func (s *scraped) fill(d *data, r *recipe) {
	r.Description = &s.description
	for _, f := range []struct {
		text string
		into **string
	}{{s.yield, &r.Yield}, {s.prep, &r.PrepTime}, {s.cook, &r.PerformTime}, {s.total, &r.TotalTime}} {
		if f.text != "" {
			*f.into = new(f.text)
		}
	}
	r.Ingredients, r.Steps = []ingredient{}, []step{}
	for _, line := range s.ingredients {
		r.Ingredients = append(r.Ingredients, ingredient{Quantity: new(1.0), Note: new(line), OriginalText: new(line), ReferenceID: d.newID()})
	}
	for _, text := range s.steps {
		r.Steps = append(r.Steps, step{ID: d.newID(), Title: new(""), Text: text, References: []stepReference{}})
	}
}

// organizersCalled finds organizers by name, and makes those that are missing.
func (d *data) organizersCalled(rows *[]*organizer, names []string, now time.Time) []string {
	ids := []string{}
	for _, name := range names {
		slug := slugOf(name)
		if slug == "" {
			continue
		}
		at := slices.IndexFunc(*rows, func(o *organizer) bool { return slugOf(o.Name) == slug })
		if at < 0 {
			at = len(*rows)
			*rows = append(*rows, &organizer{head: head{ID: d.newID(), Name: name, CreatedAt: now.UTC(), UpdatedAt: now.UTC()}})
		}
		if id := (*rows)[at].ID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
