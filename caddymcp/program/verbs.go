package program

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// stateVariable holds the state of the run, for functions that need it. It is
// a variable because compiled jq is shared by all runs.
const stateVariable = "$__call"

// argsVariable holds the arguments of the call.
const argsVariable = "$args"

// variables are those that programs are given.
var variables = []string{argsVariable, "$caller", "$tool", stateVariable}

// A verb is a function that makes requests.
type verb struct {
	name     string
	method   string // of the short forms
	min, max int    // number of arguments
	native   string // what it is compiled to
}

// verbs are the functions that make requests.
var verbs = func() map[string]*verb {
	set := make(map[string]*verb)
	for name, v := range map[string]verb{
		"get":       {method: http.MethodGet, min: 1, max: 3, native: "_send"},
		"head":      {method: http.MethodHead, min: 1, max: 3, native: "_send"},
		"delete":    {method: http.MethodDelete, min: 1, max: 3, native: "_send"},
		"post":      {method: http.MethodPost, min: 1, max: 3, native: "_send"},
		"put":       {method: http.MethodPut, min: 1, max: 3, native: "_send"},
		"patch":     {method: http.MethodPatch, min: 1, max: 3, native: "_send"},
		"request":   {min: 1, max: 1, native: "_request"},
		"response":  {min: 1, max: 1, native: "_response"},
		"follow":    {min: 1, max: 1, native: "_follow"},
		"fetch_all": {min: 2, max: 3, native: "_fetch_all"},
		"get_all":   {min: 2, max: 3, native: "_get_all"},
	} {
		v.name = name
		set[name] = &v
	}
	return set
}()

// methods are those a request can have.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// isWrite reports whether a method can change something.
func isWrite(method string) bool {
	return method != http.MethodGet && method != http.MethodHead
}

// A call is a use of a verb in a text.
type call struct {
	verb    *verb
	effects []Effect
	writes  bool

	// literal means that the path is written out in the text, each value
	// in it an encoded segment.
	literal bool
}

// call reads the arguments of a verb: it checks the path and notes what the
// text says about the request.
func (v *verb) call(f *gojq.Func, r *resolver, at int) *call {
	c, errs := &call{verb: v}, r.errs
	switch v.native {
	case "_send":
		e := Effect{Method: v.method}
		e.Path, c.literal = r.readPath(f.Args[0], at)
		if len(f.Args) == 3 {
			if options, ok := literalObject(f.Args[2]); ok {
				checkMembers(options, optionNames, errs, at)
				e.Upstream = literalString(options["upstream"])
			}
		}
		c.effects = []Effect{e}
		c.writes = isWrite(v.method)
	case "_request", "_response":
		e, _ := c.readRequest(f.Args[0], r, at)
		if e.Method != "" && !slices.Contains(methods, e.Method) {
			errs.at(at, "the method of a request is one of %s, not '%s'", strings.Join(methods, ", "), e.Method)
		}
		c.effects = []Effect{e}
		c.writes = isWrite(e.Method)
	case "_follow":
		c.effects = []Effect{{Method: http.MethodGet}}
	case "_get_all":
		e := Effect{Method: http.MethodGet}
		e.Path, c.literal = r.readPath(f.Args[0], at)
		c.effects = []Effect{e}
	case "_fetch_all":
		e, members := c.readRequest(f.Args[0], r, at)
		switch {
		case e.Method != "" && isWrite(e.Method):
			errs.at(at, "fetch_all only reads: its method is GET or HEAD, not '%s'", e.Method)
		case e.Method == "" && members != nil && members["method"] == nil:
			e.Method = http.MethodGet
		}
		c.effects = []Effect{e}
		if e.Method == "" {
			head := e
			c.effects[0].Method, head.Method = http.MethodGet, http.MethodHead
			c.effects = append(c.effects, head)
		}
	}
	return c
}

// readRequest reads the object that describes a request, as far as it is
// written out. The members are nil if it is not.
func (c *call) readRequest(q *gojq.Query, r *resolver, at int) (e Effect, members map[string]*gojq.Query) {
	members, ok := literalObject(q)
	if !ok {
		return e, nil
	}
	checkMembers(members, memberNames, r.errs, at)
	e.Method = strings.ToUpper(literalString(members["method"]))
	e.Upstream = literalString(members["upstream"])
	if path := members["path"]; path != nil {
		e.Path, c.literal = r.readPath(path, at)
	}
	return e, members
}

