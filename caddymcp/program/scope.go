package program

import (
	"slices"

	"github.com/itchyny/gojq"
)

// A target is what a name in a program means.
type target struct {
	kind   targetKind
	def    *definition // of a definition, or whose parameter it is
	verb   *verb       // of a request
	native *native     // of a function written in Go
	single bool        // of a parameter: it is written with a $
	text   bool        // of a variable: it is bound to a string
}

type targetKind int

const (
	isUnknown targetKind = iota
	isBuiltin
	isVariable
	isParameter
	isDefinition
	isVerb
	isNative
)

// A definition is a 'def', at the top of a text or inside another.
type definition struct {
	body
	fd      *gojq.FuncDef
	unit    *unit
	outer   *definition // the one around it, if any
	prelude bool
}

// A body is what a definition or a program mentions.
type body struct {
	uses  []*definition
	calls []*call
}

// reach calls visit for b and for everything it can reach.
func (b *body) reach(visit func(*body)) {
	seen := map[*body]bool{b: true}
	for queue := []*body{b}; len(queue) > 0; queue = queue[1:] {
		visit(queue[0])
		for _, d := range queue[0].uses {
			if !seen[&d.body] {
				seen[&d.body] = true
				queue = append(queue, &d.body)
			}
		}
	}
}

// writes reports whether b can reach a request that can change something.
func (b *body) writes() (found bool) {
	b.reach(func(b *body) {
		found = found || slices.ContainsFunc(b.calls, func(c *call) bool { return c.writes })
	})
	return found
}

// sends reports whether b can reach a request.
func (b *body) sends() (found bool) {
	b.reach(func(b *body) { found = found || len(b.calls) > 0 })
	return found
}

// A scope is a chain of names, the innermost first.
type scope struct {
	outer *scope
	key   string // "name/arity", or "$name", or "label $name"
	target
}

func (s *scope) with(key string, t target) *scope { return &scope{outer: s, key: key, target: t} }

func (s *scope) find(key string) (target, bool) {
	for ; s != nil; s = s.outer {
		if s.key == key {
			return s.target, true
		}
	}
	return target{}, false
}
