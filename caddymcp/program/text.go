package program

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/google/uuid"
	"github.com/itchyny/gojq"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes texts equal that differ only in case (Unicode case folding) or
// in how their accents are encoded (NFC).
func fold(s string) string { return norm.NFC.String(cases.Fold().String(s)) }

func casefold(_ *run, in any, _ []any) any {
	s, ok := in.(string)
	if !ok {
		return misuse("casefold: the input is not a string")
	}
	return fold(s)
}

// slug makes a text fit for a URL: letters without accents (NFKD), lower
// case, and one hyphen for everything that is neither a-z nor 0-9.
func slug(_ *run, in any, _ []any) any {
	s, ok := in.(string)
	if !ok {
		return misuse("slug: the input is not a string")
	}
	var b strings.Builder
	gap := false
	for _, c := range norm.NFKD.String(cases.Fold().String(s)) {
		switch {
		case unicode.Is(unicode.Mn, c):
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(c)
		default:
			gap = true
		}
	}
	return b.String()
}

// quoted puts a text, a number, a boolean or null in single quotes. An array
// or object is a mistake: quoted is for sentences, and a sentence that holds
// rows of the API shows the model what nobody chose.
func quoted(_ *run, in any, _ []any) any {
	if !isScalar(in) {
		return misuse("quoted: the input is an array or an object")
	}
	text, err := asText(in)
	if err != nil {
		return err
	}
	return "'" + text + "'"
}

func isScalar(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return false
	}
	return true
}

// newUUID is a random UUID (RFC 9562, version 4).
func newUUID(*run, any, []any) any {
	id, err := uuid.NewRandom()
	if err != nil {
		return misuse("uuid: %w", err)
	}
	return id.String()
}

// longestName bounds the texts that closest compares, in characters.
const longestName = 200

// closest(names; n) gives at most n of the names that are like the input, the
// nearest first: those that hold it or are held by it, and those that a few
// changed characters make equal to it. Case is ignored. Nothing but itself is
// like an input of one or two letters.
func closest(r *run, in any, args []any) any {
	asked, ok := in.(string)
	if !ok {
		return misuse("closest: the input is not a string")
	}
	names, ok := args[0].([]any)
	if !ok {
		return misuse("closest: the first argument is not an array of names")
	}
	n, ok := gojq.ToInt(args[1])
	if !ok {
		return misuse("closest: the second argument is not a number")
	}
	type match struct {
		name     string
		distance int
	}
	var matches []match
	folded := fold(asked)
	length := utf8.RuneCountInString(folded)
	for _, v := range names {
		name, ok := v.(string)
		if !ok {
			return misuse("closest: the first argument is not an array of names")
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		other := fold(name)
		if length == 0 || length > longestName || utf8.RuneCountInString(other) > longestName {
			continue
		}
		distance := levenshtein.ComputeDistance(folded, other)
		holds := strings.Contains(other, folded) ||
			utf8.RuneCountInString(other) > 2 && strings.Contains(folded, other)
		if distance == 0 || length > 2 && (holds || distance <= (length+2)/3) {
			matches = append(matches, match{name, distance})
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(a.distance, b.distance) })
	out := []any{}
	for _, m := range matches[:max(0, min(n, len(matches)))] {
		out = append(out, m.name)
	}
	return out
}

// asText is a string as it is and any other value as JSON.
func asText(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	b, err := EncodeJSON(v)
	return string(b), err
}
