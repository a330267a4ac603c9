package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// A target is what a name in a program means.
type target struct {
	kind   targetKind
	def    *definition // of a definition
	verb   *verb       // of a request
	native *native     // of a function written in Go
	single bool        // of a parameter: it has one value, being a $-parameter
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
	prelude bool
}

// A body is what a definition or a program mentions.
type body struct {
	uses  []use
	calls []*call
}

// A use is a definition mentioned, and where.
type use struct {
	def    *definition
	offset int
}

// reach calls visit for b and for everything it can reach.
func (b *body) reach(visit func(*body)) {
	seen := map[*body]bool{b: true}
	for queue := []*body{b}; len(queue) > 0; queue = queue[1:] {
		visit(queue[0])
		for _, u := range queue[0].uses {
			if !seen[&u.def.body] {
				seen[&u.def.body] = true
				queue = append(queue, &u.def.body)
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

func key(name string, arity int) string { return name + "/" + strconv.Itoa(arity) }

// refused are functions and variables of gojq that programs cannot use, and
// what to do instead.
var refused = map[string]string{
	"$ENV":              "programs cannot read the environment",
	"env":               "programs cannot read the environment",
	"input":             "there is one input, '.'",
	"inputs":            "there is one input, '.'",
	"debug":             `use log("debug"; …) instead`,
	"stderr":            `use log("debug"; …) instead`,
	"halt":              `use error("…") to stop, or 'empty' to give nothing`,
	"halt_error":        `use error("…") instead`,
	"input_filename":    "a program has no input file",
	"input_line_number": "a program has no input file",
	"modulemeta":        "programs have no modules",
	"get_search_list":   "programs have no modules",
	"builtins":          "the functions are listed in the documentation",
}

// builtins are the functions that gojq brings, as "name/arity".
var builtins = sync.OnceValue(func() map[string]bool {
	query, err := gojq.Parse("builtins")
	if err != nil {
		panic(err)
	}
	set := make(map[string]bool)
	names, _ := query.Run(nil).Next()
	for _, name := range names.([]any) {
		set[name.(string)] = true
	}
	return set
})

// ours finds a function that this package adds to jq.
func ours(name string, arity int) target {
	if v := verbs[name]; v != nil && v.min <= arity && arity <= v.max {
		return target{kind: isVerb, verb: v}
	}
	if n := natives[key(name, arity)]; n != nil {
		return target{kind: isNative, native: n}
	}
	if d := prelude().defs[key(name, arity)]; d != nil {
		return target{kind: isDefinition, def: d}
	}
	return target{}
}

// reserved reports whether a name is one of ours, whatever its parameters.
func reserved(name string) bool {
	if verbs[name] != nil || prelude().names[name] {
		return true
	}
	_, ok := nativeNames()[name]
	return ok
}

// A resolver finds out what the names in one unit mean.
type resolver struct {
	unit    *unit
	errs    *mistakes
	body    *body // of the definition or program being read
	prelude bool  // the unit is the prelude, which may do more

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
	d := &definition{fd: fd, unit: r.unit, prelude: r.prelude}
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
		inner = inner.with(key(name, 0), target{kind: isParameter, single: single})
	}
	outer := r.body
	r.body = &d.body
	r.query(fd.Body, inner)
	r.body = outer
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
		r.body.uses = append(r.body.uses, use{d, r.unit.offsets[fd]})
	}
	r.term(q.Term, s)
	r.query(q.Left, s)
	r.query(q.Right, r.patterns(q.Patterns, s))
}

func (r *resolver) term(t *gojq.Term, s *scope) {
	if t == nil {
		return
	}
	if f := t.Func; f != nil {
		r.function(f, s)
	}
	inner := s
	if t.Label != nil {
		inner = s.with("label "+t.Label.Ident, target{})
	}
	for _, q := range parts(t) {
		r.query(q, inner)
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
		r.query(e.Update, r.patterns(e.Patterns, s))
	}
	if e := t.Foreach; e != nil {
		r.query(e.Query, s)
		r.query(e.Start, s)
		inner := r.patterns(e.Patterns, s)
		r.query(e.Update, inner)
		r.query(e.Extract, inner)
	}
	for _, suffix := range t.SuffixList {
		for _, q := range indexParts(suffix.Index) {
			r.query(q, s)
		}
	}
}

// patterns returns the scope that knows the variables of 'as' patterns.
func (r *resolver) patterns(patterns []*gojq.Pattern, s *scope) *scope {
	if len(patterns) > 1 {
		r.errs.at(r.unit.offsets[patterns[1]], "'?//' is not available, because it can run what follows twice: use if or //")
	}
	bind := func(name string, at int) {
		r.checkVariable(name, at)
		s = s.with(name, target{kind: isVariable})
	}
	for _, p := range patterns {
		if p.Name != "" {
			bind(p.Name, r.unit.offsets[p])
		}
		s = r.patterns1(p.Array, s)
		for _, o := range p.Object {
			for _, q := range append(stringParts(o.KeyString), o.KeyQuery) {
				r.query(q, s)
			}
			if strings.HasPrefix(o.Key, "$") {
				bind(o.Key, r.unit.offsets[o])
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
		s = r.patterns([]*gojq.Pattern{p}, s)
	}
	return s
}

// function resolves a call, a variable or a parameter.
func (r *resolver) function(f *gojq.Func, s *scope) {
	at := r.unit.offsets[f]
	if strings.HasPrefix(f.Name, "$") {
		r.variable(f.Name, at, s)
		r.unit.names[f] = target{kind: isVariable}
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
	switch t.kind {
	case isDefinition:
		r.body.uses = append(r.body.uses, use{t.def, at})
	case isVerb:
		c := t.verb.call(f, r.errs, at)
		r.unit.calls[f] = c
		r.body.calls = append(r.body.calls, c)
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
		if text := strconv.Itoa(line + max(r.unit.text.source.Line, 1) - 1); !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	if len(lines) > 0 {
		what += " (also on line " + strings.Join(lines, ", ") + ")"
	}
	r.errs.at(at[0], "%s", what)
}

// otherArity lists the forms in which a function exists.
func otherArity(name string) string {
	var forms []string
	for arity := range 8 {
		if builtins()[key(name, arity)] || ours(name, arity).kind != isUnknown {
			forms = append(forms, key(name, arity))
		}
	}
	return strings.Join(forms, ", ")
}

// regexps says which arguments of a regular expression function make up the
// pattern and its flags.
var regexps = map[string][]int{
	"test/1": {0}, "test/2": {0, 1}, "match/1": {0}, "match/2": {0, 1},
	"capture/1": {0}, "capture/2": {0, 1}, "scan/1": {0}, "scan/2": {0, 1},
	"split/2": {0, 1}, "splits/1": {0}, "splits/2": {0, 1},
	"sub/2": {0}, "sub/3": {0, 2}, "gsub/2": {0}, "gsub/3": {0, 2},
}

// checkRegexp refuses a regular expression that is not written out: gojq
// keeps each one that it meets for as long as the program lives.
func (r *resolver) checkRegexp(f *gojq.Func, at int) {
	for _, i := range regexps[key(f.Name, len(f.Args))] {
		if !constant(f.Args[i]) {
			r.errs.at(at, "the pattern and flags of '%s' must be written out as strings: "+
				"for a text that is computed use contains, startswith, endswith, index or split/1", f.Name)
			return
		}
	}
}

// constant reports whether a query is a literal string, null, or an array of
// such.
func constant(q *gojq.Query) bool {
	switch t := q.Term; {
	case q.Op == gojq.OpComma:
		return constant(q.Left) && constant(q.Right)
	case t == nil || len(q.FuncDefs) > 0 || len(t.SuffixList) > 0:
		return false
	case t.Type == gojq.TermTypeArray:
		return t.Array.Query != nil && constant(t.Array.Query)
	case t.Type == gojq.TermTypeQuery:
		return constant(t.Query)
	default:
		return t.Type == gojq.TermTypeNull || t.Type == gojq.TermTypeString && t.Str.Queries == nil
	}
}
