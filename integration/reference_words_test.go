package integration

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// Words are the subdirectives that each place of an mcp block takes, by the
// name of the place.
type words map[string]map[string]bool

func (w words) add(place, word string) {
	if w[place] == nil {
		w[place] = make(map[string]bool)
	}
	w[place][word] = true
}

func (w words) has(word string) bool {
	for _, place := range w {
		if place[word] {
			return true
		}
	}
	return false
}

// placesByFunction are the places whose parsers have error messages of their own, in
// which no list of the words is found, by the function or variable that reads them.
var placesByFunction = map[string]string{
	"UnmarshalCaddyfile": "auth",
	"unmarshalBearer":    "bearer",
	"subdirectives":      "upstream",
	"parseCache":         "cache",
	"parseCheck":         "check",
}

// parsedWords reads the words out of the parsers' code: what they hand to
// directive.Unrecognized, and for the places above what they compare with.
// Others are words that a parser reads and that no list has.
func parsedWords(t *testing.T) (known words, others []string) {
	t.Helper()
	known = make(words)
	files, err := filepath.Glob(filepath.Join(root, "caddymcp/caddyfile*.go"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(root, "caddymcp/*/caddyfile.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, more...) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			place := placesByFunction[declared(decl)]
			ast.Inspect(decl, func(node ast.Node) bool {
				var found []ast.Expr
				switch node := node.(type) {
				case *ast.CallExpr:
					if called, ok := node.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Unrecognized" {
						for _, word := range node.Args[3:] {
							known.add(literal(node.Args[2]), literal(word))
						}
					}
				case *ast.CaseClause:
					found = node.List
				case *ast.KeyValueExpr:
					if place != "" {
						found = []ast.Expr{node.Key}
					}
				case *ast.BinaryExpr:
					if call, ok := node.X.(*ast.CallExpr); ok && place != "" && node.Op == token.NEQ {
						if called, ok := call.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Val" {
							found = []ast.Expr{node.Y}
						}
					}
				}
				for _, expr := range found {
					switch word := literal(expr); {
					case word == "":
					case place != "":
						known.add(place, word)
					default:
						others = append(others, word)
					}
				}
				return true
			})
		}
	}
	return known, others
}

// declared is the name of a function, or of the first variable.
func declared(decl ast.Decl) string {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return decl.Name.Name
	case *ast.GenDecl:
		if spec, ok := decl.Specs[0].(*ast.ValueSpec); ok {
			return spec.Names[0].Name
		}
	}
	return ""
}

// literal is a string that is written out, or empty.
func literal(expr ast.Expr) string {
	if basic, ok := expr.(*ast.BasicLit); ok && basic.Kind == token.STRING {
		text, _ := strconv.Unquote(basic.Value)
		return text
	}
	return ""
}

// A line of a Caddyfile has words, and a block of lines below it.
type line struct {
	words []string
	block []line
}

// lines reads the lines of a block.
func lines(tokens []caddyfile.Token) (list []line, rest []caddyfile.Token) {
	for len(tokens) > 0 && tokens[0].Text != "}" {
		var l line
		for {
			at := tokens[0]
			tokens = tokens[1:]
			if at.Text == "{" && !at.Quoted() {
				l.block, tokens = lines(tokens)
				tokens = tokens[1:] // the brace that closes it
				break
			}
			l.words = append(l.words, at.Text)
			if len(tokens) == 0 || tokens[0].Line > at.Line+at.NumLineBreaks() {
				break
			}
		}
		list = append(list, l)
	}
	return list, tokens
}

// blocks are the places that go by another name than the word before them. The block of
// a case takes nothing that a tool does not.
var blocks = map[string]string{
	"get": "a request", "head": "a request", "post": "a request", "put": "a request", "patch": "a request",
	"delete": "a request", "items": "param", "case": "tool",
}

// use notes the words of a block.
func (w words) use(place string, list []line) {
	for _, l := range list {
		w.add(place, l.words[0])
		next := l.words[0]
		if other := blocks[next]; other != "" {
			next = other
		}
		w.use(next, l.block)
	}
}

// TestReferenceWords checks that the page has an example of every word of the
// parsers, in each place where it can stand.
func TestReferenceWords(t *testing.T) {
	t.Parallel()
	known, others := parsedWords(t)
	used := make(words)
	list, _ := examples(t)
	for _, e := range list {
		if e.program {
			continue
		}
		tokens, err := caddyfile.Tokenize([]byte(e.mcpBlock()), e.name())
		if err != nil {
			t.Fatal(err)
		}
		top, _ := lines(tokens)
		used.use("site", top)
	}
	if len(known) < 12 {
		t.Errorf("only the words of %d places are found", len(known))
	}
	for _, place := range slices.Sorted(maps.Keys(known)) {
		shown := place
		if place == "case" {
			shown = "tool"
		}
		for _, word := range slices.Sorted(maps.Keys(known[place])) {
			if !used[shown][word] {
				t.Errorf("there is no example of '%s' in %s", word, place)
			}
		}
	}
	for _, word := range others {
		if !known.has(word) {
			t.Errorf("the parsers take '%s', which is a word of no place", word)
		}
	}
}

// codeWord finds the first word of a piece of code.
var codeWord = regexp.MustCompile("`([a-z_]+)")

// TestReferenceTables checks that the page's tables of subdirectives name all that
// there are, and no others.
func TestReferenceTables(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, referencePage))
	if err != nil {
		t.Fatal(err)
	}
	known, _ := parsedWords(t)
	named := make(map[string]bool)
	inTable := false
	for row := range strings.Lines(string(page)) {
		cells := strings.Split(strings.ReplaceAll(row, `\|`, ""), "|")
		switch {
		case len(cells) < 3:
			inTable = false
		case strings.TrimSpace(cells[1]) == "subdirective":
			inTable = true
		case inTable:
			for _, match := range codeWord.FindAllStringSubmatch(cells[1], -1) {
				named[match[1]] = true
				if !known.has(match[1]) {
					t.Errorf("the page names '%s', which there is not", match[1])
				}
			}
		}
	}
	for place, list := range known {
		for word := range list {
			if !named[word] {
				t.Errorf("no table names '%s' of %s", word, place)
			}
		}
	}
}

var (
	heading    = regexp.MustCompile(`(?m)^##+ (.*)$`)
	ownLink    = regexp.MustCompile(`\]\(#([^)]*)\)`)
	unanchored = regexp.MustCompile("[^a-z0-9 -]")
)

// TestReferenceLinks checks that the page's links to its own sections lead there.
func TestReferenceLinks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, referencePage))
	if err != nil {
		t.Fatal(err)
	}
	anchors := make(map[string]bool)
	for _, h := range heading.FindAllStringSubmatch(string(page), -1) {
		anchor := strings.ReplaceAll(unanchored.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
		if anchors[anchor] {
			t.Errorf("there are two sections '%s'", h[1])
		}
		anchors[anchor] = true
	}
	links := ownLink.FindAllStringSubmatch(string(page), -1)
	if len(links) == 0 {
		t.Fatal("the page has no links to its sections")
	}
	for _, link := range links {
		if !anchors[link[1]] {
			t.Errorf("there is no section '%s'", link[1])
		}
	}
}
