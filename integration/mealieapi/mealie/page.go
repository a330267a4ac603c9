package mealie

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A page is one page of a list.
type page struct {
	Page       int     `json:"page"`
	PerPage    int     `json:"per_page"`
	Total      int     `json:"total"`
	TotalPages int     `json:"total_pages"`
	Items      []any   `json:"items"`
	Next       *string `json:"next"`
	Previous   *string `json:"previous"`
}

// A listing is what makes pages of rows.
type listing[T any] struct {
	path   string // as Mealie names it in links, without /api
	rows   []T    // in the order in which they were made
	schema schema[T]
	search func(T) []string // the texts that a search looks at, the name first
	show   func(T) any
}

// query are the parameters of a request that are not text.
type query struct {
	url.Values
	problems problems
}

func newQuery(r *http.Request) *query { return &query{Values: r.URL.Query()} }

func (q *query) fail(name, kind, msg string) {
	q.problems = append(q.problems, problem{kind, []any{"query", name}, msg, q.Get(name), nil})
}

func (q *query) integer(name string, byDefault int) int {
	if !q.Has(name) {
		return byDefault
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil {
		q.fail(name, "int_parsing", "Input should be a valid integer, unable to parse string as an integer")
	}
	return n
}

func (q *query) flag(name string, byDefault bool) bool {
	if !q.Has(name) {
		return byDefault
	}
	switch strings.ToLower(q.Get(name)) {
	case "1", "true", "yes", "on", "t", "y":
		return true
	case "0", "false", "no", "off", "f", "n":
		return false
	}
	q.fail(name, "bool_parsing", "Input should be a valid boolean, unable to interpret input")
	return false
}

func (q *query) date(name string) string {
	if q.Has(name) {
		if _, err := time.Parse(time.DateOnly, q.Get(name)); err != nil {
			q.fail(name, "date_from_datetime_parsing", "Input should be a valid date or datetime, invalid character in year")
		}
	}
	return q.Get(name)
}

func (q *query) failed() error {
	if len(q.problems) == 0 {
		return nil
	}
	return q.problems.failure()
}

// page filters, searches, sorts and cuts.
func (l listing[T]) page(q *query, now time.Time) (reply, error) {
	p := page{Page: q.integer("page", 1), PerPage: q.integer("perPage", 50), Items: []any{}}
	rows, err := l.chosen(q, now)
	if err != nil {
		return reply{}, err
	}
	p.Total = len(rows)
	if p.PerPage == -1 {
		p.PerPage = p.Total
	}
	if p.PerPage > 0 {
		p.TotalPages = (p.Total + p.PerPage - 1) / p.PerPage
	}
	if p.Page == -1 {
		p.Page = p.TotalPages
	}
	p.Page = max(p.Page, 1)
	if from := min((p.Page-1)*max(p.PerPage, 0), p.Total); from >= 0 {
		for _, row := range rows[from:min(from+max(p.PerPage, 0), p.Total)] {
			p.Items = append(p.Items, l.show(row))
		}
	}
	if p.Page < p.TotalPages {
		p.Next = l.link(q, p, p.Page+1)
	}
	if p.Page > 1 {
		p.Previous = l.link(q, p, p.Page-1)
	}
	return ok(p)
}

func (l listing[T]) link(q *query, p page, number int) *string {
	to := url.Values{}
	for name, values := range q.Values {
		to[name] = values
	}
	to.Set("page", strconv.Itoa(number))
	to.Set("perPage", strconv.Itoa(p.PerPage))
	if !to.Has("orderDirection") {
		to.Set("orderDirection", "desc")
	}
	link := l.path + "?" + to.Encode()
	return &link
}

// chosen are the rows that a query is about, in its order.
func (l listing[T]) chosen(q *query, now time.Time) ([]T, error) {
	direction := q.Get("orderDirection")
	if q.Has("orderDirection") && direction != "asc" && direction != "desc" {
		q.fail("orderDirection", "enum", "Input should be 'asc' or 'desc'")
	}
	by := q.Get("orderBy")
	if by == "random" && q.Get("paginationSeed") == "" {
		q.fail("paginationSeed", "value_error", "Value error, paginationSeed is required when orderBy is random")
	}
	if err := q.failed(); err != nil {
		return nil, err
	}
	rows := slices.Clone(l.rows)
	if text := q.Get("queryFilter"); text != "" {
		var err error
		if rows, err = filtered(rows, text, l.schema, now); err != nil {
			return nil, err
		}
	}
	search := strings.Fields(plain(strings.ReplaceAll(q.Get("search"), `"`, " ")))
	if len(search) > 0 {
		rows = slices.DeleteFunc(rows, func(row T) bool { return !found(l.search(row), search) })
	}
	if err := l.sort(rows, by, direction, q); err != nil {
		return nil, err
	}
	if len(search) > 0 && by == "" { // those first that have it all in their name
		whole := strings.Join(search, " ")
		reorder(rows, func(row T) (string, bool) {
			return "", strings.Contains(plain(l.search(row)[0]), whole)
		}, func(x, y keyed[T]) int { return boolInt(y.has) - boolInt(x.has) })
	}
	return rows, nil
}

// filtered are the rows for which a filter holds.
func filtered[T any](rows []T, text string, s schema[T], now time.Time) ([]T, error) {
	f, _, err := parseFilter(text)
	if err != nil {
		return nil, detail(http.StatusBadRequest, err.Error())
	}
	holds, err := compile(f, s, now)
	if err != nil {
		return nil, detail(http.StatusBadRequest, err.Error())
	}
	return slices.DeleteFunc(rows, func(row T) bool { return !holds(row) }), nil
}

// found tells whether one of the words is in one of the texts.
func found(texts, words []string) bool {
	for _, text := range texts {
		text = plain(text)
		for _, word := range words {
			if strings.Contains(text, word) {
				return true
			}
		}
	}
	return false
}

// A keyed row is one that is being sorted.
type keyed[T any] struct {
	row T
	key string
	has bool
}

// reorder sorts rows by a key that some have.
func reorder[T any](rows []T, key func(T) (string, bool), order func(a, b keyed[T]) int) {
	all := make([]keyed[T], len(rows))
	for i, row := range rows {
		all[i].row = row
		all[i].key, all[i].has = key(row)
	}
	slices.SortStableFunc(all, order)
	for i := range all {
		rows[i] = all[i].row
	}
}

// sort sorts rows by attributes such as "name:asc, createdAt", the newest
// first for want of any. Rows without a value come last.
func (l listing[T]) sort(rows []T, by, direction string, q *query) error {
	if by == "random" {
		shuffle(rows, q.Get("paginationSeed"))
		return nil
	}
	fields := strings.Split(cmp.Or(by, "createdAt"), ",")
	for _, field := range slices.Backward(fields) {
		name, way, _ := strings.Cut(strings.TrimSpace(field), ":")
		a, known := l.schema[snake(name)]
		if !known || way != "" && way != "asc" && way != "desc" {
			return detail(http.StatusBadRequest, fmt.Sprintf(`Invalid order_by statement "%s": "%s" is invalid`, by, strings.TrimSpace(field)))
		}
		sign := -1
		if cmp.Or(way, direction) == "asc" {
			sign = 1
		}
		reorder(rows, func(row T) (string, bool) {
			v := a.values(row)
			switch {
			case len(v) == 0:
				return "", false
			case a.kind == aText:
				return strings.ToLower(v[0]), true
			}
			return v[0], true
		}, func(x, y keyed[T]) int {
			if x.has && y.has {
				return sign * a.kind.compare(x.key, y.key)
			}
			return boolInt(y.has) - boolInt(x.has)
		})
	}
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shuffle orders rows at random, the same for the same seed.
func shuffle[T any](rows []T, seed string) {
	n := 0
	reorder(rows, func(T) (string, bool) {
		n++
		return seedID(seed, strconv.Itoa(n)), true
	}, func(x, y keyed[T]) int { return strings.Compare(x.key, y.key) })
}
