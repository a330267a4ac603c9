package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const referencePage = "caddymcp/REFERENCE.md"

// A fence is a fenced block of the page.
type fence struct {
	line  int // of the page, where it begins
	lang  string
	lines []string
}

func (f fence) text() string { return strings.Join(f.lines, "\n") + "\n" }

// fences reads the fenced blocks of the page that have a language.
func fences(t *testing.T) (list []fence) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, referencePage))
	if err != nil {
		t.Fatal(err)
	}
	var open *fence
	for i, line := range strings.Split(string(page), "\n") {
		lang, isFence := strings.CutPrefix(line, "```")
		switch {
		case !isFence && open != nil:
			open.lines = append(open.lines, line)
		case isFence && open == nil:
			open = &fence{line: i + 1, lang: lang}
		case isFence:
			if open.lang != "" {
				list = append(list, *open)
			}
			open = nil
		}
	}
	return list
}

// An example is a piece of a Caddyfile or a program, and what comes of it.
type example struct {
	line    int // of the page
	text    string
	program bool
	tries   [][]string // what is tried with it, what is sent then, and the result
}

func (e example) name() string { return fmt.Sprintf("line-%d", e.line) }

// refusal is why an example does not load, if that is what it shows.
func (e example) refusal() (string, bool) {
	if len(e.tries) == 0 {
		return "", false
	}
	return strings.CutPrefix(last(e.tries[0]), "does not load: ")
}

func last(list []string) string { return list[len(list)-1] }

// examples reads what the page shows, and the files that it shows.
func examples(t *testing.T) (list []example, files map[string]string) {
	t.Helper()
	files = make(map[string]string)
	for _, f := range fences(t) {
		name, isFile := strings.CutPrefix(f.lines[0], "# ")
		switch {
		case f.lang == "caddyfile":
			expectFormatted(t, []byte(f.text()))
			list = append(list, example{line: f.line, text: f.text(), tries: calls(f)})

		case f.lang == "jq" && isFile && strings.HasSuffix(name, ".jq"):
			files[name] = f.text()

		case f.lang == "jq":
			list = append(list, programs(f)...)

		default:
			t.Errorf("line %d: there is no use for %s", f.line, f.lang)
		}
	}
	return list, files
}

// calls are the comments at the left of a Caddyfile. One that is indented
// continues the one before.
func calls(f fence) (tries [][]string) {
	for _, line := range f.lines {
		comment, ok := strings.CutPrefix(line, "#")
		if !ok {
			continue
		}
		if more, ok := strings.CutPrefix(comment, "  "); ok {
			tries[len(tries)-1] = append(tries[len(tries)-1], chain(more)...)
			continue
		}
		tries = append(tries, chain(comment))
	}
	return tries
}

// chain are the parts of a comment.
func chain(comment string) []string {
	return strings.Split(strings.TrimPrefix(strings.TrimSpace(comment), "→ "), " → ")
}

// programs are those of a block of jq. A comment, which can stand behind the
// program and on the lines below it, ends each.
func programs(f fence) (list []example) {
	next := true
	for i, line := range f.lines {
		code, comment := line, ""
		if at := jqComment.FindStringIndex(line); at != nil {
			code, comment = line[:at[0]], line[at[1]:]
		}
		if code != "" {
			if next {
				name := example{line: f.line + 1 + i, program: true}.name()
				list = append(list, example{line: f.line + 1 + i, program: true, tries: [][]string{{name + " {}"}}})
			}
			list[len(list)-1].text += code + "\n"
			next = false
		}
		if comment != "" {
			e := &list[len(list)-1]
			e.tries[0] = append(e.tries[0], chain(comment)...)
			next = true
		}
	}
	return list
}

var (
	jqComment   = regexp.MustCompile(`(^|\s+)# `)
	requestLine = regexp.MustCompile(`^(GET|HEAD|POST|PUT|PATCH|DELETE) /`)
	headerText  = regexp.MustCompile(` \[([\w-]+): ([^\]]*)\]`)
)

// topWord finds a word at the beginning of a line that is in no block.
func topWord(text, word string) bool {
	return regexp.MustCompile(`(?m)^` + word + `\b`).MatchString(text)
}

// mcpBlock is the mcp block in which an example stands.
func (e example) mcpBlock() string {
	if e.program {
		e.text = fmt.Sprintf("tool %s {\ndescription \"An example.\"\nrun file %[1]s.jq\n}\n", e.name())
	}
	if topWord(e.text, "mcp") {
		return e.text
	}
	block := e.text
	if e.program {
		block = "files covers\nupstream town http://127.0.0.1:8000/api\nupstream http://127.0.0.1:8000/api {\nretry 0\n}\n" + block
	}
	if !topWord(block, "upstream") {
		block = "upstream http://127.0.0.1:8000/api {\nretry 0\n}\n" + block
	}
	if !topWord(block, "auth") {
		block = "auth none\n" + block
	}
	return "mcp {\n" + block + "}\n"
}
