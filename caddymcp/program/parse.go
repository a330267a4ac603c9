package program

import (
	"errors"
	"strings"

	"github.com/itchyny/gojq"
)

// A unit is one parsed text: a program or one source of a library.
type unit struct {
	text  *text
	query *gojq.Query

	// offsets says where names stand: the keys are *gojq.Func,
	// *gojq.FuncDef, *gojq.Pattern, *gojq.PatternObject, *gojq.ObjectKeyVal
	// and, for labels and breaks, *gojq.Term.
	offsets map[any]int

	// names says what each function and variable means.
	names map[*gojq.Func]target

	// arguments are the members of $args that the text names.
	arguments []Argument

	// calls are the requests.
	calls map[*gojq.Func]*call
}

// parse parses a scanned text.
func parse(t *text) (*unit, error) {
	errs := &mistakes{text: t}
	if i := strings.IndexByte(t.source.Text, 0); i >= 0 {
		errs.at(i, "a NUL character: remove it")
		return nil, errs.err()
	}
	query, err := gojq.Parse(t.out.String())
	if err != nil {
		t.syntaxError(errs, err)
		return nil, errs.err()
	}
	if query.Meta != nil || len(query.Imports) > 0 {
		errs.at(0, "'module', 'import' and 'include' are not available: put shared definitions into a jq library")
		return nil, errs.err()
	}
	u := &unit{
		text:    t,
		query:   query,
		offsets: make(map[any]int),
		names:   make(map[*gojq.Func]target),
		calls:   make(map[*gojq.Func]*call),
	}
	u.unmark()
	return u, nil
}

// syntaxError reports a syntax error where the offending token begins. gojq
// points behind it.
func (t *text) syntaxError(errs *mistakes, err error) {
	var e *gojq.ParseError
	if !errors.As(err, &e) {
		errs.at(0, "%v", err)
		return
	}
	if t.unterminated >= 0 && e.Offset >= t.out.Len() {
		errs.at(t.unterminated, "this string never ends: close it with \"")
		return
	}
	start := e.Offset - len(e.Token)
	if start < 0 || t.out.String()[start:e.Offset] != e.Token {
		start = max(0, e.Offset-1)
	}
	token, _ := t.unmark(e.Token)
	at := t.offset(start)
	switch {
	case e.Token == "" && len(t.open) > 0:
		last := t.open[len(t.open)-1]
		line, _ := t.position(last)
		errs.at(at, "the text ends too early: the '%c' on line %d is not closed", t.source.Text[last], line)
	case e.Token == "":
		errs.at(at, "the text ends too early")
	case token == "'":
		errs.at(at, "unexpected ': jq writes strings in double quotes")
	case strings.HasPrefix(e.Error(), "invalid escape"):
		errs.at(at, "invalid escape '%s' in a string: write '\\\\' for a backslash", token)
	default:
		errs.at(at, "unexpected '%s'", token)
	}
}

// unmark gives the names in the syntax tree back their own form, and notes
// where they stand.
func (u *unit) unmark() {
	walk(u.query, func(node any) {
		switch n := node.(type) {
		case *gojq.FuncDef:
			n.Name, u.offsets[n] = u.text.unmark(n.Name)
			for i := range n.Args {
				n.Args[i], _ = u.text.unmark(n.Args[i])
			}
		case *gojq.Term:
			switch {
			case n.Func != nil:
				n.Func.Name, u.offsets[n.Func] = u.text.unmark(n.Func.Name)
			case n.Label != nil:
				n.Label.Ident, u.offsets[n] = u.text.unmark(n.Label.Ident)
			case n.Break != "":
				n.Break, u.offsets[n] = u.text.unmark(n.Break)
			}
		case *gojq.Pattern:
			n.Name, u.offsets[n] = u.text.unmark(n.Name)
		case *gojq.PatternObject:
			n.Key, u.offsets[n] = u.text.unmark(n.Key)
		case *gojq.ObjectKeyVal:
			n.Key, u.offsets[n] = u.text.unmark(n.Key)
		}
	})
}

// walk visits the nodes of a query in the order of the text: *gojq.FuncDef,
// *gojq.Query, *gojq.Term, *gojq.Pattern, *gojq.PatternObject and
// *gojq.ObjectKeyVal, each before what it holds.
func walk(q *gojq.Query, visit func(any)) {
	if q == nil {
		return
	}
	visit(q)
	for _, fd := range q.FuncDefs {
		visit(fd)
		walk(fd.Body, visit)
	}
	walkTerm(q.Term, visit)
	walk(q.Left, visit)
	walkPatterns(q.Patterns, visit)
	walk(q.Right, visit)
}

func walkTerm(t *gojq.Term, visit func(any)) {
	if t == nil {
		return
	}
	visit(t)
	for _, q := range parts(t) {
		walk(q, visit)
	}
	if t.Object != nil {
		for _, kv := range t.Object.KeyVals {
			visit(kv)
			for _, q := range memberParts(kv) {
				walk(q, visit)
			}
		}
	}
	if t.Unary != nil {
		walkTerm(t.Unary.Term, visit)
	}
	if r := t.Reduce; r != nil {
		walk(r.Query, visit)
		walkPatterns(r.Patterns, visit)
		walk(r.Start, visit)
		walk(r.Update, visit)
	}
	if f := t.Foreach; f != nil {
		walk(f.Query, visit)
		walkPatterns(f.Patterns, visit)
		walk(f.Start, visit)
		walk(f.Update, visit)
		walk(f.Extract, visit)
	}
	for _, s := range t.SuffixList {
		for _, q := range indexParts(s.Index) {
			walk(q, visit)
		}
	}
}

func walkPatterns(patterns []*gojq.Pattern, visit func(any)) {
	for _, p := range patterns {
		visit(p)
		walkPatterns(p.Array, visit)
		for _, o := range p.Object {
			visit(o)
			for _, q := range stringParts(o.KeyString) {
				walk(q, visit)
			}
			walk(o.KeyQuery, visit)
			if o.Val != nil {
				walkPatterns([]*gojq.Pattern{o.Val}, visit)
			}
		}
	}
}

// parts returns the queries directly inside a term, except those of objects,
// unary operators, reduce, foreach and suffixes.
func parts(t *gojq.Term) []*gojq.Query {
	list := append(indexParts(t.Index), stringParts(t.Str)...)
	if t.Func != nil {
		list = append(list, t.Func.Args...)
	}
	if t.Array != nil {
		list = append(list, t.Array.Query)
	}
	if i := t.If; i != nil {
		list = append(list, i.Cond, i.Then)
		for _, e := range i.Elif {
			list = append(list, e.Cond, e.Then)
		}
		list = append(list, i.Else)
	}
	if t.Try != nil {
		list = append(list, t.Try.Body, t.Try.Catch)
	}
	if t.Label != nil {
		list = append(list, t.Label.Body)
	}
	return append(list, t.Query)
}

// memberParts returns the queries of an object's member: of its key, then of
// its value.
func memberParts(kv *gojq.ObjectKeyVal) []*gojq.Query {
	return append(stringParts(kv.KeyString), kv.KeyQuery, kv.Val)
}

func indexParts(i *gojq.Index) []*gojq.Query {
	if i == nil {
		return nil
	}
	return append(stringParts(i.Str), i.Start, i.End)
}

func stringParts(s *gojq.String) []*gojq.Query {
	if s == nil {
		return nil
	}
	return append([]*gojq.Query(nil), s.Queries...)
}
