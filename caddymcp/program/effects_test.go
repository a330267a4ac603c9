package program

import (
	"strings"
	"testing"
)

// TestEffectRule holds what jq does with writes that are not statements: each
// refused program would write twice, never, or out of order.
func TestEffectRule(t *testing.T) {
	tests := []struct {
		name, src string
		refused   string // part of the error; empty if the program is allowed
	}{
		// Allowed: it runs once, and in order.
		{"pipe", `post("/a") | put("/b"; .)`, ""},
		{"as", `post("/a") as $x | put("/b"; $x)`, ""},
		{"destructured", `post("/a") as {$id, n: [$m]} | put("/b"; [$id, $m])`, ""},
		{"once for each of a list", `[$args.ids[] | delete("/a/\(.)")]`, ""},
		{"once for each, bound", `[$args.ids[] as $id | delete("/a/\($id)")]`, ""},
		{"array members", `[post("/a"), (post("/b"), post("/c"))]`, ""},
		{"array member of a pipe", `[1 | post("/a"), post("/b")]`, ""},
		{"object members", `{a: post("/a"), b: post("/b")}`, ""},
		{"several values after a write", `[{a: post("/a"), b: (1, 2)}]`, ""},
		{"branches", `if . then post("/a") elif 1 then put("/b") else delete("/c") end`, ""},
		{"conditions that read", `if get("/a").x then post("/b") else . end`, ""},
		{"parentheses", `(post("/a"))`, ""},
		{"field of the reply", `post("/a").id`, ""},
		{"elements of the reply", `[post("/a").ids[] | delete("/b/\(.)")]`, ""},
		{"index with one value", `.n as $n | post("/a")[$n]`, ""},
		{"left of //", `put("/a") // 1`, ""},
		{"right of //", `.id // post("/a").id`, ""},
		{"update of reduce", `reduce .[] as $x (null; post("/a"; $x))`, ""},
		{"update of foreach", `[foreach .[] as $x (null; post("/a"; $x))]`, ""},
		{"map", `map(post("/a"; .))`, ""},
		{"map with several", `map(post("/a"), post("/b"))`, ""},
		{"attempt", `attempt(post("/a"))`, ""},
		{"rescue", `rescue(post("/a"); .status == 500; post("/b"))`, ""},
		{"annotate", `annotate(post("/a"); "x: \(.message)")`, ""},
		{"definition", `def f($id): put("/a/\($id)"; .); f(1) | f(2)`, ""},
		{"$-parameters", `def f($x; $y): [$x, $y]; f(post("/a"); post("/b"))`, ""},
		{"recursion", `def f: if . > 3 then . else post("/a"; {n: .}).n | f end; 1 | f`, ""},
		{"reading anywhere", `[get("/a"), get("/b")] | first(.[]) + get("/c/\(get("/d").id)")`, ""},
		{"reading with several values", `[get("/a/\(.ids[])")]`, ""},
		{"one value of many", `post("/a"; {id: first(.ids[]), n: (.ids | length), s: [.ids[]], t: (.ids | map(.x))})`, ""},
		{"several values in a closure for an array", `def f(x): post("/a"; {ids: [x]}); f(.ids[])`, ""},
		{"one value by a parameter of the definition around", `post("/x"; def f(x): def h: {n: x}; h; f(1))`, ""},
		{"one value by a closure beside one with several", `post("/x"; def f(x): def h: x; def g(x): h; g(1, 2); f(1))`, ""},
		{"page as an argument", `post("/x"; page(get("/a"; .); 9; 0))`, ""},
		{"pages as an argument", `post("/x"; pages(get("/a"); .items; 9))`, ""},
		{"a definition that only looks recursive", `def f: if . == null then 0 else .next | f end; post("/a"; f)`, ""},

		// The left side runs last.
		{"+", `post("/a") + post("/b")`, "'post' can write, and cannot stand beside '+'"},
		{"==", `post("/a") == 1`, "beside '=='"},
		{"-", `1 - post("/a")`, "beside '-'"},
		{"and", `true and post("/a")`, "beside 'and'"},
		{"unary", `-post("/a")`, "cannot stand here"},
		{"string", `"\(post("/a")) \(post("/b"))"`, "inside a string"},
		{"format", `@json "\(post("/a"))"`, "inside a string"},
		{"arguments of a builtin", `[range(post("/a"); post("/b"))]`, "in an argument of range"},
		{"arguments of a request", `post("/a"; post("/b"))`, "in the arguments of a request"},
		{"path", `get("/a/\(post("/b").id)")`, "in the arguments of a request"},
		{"a native's argument", `{} | only(post("/a"))`, "in an argument of only"},

		// It would run several times, or never.
		{"object member after several", `{b: (1, 2), a: post("/x")}`, "after a member that can have several values"},
		{"object member after a list", `{b: .ids[], a: post("/x")}`, "after a member that can have several values"},
		{"object key", `{(post("/a").k): 1}`, "in the key of an object"},
		{"several values in the body", `post("/x"; {id: .ids[]})`, "an argument of 'post' can have several values"},
		{"several values in the path", `delete("/x/\(.ids[])")`, "an argument of 'delete' can have several values"},
		{"several values by a definition", `def ids: .ids[]; post("/x"; {id: ids})`, "several values"},
		{"several values by a $-parameter", `def f($x): $x; post("/x"; {id: f(.ids[])})`, "several values"},
		{"several values by a parameter", `def f(x): post("/x"; {id: x}); f(1)`, "several values"},
		{"several values by a parameter of the definition around", `[def f(x): def h: {n: x}; post("/x"; h); f(1, 2)]`, "an argument of 'post' can have several values"},
		{"several values by the parameter of a definition in an argument", `[post("/x"; def f(g): def h: g; h; f(1, 2))]`, "an argument of 'post' can have several values"},
		{"a condition by the parameter around", `[def f(x): def h: x; if h then post("/x") else 1 end; f(true, true)]`, "after a condition that can have several values"},
		{"an object member by the parameter around", `[def f(x): def h: x; {a: h, b: post("/x")}; f(1, 2)]`, "after a member that can have several values"},
		{"an update by the parameter around", `[def f(x): def h: x; reduce 1 as $i (0; h | post("/x")); f(1, 2)]`, "in an update of reduce"},
		{"a closure passed on to a closure", `[post("/x"; def f(x): def g(y): def h: y; h; g(x); f(1, 2))]`, "several values"},
		{"a closure of two levels around", `[post("/x"; def f(x): def g: def h: x; h; g; f(1, 2))]`, "several values"},
		{"a closure called from another one beside it", `[post("/x"; def f(x): def h: x; def g(x): h; g(1); f(1, 2))]`, "several values"},
		{"a closure that was read with one value before", `[post("/x"; def f(x): def h: x; h; {a: f(1), b: f(1, 2)})]`, "several values"},
		{"a closure of a recursion", `[post("/x"; def f(x): def h: x; if . == 0 then h else 0 | f(1, 2) end; 1 | f(1))]`, "several values"},
		{"several values for a definition that writes", `def f($x): post("/x"; $x); f(.ids[])`, "several values"},
		{"several values before a writing argument", `def f($x; $y): 1; f(.ids[]; post("/a"))`, "after an argument that can have several values"},
		{"several values by an index", `post("/x")[.a, .b]`, "before an index that can have several values"},
		{"range", `post("/x"; {n: range(3)})`, "several values"},
		{"?//", `. as [$a] ?// $a | post("/x") | error("later")`, "'?//' is not available"},
		{"a filter argument", `def f(x): [x, x]; f(post("/a"))`, "in an argument of f, which jq runs wherever"},
		{"first", `first(post("/a"), post("/b"))`, "in an argument of first"},
		{"all", `all(.ids[]; delete("/a/\(.)"))`, "in an argument of all"},
		{"isempty", `isempty(post("/a"))`, "in an argument of isempty"},
		{"limit", `[limit(1; post("/a"))]`, "in an argument of limit"},
		{"label", `label $out | post("/a") | break $out`, "under label"},
		{"select", `select(post("/a"))`, "in an argument of select"},
		{"condition", `if post("/a") then 1 else 2 end`, "in the condition of if"},
		{"condition with several values", `if .[] then post("/a") else 2 end`, "after a condition that can have several values"},
		{"elif with several values", `if 1 then 2 elif .[] then 3 else post("/a") end`, "after a condition that can have several values"},
		{"rescue with several conditions", `rescue(1; true, true; post("/a"))`, "after a condition that can have several values"},
		{"several start values", `[reduce .[] as $x (1, 2; post("/a"))]`, "in reduce with several start values"},
		{"several start values of foreach", `[foreach .[] as $x (1, 2; post("/a"))]`, "in foreach with several start values"},
		{"a key with several values", `[{(.keys[]): post("/a")}]`, "after a member that can have several values"},
		{"source of reduce", `reduce post("/a")[] as $x (0; 1)`, "in the source of reduce"},
		{"start of reduce", `reduce .[] as $x (post("/a"); 1)`, "in the start value of reduce"},
		{"several in reduce", `reduce .[] as $x (0; $x[] | post("/a"))`, "in an update of reduce"},
		{"comma in reduce", `reduce .[] as $x (0; post("/a"), post("/b"))`, "beside a comma"},
		{"comma", `post("/a"), post("/b")`, "beside a comma"},
		{"extract of foreach", `[foreach .[] as $x (0; 1; post("/a"))]`, "in what foreach gives"},
		{"pattern", `. as {(post("/a")): $x} | 1`, "in a pattern"},

		// Updates and paths.
		{"//=", `.id //= post("/x").id`, "in an update with '//='"},
		{"|=", `.items[] |= put("/x"; .)`, "in an update with '|='"},
		{"=", `.x = post("/a")`, "in an update with '='"},
		{"+=", `.x += post("/a")`, "in an update with '+='"},
		{"path()", `path(post("/a"))`, "in an argument of path"},
		{"paths()", `[paths(post("/a"))]`, "in an argument of paths"},
		{"del", `del(.[post("/a")])`, "in an argument of del"},
		{"index", `.[post("/a")]`, "cannot stand here"},

		// Failures that would be hidden.
		{"?", `post("/x")?`, "under '?'"},
		{"? further on", `post("/x").id?`, "under '?'"},
		{"try", `try post("/x") catch 1`, "under try"},
		{"catch", `try 1 catch post("/x")`, "under try"},
		{"condition of rescue", `rescue(1; post("/a"); 2)`, "in this argument of rescue"},
		{"text of annotate", `annotate(1; post("/a"))`, "in this argument of annotate"},
		{"check", `check(post("/a"); "x")`, "in an argument of check"},

		// By definitions, and by what cannot be read.
		{"a definition that writes", `def f: post("/a"); 1 + f`, "'f' can write, and cannot stand beside '+'"},
		{"a definition in a definition", `def f: def g: post("/a"); g; 1 + f`, "'f' can write"},
		{"inside a definition that nothing uses", `def f: 1 + post("/a"); 1`, "beside '+'"},
		{"inside a nested definition", `1 + (def f: 2 + post("/a"); 3)`, "'post' can write"},
		{"a request with a computed method", `1 + request({method: $args.m, path: "/a"})`, "'request' can write"},
		{"a computed request", `1 + response($args.r)`, "'response' can write"},
		{"a request that reads", `1 + request({method: "get", path: "/a"}).n`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile(Source{Text: tt.src}, Options{Requests: true})
			switch {
			case tt.refused == "" && err != nil:
				t.Errorf("%s: refused: %v", tt.src, err)
			case tt.refused != "" && err == nil:
				t.Errorf("%s: not refused", tt.src)
			case tt.refused != "" && !strings.Contains(err.Error(), tt.refused):
				t.Errorf("%s:\n got %v\nwant %s", tt.src, err, tt.refused)
			}
		})
	}
}

