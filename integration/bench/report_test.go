package main

import (
	"strings"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	var hundred []time.Duration
	for i := range 101 {
		hundred = append(hundred, time.Duration(i))
	}
	for share, want := range map[float64]time.Duration{0.5: 50, 0.99: 99} {
		if got := quantile(hundred, share); got != want {
			t.Errorf("%v: got %d, want %d", share, got, want)
		}
		if got := quantile(hundred[7:8], share); got != 7 {
			t.Errorf("%v of one value: got %d", share, got)
		}
	}
}

func TestMedian(t *testing.T) {
	a := figures{CPU: 5, Rate: 2, P50: 9, P99: 1, Memory: 4}
	b := figures{CPU: 1, Rate: 4, P50: 3, P99: 1, Memory: 4}
	c := figures{CPU: 2, Rate: 6, P50: 6, P99: 7, Memory: 4}
	if got, want := median([]figures{a, b, c}), (figures{2, 4, 6, 1, 4}); got != want {
		t.Errorf("of three: got %+v, want %+v", got, want)
	}
	if got, want := median([]figures{a, b}), (figures{3, 3, 6, 1, 4}); got != want {
		t.Errorf("of two: got %+v, want %+v", got, want)
	}
}

// The ratio is the median of those of the rounds, so a round in which the
// machine is slow does no harm.
func TestRatio(t *testing.T) {
	l, err := newList(sizes[0])
	if err != nil {
		t.Fatal(err)
	}
	clients := []*client{newClient("http", certificate{})}
	base := &lane{kind: proxy, clients: clients, rounds: []figures{{CPU: 1, Rate: 10}, {CPU: 100, Rate: 1}, {CPU: 1, Rate: 10}}}
	slow := &lane{kind: modern, clients: clients, calls: 9, rounds: []figures{{CPU: 2, Rate: 5}, {CPU: 300, Rate: 1}, {CPU: 4, Rate: 2}}}
	r := newRow(group{"http", l, 1}, slow, base)
	if want := (figures{CPU: 3, Rate: 0.5}); r.Ratios != want {
		t.Errorf("the ratios are %+v, want %+v", r.Ratios, want)
	}
	if want := (figures{CPU: 4, Rate: 2}); r.Figures != want {
		t.Errorf("the figures are %+v, want %+v", r.Figures, want)
	}
	if r.Calls != 9 || r.Kind != modern || r.APIBytes != len(l.body) {
		t.Errorf("the row is %+v", r)
	}
}

func TestRunRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-duration 0s":    "-duration and -rounds must be more than 0",
		"-rounds 0":       "-duration and -rounds must be more than 0",
		"quickly":         "unexpected argument 'quickly'",
		"-caddy /nowhere": "asking caddy for its version",
	} {
		var out strings.Builder
		if err := run(t.Context(), strings.Fields(args), &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want '%s'", args, err, want)
		}
	}
}
