package program

import (
	"strings"

	"github.com/itchyny/gojq"
)

// jq runs the right side of '+' before the left, an argument that has several
// values once for each, and stops early in first and all. For reading that
// does no harm. A call that can write may therefore stand only where it is
// plain that it runs once and in order; a rule finds the others.
//
// Allowed are the stages of a pipe, what 'as' binds, the members of arrays and
// objects, the branches of if and //, the update of reduce and foreach, the
// filters of map, attempt, rescue and annotate, and $-parameters.
type rule struct {
	unit *unit
	errs *mistakes
	many *many
}

// stages says which filters of our own functions are run once and in order.
var stages = map[string][]bool{
	"attempt/1":  {true},
	"rescue/3":   {true, false, true},
	"annotate/2": {true, false},
}

// checkEffects checks a unit.
func checkEffects(u *unit, errs *mistakes) {
	c := &rule{unit: u, errs: errs, many: newMany()}
	c.query(u.query, false)
}

// query checks a query that stands where a write may stand. In an array, it
// may give several values.
func (c *rule) query(q *gojq.Query, inArray bool) {
	if q == nil {
		return
	}
	for _, fd := range q.FuncDefs {
		c.query(fd.Body, false)
	}
	if q.Term != nil {
		c.term(q.Term, inArray)
		return
	}
	switch q.Op {
	case 0:
	case gojq.OpPipe:
		c.query(q.Left, false)
		c.patterns(q.Patterns)
		c.query(q.Right, inArray)
	case gojq.OpAlt:
		c.query(q.Left, false)
		c.query(q.Right, inArray)
	case gojq.OpComma:
		if inArray {
			c.query(q.Left, true)
			c.query(q.Right, true)
			return
		}
		c.refuse(q, "beside a comma, which gives several values: put them in [ ]")
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub,
		gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
		c.refuse(q, "in an update with '"+q.Op.String()+"': "+bindFirst)
	default:
		c.refuse(q, "beside '"+q.Op.String()+"', whose sides jq runs in an order of its own: "+bindFirst)
	}
}

// bindFirst is the remedy for nearly everything.
const bindFirst = "bind it with '… as $x |' first"

// term checks a term that stands where a write may stand.
func (c *rule) term(t *gojq.Term, inArray bool) {
	core := *t
	core.SuffixList = nil
	for _, s := range t.SuffixList {
		if s.Optional {
			c.refuseTerm(t, "under '?', which hides its failure: use attempt")
			return
		}
		for _, q := range indexParts(s.Index) {
			c.refuse(q, "in [ ]: "+bindFirst)
			if c.several(q) {
				c.refuseTerm(&core, "before an index that can have several values: "+bindFirst)
			}
		}
	}
	switch t.Type {
	case gojq.TermTypeFunc:
		c.call(t.Func)
	case gojq.TermTypeObject:
		c.object(t.Object)
	case gojq.TermTypeArray:
		c.query(t.Array.Query, true)
	case gojq.TermTypeQuery:
		c.query(t.Query, inArray)
	case gojq.TermTypeIf:
		c.branches(t.If, inArray)
	case gojq.TermTypeReduce:
		c.refuse(t.Reduce.Query, "in the source of reduce: "+bindFirst)
		c.patterns(t.Reduce.Patterns)
		c.update(t.Reduce.Start, t.Reduce.Update, "reduce")
	case gojq.TermTypeForeach:
		c.refuse(t.Foreach.Query, "in the source of foreach: "+bindFirst)
		c.patterns(t.Foreach.Patterns)
		c.update(t.Foreach.Start, t.Foreach.Update, "foreach")
		c.refuse(t.Foreach.Extract, "in what foreach gives: move it into the update")
	case gojq.TermTypeTry:
		c.refuseTerm(&core, "under try: use attempt, rescue or annotate")
	case gojq.TermTypeLabel:
		c.refuseTerm(&core, "under label, where break can skip it: use reduce")
	case gojq.TermTypeString, gojq.TermTypeFormat:
		c.refuseTerm(&core, "inside a string: "+bindFirst)
	default:
		c.refuseTerm(&core, "here: "+bindFirst)
	}
}

// branches checks an if. A condition with several values makes the branches
// run several times.
func (c *rule) branches(e *gojq.If, inArray bool) {
	conditions, results := []*gojq.Query{e.Cond}, []*gojq.Query{e.Then}
	for _, elif := range e.Elif {
		conditions, results = append(conditions, elif.Cond), append(results, elif.Then)
	}
	several := false
	for _, q := range conditions {
		c.refuse(q, "in the condition of if: "+bindFirst)
		several = several || c.several(q)
	}
	for _, q := range append(results, e.Else) {
		if several {
			c.refuse(q, "after a condition that can have several values, so that it would run several times: "+bindFirst)
		} else {
			c.query(q, inArray)
		}
	}
}

