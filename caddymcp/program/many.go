package program

import (
	"strings"

	"github.com/itchyny/gojq"
)

// many finds out whether a query can give more than one value. Where it
// cannot tell, it says so.
type many struct {
	known   map[manyKey]bool
	running map[manyKey]bool
	cut     bool // the answer rests on a definition that is still being read
}

type manyKey struct {
	def     *definition
	several string // one byte for each parameter, its own and of those around it
}

// params says which parameters can have several values, of the definition
// being read and of those around it. One that is not in it can.
type params map[param]bool

// A param is a parameter of a definition.
type param struct {
	def  *definition
	name string
}

func newMany() *many {
	return &many{known: make(map[manyKey]bool), running: make(map[manyKey]bool)}
}

// generators are the functions of gojq that give several values whatever
// their arguments are.
var generators = map[string]bool{
	"range/1": true, "range/2": true, "range/3": true, "recurse/0": true, "recurse/1": true,
	"recurse/2": true, "while/2": true, "repeat/1": true, "limit/2": true, "skip/2": true,
	"splits/1": true, "splits/2": true, "scan/1": true, "scan/2": true, "match/1": true,
	"match/2": true, "capture/1": true, "capture/2": true, "paths/0": true, "paths/1": true,
	"combinations/0": true, "combinations/1": true, "tostream/0": true, "fromstream/1": true,
	"truncate_stream/1": true, "JOIN/3": true, "JOIN/4": true,
}

// collectors are the functions of gojq that give one value whatever their
// arguments are.
var collectors = map[string]bool{
	"map/1": true, "map_values/1": true, "with_entries/1": true, "add/1": true, "sort_by/1": true,
	"group_by/1": true, "unique_by/1": true, "min_by/1": true, "max_by/1": true, "any/1": true,
	"any/2": true, "all/1": true, "all/2": true, "isempty/1": true, "first/1": true, "last/1": true,
	"del/1": true, "pick/1": true, "JOIN/2": true, "IN/1": true, "IN/2": true,
	"index_by/1": true, "count_by/1": true, "INDEX/1": true, "INDEX/2": true,
}

// in reports whether q, a part of u, can give several values. If q is inside
// a definition, p tells of its parameters.
func (m *many) in(u *unit, q *gojq.Query, p params) bool {
	switch {
	case q == nil:
		return false
	case q.Term != nil:
		return m.term(u, q.Term, p)
	case q.Op == gojq.OpComma:
		return true
	case q.Op == gojq.OpModify:
		return false
	case q.Op == gojq.OpAssign, gojq.OpUpdateAdd <= q.Op && q.Op <= gojq.OpUpdateAlt:
		return m.in(u, q.Right, p)
	}
	several := m.in(u, q.Left, p) || m.in(u, q.Right, p)
	walkPatterns(q.Patterns, func(node any) {
		if o, ok := node.(*gojq.PatternObject); ok {
			several = several || m.any(u, append(stringParts(o.KeyString), o.KeyQuery), p)
		}
	})
	return several
}

func (m *many) any(u *unit, list []*gojq.Query, p params) bool {
	for _, q := range list {
		if m.in(u, q, p) {
			return true
		}
	}
	return false
}

func (m *many) term(u *unit, t *gojq.Term, p params) bool {
	for _, s := range t.SuffixList {
		if s.Iter || m.any(u, indexParts(s.Index), p) {
			return true
		}
	}
	switch t.Type {
	case gojq.TermTypeRecurse, gojq.TermTypeForeach:
		return true
	case gojq.TermTypeArray:
		return false
	case gojq.TermTypeFunc:
		return m.call(u, t.Func, p)
	case gojq.TermTypeObject:
		for _, kv := range t.Object.KeyVals {
			if m.any(u, memberParts(kv), p) {
				return true
			}
		}
		return false
	case gojq.TermTypeReduce:
		return m.in(u, t.Reduce.Start, p)
	case gojq.TermTypeUnary:
		return m.term(u, t.Unary.Term, p)
	}
	return m.any(u, parts(t), p)
}

func (m *many) call(u *unit, f *gojq.Func, p params) bool {
	name := key(f.Name, len(f.Args))
	switch t := u.names[f]; {
	case t.kind == isVariable, strings.HasPrefix(f.Name, "$"):
		return false
	case t.kind == isParameter:
		several, known := p[param{t.def, f.Name}]
		return several || !known
	case collectors[name] && (t.kind == isBuiltin || t.def != nil && t.def.prelude):
		return false
	case t.kind == isBuiltin && generators[name]:
		return true
	case t.kind == isDefinition:
		return m.definition(u, f, t.def, p)
	}
	return m.any(u, f.Args, p)
}

// definition reports whether a call of a definition can give several values.
func (m *many) definition(u *unit, f *gojq.Func, def *definition, p params) bool {
	inner := make(params)
	k := manyKey{def: def}
	for i, q := range f.Args {
		several := m.in(u, q, p)
		name, single := strings.CutPrefix(def.fd.Args[i], "$")
		if single && several {
			return true
		}
		inner[param{def, name}] = several
	}
	// What stands around the definition is the same for it as for its caller,
	// which stands there too.
	for d := def.outer; d != nil; d = d.outer {
		for _, name := range d.fd.Args {
			if several, known := p[param{d, name}]; known {
				inner[param{d, name}] = several
			}
		}
	}
	k.several = inner.text(def)
	if several, ok := m.known[k]; ok {
		return several
	}
	if m.running[k] {
		m.cut = true
		return false
	}
	outer := m.cut
	m.cut, m.running[k] = false, true
	several := m.in(def.unit, def.fd.Body, inner)
	delete(m.running, k)
	if several || !m.cut || len(m.running) == 0 {
		m.known[k] = several
	}
	m.cut = m.cut && len(m.running) > 0 || outer
	return several
}

// text says what is known of the parameters of a definition and of those
// around it.
func (p params) text(def *definition) string {
	var text []byte
	for d := def; d != nil; d = d.outer {
		for _, name := range d.fd.Args {
			several, known := p[param{d, name}]
			switch {
			case !known:
				text = append(text, '?')
			case several:
				text = append(text, '*')
			default:
				text = append(text, '.')
			}
		}
	}
	return string(text)
}
