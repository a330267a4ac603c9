package program

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// Segment encodes a value as one segment of a URL path: everything but the
// unreserved characters of RFC 3986 is percent-encoded, so that no value can
// leave its segment. Numbers are their digits. Null, the empty string, arrays
// and objects are an *[Error], and so is a string that is '.' or '..' or holds
// one of them between slashes or backslashes, which some servers decode before
// they look at the path.
func Segment(v any) (string, error) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case bool:
		return strconv.FormatBool(v), nil
	case int, *big.Int, json.Number:
		return fmt.Sprint(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", refusal("a part of the request's path is not a number")
		}
		return scalar(v), nil
	case nil:
		return "", refusal("a part of the request's path is missing")
	default:
		return "", refusal("a part of the request's path is neither a string nor a number")
	}
	if s == "" {
		return "", refusal("a part of the request's path is empty")
	}
	for part := range strings.FieldsFuncSeq(s, func(c rune) bool { return c == '/' || c == '\\' }) {
		if part == "." || part == ".." {
			return "", refusal("a part of the request's path is '.' or '..', or leads there")
		}
	}
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; unreserved(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String(), nil
}

// segments encodes an array as a path.
func segments(list []any) (string, error) {
	if len(list) == 0 {
		return "", misuse("the path is an empty array")
	}
	var b strings.Builder
	for _, v := range list {
		s, err := Segment(v)
		if err != nil {
			return "", err
		}
		b.WriteString("/" + s)
	}
	return b.String(), nil
}

// hole stands for a computed part in a path literal.
const hole = "\x00"

// readPath reads the path argument of a verb, and checks it if it is a literal.
// The pattern has '*' for each segment that is
// not written out; it is empty if none is.
func (r *resolver) readPath(q *gojq.Query, at int) (pattern string, literal bool) {
	t := onlyTerm(q)
	if t == nil || t.Type != gojq.TermTypeString {
		if r.unit.computesText(q) {
			r.errs.at(at, `a path is one string, as in get("/recipes/\(.slug)"), or an array of segments, as in get(["recipes", .slug]); it cannot be computed as a string`)
		}
		return arrayPattern(t), false
	}
	var b strings.Builder
	b.WriteString(t.Str.Str)
	for _, part := range t.Str.Queries {
		if part.Term.Str != nil {
			b.WriteString(part.Term.Str.Str)
			continue
		}
		b.WriteString(hole)
	}
	text := b.String()
	if err := checkPath(text); err != nil {
		r.errs.at(at, "%v", err)
	}
	return textPattern(text), true
}

// encodeParts makes each value in a path literal an encoded segment.
func encodeParts(q *gojq.Query) {
	for _, part := range onlyTerm(q).Str.Queries {
		if part.Term.Str == nil {
			inner := *part.Term
			*part.Term = gojq.Term{Type: gojq.TermTypeQuery, Query: &gojq.Query{
				Left: &gojq.Query{Term: &inner}, Op: gojq.OpPipe, Right: variable("_segment"),
			}}
		}
	}
}

// How arguments are written in other places, where a path literal takes them
// as they stand.
var (
	unfilled      = regexp.MustCompile(`\{([^{}\x00]+)\}|\$args\b(?:\.(\w+))?`)
	plainVariable = regexp.MustCompile(`/(\$([A-Za-z_]\w*))(?:/|$)`)
)

// checkPath checks a path literal.
func checkPath(text string) error {
	if !strings.HasPrefix(text, "/") {
		return fmt.Errorf("the path '%s' must begin with a slash", show(text))
	}
	if m := unfilled.FindStringSubmatch(text); m != nil {
		name := cmp.Or(m[1], m[2], "name")
		return fmt.Errorf(`the path '%s' holds '%s' as plain text: write '\(%s)'`, show(text), m[0], ArgumentText(name))
	}
	if m := plainVariable.FindStringSubmatch(text); m != nil {
		return fmt.Errorf(`the path '%s' holds '%s' as plain text: write '\(%s)', or '\(%s)' if that is a variable, or '%%24%s' if the API has it so`,
			show(text), m[1], ArgumentText(m[2]), m[1], m[2])
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '?':
			return fmt.Errorf(`the path '%s' holds a query: give it as an object, as in get("/recipes"; {page: 2})`, show(text))
		case c == '%':
			if _, err := url.PathUnescape(text[i:min(i+3, len(text))]); err != nil {
				return fmt.Errorf("the path '%s' holds a '%%' that begins no escape: write '%%25'", show(text))
			}
		case !unreserved(c) && !strings.ContainsRune(hole+"/:@!$&'()*+,;=", rune(c)):
			return fmt.Errorf("the path '%s' holds a character that must be written '%%%02X'", show(text), c)
		}
	}
	list := strings.Split(text[1:], "/")
	for i, s := range list {
		switch plain, _ := url.PathUnescape(s); {
		case plain == "." || plain == "..":
			return fmt.Errorf("the path '%s' must not hold '%s'", show(text), s)
		case s == "" && i < len(list)-1:
			return fmt.Errorf("the path '%s' has an empty segment", show(text))
		}
	}
	return nil
}

