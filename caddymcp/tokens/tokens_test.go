package tokens

import (
	"strings"
	"sync"
	"testing"
)

// The numbers are those of another implementation of o200k_base.
func TestCount(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"hello world", 2},
		{"Hello, world!", 4},
		{"List what is in the pantry. Call it before suggesting a meal.", 14},
		{`{"id":17,"name":"Käse","expiry":"2026-11-30","tags":["a","b"],"note":null}`, 31},
		{"  \n\t\n  indented\r\n    text   ", 9},
		{"b\n \n5", 3},
		{"naïve café — 東京 🧀👩‍🍳", 14},
		{"1234567890 3.14159 1e-9", 14},
		{strings.Repeat("a", 120), 15},
		{"it's WE'LL they'Ve", 7},
		{"<|endoftext|>", 7},
	} {
		if got := Count(test.text); got != test.want {
			t.Errorf("%q has %d tokens, want %d", test.text, got, test.want)
		}
	}
}

func TestCountAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := Count("hello world"); got != 2 {
				t.Errorf("got %d tokens, want 2", got)
			}
		})
	}
	wg.Wait()
}
