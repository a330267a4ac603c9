package program

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

func TestLoadErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", "x.jq:10:1: there is no expression here: write '.' for the input as it is"},
		{"only a comment", "# nothing", "x.jq:10:10: there is no expression here: write '.' for the input as it is"},
		{"only definitions", "def f: 1;", "x.jq:10:10: there is no expression here: write '.' for the input as it is"},
		{"token", "{a: 1}\n| foo }", "x.jq:11:7: unexpected '}'"},
		{"name", ".a foo bar", "x.jq:10:4: unexpected 'foo'"},
		{"operator", ". | |= 1", "x.jq:10:5: unexpected '|='"},
		{"end", "if . then 1", "x.jq:10:12: the text ends too early"},
		{"end in a parenthesis", ". |\n(1 + [2])\n| (3 |\n{a: 1}", "x.jq:13:7: the text ends too early: the '(' on line 12 is not closed"},
		{"end in an array", "[1, (2),\n\"](\" # ]", "x.jq:11:9: the text ends too early: the '[' on line 10 is not closed"},
		{"end in an object", "{a: \"\\([1])\"", "x.jq:10:13: the text ends too early: the '{' on line 10 is not closed"},
		{"end behind brackets", "[1] | {a: 2} |", "x.jq:10:15: the text ends too early"},
		{"end in the innermost", "[{a: (1", "x.jq:10:8: the text ends too early: the '(' on line 10 is not closed"},
		{"unterminated", ". |\n  \"abc", "x.jq:11:3: this string never ends: close it with \""},
		{"after an umlaut", `"ä" )`, "x.jq:10:5: unexpected ')'"},
		{"single quote", ". == 'a'", "x.jq:10:6: unexpected ': jq writes strings in double quotes"},
		{"escape", `"a\qb"`, `x.jq:10:3: invalid escape '\q' in a string: write '\\' for a backslash`},
		{"unknown function", "1 |\n  foo(2) | foo(3)\n| foo(4)", "x.jq:11:3: there is no function 'foo/1' (also on line 11, 12)"},
		{"unknown variable", `{$x, y: "\($x)"}`, "x.jq:10:2: there is no variable '$x' (also on line 10)"},
		{"several unknown", "foo | $bar", "x.jq:10:1: there is no function 'foo/0'\nx.jq:10:7: there is no variable '$bar'"},
		{"number of arguments", "map", "x.jq:10:1: 'map' takes another number of arguments (there is map/1)"},
		{"number of arguments of ours", "get", "x.jq:10:1: 'get' takes another number of arguments (there is get/1, get/2, get/3)"},
		{"a name after its scope", "(1 as $x | $x) | $x", "x.jq:10:18: there is no variable '$x'"},
		{"a definition after its scope", "(def f: 1; f) | f", "x.jq:10:17: there is no function 'f/0'"},
		{"break", "break $out", "x.jq:10:7: there is no 'label $out' around this 'break'"},
		{"env", "env.HOME", "x.jq:10:1: 'env' is not available: programs cannot read the environment"},
		{"$ENV", "1 | $ENV", "x.jq:10:5: '$ENV' is not available: programs cannot read the environment"},
		{"$ENV in an object", "{$ENV}", "x.jq:10:2: '$ENV' is not available: programs cannot read the environment"},
		{"input", "input", "x.jq:10:1: 'input' is not available: there is one input, '.'"},
		{"inputs", "[inputs]", "x.jq:10:2: 'inputs' is not available: there is one input, '.'"},
		{"debug", "debug(1)", "x.jq:10:1: 'debug' is not available: use log(\"debug\"; …) instead"},
		{"stderr", "stderr", "x.jq:10:1: 'stderr' is not available: use log(\"debug\"; …) instead"},
		{"halt", "halt", "x.jq:10:1: 'halt' is not available: use error(\"…\") to stop, or 'empty' to give nothing"},
		{"halt_error", "halt_error(1)", "x.jq:10:1: 'halt_error' is not available: use error(\"…\") instead"},
		{"builtins", "builtins", "x.jq:10:1: 'builtins' is not available: the functions are listed in the documentation"},
		{"modulemeta", "modulemeta", "x.jq:10:1: 'modulemeta' is not available: programs have no modules"},
		{"input_line_number", "input_line_number", "x.jq:10:1: 'input_line_number' is not available: a program has no input file"},
		{"$__loc__", "$__loc__", "x.jq:10:1: '$__loc__': names that begin with '$__' are kept for internal use"},
		{"$__call", "[$__call]", "x.jq:10:2: '$__call': names that begin with '$__' are kept for internal use"},
		{"$__call bound", ". as $__call | 1", "x.jq:10:6: '$__call': names that begin with '$__' are kept for internal use"},
		{"$__call as parameter", "def f($__call): 1; 1", "x.jq:10:5: '$__call': names that begin with '$__' are kept for internal use"},
		{"$__call in a pattern", ". as {$__call} | 1", "x.jq:10:7: '$__call': names that begin with '$__' are kept for internal use"},
		{"internal function", "_segment", "x.jq:10:1: '_segment': names that begin with '_' are kept for internal use"},
		{"internal definition", "def _f: 1; 2", "x.jq:10:5: '_f': names that begin with '_' are kept for internal use"},
		{"import", `import "a" as a; a::f`, "x.jq:10:1: 'module', 'import' and 'include' are not available: put shared definitions into a jq library"},
		{"redefined verb", "def get($x): 1; 2", "x.jq:10:5: 'get' is a function of this module already: choose another name"},
		{"redefined native", "def clean: 1; 2", "x.jq:10:5: 'clean' is a function of this module already: choose another name"},
		{"redefined prelude", "def attempt($x): 1; 2", "x.jq:10:5: 'attempt' is a function of this module already: choose another name"},
		{"parameter named like a verb", "def f(get): 1; 2", "x.jq:10:5: 'get' is a function of this module already: choose another name"},
		{"redefined error", "def error($x): 1; 2", "x.jq:10:5: 'error' is a function of this module already: choose another name"},
		{"?//", ". as [$a] ?// $a | 1", "x.jq:10:15: '?//' is not available, because it can run what follows twice: use if or //"},
		{"?// in reduce", "reduce . as [$a] ?// $a (1; 2)", "x.jq:10:22: '?//' is not available, because it can run what follows twice: use if or //"},
		{"effect", "1 |\n 2 + post(\"/a\")", "x.jq:11:6: 'post' can write, and cannot stand beside '+', whose sides jq runs in an order of its own: bind it with '… as $x |' first"},
		{"a $-parameter without its $", "def f($a): [$a, a]; f(1)", "x.jq:10:17: 'a' is the parameter '$a' here: write '$a', or give the parameter another name"},
		{"method", `request({method: "BREW", path: "/a"})`, "x.jq:10:1: the method of a request is one of GET, HEAD, POST, PUT, PATCH, DELETE, not 'BREW'"},
		{"option", `get("/a"; null; {eror: {}})`, "x.jq:10:1: 'eror' is not an option of this request: there are errors, query, headers, form, multipart, upstream, timeout"},
		{"member", `request({method: "GET", pth: "/a"})`, "x.jq:10:1: 'pth' is not an option of this request: there are method, path, url, body, head_only, errors, query, headers, form, multipart, upstream, timeout"},
		{"regexp", `test("a(")`, "x.jq:10:1: error parsing regexp: missing closing ): `a(`"},
		{"NUL", "1 \x00", "x.jq:10:3: a NUL character: remove it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile(Source{Text: tt.src, File: "x.jq", Line: 10}, Options{Requests: true})
			if err == nil {
				t.Fatal("no error")
			}
			if err.Error() != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.src, err, tt.want)
			}
			var load *LoadError
			if !errors.As(err, &load) || load.File != "x.jq" {
				t.Errorf("%#v holds no LoadError of the file", err)
			}
		})
	}
}

