package farm

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A list is a path that answers with rows.
type list struct {
	roles   []string // who may read it
	filters []string // query fields besides limit and offset
	rows    func(r *request) ([]any, error)
}

var (
	everyone   = []string{owner, manager, worker, sales}
	production = []string{owner, manager, worker}

	lists = map[string]list{
		"flocks":                  {production, []string{"id", "name", "nameContains", "status"}, listFlocks},
		"egg-grades":              {everyone, []string{"id", "name"}, listGrades},
		"stock":                   {everyone, nil, listStock},
		"egg-lots":                {everyone, []string{"flockId", "gradeId", "status", "from", "to"}, listLots},
		"egg-lots/{id}/movements": {everyone, nil, listMovements},
		"daily-entries":           {production, []string{"flockId", "status", "from", "to"}, listEntries},
	}
)

// A window is which rows of a list are asked for.
type window struct{ limit, offset int }

// window reads limit and offset, which are 32-bit integers, and refuses query
// fields that the list does not have, or has twice.
func (l list) window(query url.Values) (w window, err error) {
	w.limit = 100
	for name, values := range query {
		number := map[string]*int{"limit": &w.limit, "offset": &w.offset}[name]
		switch {
		case number == nil && !slices.Contains(l.filters, name):
			return w, problem(http.StatusBadRequest, "there is no query field '%s'", name)
		case len(values) > 1:
			return w, problem(http.StatusBadRequest, "'%s' is given twice", name)
		case number != nil:
			n, err := strconv.ParseInt(values[0], 10, 32)
			if err != nil || n < 0 {
				return w, problem(http.StatusBadRequest, "'%s' must be a number from 0 to %d", name, math.MaxInt32)
			}
			*number = int(n)
		case name == "from" || name == "to":
			if _, err := time.Parse(time.DateOnly, values[0]); err != nil {
				return w, problem(http.StatusBadRequest, "'%s' must be a date such as 2026-11-30", name)
			}
		}
	}
	return w, nil
}

// of are the rows that are asked for.
func (w window) of(rows []any) []any {
	from := min(w.offset, len(rows))
	return append([]any{}, rows[from:min(from+w.limit, len(rows))]...)
}

// text is the value of a query field, if it is there.
func (r *request) text(name string) (string, bool) {
	query := r.URL.Query()
	return query.Get(name), query.Has(name)
}

// is says whether a value is the one asked for, if one is.
func (r *request) is(name, value string) bool {
	want, given := r.text(name)
	return !given || want == value
}

// isNamed is is without regard to case.
func (r *request) isNamed(name, value string) bool {
	want, given := r.text(name)
	return !given || strings.EqualFold(want, value)
}

// holds says whether a value holds the text asked for, in any case.
func (r *request) holds(name, value string) bool {
	want, _ := r.text(name)
	return strings.Contains(strings.ToLower(value), strings.ToLower(want))
}

// between says whether a date is in the range asked for, both ends included.
func (r *request) between(date string) bool {
	from, _ := r.text("from")
	to, bounded := r.text("to")
	return from <= date && (!bounded || date <= to)
}

// checkFlock answers a request for a flock that the user does not know.
func (r *request) checkFlock() error {
	if id, given := r.text("flockId"); given && !r.user.seesFlock(r.data.flock(id)) {
		return notFound
	}
	return nil
}

// checkGrade answers a request for a grade that the user does not know.
func (r *request) checkGrade() error {
	if id, given := r.text("gradeId"); given && !r.user.seesGrade(r.data.grade(id)) {
		return notFound
	}
	return nil
}
