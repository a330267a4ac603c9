package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// A resolver finds out what the names in one unit mean.
type resolver struct {
	unit    *unit
	errs    *mistakes
	body    *body       // of the definition or program being read
	around  *definition // the definition being read, if any
	prelude bool        // the unit is the prelude, which may do more

	unknown map[string][]int // where names stand that mean nothing
	order   []string         // the keys of unknown
}

// resolve fills the names and calls of a unit. It returns what the query
// mentions, the scope in which the definitions at its top are known, and
// those definitions.
func resolve(u *unit, outer *scope, errs *mistakes, isPrelude bool) (*body, *scope, []*definition) {
	r := &resolver{unit: u, errs: errs, body: &body{}, prelude: isPrelude, unknown: make(map[string][]int)}
	var defs []*definition
	s := outer
	for _, fd := range u.query.FuncDefs {
		var d *definition
		d, s = r.define(fd, s)
		defs = append(defs, d)
	}
	rest := *u.query
	rest.FuncDefs = nil
	r.query(&rest, s)
	for _, name := range r.order {
		r.reportUnknown(name, r.unknown[name])
	}
	return r.body, s, defs
}

// define reads a definition and returns the scope that knows it.
func (r *resolver) define(fd *gojq.FuncDef, s *scope) (*definition, *scope) {
	at := r.unit.offsets[fd]
	r.checkNew(fd.Name, at)
	d := &definition{fd: fd, unit: r.unit, outer: r.around, prelude: r.prelude}
	s = s.with(key(fd.Name, len(fd.Args)), target{kind: isDefinition, def: d})
	inner := s
	for _, arg := range fd.Args {
		name, single := strings.CutPrefix(arg, "$")
		if single {
			r.checkVariable(arg, at)
			inner = inner.with(arg, target{kind: isVariable})
		} else {
			r.checkNew(arg, at)
		}
		inner = inner.with(key(name, 0), target{kind: isParameter, def: d, single: single})
	}
	body, around := r.body, r.around
	r.body, r.around = &d.body, d
	r.query(fd.Body, inner)
	r.body, r.around = body, around
	return d, s
}

// query resolves a query.
func (r *resolver) query(q *gojq.Query, s *scope) {
	if q == nil {
		return
	}
	for _, fd := range q.FuncDefs {
		var d *definition
		d, s = r.define(fd, s)
		// It is compiled with the definition around it, used or not.
		r.body.uses = append(r.body.uses, d)
	}
	r.term(q.Term, s)
	r.query(q.Left, s)
	r.query(q.Right, r.patterns(q.Patterns, q.Left, s))
}

func (r *resolver) term(t *gojq.Term, s *scope) {
	if t == nil {
		return
	}
	if f := t.Func; f != nil {
		r.function(f, s)
		r.argument(t, s)
	}
	inner := s
	if t.Label != nil {
		inner = s.with("label "+t.Label.Ident, target{})
	}
	for _, q := range parts(t) {
		r.query(q, inner)
	}
	if f := t.Func; f != nil && r.unit.names[f].kind == isVerb {
		c := r.unit.names[f].verb.call(f, r, r.unit.offsets[f])
		r.unit.calls[f] = c
		r.body.calls = append(r.body.calls, c)
	}
	if t.Break != "" {
		if _, ok := s.find("label " + t.Break); !ok {
			r.errs.at(r.unit.offsets[t], "there is no 'label %s' around this 'break'", t.Break)
		}
	}
	if t.Object != nil {
		for _, kv := range t.Object.KeyVals {
			if strings.HasPrefix(kv.Key, "$") {
				r.variable(kv.Key, r.unit.offsets[kv], s)
			}
			for _, q := range memberParts(kv) {
				r.query(q, s)
			}
		}
	}
	if t.Unary != nil {
		r.term(t.Unary.Term, s)
	}
	if e := t.Reduce; e != nil {
		r.query(e.Query, s)
		r.query(e.Start, s)
		r.query(e.Update, r.patterns(e.Patterns, e.Query, s))
	}
	if e := t.Foreach; e != nil {
		r.query(e.Query, s)
		r.query(e.Start, s)
		inner := r.patterns(e.Patterns, e.Query, s)
		r.query(e.Update, inner)
		r.query(e.Extract, inner)
	}
	for _, suffix := range t.SuffixList {
		for _, q := range indexParts(suffix.Index) {
			r.query(q, s)
		}
	}
}

