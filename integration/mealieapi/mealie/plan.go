package mealie

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A planEntry is a meal on a day, of a recipe or of words.
type planEntry struct {
	ID        int       `json:"id"`
	Date      string    `json:"date"`
	Type      string    `json:"type"`
	Title     string    `json:"title"`
	Text      string    `json:"text"`
	RecipeID  string    `json:"recipe_id"`
	CreatedAt time.Time `json:"created_at"`
}

// A planRule says which recipes a random meal is taken from.
type planRule struct {
	Day    string `json:"day"`  // a weekday such as "sunday", or "unset" for all
	Type   string `json:"type"` // of meal, or "unset" for all
	Filter string `json:"filter"`
}

var mealTypes = []string{"breakfast", "lunch", "dinner", "side"}

// A planInfo is an entry as it is shown.
type planInfo struct {
	Date        string         `json:"date"`
	EntryType   string         `json:"entryType"`
	Title       string         `json:"title"`
	Text        string         `json:"text"`
	RecipeID    *string        `json:"recipeId"`
	ID          int            `json:"id"`
	GroupID     string         `json:"groupId"`
	UserID      string         `json:"userId"`
	HouseholdID string         `json:"householdId"`
	Recipe      *recipeSummary `json:"recipe"`
}

func (d *data) showEntry(e *planEntry) planInfo {
	info := planInfo{
		Date: e.Date, EntryType: e.Type, Title: e.Title, Text: e.Text, ID: e.ID,
		GroupID: groupID, UserID: userID, HouseholdID: householdID,
	}
	if rec := d.recipe(e.RecipeID); rec != nil {
		info.RecipeID, info.Recipe = &rec.ID, new(d.summary(rec))
	}
	return info
}

// servePlan serves the meal plan.
func (a *API) servePlan() {
	const path = "/api/households/mealplans"
	a.handle("GET "+path, a.listPlan)
	a.handleInput("POST "+path, a.addEntry)
	a.handleInput("POST "+path+"/random", a.addRandomEntry)
	a.handle("GET "+path+"/today", func(*http.Request) (reply, error) {
		d, today := a.store.Read(), a.now().Format(time.DateOnly)
		entries := []planInfo{}
		for _, e := range d.Plan {
			if e.Date == today {
				entries = append(entries, d.showEntry(e))
			}
		}
		return ok(entries)
	})
	a.handle("GET "+path+"/{id}", func(r *http.Request) (reply, error) {
		d := a.store.Read()
		e, err := d.entry(r)
		if err != nil {
			return reply{}, err
		}
		return ok(d.showEntry(e))
	})
	a.handle("DELETE "+path+"/{id}", func(r *http.Request) (reply, error) {
		return a.change(http.StatusOK, func(d *data) (any, error) {
			gone, err := d.entry(r)
			if err != nil {
				return nil, err
			}
			d.Plan = slices.DeleteFunc(d.Plan, func(e *planEntry) bool { return e == gone })
			return d.showEntry(gone), nil
		})
	})
}

// entry finds the entry that a path names.
func (d *data) entry(r *http.Request) (*planEntry, error) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		return nil, problems{{
			"int_parsing", []any{"path", "item_id"}, "Input should be a valid integer, unable to parse string as an integer", r.PathValue("id"), nil,
		}}.failure()
	}
	for _, e := range d.Plan {
		if e.ID == id {
			return e, nil
		}
	}
	return nil, errNotFound
}

func (a *API) listPlan(r *http.Request) (reply, error) {
	d, q := a.store.Read(), newQuery(r)
	from, to := q.date("start_date"), q.date("end_date")
	rows := slices.DeleteFunc(slices.Clone(d.Plan), func(e *planEntry) bool {
		return from != "" && e.Date < from || to != "" && e.Date > to
	})
	text := func(of func(*planEntry) string) attribute[*planEntry] {
		return attribute[*planEntry]{aText, func(e *planEntry) []string { return []string{of(e)} }}
	}
	return listing[*planEntry]{
		path: "/households/mealplans", rows: rows, show: func(e *planEntry) any { return d.showEntry(e) },
		schema: schema[*planEntry]{
			"id":         {aNumber, func(e *planEntry) []string { return []string{strconv.Itoa(e.ID)} }},
			"date":       {aDate, func(e *planEntry) []string { return []string{e.Date + "T00:00:00.000000"} }},
			"entry_type": text(func(e *planEntry) string { return e.Type }),
			"title":      text(func(e *planEntry) string { return e.Title }),
			"created_at": {aDate, func(e *planEntry) []string { return []string{instant(e.CreatedAt)} }},
		},
	}.page(q, a.now())
}

func (a *API) addEntry(_ *http.Request, in *input) (reply, error) {
	e := &planEntry{Type: "breakfast"}
	in.need("date")
	in.date("date", &e.Date)
	in.choice("entryType", mealTypes, &e.Type)
	in.text("title", &e.Title)
	in.text("text", &e.Text)
	in.id("recipeId", true, &e.RecipeID)
	if len(*in.all) == 0 && e.RecipeID == "" && e.Title == "" {
		in.fail("recipeId", "value_error", "Value error, `recipe_id=None` or `title=` must be provided", nil)
	}
	if err := in.failed(); err != nil {
		return reply{}, err
	}
	return a.change(http.StatusCreated, func(d *data) (any, error) {
		if e.RecipeID != "" && d.recipe(e.RecipeID) == nil {
			return nil, refuse(http.StatusBadRequest, "An unexpected error occurred", "(sqlite3.IntegrityError) FOREIGN KEY constraint failed")
		}
		return d.plan(e, a.now()), nil
	})
}

// plan adds an entry.
func (d *data) plan(e *planEntry, now time.Time) planInfo {
	e.ID, e.CreatedAt = d.newNumber(), now.UTC()
	d.Plan = append(d.Plan, e)
	return d.showEntry(e)
}

// addRandomEntry takes a recipe that the rules allow for the day and the meal.
func (a *API) addRandomEntry(_ *http.Request, in *input) (reply, error) {
	e := &planEntry{Type: "dinner"}
	in.need("date")
	in.date("date", &e.Date)
	in.choice("entryType", mealTypes, &e.Type)
	if err := in.failed(); err != nil {
		return reply{}, err
	}
	return a.change(http.StatusOK, func(d *data) (any, error) {
		day, err := time.Parse(time.DateOnly, e.Date)
		if err != nil {
			return nil, err
		}
		rows := slices.Clone(d.Recipes)
		for _, rule := range d.PlanRules {
			if rule.Type != "unset" && rule.Type != e.Type || rule.Day != "unset" && rule.Day != strings.ToLower(day.Weekday().String()) {
				continue
			}
			if rows, err = filtered(rows, rule.Filter, d.recipeSchema(), a.now()); err != nil {
				return nil, err
			}
		}
		if len(rows) == 0 {
			return nil, refuse(http.StatusNotFound, "No recipes match your rules", "")
		}
		shuffle(rows, fmt.Sprint(e.Date, e.Type, d.LastID))
		e.RecipeID = rows[0].ID
		return d.plan(e, a.now()), nil
	})
}