// textPattern replaces each segment that holds a value by '*'.
func textPattern(text string) string {
	list := strings.Split(text, "/")
	for i, s := range list {
		if strings.Contains(s, hole) {
			list[i] = "*"
		}
	}
	return strings.Join(list, "/")
}

// arrayPattern is the pattern of an array written out, such as
// ["recipes", .slug].
func arrayPattern(t *gojq.Term) string {
	if t == nil || t.Type != gojq.TermTypeArray || t.Array.Query == nil {
		return ""
	}
	pattern := ""
	var element func(*gojq.Query) bool
	element = func(q *gojq.Query) bool {
		if q.Op == gojq.OpComma && len(q.FuncDefs) == 0 {
			return element(q.Left) && element(q.Right)
		}
		if text := literalString(q); text != "" {
			s, err := Segment(text)
			pattern += "/" + s
			return err == nil
		}
		pattern += "/*"
		return simple(q)
	}
	if !element(t.Array.Query) {
		return ""
	}
	return pattern
}

// simple reports whether a query is a variable, a field or the like, which
// has exactly one value.
func simple(q *gojq.Query) bool {
	t := q.Term
	if t == nil || len(q.FuncDefs) > 0 {
		return false
	}
	for _, s := range t.SuffixList {
		if s.Index == nil || s.Index.Name == "" {
			return false
		}
	}
	switch t.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeNumber:
		return true
	case gojq.TermTypeIndex:
		return t.Index.Name != ""
	case gojq.TermTypeFunc:
		return strings.HasPrefix(t.Func.Name, "$")
	}
	return false
}

// results calls visit for the terms and operators that can be what q gives.
func results(q *gojq.Query, visit func(*gojq.Query)) {
	switch {
	case q == nil:
	case q.Op == gojq.OpPipe:
		results(q.Right, visit)
	case q.Op == gojq.OpComma || q.Op == gojq.OpAlt:
		results(q.Left, visit)
		results(q.Right, visit)
	case q.Term != nil && len(q.Term.SuffixList) == 0 && q.Term.Type == gojq.TermTypeQuery:
		results(q.Term.Query, visit)
	case q.Term != nil && len(q.Term.SuffixList) == 0 && q.Term.Type == gojq.TermTypeIf:
		e := q.Term.If
		results(e.Then, visit)
		for _, elif := range e.Elif {
			results(elif.Then, visit)
		}
		results(e.Else, visit)
	default:
		visit(q)
	}
}

// texts are the functions of jq whose value is a string.
var texts = map[string]bool{
	"join/1": true, "tostring/0": true, "ascii_downcase/0": true, "ascii_upcase/0": true,
	"ltrimstr/1": true, "rtrimstr/1": true, "trimstr/1": true, "trim/0": true, "ltrim/0": true,
	"rtrim/0": true, "sub/2": true, "sub/3": true, "gsub/2": true, "gsub/3": true, "tojson/0": true,
	"format/1": true, "implode/0": true,
}

// computesText reports whether q surely gives a string that is computed, or
// is a variable that 'as' binds to one.
func (u *unit) computesText(q *gojq.Query) (found bool) {
	results(q, func(q *gojq.Query) {
		switch t := q.Term; {
		case q.Op == gojq.OpAdd:
			found = found || u.computesText(q.Left) || u.computesText(q.Right)
		case t == nil || len(t.SuffixList) > 0:
		case t.Type == gojq.TermTypeString, t.Type == gojq.TermTypeFormat:
			found = true
		case t.Type == gojq.TermTypeFunc:
			found = found || u.names[t.Func].text || texts[key(t.Func.Name, len(t.Func.Args))]
		}
	})
	return found
}

// show is a path literal as it is shown in an error.
func show(text string) string { return strings.ReplaceAll(text, hole, `\(…)`) }

// unreserved are the characters that RFC 3986 lets stand anywhere.
func unreserved(c byte) bool {
	return isNameTail(c) || c == '-' || c == '.' || c == '~'
}
