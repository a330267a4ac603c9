package mealie

import (
	"crypto/sha256"
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
	if len(search) > 0 && l.search != nil {
		rows = slices.DeleteFunc(rows, func(row T) bool { return !found(l.search(row), search) })
		if by == "" { // those first that have it all in their name
			whole := strings.Join(search, " ")
			inName := func(row T) int { return strings.Index(plain(l.search(row)[0]), whole) }
			slices.SortStableFunc(rows, func(a, b T) int { return min(inName(b), 0) - min(inName(a), 0) })
			return rows, nil
		}
	}
	return rows, l.sort(rows, by, direction, q)
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

// sort sorts rows by attributes such as "name:asc, createdAt", the newest
// first for want of any. Rows without a value come last.
func (l listing[T]) sort(rows []T, by, direction string, q *query) error {
	if by == "" {
		by = "createdAt"
	}
	if by == "random" {
		shuffle(rows, q.Get("paginationSeed"))
		return nil
	}
	fields := strings.Split(by, ",")
	slices.Reverse(fields)
	for _, field := range fields {
		name, way, _ := strings.Cut(strings.TrimSpace(field), ":")
		a, known := l.schema[snake(name)]
		if !known || way != "" && way != "asc" && way != "desc" {
			return detail(http.StatusBadRequest, fmt.Sprintf(`Invalid order_by statement "%s": "%s" is invalid`, by, strings.TrimSpace(field)))
		}
		if way == "" {
			way = direction
		}
		keys := make(map[int]string, len(rows))
		order := make([]int, len(rows))
		for i, row := range rows {
			order[i] = i
			if v := a.values(row); len(v) > 0 {
				keys[i] = v[0]
				if a.kind == aText {
					keys[i] = strings.ToLower(v[0])
				}
			}
		}
		slices.SortStableFunc(order, func(i, j int) int {
			x, hasX := keys[i]
			y, hasY := keys[j]
			switch {
			case !hasX || !hasY:
				return boolInt(!hasX) - boolInt(!hasY)
			case way == "asc":
				return a.kind.compare(x, y)
			}
			return a.kind.compare(y, x)
		})
		sorted := make([]T, len(rows))
		for i, from := range order {
			sorted[i] = rows[from]
		}
		copy(rows, sorted)
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
	keys := make(map[int][32]byte, len(rows))
	order := make([]int, len(rows))
	for i := range rows {
		order[i] = i
		keys[i] = sha256.Sum256(fmt.Appendf(nil, "%s/%d", seed, i))
	}
	slices.SortFunc(order, func(i, j int) int {
		x, y := keys[i], keys[j]
		return slices.Compare(x[:], y[:])
	})
	shuffled := make([]T, len(rows))
	for i, from := range order {
		shuffled[i] = rows[from]
	}
	copy(rows, shuffled)
}
