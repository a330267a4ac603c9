package pantry

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Named things are found by what people call them.
type named interface {
	// names are the name and then the aliases.
	names() []string
}

// A mismatch says why a name does not lead to one thing.
type mismatch struct {
	status  int
	message string
	matches []string // names that would do
}

// failure reports a mismatch as the whole reply.
func (m *mismatch) failure() error {
	return &failure{m.status, map[string]any{"detail": m.message, "matches": m.matches}}
}

// maxMatches bounds how many names a refusal lists.
const maxMatches = 5

// find returns the one thing that is called name, without regard to case. A
// name goes before an alias. Kind is what such a thing is called, for the
// message of a mismatch.
func find[T named](all []T, kind, name string) (found T, miss *mismatch) {
	wanted := fold(name)
	var aliased []T
	for _, t := range all {
		names := t.names()
		if fold(names[0]) == wanted {
			return t, nil
		}
		if slices.ContainsFunc(names[1:], func(alias string) bool { return fold(alias) == wanted }) {
			aliased = append(aliased, t)
		}
	}
	switch len(aliased) {
	case 0:
		return found, unknown(all, kind, name)
	case 1:
		return aliased[0], nil
	}
	var matches []string
	for _, t := range aliased {
		matches = append(matches, t.names()[0])
	}
	return found, &mismatch{
		status:  http.StatusBadRequest,
		message: fmt.Sprintf("'%s' could be %s: say which.", name, strings.Join(matches, " or ")),
		matches: matches,
	}
}

// unknown is the mismatch of a name that nothing has. It lists the closest
// ones, best first.
func unknown[T named](all []T, kind, name string) *mismatch {
	type candidate struct {
		name  string
		score float64
	}
	var near []candidate
	for _, t := range all {
		best := 0.0
		for _, n := range t.names() {
			best = max(best, similarity(fold(name), fold(n)))
		}
		if best >= 0.4 {
			near = append(near, candidate{t.names()[0], best})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })

	m := &mismatch{
		status:  http.StatusNotFound,
		message: fmt.Sprintf("No %s is called '%s'.", kind, name),
		matches: []string{},
	}
	for _, c := range near[:min(len(near), maxMatches)] {
		m.matches = append(m.matches, c.name)
	}
	if len(m.matches) > 0 {
		m.message += " Close matches: " + strings.Join(m.matches, ", ") + "."
	}
	return m
}

// fold makes names comparable: lower case, single spaces.
func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// similarity is the share of letter pairs that two folded names have in
// common (Dice's coefficient), between 0 and 1.
func similarity(a, b string) float64 {
	common, total := 0, 0
	pairs := map[string]int{}
	for p := range letterPairs(a) {
		pairs[p]++
		total++
	}
	for p := range letterPairs(b) {
		total++
		if pairs[p] > 0 {
			pairs[p]--
			common++
		}
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(common) / float64(total)
}

// letterPairs yields the neighbouring letters of each word.
func letterPairs(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsSeq(s) {
			letters := []rune(word)
			for i := range len(letters) - 1 {
				if !yield(string(letters[i : i+2])) {
					return
				}
			}
		}
	}
}