// update checks the start value and the update of reduce and foreach.
func (c *rule) update(start, q *gojq.Query, of string) {
	c.refuse(start, "in the start value of "+of+": "+bindFirst)
	if c.several(start) {
		c.refuse(q, "in "+of+" with several start values, so that it would run several times: "+bindFirst)
		return
	}
	c.query(q, false)
	if c.several(q) {
		c.refuse(q, "in an update of "+of+" that can give several values: put them in [ ]")
	}
}

// object checks the members in their order: one that gives several values
// makes all that follow run several times.
func (c *rule) object(o *gojq.Object) {
	several := false
	for _, kv := range o.KeyVals {
		keys := append(stringParts(kv.KeyString), kv.KeyQuery)
		for _, q := range keys {
			c.refuse(q, "in the key of an object: "+bindFirst)
			several = several || c.several(q)
		}
		if several {
			c.refuse(kv.Val, "after a member that can have several values, so that it would run several times: "+bindFirst)
			continue
		}
		c.query(kv.Val, false)
		several = c.several(kv.Val)
	}
}

func (c *rule) patterns(list []*gojq.Pattern) {
	walkPatterns(list, func(node any) {
		if o, ok := node.(*gojq.PatternObject); ok {
			for _, q := range append(stringParts(o.KeyString), o.KeyQuery) {
				c.refuse(q, "in a pattern: "+bindFirst)
			}
		}
	})
}

// call checks a function call and its arguments.
func (c *rule) call(f *gojq.Func) {
	t := c.unit.names[f]
	switch {
	case t.kind == isVerb:
		for _, q := range f.Args {
			c.refuse(q, "in the arguments of a request: "+bindFirst)
			c.refuseSeveral(f, q)
		}
	case t.kind == isBuiltin && key(f.Name, len(f.Args)) == "map/1":
		c.query(f.Args[0], true)
	case t.kind == isDefinition && t.def.prelude && stages[key(f.Name, len(f.Args))] != nil:
		several := false // of the arguments that decide
		for i, once := range stages[key(f.Name, len(f.Args))] {
			switch {
			case !once:
				c.refuse(f.Args[i], "in this argument of "+f.Name+": "+bindFirst)
				several = c.several(f.Args[i])
			case several:
				c.refuse(f.Args[i], "after a condition that can have several values, so that it would run several times: "+bindFirst)
			default:
				c.query(f.Args[i], false)
			}
		}
	case t.kind == isDefinition:
		c.definition(f, t.def)
	default:
		for _, q := range f.Args {
			c.refuse(q, "in an argument of "+f.Name+": "+bindFirst)
		}
	}
}

// definition checks a call of a definition. $-parameters are run once, left
// to right, unless one of them has several values.
func (c *rule) definition(f *gojq.Func, def *definition) {
	several := false
	for i, q := range f.Args {
		if !strings.HasPrefix(def.fd.Args[i], "$") {
			c.refuse(q, "in an argument of "+f.Name+", which jq runs wherever the definition uses it: "+bindFirst+
				" or make it a $-parameter")
			continue
		}
		if several {
			c.refuse(q, "after an argument that can have several values, so that it would run several times: "+bindFirst)
		} else {
			c.query(q, false)
		}
		c.refuseSeveral(f, q)
		several = several || c.several(q)
	}
}

// refuseSeveral refuses an argument that makes a write run several times.
func (c *rule) refuseSeveral(f *gojq.Func, arg *gojq.Query) {
	if c.writes(f) && c.several(arg) {
		c.errs.at(c.unit.offsets[f], "an argument of '%s' can have several values, and it would run once for each: %s", f.Name, bindFirst)
	}
}

// several reports whether a query can give several values.
func (c *rule) several(q *gojq.Query) bool { return c.many.in(c.unit, q, nil) }

// writes reports whether a call can write by itself.
func (c *rule) writes(f *gojq.Func) bool {
	t := c.unit.names[f]
	return t.kind == isVerb && c.unit.calls[f].writes || t.kind == isDefinition && t.def.writes()
}

// refuse reports the first write in a query. The definitions before it have
// been checked by themselves.
func (c *rule) refuse(q *gojq.Query, where string) {
	if q == nil {
		return
	}
	rest := *q
	rest.FuncDefs = nil
	found := false
	walk(&rest, func(node any) {
		if t, ok := node.(*gojq.Term); ok && t.Func != nil && !found && c.writes(t.Func) {
			found = true
			c.errs.at(c.unit.offsets[t.Func], "'%s' can write, and cannot stand %s", t.Func.Name, where)
		}
	})
}

func (c *rule) refuseTerm(t *gojq.Term, where string) {
	c.refuse(&gojq.Query{Term: t}, where)
}
