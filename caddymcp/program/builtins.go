package program

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

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
	return verbs[name] != nil || nativeNames()[name] || prelude().names[name]
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

// checkRegexp refuses a regular expression that is not written out, because
// gojq keeps each one that it meets for as long as the program lives, and one
// that is wrong.
func (r *resolver) checkRegexp(f *gojq.Func, at int) {
	for _, i := range regexps[key(f.Name, len(f.Args))] {
		if !constant(f.Args[i]) {
			r.errs.at(at, "the pattern and flags of '%s' must be written out as strings: "+
				"for a text that is computed use contains, startswith, endswith, index or split/1", f.Name)
			return
		}
		if i == 0 {
			if _, err := regexp.Compile(literalString(f.Args[0])); err != nil {
				r.errs.at(at, "%v", err)
			}
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
