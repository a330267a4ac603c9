package program

import (
	"fmt"
	"slices"
	"testing"
)

func TestArguments(t *testing.T) {
	library, err := NewLibrary(Source{Text: `def lib: $args.library;`})
	if err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string][]string{
		`.`:                  nil,
		`$args`:              nil,
		`$args | .x`:         nil,
		`lib`:                nil,
		`$args.title`:        {"title 5:1"},
		`$args.title.sub`:    {"title 5:1"},
		`$args.title?`:       {"title 5:1"},
		`$args["page-size"]`: {"page-size 5:1"},
		`$args."e-mail"`:     {"e-mail 5:1"},
		`$args["a" + "b"], $args[.x], $args["a":]`:   nil,
		"get(\"/a/\\($args.isbn)\")\n| {b: $args.b}": {"isbn 5:11", "b 6:7"},
		`def f: $args.inner; 1`:                      {"inner 5:8"},
		`. as $args | $args.own`:                     nil,
		`(. as $args | $args.own), $args.given`:      {"given 5:27"},
		`def f($args): $args.own; f(1)`:              nil,
		`if $args.a then $args.b else $args.a end`:   {"a 5:4", "b 5:17", "a 5:30"},
	} {
		t.Run(src, func(t *testing.T) {
			p, err := Compile(Source{Text: src, File: "f", Line: 5}, Options{Library: library, Requests: true})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range p.Arguments() {
				if a.File != "f" {
					t.Errorf("got the file %q", a.File)
				}
				got = append(got, fmt.Sprintf("%s %d:%d", a.Name, a.Line, a.Column))
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	p, err := CompileText(Source{Text: `a "b" \($args.x)`}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Arguments(); len(got) != 1 || got[0] != (Argument{"x", "", 1, 9}) {
		t.Errorf("got %v", got)
	}
}