// TestEffectRuleFollowsLibraries checks that a library's definitions are seen
// through, across its sources.
func TestEffectRuleFollowsLibraries(t *testing.T) {
	library, err := NewLibrary(
		Source{Text: `def save($x): put("/a"; $x); def ids: .ids[];`},
		Source{Text: `def save_all: map(save(.)); def shape: {id};`},
	)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ src, refused string }{
		{`save_all`, ""},
		{`shape + shape`, ""},
		{`[1] + save_all`, "'save_all' can write"},
		{`save(ids)`, "an argument of 'save' can have several values"},
		{`post("/b"; ids)`, "an argument of 'post' can have several values"},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			_, err := Compile(Source{Text: tt.src}, Options{Library: library, Requests: true})
			if tt.refused == "" && err != nil || tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) {
				t.Errorf("got %v, want %s", err, tt.refused)
			}
		})
	}
	t.Run("no requests", func(t *testing.T) {
		_, err := Compile(Source{Text: `save_all`}, Options{Library: library})
		if err == nil || !strings.Contains(err.Error(), "'save_all' makes a request: requests are made in run") {
			t.Errorf("got %v", err)
		}
		if _, err := Compile(Source{Text: `shape`}, Options{Library: library}); err != nil {
			t.Error(err)
		}
	})
}

