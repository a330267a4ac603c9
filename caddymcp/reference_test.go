package caddymcp

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/caddymcp/caddymcp/caddymcp/internal/directive"
)

// TestReferenceDefaults checks the defaults that the reference gives.
func TestReferenceDefaults(t *testing.T) {
	page, err := os.ReadFile("REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	limits := Limits{}.withDefaults()
	size := func(text string) (any, error) { return directive.Size(text) }
	for _, tc := range []struct {
		option string
		want   any
		read   func(string) (any, error)
	}{
		{"request <size>", limits.Request, size},
		{"reply <characters>", limits.Reply, func(text string) (any, error) { return strconv.Atoi(text) }},
		{"calls <number>", limits.Calls, func(text string) (any, error) { return strconv.Atoi(text) }},
		{"rate <number>/s\\|m\\|h", limits.Rate, func(text string) (any, error) { return text, nil }},
		{"time <duration>", time.Duration(limits.Time), func(text string) (any, error) { return directive.Duration(text) }},
		{"max_size <size>", int64(defaultMaxFile), size},
	} {
		row := regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(tc.option) + "` \\|.*\\| `([^`]*)` \\|$")
		found := row.FindSubmatch(page)
		if found == nil {
			t.Errorf("there is no row of '%s' with a default", tc.option)
			continue
		}
		got, err := tc.read(string(found[1]))
		if err != nil || got != tc.want {
			t.Errorf("the default of '%s' is %v, %v, want %v", tc.option, got, err, tc.want)
		}
	}
}