func TestLoadErrorWithoutFile(t *testing.T) {
	_, err := Compile(Source{Text: "\n foo"}, Options{})
	if want := "line 2, column 2: there is no function 'foo/0'"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRegexpsAreWrittenOut(t *testing.T) {
	for src, ok := range map[string]bool{
		`test("a")`: true, `test("a"; "i")`: true, `test(["a", "i"])`: true, `sub("a"; .b)`: true, `gsub("a"; .b; "g")`: true,
		`split("a"; null)`: true, `split(.x)`: true, `[scan("a")]`: true, `[splits("a")]`: true,
		`test(.x)`: false, `test("a\(.x)")`: false, `test("a" + "b")`: false, `test("a"; .x)`: false, `test([.x])`: false,
		`[match(.x)]`: false, `[match(.x; "g")]`: false, `capture(.x)`: false, `[scan(.x)]`: false, `[scan(.x; "g")]`: false,
		`split(.x; null)`: false, `[splits(.x)]`: false, `[splits("a"; .x)]`: false, `sub(.x; "a")`: false, `gsub(.x; "a")`: false,
		`gsub("a"; "b"; .x)`: false, `def f($re): test($re); f("a")`: false, `"a" as $re | test($re)`: false,
		`def test(f): f; test(.x)`: true,
	} {
		t.Run(src, func(t *testing.T) {
			_, err := Compile(Source{Text: src}, Options{})
			switch {
			case ok && err != nil:
				t.Error(err)
			case !ok && (err == nil || !strings.Contains(err.Error(), "must be written out as strings")):
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestNoRequests(t *testing.T) {
	for _, src := range []string{`get("/a")`, `[follow(.x)]`, `request({})`, `[] | fetch_all({path: "/a"}; 1)`, `[] | get_all("/a"; 1)`, `def f: head("/a"); 1`} {
		t.Run(src, func(t *testing.T) {
			_, err := Compile(Source{Text: src}, Options{})
			if err == nil || !strings.Contains(err.Error(), "makes a request: requests are made in run") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestText(t *testing.T) {
	tests := []struct{ text, want string }{
		{``, ``},
		{`plain`, `plain`},
		{`a "quoted" word`, `a "quoted" word`},
		{`recipe '\($args.slug)' not found`, `recipe 'x' not found`},
		{`"\("a\"b")" \({a: "}"}.a) \(($args | "\(.slug)"))`, `"a"b" } x`},
		{`a\nb\u00e4`, "a\nbä"},
		{"two\nlines", "two\nlines"},
		{`100% #1 ü`, `100% #1 ü`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			p, err := CompileText(Source{Text: tt.text}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Run(t.Context(), &Call{Args: map[string]any{"slug": "x"}}, nil)
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
	for text, want := range map[string]string{
		`say "\(foo)"`:  "m:7:8: there is no function 'foo/0'",
		`"a" \(1`:       "m:7:8: the text ends too early: the '(' on line 7 is not closed",
		`"" \(1 | }) x`: "m:7:10: unexpected '}'",
		`a \q`:          `m:7:3: invalid escape '\q' in a string: write '\\' for a backslash`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := CompileText(Source{Text: text, File: "m", Line: 7}, Options{})
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func TestLibrary(t *testing.T) {
	for src, want := range map[string]string{
		`def f: 1; f`:             "l.jq:1:11: a jq library holds definitions only: 'def name: …;'",
		`def f: g;`:               "l.jq:1:8: there is no function 'g/0'",
		`def post($x): 1;`:        "l.jq:1:5: 'post' is a function of this module already: choose another name",
		`def f: 1 + post("/a");`:  "l.jq:1:12: 'post' can write, and cannot stand beside '+', whose sides jq runs in an order of its own: bind it with '… as $x |' first",
		`def f: $__call;`:         "l.jq:1:8: '$__call': names that begin with '$__' are kept for internal use",
		`def f: get("a");`:        "l.jq:1:8: the path 'a' must begin with a slash",
		"def f: 1;\ndef g: f(2);": "l.jq:2:8: there is no function 'f/1'",
	} {
		t.Run(src, func(t *testing.T) {
			_, err := NewLibrary(Source{Text: src, File: "l.jq"})
			if err == nil || err.Error() != want {
				t.Errorf("got %v\nwant %s", err, want)
			}
		})
	}

	a := newAPI(t, nil)
	library, err := NewLibrary(
		Source{Text: `def recipe($slug): get("/recipes/\($slug)"); def twice: . * 2; def twice($x): $x * 2;`},
		Source{Text: `def quadruple: twice | twice(.); def name: $args.name; def safe(f): attempt(f).ok;`},
		Source{}, // an empty file
	)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(Source{Text: `[(3 | quadruple), name, recipe("a/b").path, safe(error("x"))]`}, Options{Library: library, Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Run(t.Context(), a.newCall(map[string]any{"name": "n"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := p.Marshal(v); string(got) != `[12,"n","/recipes/a%2Fb",false]` {
		t.Errorf("got %s", got)
	}
}

// TestPruning checks that a program is compiled with what it can reach only.
func TestPruning(t *testing.T) {
	library, err := NewLibrary(Source{Text: `def a: 1; def b: a; def c: 2; def d: def e: c; 3;`})
	if err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string][]string{
		`.`:                           nil,
		`b`:                           {"a", "b"},
		`d`:                           {"c", "d"},
		`def x: c; def y: b; x`:       {"c", "x"},
		`attempt(a)`:                  {"attempt", "a"},
		`INDEX(.id)`:                  {"INDEX", "INDEX"},
		`find_one([]; 1; 2; 3; c; 4)`: {"find_one", "c"},
	} {
		t.Run(src, func(t *testing.T) {
			u, err := parse(scan(Source{Text: src}))
			if err != nil {
				t.Fatal(err)
			}
			main, _, defs := resolve(u, library.scope, &mistakes{text: u.text}, false)
			var got []string
			for _, d := range main.definitions(slices.Concat(prelude().list, library.defs, defs)) {
				got = append(got, d.fd.Name)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// FuzzCompile checks that no text makes the compiler panic, and that marking
// the names changes nothing for the parser.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`.`, `{a: .b, "c": 1, $x, if: 2}`, `"a\("b\(1)c")d"`, `# c \
x`, `def f($a; b): $a + b; f(1; 2)`, `. as [$a, {b: $c, ("d"): $e, $f}] | $a`, `1.5e-3 .. .foo."x"[1:]?`,
		`post("/a/\(.x)"; {y: 1})`, `@base64 "x\(.)"`, `reduce .[] as $x (0; . + $x) | label $l | break $l`, `a::b | $c::d`,
		`import "a" as b; .`, `"\ud800"`, `.1e`, `get([1, "a"]) | request({method: "GET", path: "/x\(1)"})`, `"\(`, `?//`,
		`test("("; "x") | {(.a): 1} | only(["a"]) |= clean`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1000 {
			return
		}
		_, original := gojq.Parse(src)
		_, marked := gojq.Parse(scan(Source{Text: src}).out.String())
		if (original == nil) != (marked == nil) {
			t.Errorf("parses as %v, with marks as %v", original, marked)
		}
		p, err := Compile(Source{Text: src}, Options{Requests: true})
		if (p == nil) == (err == nil) {
			t.Errorf("got %v and %v", p, err)
		}
	})
}

// FuzzText checks that a text without a backslash is itself.
func FuzzText(f *testing.F) {
	for _, seed := range []string{`a "b" \(1)`, `\`, `\("`, `plain`, `\u12`, "\n\t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := CompileText(Source{Text: text}, Options{})
		if strings.ContainsAny(text, "\\\x00") || !utf8.ValidString(text) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Run(context.Background(), &Call{}, nil)
		if err != nil || got != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	})
}
