package program

import (
	"regexp"
	"slices"

	"github.com/itchyny/gojq"
)

// An Argument is a place where the text of a program names an argument, as in
// $args.title or $args["title"].
type Argument struct {
	// Name is the name of the argument.
	Name string

	// File, Line and Column are as in [LoadError].
	File         string
	Line, Column int
}

// Arguments are the arguments that the program's own text names, in the order
// of the text. What definitions of a library name is not among them.
func (p *Program) Arguments() []Argument { return slices.Clone(p.arguments) }

// argument notes an argument that a term names.
func (r *resolver) argument(t *gojq.Term, s *scope) {
	if _, own := s.find(argsVariable); t.Func.Name != argsVariable || own || len(t.SuffixList) == 0 {
		return
	}
	if name := indexName(t.SuffixList[0].Index); name != "" {
		line, column := r.unit.text.position(r.unit.offsets[t.Func])
		r.unit.arguments = append(r.unit.arguments, Argument{name, r.unit.text.source.File, line, column})
	}
}

// indexName is the name that an index writes out, as .title, ."title" or
// ["title"], or empty.
func indexName(i *gojq.Index) string {
	switch {
	case i == nil || i.IsSlice:
		return ""
	case i.Name != "":
		return i.Name
	case i.Str != nil && i.Str.Queries == nil:
		return i.Str.Str
	}
	return literalString(i.Start)
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ArgumentText is how a program writes an argument: $args.title, or
// $args["page-size"] if the name is not an identifier of jq.
func ArgumentText(name string) string {
	if identifier.MatchString(name) {
		return argsVariable + "." + name
	}
	return argsVariable + `["` + name + `"]`
}
