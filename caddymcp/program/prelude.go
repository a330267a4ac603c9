package program

import (
	_ "embed"
	"sync"
)

//go:embed prelude.jq
var preludeText string

// A preludeSet is the functions that this package writes in jq.
type preludeSet struct {
	list  []*definition          // in the order of the text
	defs  map[string]*definition // by "name/arity"
	names map[string]bool
}

var (
	preludeOnce  sync.Once
	preludeValue *preludeSet
)

// prelude reads the functions of prelude.jq, once.
func prelude() *preludeSet {
	preludeOnce.Do(func() {
		u, err := parse(scan(Source{Text: preludeText, File: "prelude.jq"}))
		if err != nil {
			panic(err)
		}
		errs := &mistakes{text: u.text}
		set := &preludeSet{defs: make(map[string]*definition), names: make(map[string]bool)}
		_, _, set.list = resolve(u, nil, errs, true)
		if err := errs.err(); err != nil {
			panic(err)
		}
		for _, d := range set.list {
			set.defs[key(d.fd.Name, len(d.fd.Args))] = d
			set.names[d.fd.Name] = true
		}
		preludeValue = set
	})
	return preludeValue
}
