package mealie

import (
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
)

// A taxonomy is a set of rows with names, which recipes refer to.
type taxonomy[T any, P rowOf[T]] struct {
	path   string // below /api
	table  string // of the database, which Mealie's errors name
	rows   func(*data) *[]P
	read   func(d *data, in *input, row P) // the fields besides the name
	show   func(d *data, row P) any        // in lists
	one    func(d *data, row P) any        // by itself; nil is show
	search func(row P) []string

	created int                      // the status of a POST
	needs   []string                 // what a PUT needs besides the name
	key     func(name string) string // of names that are the same; nil is the name itself
	frees   func(d *data, id string) // forgets a row that is deleted
	used    func(d *data, id string) bool
	gone    func(d *data, row P) any // what a DELETE answers
}

// serveTaxonomies serves foods, units, labels and organizers.
func (a *API) serveTaxonomies() {
	serveTaxonomy(a, foods)
	serveTaxonomy(a, units)
	serveTaxonomy(a, labels)
	serveTaxonomy(a, organizers("tags", func(d *data) *[]*organizer { return &d.Tags }, func(r *recipe) *[]string { return &r.Tags }))
	serveTaxonomy(a, organizers("categories", func(d *data) *[]*organizer { return &d.Categories }, func(r *recipe) *[]string { return &r.Categories }))
	serveTaxonomy(a, tools())
	a.handleInput("PUT /api/foods/merge", func(_ *http.Request, in *input) (reply, error) {
		return merge(a, in, "Food", "foods", func(d *data) *[]*food { return &d.Foods }, func(i *ingredient) *string { return &i.FoodID })
	})
	a.handleInput("PUT /api/units/merge", func(_ *http.Request, in *input) (reply, error) {
		return merge(a, in, "Unit", "units", func(d *data) *[]*unit { return &d.Units }, func(i *ingredient) *string { return &i.UnitID })
	})
}

func serveTaxonomy[T any, P rowOf[T]](a *API, t taxonomy[T, P]) {
	if t.one == nil {
		t.one = t.show
	}
	if t.key == nil {
		t.key = func(name string) string { return name }
	}
	path := "/api" + t.path
	a.handle("GET "+path, func(r *http.Request) (reply, error) {
		d := a.store.Read()
		return listing[P]{path: t.path, rows: *t.rows(d), schema: headSchema[T, P](), search: t.search, show: func(row P) any { return t.show(d, row) }}.
			page(newQuery(r), a.now())
	})
	a.handle("GET "+path+"/{id}", func(r *http.Request) (reply, error) {
		d := a.store.Read()
		row, err := t.find(d, r)
		if err != nil {
			return reply{}, err
		}
		return ok(t.one(d, row))
	})
	a.handleInput("POST "+path, func(_ *http.Request, in *input) (reply, error) {
		return a.change(t.created, func(d *data) (any, error) {
			row := P(new(T))
			*row.base() = head{ID: d.newID(), CreatedAt: a.now().UTC()}
			if err := t.fill(a, d, in, row); err != nil {
				return nil, err
			}
			rows := t.rows(d)
			*rows = append(*rows, row)
			return t.one(d, row), nil
		})
	})
	a.handleInput("PUT "+path+"/{id}", func(r *http.Request, in *input) (reply, error) {
		in.need(t.needs...)
		return a.change(http.StatusOK, func(d *data) (any, error) {
			row, err := t.find(d, r)
			if err != nil {
				return nil, err
			}
			next := P(new(T))
			*next.base() = *row.base()
			if err := t.fill(a, d, in, next); err != nil {
				return nil, err
			}
			*row = *next
			return t.one(d, row), nil
		})
	})
	a.handle("DELETE "+path+"/{id}", func(r *http.Request) (reply, error) {
		return a.change(http.StatusOK, func(d *data) (any, error) {
			rows := t.rows(d)
			row, err := t.find(d, r)
			if err != nil {
				return nil, err
			}
			if t.used != nil && t.used(d, row.base().ID) {
				return nil, inUse(a.strict)
			}
			if t.frees != nil {
				t.frees(d, row.base().ID)
			}
			shown := t.gone(d, row)
			*rows = slices.DeleteFunc(*rows, func(other P) bool { return other == row })
			return shown, nil
		})
	})
}

// find finds the row that a path names by its UUID.
func (t taxonomy[T, P]) find(d *data, r *http.Request) (P, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return nil, problems{{"uuid_parsing", []any{"path", "item_id"}, "Input should be a valid UUID, " + err.Error(), r.PathValue("id"), nil}}.failure()
	}
	if row := byID(*t.rows(d), id.String()); row != nil {
		return row, nil
	}
	return nil, errNotFound
}

// inUse refuses to delete what recipes refer to.
func inUse(strict bool) *failure {
	status := http.StatusConflict
	if strict {
		status = http.StatusInternalServerError
	}
	return refuse(status, "An unexpected error occurred", "(sqlite3.IntegrityError) FOREIGN KEY constraint failed")
}

// fill makes a row of a request: what is not given is lost.
func (t taxonomy[T, P]) fill(a *API, d *data, in *input, row P) error {
	h := row.base()
	h.Name = ""
	in.need("name")
	in.text("name", &h.Name)
	t.read(d, in, row)
	if err := in.failed(); err != nil {
		return err
	}
	for _, key := range []string{"createdAt", "updatedAt", "label", "recipes"} {
		if _, given := in.in[key]; given && a.strict {
			return refuse(http.StatusInternalServerError, "An unexpected error occurred", "TypeError")
		}
	}
	for _, other := range *t.rows(d) {
		if o := other.base(); o.ID != h.ID && t.key(o.Name) == t.key(h.Name) {
			return duplicate(t.table)
		}
	}
	h.UpdatedAt = a.now().UTC()
	return nil
}

// merge puts one row in the place of another wherever that is used.
func merge[T any, P rowOf[T]](a *API, in *input, kind, plural string, rows func(*data) *[]P, of func(*ingredient) *string) (reply, error) {
	var from, to string
	in.need("from"+kind, "to"+kind)
	in.id("from"+kind, false, &from)
	in.id("to"+kind, false, &to)
	if err := in.failed(); err != nil {
		return reply{}, err
	}
	return a.change(http.StatusOK, func(d *data) (any, error) {
		all := rows(d)
		loser := byID(*all, from)
		if loser == nil || byID(*all, to) == nil {
			return nil, detail(http.StatusInternalServerError, "Failed to merge "+plural)
		}
		for _, rec := range d.Recipes {
			for i := range rec.Ingredients {
				if id := of(&rec.Ingredients[i]); *id == from {
					*id = to
				}
			}
		}
		if from != to {
			*all = slices.DeleteFunc(*all, func(row P) bool { return row == loser })
		}
		return map[string]any{"message": "Successfully merged " + plural, "error": false}, nil
	})
}

// headSchema is what filters and sorts of a taxonomy know.
func headSchema[T any, P rowOf[T]]() schema[P] {
	date := func(of func(*head) time.Time) attribute[P] {
		return attribute[P]{aDate, func(row P) []string { return []string{instant(of(row.base()))} }}
	}
	return schema[P]{
		"id":         {aUUID, func(row P) []string { return []string{row.base().ID} }},
		"name":       {aText, func(row P) []string { return []string{row.base().Name} }},
		"created_at": date(func(h *head) time.Time { return h.CreatedAt }),
		"updated_at": date(func(h *head) time.Time { return h.UpdatedAt }),
	}
}
