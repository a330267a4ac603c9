package mealie

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// A cookbook is a saved filter.
type cookbook struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Position    int       `json:"position"`
	Public      bool      `json:"public"`
	Filter      string    `json:"filter"`
	CreatedAt   time.Time `json:"created_at"`
}

// A cookbookInfo is a cookbook in a list.
type cookbookInfo struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Slug        string     `json:"slug"`
	Position    int        `json:"position"`
	Public      bool       `json:"public"`
	Filter      string     `json:"queryFilterString"`
	GroupID     string     `json:"groupId"`
	HouseholdID string     `json:"householdId"`
	ID          string     `json:"id"`
	QueryFilter filterJSON `json:"queryFilter"`
}

// A cookbookPage is a cookbook by itself.
type cookbookPage struct {
	cookbookInfo
	Recipes []recipeSummary `json:"recipes"`
}

type filterJSON struct {
	Parts []*filterPart `json:"parts"`
}

func showCookbook(c *cookbook) cookbookInfo {
	info := cookbookInfo{
		Name: c.Name, Description: c.Description, Slug: slugOf(c.Name), Position: c.Position, Public: c.Public,
		Filter: c.Filter, GroupID: groupID, HouseholdID: householdID, ID: c.ID, QueryFilter: filterJSON{[]*filterPart{}},
	}
	if c.Filter != "" {
		if _, parts, err := parseFilter(c.Filter); err == nil {
			info.QueryFilter.Parts = parts
		}
	}
	return info
}

// cookbook finds a cookbook by id or slug. Only reads take a slug.
func (d *data) cookbook(key string, slug bool) *cookbook {
	for _, c := range d.Cookbooks {
		if c.ID == key || slug && slugOf(c.Name) == key {
			return c
		}
	}
	return nil
}

// serveCookbooks serves cookbooks. There is no PATCH: PUT replaces the row.
func (a *API) serveCookbooks() {
	const path = "/api/households/cookbooks"
	a.handle("GET "+path, func(r *http.Request) (reply, error) {
		text := func(of func(*cookbook) string) attribute[*cookbook] {
			return attribute[*cookbook]{aText, func(c *cookbook) []string { return []string{of(c)} }}
		}
		return listing[*cookbook]{
			path: "/households/cookbooks", rows: a.store.Read().Cookbooks, show: func(c *cookbook) any { return showCookbook(c) },
			schema: schema[*cookbook]{
				"id":         {aUUID, func(c *cookbook) []string { return []string{c.ID} }},
				"name":       text(func(c *cookbook) string { return c.Name }),
				"slug":       text(func(c *cookbook) string { return slugOf(c.Name) }),
				"position":   {aNumber, func(c *cookbook) []string { return []string{strconv.Itoa(c.Position)} }},
				"public":     {aFlag, func(c *cookbook) []string { return []string{strconv.FormatBool(c.Public)} }},
				"created_at": {aDate, func(c *cookbook) []string { return []string{instant(c.CreatedAt)} }},
			},
		}.page(newQuery(r), a.now())
	})
	a.handle("GET "+path+"/{id}", func(r *http.Request) (reply, error) {
		d := a.store.Read()
		c := d.cookbook(r.PathValue("id"), true)
		if c == nil {
			return reply{}, detail(http.StatusNotFound, "Not Found")
		}
		shown := cookbookPage{cookbookInfo: showCookbook(c), Recipes: []recipeSummary{}}
		rows, err := a.contents(d, c)
		for _, rec := range rows {
			shown.Recipes = append(shown.Recipes, d.summary(rec))
		}
		return reply{http.StatusOK, shown}, err
	})
	a.handleInput("POST "+path, func(_ *http.Request, in *input) (reply, error) {
		return a.change(http.StatusCreated, func(d *data) (any, error) {
			c := &cookbook{ID: d.newID(), CreatedAt: a.now().UTC()}
			if err := a.fillCookbook(d, in, c); err != nil {
				return nil, err
			}
			d.Cookbooks = append(d.Cookbooks, c)
			return showCookbook(c), nil
		})
	})
	a.handleInput("PUT "+path+"/{id}", func(r *http.Request, in *input) (reply, error) {
		return a.change(http.StatusOK, func(d *data) (any, error) {
			c := d.cookbook(r.PathValue("id"), false)
			if c == nil {
				return nil, errNotFound
			}
			next := &cookbook{ID: c.ID, CreatedAt: c.CreatedAt}
			if err := a.fillCookbook(d, in, next); err != nil {
				return nil, err
			}
			*c = *next
			return showCookbook(c), nil
		})
	})
	a.handle("DELETE "+path+"/{id}", func(r *http.Request) (reply, error) {
		return a.change(http.StatusOK, func(d *data) (any, error) {
			gone := d.cookbook(r.PathValue("id"), false)
			if gone == nil {
				return nil, errNotFound
			}
			d.Cookbooks = slices.DeleteFunc(d.Cookbooks, func(c *cookbook) bool { return c == gone })
			return showCookbook(gone), nil
		})
	})
}

// contents are the recipes of a cookbook: all of them, if it has no filter.
func (a *API) contents(d *data, c *cookbook) ([]*recipe, error) {
	rows := slices.Clone(d.Recipes)
	if c.Filter == "" {
		return rows, nil
	}
	return filtered(rows, c.Filter, d.recipeSchema(), a.now())
}

// fillCookbook makes a row of a request: what is not given is lost.
func (a *API) fillCookbook(d *data, in *input, c *cookbook) error {
	c.Position = 1
	in.need("name")
	in.text("name", &c.Name)
	in.text("description", &c.Description)
	in.integer("position", &c.Position)
	in.flag("public", &c.Public)
	in.text("queryFilterString", &c.Filter)
	if c.Filter != "" {
		f, _, err := parseFilter(c.Filter)
		if err == nil {
			_, err = compile(f, d.recipeSchema(), a.now())
		}
		if err != nil {
			in.fail("queryFilterString", "value_error", "Value error, "+err.Error(), map[string]any{"error": map[string]any{}})
		}
	}
	if err := in.failed(); err != nil {
		return err
	}
	for _, other := range d.Cookbooks {
		if other.ID != c.ID && slugOf(other.Name) == slugOf(c.Name) {
			return duplicate("cookbooks")
		}
	}
	return nil
}
