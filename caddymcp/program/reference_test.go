package program

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
)

// referencePage documents the language. Its examples are run by the tests of
// the repository's integration folder.
func referencePage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// languageFunctions are the functions that this package adds to jq, as
// "name/arity".
func languageFunctions() map[string]bool {
	set := make(map[string]bool)
	for k := range natives {
		set[k] = true
	}
	for k := range prelude().defs {
		set[k] = true
	}
	for name, v := range verbs {
		for arity := v.min; arity <= v.max; arity++ {
			set[key(name, arity)] = true
		}
	}
	return set
}

var (
	jqFence   = regexp.MustCompile("(?ms)^```jq\n(.*?)^```$")
	jqComment = regexp.MustCompile(`(^|\s+)# .*`)
)

// referencePrograms are the programs of the page. A comment ends each.
func referencePrograms(t *testing.T) (list []string) {
	t.Helper()
	for _, fence := range jqFence.FindAllStringSubmatch(referencePage(t), -1) {
		text := ""
		for line := range strings.Lines(fence[1]) {
			line = strings.TrimSuffix(line, "\n")
			code := jqComment.ReplaceAllString(line, "")
			text += code + "\n"
			if code != line && strings.TrimSpace(text) != "" {
				list = append(list, text)
				text = ""
			}
		}
		if strings.TrimSpace(text) != "" { // a file, whose name is a comment at its top
			list = append(list, text)
		}
	}
	return list
}

// TestReferenceExamples checks that the page has an example of every function,
// with every number of arguments, and of every member of a request.
func TestReferenceExamples(t *testing.T) {
	functions, members := make(map[string]bool), make(map[string]bool)
	programs := referencePrograms(t)
	for _, text := range programs {
		query, err := gojq.Parse(text)
		if err != nil {
			t.Errorf("%v in\n%s", err, text)
			continue
		}
		note := func(node any) {
			term, ok := node.(*gojq.Term)
			if !ok || term.Func == nil {
				return
			}
			f := term.Func
			functions[key(f.Name, len(f.Args))] = true
			if verbs[f.Name] == nil || len(f.Args) == 0 {
				return
			}
			object, _ := literalObject(f.Args[len(f.Args)-1])
			for name := range object {
				members[name] = true
			}
		}
		walk(query, note)
		for _, fd := range query.FuncDefs {
			walk(fd.Body, note)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(languageFunctions())) {
		if !functions[k] {
			t.Errorf("there is no example of %s", k)
		}
	}
	for _, name := range memberNames {
		if !members[name] && name != "url" { // which needs the public web
			t.Errorf("there is no example of the member '%s' of a request", name)
		}
	}
}

// tableFunction finds a function as the tables of the page write it.
var tableFunction = regexp.MustCompile("`([A-Za-z_]+)(?:\\(([^`]*)\\))?`")

// TestReferenceTables checks that the tables name every function that there is, and
// no other, and that the page names what programs cannot have.
func TestReferenceTables(t *testing.T) {
	page := referencePage(t)
	named := make(map[string]bool)
	inTable := false
	for row := range strings.Lines(page) {
		cells := strings.Split(row, "|")
		switch {
		case len(cells) < 3:
			inTable = false
		case strings.TrimSpace(cells[1]) == "function":
			inTable = true
		case inTable:
			for _, match := range tableFunction.FindAllStringSubmatch(cells[1], -1) {
				arity := 0
				if match[2] != "" {
					arity = 1 + strings.Count(match[2], "; ")
				}
				named[key(match[1], arity)] = true
			}
		}
	}
	functions := languageFunctions()
	for _, k := range slices.Sorted(maps.Keys(functions)) {
		if !named[k] {
			t.Errorf("no table names %s", k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(named)) {
		if !functions[k] {
			t.Errorf("the page names %s, which there is not", k)
		}
	}
	for _, names := range [][]string{
		slices.Sorted(maps.Keys(refused)), slices.Sorted(maps.Keys(levels)), memberNames, variables[:3],
	} {
		for _, name := range names {
			if !strings.Contains(page, "`"+name+"`") {
				t.Errorf("the page does not name '%s'", name)
			}
		}
	}
}
