package program

import (
	"time"

	"github.com/itchyny/gojq"
)

// Dates are calendar days, written 2006-01-02, and counted in UTC, where every
// day has 24 hours.

// longestRange bounds days, in days: about ten years.
const longestRange = 3660

// today is the current date in the call's time zone.
func today(r *run, _ any, _ []any) any {
	zone := r.call.Location
	if zone == nil {
		zone = time.Local
	}
	return time.Now().In(zone).Format(time.DateOnly)
}

// days(from; to) gives the dates from one to the other, both included; none
// if to comes first.
func days(_ *run, _ any, args []any) any {
	from, err := parseDate(args[0])
	if err != nil {
		return err
	}
	to, err := parseDate(args[1])
	if err != nil {
		return err
	}
	if to.Sub(from) > longestRange*24*time.Hour {
		return refusal("from '%s' to '%s' is more than %d days", args[0], args[1], longestRange)
	}
	list := []any{}
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		list = append(list, d.Format(time.DateOnly))
	}
	return list
}

// add_days(n) gives the date n days after the input.
func addDays(_ *run, in any, args []any) any {
	d, err := parseDate(in)
	if err != nil {
		return err
	}
	n, ok := gojq.ToInt(args[0])
	if !ok {
		return misuse("add_days: the argument is not a number")
	}
	if n < -1e6 || n > 1e6 {
		return refusal("%d days are too many", n)
	}
	d = d.AddDate(0, 0, n)
	if d.Year() < 0 || d.Year() > 9999 {
		return refusal("%d days from '%s' there is no date", n, in)
	}
	return d.Format(time.DateOnly)
}

func parseDate(v any) (time.Time, error) {
	s, ok := v.(string)
	if !ok {
		return time.Time{}, misuse("a date is not a string")
	}
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}, refusal("'%s' is not a date such as 2006-01-02", s)
	}
	return d, nil
}