// checkMembers refuses options that there are not, in an object written out.
func checkMembers(object map[string]*gojq.Query, known []string, errs *mistakes, at int) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, name) {
			errs.at(at, "%v", unknownMember(name, known))
		}
	}
}

// rewrite turns the functions of this package in a unit into calls of Go
// functions. It is done once the unit has been checked.
func (u *unit) rewrite() {
	for f, t := range u.names {
		switch t.kind {
		case isVerb:
			u.calls[f].rewrite(f)
		case isNative:
			f.Name = "_" + f.Name
			if t.native.state {
				f.Args = append([]*gojq.Query{variable(stateVariable)}, f.Args...)
			}
		}
	}
}

func (c *call) rewrite(f *gojq.Func) {
	args := []*gojq.Query{variable(stateVariable)}
	switch v := c.verb; v.native {
	case "_send":
		c.encodePath(f.Args[0])
		args = append(args, stringQuery(v.method), boolQuery(c.literal))
		args = append(args, f.Args...)
		for len(args) < 6 {
			args = append(args, nullQuery())
		}
	case "_request", "_response":
		c.encodePath(f.Args[0])
		args = append(args, boolQuery(c.literal), f.Args[0])
	case "_get_all", "_fetch_all":
		c.encodePath(f.Args[0])
		args = append(args, boolQuery(c.literal), eachQuery(f.Args[0]))
		args = append(args, f.Args[1:]...)
		if len(f.Args) == 2 {
			args = append(args, nullQuery())
		}
	default:
		args = append(args, f.Args...)
	}
	f.Name, f.Args = c.verb.native, args
}

// encodePath makes each value in a path literal an encoded segment. The query
// is the path, or the object of a request with it.
func (c *call) encodePath(q *gojq.Query) {
	if !c.literal {
		return
	}
	if members, ok := literalObject(q); ok {
		q = members["path"]
	}
	encodeParts(q)
}

// literalObject returns the members of an object whose keys are all written
// out, each once.
func literalObject(q *gojq.Query) (map[string]*gojq.Query, bool) {
	t := onlyTerm(q)
	if t == nil || t.Type != gojq.TermTypeObject {
		return nil, false
	}
	members := make(map[string]*gojq.Query)
	for _, kv := range t.Object.KeyVals {
		name, ok := memberName(kv)
		if _, twice := members[name]; !ok || twice {
			return nil, false
		}
		if members[name] = kv.Val; kv.Val == nil {
			members[name] = &gojq.Query{} // {path} or {$path}: a value, not a literal
		}
	}
	return members, true
}

// memberName returns the key of an object's member if it is written out.
func memberName(kv *gojq.ObjectKeyVal) (string, bool) {
	if kv.Key != "" {
		return strings.TrimPrefix(kv.Key, "$"), !strings.HasPrefix(kv.Key, "$") || kv.Val == nil
	}
	if kv.KeyString != nil && kv.KeyString.Queries == nil {
		return kv.KeyString.Str, true
	}
	return "", false
}

// literalString returns the string that q writes out, or "".
func literalString(q *gojq.Query) string {
	if t := onlyTerm(q); t != nil && t.Type == gojq.TermTypeString && t.Str.Queries == nil {
		return t.Str.Str
	}
	return ""
}

// onlyTerm returns the term that q is, without parentheses, or nil if q is
// more than a term.
func onlyTerm(q *gojq.Query) *gojq.Term {
	for q != nil && len(q.FuncDefs) == 0 && q.Term != nil && len(q.Term.SuffixList) == 0 {
		if q.Term.Type != gojq.TermTypeQuery {
			return q.Term
		}
		q = q.Term.Query
	}
	return nil
}

func variable(name string) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name}}}
}

func stringQuery(s string) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeString, Str: &gojq.String{Str: s}}}
}

func boolQuery(b bool) *gojq.Query {
	if b {
		return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeTrue}}
	}
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFalse}}
}

// eachQuery is [.[] | q].
func eachQuery(q *gojq.Query) *gojq.Query {
	each := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity, SuffixList: []*gojq.Suffix{{Iter: true}}}}
	list := &gojq.Query{Left: each, Op: gojq.OpPipe, Right: q}
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeArray, Array: &gojq.Array{Query: list}}}
}

func nullQuery() *gojq.Query { return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeNull}} }