// patterns returns the scope that knows the variables of 'as' patterns, which
// are bound to what a query gives, or to parts of that.
func (r *resolver) patterns(patterns []*gojq.Pattern, bound *gojq.Query, s *scope) *scope {
	if len(patterns) > 1 {
		r.errs.at(r.unit.offsets[patterns[1]], "'?//' is not available, because it can run what follows twice: use if or //")
	}
	bind := func(name string, text bool, at int) {
		r.checkVariable(name, at)
		s = s.with(name, target{kind: isVariable, text: text})
	}
	for _, p := range patterns {
		if p.Name != "" {
			bind(p.Name, r.unit.computesText(bound), r.unit.offsets[p])
		}
		s = r.patterns1(p.Array, s)
		for _, o := range p.Object {
			for _, q := range append(stringParts(o.KeyString), o.KeyQuery) {
				r.query(q, s)
			}
			if strings.HasPrefix(o.Key, "$") {
				bind(o.Key, false, r.unit.offsets[o])
			}
			if o.Val != nil {
				s = r.patterns1([]*gojq.Pattern{o.Val}, s)
			}
		}
	}
	return s
}

// patterns1 is patterns for those that stand side by side in another.
func (r *resolver) patterns1(patterns []*gojq.Pattern, s *scope) *scope {
	for _, p := range patterns {
		s = r.patterns([]*gojq.Pattern{p}, nil, s)
	}
	return s
}

// function resolves a call, a variable or a parameter.
func (r *resolver) function(f *gojq.Func, s *scope) {
	at := r.unit.offsets[f]
	if strings.HasPrefix(f.Name, "$") {
		r.variable(f.Name, at, s)
		t, _ := s.find(f.Name)
		r.unit.names[f] = target{kind: isVariable, text: t.text}
		return
	}
	if strings.HasPrefix(f.Name, "_") && !r.prelude {
		r.errs.at(at, "'%s': names that begin with '_' are kept for internal use", f.Name)
		return
	}
	var t target
	if !r.prelude { // which calls ours under their inner names
		t = ours(f.Name, len(f.Args))
	}
	if t.kind == isUnknown {
		t, _ = s.find(key(f.Name, len(f.Args)))
	}
	switch {
	case t.kind == isParameter && t.single:
		// jq would run the argument once more.
		r.errs.at(at, "'%s' is the parameter '$%s' here: write '$%s', or give the parameter another name", f.Name, f.Name, f.Name)
	case t.kind != isUnknown:
	case refused[f.Name] != "":
		r.errs.at(at, "'%s' is not available: %s", f.Name, refused[f.Name])
	case builtins()[key(f.Name, len(f.Args))] || r.prelude && strings.HasPrefix(f.Name, "_"):
		t.kind = isBuiltin
		r.checkRegexp(f, at)
	default:
		r.addUnknown(key(f.Name, len(f.Args)), at)
	}
	r.unit.names[f] = t
	if t.kind == isDefinition {
		r.body.uses = append(r.body.uses, t.def)
	}
}

func (r *resolver) variable(name string, at int, s *scope) {
	if r.prelude && strings.HasPrefix(name, "$__") {
		return
	}
	if why := refused[name]; why != "" {
		r.errs.at(at, "'%s' is not available: %s", name, why)
		return
	}
	if _, ok := s.find(name); ok || slices.Contains(variables, name) && name != stateVariable {
		return
	}
	if strings.HasPrefix(name, "$__") {
		r.checkVariable(name, at)
		return
	}
	r.addUnknown(name, at)
}

// checkNew refuses to give a function or parameter a name that is taken.
func (r *resolver) checkNew(name string, at int) {
	switch {
	case r.prelude:
	case strings.HasPrefix(name, "_"):
		r.errs.at(at, "'%s': names that begin with '_' are kept for internal use", name)
	case reserved(name):
		r.errs.at(at, "'%s' is a function of this module already: choose another name", name)
	case refused[name] != "":
		r.errs.at(at, "'%s' is the name of a jq function that is not available: choose another name", name)
	}
}

func (r *resolver) checkVariable(name string, at int) {
	switch {
	case strings.HasPrefix(name, "$__"):
		r.errs.at(at, "'%s': names that begin with '$__' are kept for internal use", name)
	case refused[name] != "":
		r.errs.at(at, "'%s' is not available: choose another name", name)
	}
}

func (r *resolver) addUnknown(name string, at int) {
	if r.unknown[name] == nil {
		r.order = append(r.order, name)
	}
	r.unknown[name] = append(r.unknown[name], at)
}

func (r *resolver) reportUnknown(name string, at []int) {
	what := fmt.Sprintf("there is no function '%s'", name)
	switch base, _, _ := strings.Cut(name, "/"); {
	case strings.HasPrefix(name, "$"):
		what = fmt.Sprintf("there is no variable '%s'", name)
	case reserved(base), otherArity(base) != "":
		what = fmt.Sprintf("'%s' takes another number of arguments (there is %s)", base, otherArity(base))
	}
	var lines []string
	for _, offset := range at[1:] {
		line, _ := r.unit.text.position(offset)
		if text := strconv.Itoa(line); !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	if len(lines) > 0 {
		what += " (also on line " + strings.Join(lines, ", ") + ")"
	}
	r.errs.at(at[0], "%s", what)
}
