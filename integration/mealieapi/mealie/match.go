package mealie

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// A kind is the type of an attribute that filters compare.
type kind int

const (
	aText kind = iota
	aNumber
	aDate
	aUUID
	aFlag
)

// An attribute is something of a row that filters compare, and lists sort by.
// It may have no value, one, or several.
type attribute[T any] struct {
	kind   kind
	values func(T) []string
}

// A schema is the attributes of a row, by the names they have inside of Mealie.
type schema[T any] map[string]attribute[T]

// compile makes a test of a filter. Its error is what Mealie answers.
func compile[T any](f *filter, s schema[T], now time.Time) (func(T) bool, error) {
	if f.clause != nil {
		return compileClause(f.clause, s, now)
	}
	left, err := compile(f.left, s, now)
	if err != nil {
		return nil, err
	}
	right, err := compile(f.right, s, now)
	if err != nil {
		return nil, err
	}
	if f.and {
		return func(row T) bool { return left(row) && right(row) }, nil
	}
	return func(row T) bool { return left(row) || right(row) }, nil
}

func compileClause[T any](c *clause, s schema[T], now time.Time) (func(T) bool, error) {
	a, ok := s[snake(c.attribute)]
	if !ok {
		return nil, fmt.Errorf("invalid attribute string: '%s' does not exist on this schema", c.attribute)
	}
	if strings.HasPrefix(c.operator, "IS") {
		null := c.operator == "IS"
		return func(row T) bool { return (len(a.values(row)) == 0) == null }, nil
	}
	if strings.HasSuffix(c.operator, "LIKE") && a.kind != aText {
		return nil, fmt.Errorf(`invalid query string: "%s" can only be used with string columns`, c.operator)
	}
	wanted := make([]string, len(c.values))
	for i, v := range c.values {
		var err error
		if wanted[i], err = a.kind.normal(v, now); err != nil {
			return nil, err
		}
	}
	has := func(row T, want string) bool {
		for _, v := range a.values(row) {
			if a.kind.compare(v, want) == 0 {
				return true
			}
		}
		return false
	}
	one := func(test func(v string) bool) func(T) bool {
		return func(row T) bool {
			for _, v := range a.values(row) {
				if test(v) {
					return true
				}
			}
			return false
		}
	}
	anyOf := func(row T) bool {
		for _, want := range wanted {
			if has(row, want) {
				return true
			}
		}
		return false
	}
	order := func(v string) int { return a.kind.compare(v, wanted[0]) }
	switch c.operator {
	case "IN":
		return anyOf, nil
	case "NOT IN":
		return func(row T) bool { return !anyOf(row) }, nil
	case "CONTAINS ALL":
		return func(row T) bool {
			for _, want := range wanted {
				if !has(row, want) {
					return false
				}
			}
			return true
		}, nil
	case "LIKE", "NOT LIKE":
		like, is := likePattern(wanted[0]), c.operator == "LIKE"
		return one(func(v string) bool { return like.MatchString(v) == is }), nil
	case "=":
		return one(func(v string) bool { return order(v) == 0 }), nil
	case "<>":
		return one(func(v string) bool { return order(v) != 0 }), nil
	case ">":
		return one(func(v string) bool { return order(v) > 0 }), nil
	case "<":
		return one(func(v string) bool { return order(v) < 0 }), nil
	case ">=":
		return one(func(v string) bool { return order(v) >= 0 }), nil
	default: // <=, the last that the parser knows
		return one(func(v string) bool { return order(v) <= 0 }), nil
	}
}

// likePattern is SQL's: % stands for any text and _ for one character.
func likePattern(like string) *regexp.Regexp {
	var p strings.Builder
	p.WriteString(`(?is)^`)
	for _, r := range like {
		switch r {
		case '%':
			p.WriteString(`.*`)
		case '_':
			p.WriteString(`.`)
		default:
			p.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	p.WriteString(`$`)
	return regexp.MustCompile(p.String())
}

// instant is a time as attributes give it, which sorts as text.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000") }

// normal is a value of a filter in the form in which attributes give theirs.
func (k kind) normal(v string, now time.Time) (string, error) {
	switch k {
	case aNumber:
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			return "", fmt.Errorf("invalid query string: invalid number '%s'", v)
		}
	case aUUID:
		id, err := uuid.Parse(v)
		if err != nil {
			return "", fmt.Errorf("invalid query string: invalid UUID '%s'", v)
		}
		return id.String(), nil
	case aFlag:
		return strconv.FormatBool(v == "1" || strings.HasPrefix(strings.ToLower(v), "t") || strings.HasPrefix(strings.ToLower(v), "y")), nil
	case aDate:
		return filterTime(v, now)
	}
	return v, nil
}

// filterTime reads a date, a time, or $NOW with something added.
func filterTime(v string, now time.Time) (string, error) {
	if rest, ok := strings.CutPrefix(v, "$NOW"); ok {
		if rest == "" {
			return instant(now), nil
		}
		n, err := strconv.Atoi(rest[:len(rest)-1])
		if err != nil || rest[0] != '+' && rest[0] != '-' || n > 1e6 || n < -1e6 {
			return "", fmt.Errorf("Invalid amount in NOW string (%s)", v) //nolint:staticcheck // Mealie's own words
		}
		switch rest[len(rest)-1] {
		case 'y':
			return instant(now.AddDate(n, 0, 0)), nil
		case 'm':
			return instant(now.AddDate(0, n, 0)), nil
		case 'd':
			return instant(now.AddDate(0, 0, n)), nil
		case 'H':
			return instant(now.Add(time.Duration(n) * time.Hour)), nil
		case 'M':
			return instant(now.Add(time.Duration(n) * time.Minute)), nil
		case 'S':
			return instant(now.Add(time.Duration(n) * time.Second)), nil
		}
		return "", fmt.Errorf("Invalid time unit in NOW string (%s)", v) //nolint:staticcheck // Mealie's own words
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, v); err == nil {
			return instant(t), nil
		}
	}
	return "", fmt.Errorf("invalid query string: unknown date or datetime format '%s'", v)
}

// compare orders two values of a kind.
func (k kind) compare(a, b string) int {
	if k != aNumber {
		return strings.Compare(a, b)
	}
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
