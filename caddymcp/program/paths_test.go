package program

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/url"
	"strings"
	"testing"
)

func TestSegment(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	tests := []struct {
		name string
		v    any
		want string // empty if it is refused
	}{
		{"plain", "aZ0-._~", "aZ0-._~"},
		{"slash", "a/b", "a%2Fb"},
		{"up", "../../users/self", ""},
		{"up in between", "a/../b", ""},
		{"up at the end", "a/..", ""},
		{"up with backslashes", `a\..\b`, ""},
		{"here", "./a", ""},
		{"dots that lead nowhere", "a../..b/c.", "a..%2F..b%2Fc."},
		{"dots", "...", "..."},
		{"query", "a?b=c", "a%3Fb%3Dc"},
		{"fragment", "a#b", "a%23b"},
		{"encoded slash", "%2F", "%252F"},
		{"encoded dots", "%2e%2e", "%252e%252e"},
		{"semicolon", "a;b", "a%3Bb"},
		{"others", ":@!$&'()*+,=\\|\"<>", "%3A%40%21%24%26%27%28%29%2A%2B%2C%3D%5C%7C%22%3C%3E"},
		{"space", "a b", "a%20b"},
		{"line end", "a\r\nb", "a%0D%0Ab"},
		{"NUL", "\x00", "%00"},
		{"unicode", "é日", "%C3%A9%E6%97%A5"},
		{"integer", 7, "7"},
		{"number", json.Number("9007199254740993"), "9007199254740993"},
		{"decimal", json.Number("1.50"), "1.50"},
		{"big", huge, "123456789012345678901234567890"},
		{"float", 2.0, "2"},
		{"boolean", true, "true"},
		{"empty", "", ""},
		{"dot", ".", ""},
		{"dot dot", "..", ""},
		{"null", nil, ""},
		{"not a number", math.NaN(), ""},
		{"object", map[string]any{}, ""},
		{"array", []any{"a"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Segment(tt.v)
			var e *Error
			if got != tt.want || (err != nil) != (tt.want == "") || err != nil && !errors.As(err, &e) {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// TestPathsStayInTheirSegment sends hostile arguments to a server.
func TestPathsStayInTheirSegment(t *testing.T) {
	for _, slug := range []string{"a/b", "a?admin=1", "a#b", "%2e%2e", "%2F..%2F", "..;/x", "é", `a\b`} {
		t.Run(slug, func(t *testing.T) {
			a := newAPI(t, nil)
			args := map[string]any{"slug": slug}
			value(t, a, `[get("/recipes/\($args.slug)/x"), get(["recipes", $args.slug, "x"]), ([$args.slug] | get_all("/recipes/\(.)/x"; 1))]`, args)
			for _, asked := range a.asked() {
				parts := strings.Split(strings.TrimPrefix(asked, "GET "), "/")
				if len(parts) != 4 || parts[1] != "recipes" || parts[3] != "x" {
					t.Fatalf("asked %s", asked)
				}
				if back, err := url.PathUnescape(parts[2]); err != nil || back != slug {
					t.Errorf("%q arrived as %q, %v", slug, back, err)
				}
			}
			if len(a.asked()) != 3 {
				t.Errorf("asked %q", a.asked())
			}
		})
	}
	for _, src := range []string{
		`get("/recipes/\("..")")`, `get("/recipes/\(".")/x")`, `get("/recipes/\("")")`, `get("/recipes/\(null)")`,
		`get("/recipes/\({})")`, `get(["recipes", ""])`, `get(["recipes", ".."])`, `["a", ".."] | get_all("/x/\(.)"; 1)`, `["a", ".."] | get_all([.]; 1)`,
		`request({method: "POST", path: "/a/\("..")"})`, `get("/recipes/\("../users/7")")`, `get(["recipes", "..\\users"])`,
	} {
		t.Run(src, func(t *testing.T) {
			a := newAPI(t, nil)
			_, err := compileRun(t, a, src, nil)
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("got %v, want a refusal", err)
			}
			expectAsked(t, a)
		})
	}
}

func TestPathLiterals(t *testing.T) {
	tests := []struct{ src, refused string }{
		{`get("/a/b%20c/\(.x)-\(.y)/@:!$&'()*+,;=~")`, ""},
		{`get("/")`, ""},
		{`get(("/a"))`, ""},
		{`get("a")`, "the path 'a' must begin with a slash"},
		{`get("")`, "the path '' must begin with a slash"},
		{`get("\(.x)/a")`, `the path '\(…)/a' must begin with a slash`},
		{`get("http://x/a")`, "must begin with a slash"},
		{`get("/a?b=\(.x)")`, "holds a query"},
		{`get("/a#b")`, "must be written '%23'"},
		{`get("/a b")`, "must be written '%20'"},
		{`get("/ä")`, "must be written '%C3'"},
		{`get("/a%2")`, "write '%25'"},
		{`get("/a%zz")`, "write '%25'"},
		{`get("/a/../b")`, "must not hold '..'"},
		{`get("/a/%2e%2E/b")`, "must not hold '%2e%2E'"},
		{`get("/./a")`, "must not hold '.'"},
		{`get("/a//b")`, "has an empty segment"},
		{`get("//a")`, "has an empty segment"},
		{`get("/a/" + .x)`, "a path is one string"},
		{`get($args.x + "/a")`, "a path is one string"},
		{`get(["a", .x] | join("/"))`, "a path is one string"},
		{`get(if .x then "/a" else "/b" end)`, "a path is one string"},
		{`get(.x | tostring)`, "a path is one string"},
		{`get(@uri "/a/\(.x)")`, "a path is one string"},
		{`"/a" as $p | get($p)`, "a path is one string"},
		{`"/a/\(.x)" as $p | get(($p))`, "line 1, column 20: a path is one string"},
		{`("/a/" + .x) as $p | get($p; {page: 1})`, "a path is one string"},
		{`"/a" as $p | ($p + .x) as $q | get($q)`, "a path is one string"},
		{`"/a" as $p | def f: get($p); f`, "a path is one string"},
		{`reduce ("/a", "/b") as $p (null; get($p))`, "a path is one string"},
		{`foreach ("/a", "/b") as $p (null; get($p))`, "a path is one string"},
		{`get("/a" as $p | $p)`, "a path is one string"},
		{`"/a" as $p | request({method: "GET", path: $p})`, "a path is one string"},
		{`"/a" as $p | [1] | get_all($p; 1)`, "a path is one string"},
		{`[{id: 1}] | get_all("/a/" + .id; 1)`, "a path is one string"},
		{`[1] | get_all("/a/{id}"; 1)`, "holds '{id}' as plain text"},
		{`"/a" as $p | ["a"] as $p | get($p)`, ""},
		{`"/a" as $p | .path as $q | get($q)`, ""},
		{`"/a" as $p | get(["a", $p])`, ""},
		{`"/a" as $p | get($p | split("/"))`, ""},
		{`{p: "/a"} as {p: $p} | get($p)`, ""},
		{`get("/books/{isbn}")`, `the path '/books/{isbn}' holds '{isbn}' as plain text: write '\($args.isbn)'`},
		{`get("/books/{page-size}.json")`, `write '\($args["page-size"])'`},
		{`get("/books/$args.isbn")`, `the path '/books/$args.isbn' holds '$args.isbn' as plain text: write '\($args.isbn)'`},
		{`get("/books/a$args/x")`, `holds '$args' as plain text: write '\($args.name)'`},
		{`get("/books/$isbn/\(.x)")`, `holds '$isbn' as plain text: write '\($args.isbn)', or '\($isbn)' if that is a variable, or '%24isbn' if the API has it so`},
		{`request({method: "GET", path: "/books/$isbn"})`, `holds '$isbn' as plain text`},
		{`get("/books/%24count/a$b/$2/$argsx$")`, ""},
		{`get(.x // "/a")`, "a path is one string"},
		{`request({method: "GET", path: ("/a/" + .x)})`, "a path is one string"},
		{`.ids | fetch_all({path: "/a/\(.)"}; 1)`, ""},
		{`.ids | fetch_all({path: ("/a/" + .)}; 1)`, "a path is one string"},
		{`.ids | fetch_all({path: "/a/{id}"}; 1)`, "holds '{id}' as plain text"},
		{`.ids | fetch_all({path: "a"}; 1)`, "must begin with a slash"},
		{`.urls | fetch_all({url: "https://a.example/\(.)"}; 1)`, ""},
		{`.ids | fetch_all({path: ["a", .], colour: 1}; 1)`, "'colour' is not an option"},
		{`.ids | fetch_all({method: "delete", path: ["a", .]}; 1)`, "fetch_all only reads: its method is GET or HEAD, not 'DELETE'"},
		{`.paths | get_all(split("/"); 1)`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			_, err := Compile(Source{Text: tt.src}, Options{Requests: true})
			if tt.refused == "" && err != nil || tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) {
				t.Errorf("got %v, want %s", err, tt.refused)
			}
		})
	}
}

// TestComputedPaths checks what only a run can see.
func TestComputedPaths(t *testing.T) {
	for _, src := range []string{
		`def f($p): get($p); f("/a")`, `get($args.p)`, `{method: "GET", path: "/a"} as $r | request($r)`,
		`request({method: "GET", path: "/a", ("path"): $args.p})`, `request({method: "GET", path: "/a", path: $args.p})`,
		`[$args.p] | get_all(.; 1)`, `null | get_all(["a"]; 1)`, `[1] | fetch_all({path: $args.p}; 1)`, `[{path: "/a"}] | fetch_all(.; 1)`, `get(1)`, `get([])`, `get(null)`,
		`request({method: "GET"})`, `request({method: "GET", path: ["a"], url: "http://b"})`, `request({method: ("BR" + "EW"), path: ["a"]})`,
		`request({path: ["a"]})`, `request({method: "GET", path: ["a"], body: 1})`, `{colour: 1} as $o | get("/a"; null; $o)`,
		`{path: ["b"]} as $o | get("/a"; null; $o)`, `{colour: 1, method: "GET", path: ["a"]} as $r | request($r)`, `get("/a"; {x: 1}; {query: {x: 2}})`, `post("/a"; 1; {form: {x: 2}})`,
		`get("/a"; null; {timeout: 5})`, `get("/a"; null; {timeout: "-1s"})`, `get("/a"; 1)`, `get("/a"; null; {headers: 1})`,
		`get("/a"; null; {errors: {"404": {a: 1}}})`, `follow(null)`, `[{method: "POST", path: ["a"]}] | fetch_all(.; 1)`, `["POST"] | fetch_all({method: ., path: "/a"}; 1)`, `[1] | fetch_all({}; 1)`, `[1] | fetch_all(.; 1)`, `[1] | get_all(["a"]; 0)`, `[1] | get_all(["a"]; 1; 5)`, `[1] | fetch_all({path: "/a"}; 1; {})`,
	} {
		t.Run(src, func(t *testing.T) {
			a := newAPI(t, nil)
			_, err := compileRun(t, a, src, map[string]any{"p": "/a"})
			var bug *Bug
			if !errors.As(err, &bug) {
				t.Errorf("got %v, want a bug", err)
			}
			expectAsked(t, a)
		})
	}
}

// FuzzSegment checks that no string can leave its segment.
func FuzzSegment(f *testing.F) {
	for _, seed := range []string{"a", "..", "a/b", "a/../b", `.\a`, "%2F", "é", "\xff", "a?b#c", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Segment(s)
		slashes := "/" + strings.ReplaceAll(s, `\`, "/") + "/"
		leaves := strings.Contains(slashes, "/./") || strings.Contains(slashes, "/../")
		if (err != nil) != (leaves || s == "") {
			t.Fatalf("%q: %v", s, err)
		}
		if err != nil {
			return
		}
		if strings.ContainsAny(got, "/?#\\ ;") {
			t.Errorf("%q became %q", s, got)
		}
		if back, err := url.PathUnescape(got); err != nil || back != s {
			t.Errorf("%q came back as %q, %v", s, back, err)
		}
	})
}
