package program

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// gojq's syntax tree has no positions. So before the text is parsed, every
// name in it gets a mark that says where it stands: 'slug' becomes
// 'slug__00001f', the 31st name. The parser keeps the mark as a part of the
// name, and unmark takes it off again.

// markLength is the length of a mark.
const markLength = len("__000000")

// A text is a Source made ready for the parser.
type text struct {
	source Source

	// out is the text with marks.
	out strings.Builder

	// names holds the offset in the source of each marked name.
	names []int

	// edits says which offsets of out and of the source belong together,
	// from each insertion on.
	edits []edit

	// open holds the offsets of the brackets that are open where the scan
	// has got to.
	open []int

	// unterminated is the offset of a string that never ends, or -1.
	unterminated int

	next int // what is read next
}

type edit struct{ out, in int }

// scan marks the names of a program.
func scan(src Source) *text {
	t := &text{source: src, unterminated: -1}
	t.code(false)
	return t
}

// scanString makes the inside of a jq string a program: a string literal.
func scanString(src Source) *text {
	t := &text{source: src, unterminated: -1}
	t.insert(`"`)
	t.str(true)
	t.insert(`"`)
	return t
}

// code copies jq code, marking names, up to the end of the text or, inside a
// string, up to the parenthesis that ends the interpolation.
func (t *text) code(inString bool) {
	outer := len(t.open) // without the bracket of the interpolation
	if inString {
		outer--
	}
	for t.more() {
		switch c := t.peek(); {
		case c == '#':
			t.comment()
		case c == '"':
			start := t.next
			t.copy(1)
			if !t.str(false) && t.unterminated < 0 {
				t.unterminated = start
			}
		case c == '.' && t.peekAt(1) == '.':
			t.copy(2)
		case c == '.' && isName(t.peekAt(1)), c == '@' && isName(t.peekAt(1)):
			t.copy(1)
			t.copyWhile(isNameTail)
		case isDigit(c):
			t.number()
		case isName(c), c == '$' && isName(t.peekAt(1)):
			t.name()
		case c == '(', c == '[', c == '{':
			t.openBracket(1)
		case c == ')', c == ']', c == '}':
			t.closeBracket()
			if inString && len(t.open) <= outer {
				return
			}
		default:
			t.copy(1)
		}
	}
}

// openBracket copies n characters, the last of which is an opening bracket.
func (t *text) openBracket(n int) {
	t.open = append(t.open, t.next+n-1)
	t.copy(n)
}

// closeBracket copies a closing bracket, which closes the last open one of its
// kind.
func (t *text) closeBracket() {
	opening := map[byte]byte{')': '(', ']': '[', '}': '{'}[t.peek()]
	for i := len(t.open) - 1; i >= 0; i-- {
		if t.source.Text[t.open[i]] == opening {
			t.open = t.open[:i]
			break
		}
	}
	t.copy(1)
}

// str copies the inside of a string and its closing quote. It reports whether
// there was one. In a bare text, quotes are ordinary characters.
func (t *text) str(bare bool) bool {
	for t.more() {
		switch c := t.peek(); {
		case c == '\\' && t.peekAt(1) == '(':
			t.openBracket(2)
			t.code(true)
		case c == '\\':
			t.copy(2)
		case c == '"' && bare:
			t.insert(`\`)
			t.copy(1)
		case c == '"':
			t.copy(1)
			return true
		default:
			t.copy(1)
		}
	}
	return bare
}

// comment copies a comment. As in jq, a backslash at the end of its line
// continues it.
func (t *text) comment() {
	for t.more() && t.peek() != '\n' && t.peek() != '\r' {
		if t.peek() != '\\' {
			t.copy(1)
			continue
		}
		t.copy(1)
		switch t.peek() {
		case '\\', '\n':
			t.copy(1)
		case '\r':
			t.copy(1)
			if t.peek() == '\n' {
				t.copy(1)
			}
		}
	}
}

// number copies a number. What is glued to one is a syntax error anyway.
func (t *text) number() {
	for isNameTail(t.peek()) || t.peek() == '.' {
		exponent := t.peek() == 'e' || t.peek() == 'E'
		t.copy(1)
		if sign := t.peek(); exponent && (sign == '+' || sign == '-') {
			t.copy(1)
		}
	}
}

// keywords are no names.
var keywords = map[string]bool{
	"or": true, "and": true, "module": true, "import": true, "include": true,
	"def": true, "as": true, "label": true, "break": true, "null": true,
	"true": true, "false": true, "if": true, "then": true, "elif": true,
	"else": true, "end": true, "try": true, "catch": true, "reduce": true,
	"foreach": true,
}

// name copies a name and marks it, unless it is a keyword or belongs to a
// module.
func (t *text) name() {
	start := t.next
	t.copy(1)
	t.copyWhile(isNameTail)
	module := t.peek() == ':' && t.peekAt(1) == ':' && isName(t.peekAt(2))
	if module || keywords[t.source.Text[start:t.next]] {
		if module {
			t.copy(3)
			t.copyWhile(isNameTail)
		}
		return
	}
	t.insert(fmt.Sprintf("__%06x", len(t.names)))
	t.names = append(t.names, start)
}

// unmark splits a name of the syntax tree into the name as it was written and
// its offset in the source.
func (t *text) unmark(name string) (string, int) {
	if cut := len(name) - markLength; cut > 0 {
		if i, err := strconv.ParseUint(name[cut+2:], 16, 32); err == nil && i < uint64(len(t.names)) {
			return name[:cut], t.names[i]
		}
	}
	return name, 0
}

// offset returns the offset in the source of an offset of the marked text.
func (t *text) offset(out int) int {
	i := sort.Search(len(t.edits), func(i int) bool { return t.edits[i].out > out })
	at := out
	if i > 0 {
		at = t.edits[i-1].in + out - t.edits[i-1].out
	}
	if i < len(t.edits) {
		at = min(at, t.edits[i].in)
	}
	return max(0, min(at, len(t.source.Text)))
}

// position returns the line in the file, and the column, of an offset of the
// source.
func (t *text) position(offset int) (line, column int) {
	before := t.source.Text[:offset]
	line = strings.Count(before, "\n") + max(t.source.Line, 1)
	return line, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

func (t *text) more() bool { return t.next < len(t.source.Text) }

func (t *text) peek() byte { return t.peekAt(0) }

func (t *text) peekAt(i int) byte {
	if t.next+i >= len(t.source.Text) {
		return 0
	}
	return t.source.Text[t.next+i]
}

func (t *text) copy(n int) {
	end := min(t.next+n, len(t.source.Text))
	t.out.WriteString(t.source.Text[t.next:end])
	t.next = end
}

func (t *text) copyWhile(ok func(byte) bool) {
	for t.more() && ok(t.peek()) {
		t.copy(1)
	}
}

func (t *text) insert(s string) {
	t.out.WriteString(s)
	t.edits = append(t.edits, edit{out: t.out.Len(), in: t.next})
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

func isNameTail(c byte) bool { return isName(c) || isDigit(c) }
