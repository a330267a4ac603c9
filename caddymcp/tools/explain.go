package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxProblems is how many wrong fields one message names.
const maxProblems = 20

// A problem is one field that is wrong.
type problem struct {
	rank int    // where its argument stands in the declaration
	path string // as a person writes it
	text string
}

// explain says in one line what is wrong with the arguments.
func (a *arguments) explain(invalid *jsonschema.ValidationError, args map[string]any) string {
	var problems []problem
	for _, leaf := range leaves(invalid, nil) {
		problems = append(problems, a.problems(leaf, args)...)
	}
	slices.SortFunc(problems, func(x, y problem) int {
		if x.rank != y.rank {
			return x.rank - y.rank
		}
		if d := strings.Compare(x.path, y.path); d != 0 {
			return d
		}
		return strings.Compare(x.text, y.text)
	})
	problems = slices.Compact(problems)
	var lines []string
	for i, p := range problems {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("and %d more", len(problems)-i))
			break
		}
		if p.path == "" {
			lines = append(lines, p.text)
		} else {
			lines = append(lines, p.path+": "+p.text)
		}
	}
	return strings.Join(lines, "; ")
}

// problems turns one validation error into what a model can act on.
func (a *arguments) problems(e *jsonschema.ValidationError, args map[string]any) []problem {
	path, value := locate(args, e.InstanceLocation)
	var found []problem
	add := func(path, text string) { found = append(found, problem{a.rank(path), path, text}) }
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			add(join(path, name), "is required")
		}
	case *kind.AdditionalProperties:
		known := a.names
		what := "argument"
		if path != "" {
			known, what = a.shape.at(e.InstanceLocation), "field"
		}
		for i, name := range slices.Sorted(slices.Values(k.Properties)) {
			text := "unknown " + what
			if i < maxProblems {
				text += nearest(name, known)
			}
			if i == 0 {
				text += listOf(known, what)
			}
			add(join(path, shorten(name)), text)
			found[i].rank = len(a.names)
		}
	default:
		text, showValue := expected(e)
		if showValue {
			text += " (got " + shorten(string(encodeJSON(value))) + ")"
		}
		add(path, text)
	}
	return found
}

// rank is the position of the argument that a path leads into.
func (a *arguments) rank(path string) int {
	name := path
	if i := strings.IndexAny(path, ".["); i >= 0 && !slices.Contains(a.names, path) {
		name = path[:i]
	}
	if i := slices.Index(a.names, name); i >= 0 {
		return i
	}
	return len(a.names)
}

// leaves are the errors that say something of their own. Of alternatives, the
// one that the value was meant to fit is followed, if it can be told.
func leaves(e *jsonschema.ValidationError, out []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.Contains, *kind.PropertyNames:
		return append(out, e)
	case *kind.AnyOf, *kind.OneOf:
		var meant []*jsonschema.ValidationError
		for _, cause := range e.Causes {
			first := cause
			for len(first.Causes) == 1 {
				first = first.Causes[0]
			}
			_, wrongType := first.ErrorKind.(*kind.Type)
			if !wrongType || len(first.InstanceLocation) > len(e.InstanceLocation) {
				meant = append(meant, cause)
			}
		}
		if len(meant) == 1 {
			return leaves(meant[0], out)
		}
		return append(out, e)
	}
	if len(e.Causes) == 0 {
		return append(out, e)
	}
	for _, cause := range e.Causes {
		out = leaves(cause, out)
	}
	return out
}

// locate follows a location into the arguments.
func locate(v any, location []string) (path string, value any) {
	for _, step := range location {
		switch container := v.(type) {
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(container) {
				return path, nil
			}
			path, v = path+"["+step+"]", container[i]
		case map[string]any:
			path, v = join(path, shorten(step)), container[step]
		}
	}
	return path, v
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// nearest names what was probably meant by an unknown name, if that can be
// told. A name of one or two letters is near to too many.
func nearest(name string, known []string) string {
	if utf8.RuneCountInString(name) < 3 || len(name) > quotable {
		return ""
	}
	best, least := "", len(name)/3+2
	for _, candidate := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean '%s'?", best)
}

// listOf says which names there are.
func listOf(known []string, what string) string {
	if len(known) == 0 {
		return fmt.Sprintf(" (there are no %ss)", what)
	}
	shown := known[:min(len(known), 4*maxProblems)]
	text := fmt.Sprintf(" (the %ss are %s", what, strings.Join(shown, ", "))
	if more := len(known) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ")"
}