func TestEffects(t *testing.T) {
	tests := []struct {
		src  string
		want []Effect
	}{
		{`.`, nil},
		{`get("/a/\(1)/b/x-\(2)"; {q: 1})`, []Effect{{Method: "GET", Path: "/a/*/b/*"}}},
		{`post("/a"; 1; {upstream: "other"})`, []Effect{{Method: "POST", Path: "/a", Upstream: "other"}}},
		{`delete(["a", .id])`, []Effect{{Method: "DELETE", Path: "/a/*"}}},
		{`[.p] as $p | delete($p + ["x"])`, []Effect{{Method: "DELETE"}}},
		{`get(["a", .ids[]])`, []Effect{{Method: "GET"}}},
		{`request({method: "put", path: "/a/\(.x)", upstream: "web"})`, []Effect{{Method: "PUT", Path: "/a/*", Upstream: "web"}}},
		{`request({method: $args.m, path: "/a"})`, []Effect{{Path: "/a"}}},
		{`request($args)`, []Effect{{}}},
		{`request({method: "GET", path: "/a", ("met" + "hod"): "POST"})`, []Effect{{}}},
		{`request({method: "GET", method: "POST", path: "/a"})`, []Effect{{}}},
		{`.ids | get_all("/a/\(.)"; 2)`, []Effect{{Method: "GET", Path: "/a/*"}}},
		{`.ids | get_all(["a", .]; 2)`, []Effect{{Method: "GET", Path: "/a/*"}}},
		{`.list | fetch_all(.; 2)`, []Effect{{Method: "GET"}, {Method: "HEAD"}}},
		{`.urls | fetch_all({url: ., upstream: "web"}; 2)`, []Effect{{Method: "GET", Upstream: "web"}}},
		{`.ids | fetch_all({path: "/a/\(.)", method: "head"}; 2)`, []Effect{{Method: "HEAD", Path: "/a/*"}}},
		{`.ids | fetch_all({path: "/a/\(.)", method: $args.m}; 2)`, []Effect{{Method: "GET", Path: "/a/*"}, {Method: "HEAD", Path: "/a/*"}}},
		{`follow(.next)`, []Effect{{Method: "GET"}}},
		{
			`def f: put("/f"); def g: f; def h: delete("/h"); g | get("/z") | get("/z")`,
			[]Effect{{Method: "GET", Path: "/z"}, {Method: "PUT", Path: "/f"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			p, err := Compile(Source{Text: tt.src}, Options{Requests: true})
			if err != nil {
				t.Fatal(err)
			}
			got := p.Effects()
			if len(got) != len(tt.want) {
				t.Fatalf("got %+v, want %+v", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("got %+v, want %+v", got[i], tt.want[i])
				}
			}
		})
	}
}
