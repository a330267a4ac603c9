package program

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A senderFunc is a Sender without a network.
type senderFunc func(ctx context.Context, req *Request) (*Response, error)

func (f senderFunc) Send(ctx context.Context, req *Request) (*Response, error) { return f(ctx, req) }

func jsonReply(body string) *Response {
	return &Response{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)}
}

func mustCompile(t testing.TB, src string) *Program {
	t.Helper()
	p, err := Compile(Source{Text: src}, Options{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFetchAll(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"in order", `[[range(20)] | get_all("/n/\(.)"; 3)[].body.path] == [range(20) | "/n/\(.)"]`, `true`},
		{"of objects, as segments", `[{id: "a/b"}, {id: 2}] | get_all(["n", .id]; 2) | map(.body.path)`, `["/n/a%2Fb","/n/2"]`},
		{"in one segment", `["a/b"] | get_all("/n/\(.)/x"; 2)[0].body.path`, `"/n/a%2Fb/x"`},
		{"errors", `["404"] | get_all("/fail/\(.)"; 2)`, `[{"error":` + shape404 + `,"ok":false}]`},
		{"fetch_all", `[{path: ["a"], query: {q: 1}}, {path: ["fail", 503], method: "HEAD"}] | fetch_all(.; 2) | [.[0].body.path, .[1].status, .[1].error.message]`, `["/a?q=1",503,"the API returned 503"]`},
		{"fetch_all, in one segment", `["a/b"] | fetch_all({path: "/n/\(.)/x"}; 2)[0].body.path`, `"/n/a%2Fb/x"`},
		{"own sentences", `["404"] | fetch_all({path: "/fail/\(.)", errors: {"404": "gone"}}; 1)[0].error.message`, `"gone"`},
		{"nothing to fetch", `[([] | get_all("/a"; 2)), ([] | fetch_all({path: "/a"}; 2))]`, `[[],[]]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := value(t, newAPI(t, failing), tt.src, nil); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	t.Run("urls and no bodies", func(t *testing.T) {
		var got []string
		sender := senderFunc(func(_ context.Context, req *Request) (*Response, error) {
			got = append(got, fmt.Sprint(req.Method, " ", req.URL, " ", req.Upstream, " ", req.DiscardBody))
			return &Response{Status: 200}, nil
		})
		p := mustCompile(t, `["x?y"] | fetch_all({url: "https://a.example/\(.)", method: "HEAD", upstream: "web", head_only: true}; 1)`)
		v, err := p.Run(t.Context(), &Call{Sender: sender, Upstream: "api"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := EncodeJSON(v); string(b) != `[{"body":null,"status":200}]` {
			t.Errorf("got %s", b)
		}
		if want := []string{"HEAD https://a.example/x?y web true"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("progress", func(t *testing.T) {
		for src, total := range map[string]float64{
			`[range(250)] | get_all("/n/\(.)"; 8; "reading") | length`:         250,
			`[range(3)] | fetch_all({path: "/n/\(.)"}; 2; "reading") | length`: 3,
			`[range(3)] | get_all("/n/\(.)"; 8) | length`:                      0,
			`[] | get_all("/n"; 8; "reading") | length`:                        0,
		} {
			a := newAPI(t, nil)
			var told []float64
			call := a.newCall(nil)
			call.Progress = func(_ context.Context, done, of float64, message string) {
				if told = append(told, done); of != total || message != "reading" {
					t.Errorf("%s: told %v of %v, '%s'", src, done, of, message)
				}
			}
			if _, err := mustCompile(t, src).Run(t.Context(), call, nil); err != nil {
				t.Fatal(err)
			}
			if total > 0 && (len(told) == 0 || told[len(told)-1] != total) || !slices.IsSorted(told) || len(told) > 100 || float64(len(told)) > total {
				t.Errorf("%s: told %v", src, told)
			}
		}
	})
	t.Run("a panic is a bug", func(t *testing.T) {
		sender := senderFunc(func(context.Context, *Request) (*Response, error) { panic("broken") })
		for _, src := range []string{`[1] | get_all("/a"; 1)`, `get("/a")`} {
			_, err := mustCompile(t, src).Run(t.Context(), &Call{Sender: sender}, nil)
			var bug *Bug
			if !errors.As(err, &bug) || !strings.Contains(err.Error(), "broken") {
				t.Errorf("%s: got %v", src, err)
			}
		}
	})
}

// TestFetchAllKeepsToItsLimit checks that n requests are in flight, and never
// more: each waits until n have come together or the last ones have.
func TestFetchAllKeepsToItsLimit(t *testing.T) {
	const n = 4
	synctest.Test(t, func(t *testing.T) {
		var flying, most atomic.Int64
		sender := senderFunc(func(context.Context, *Request) (*Response, error) {
			now := flying.Add(1)
			defer flying.Add(-1)
			for {
				old := most.Load()
				if now <= old || most.CompareAndSwap(old, now) {
					break
				}
			}
			time.Sleep(time.Second) // of the bubble's clock
			return jsonReply("1"), nil
		})
		p := mustCompile(t, `[range(10)] | get_all("/n/\(.)"; 4) | length`)
		v, err := p.Run(t.Context(), &Call{Sender: sender}, nil)
		if err != nil || v != 10 {
			t.Fatalf("got %v, %v", v, err)
		}
		if most.Load() != n {
			t.Errorf("%d requests at once, want %d", most.Load(), n)
		}
	})
}

func TestPages(t *testing.T) {
	// An API with 25 rows, 10 a page.
	rows := func(page, total int) string {
		var list []string
		for i := (page - 1) * 10; i < min(page*10, total); i++ {
			list = append(list, fmt.Sprint(i))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil {
			t.Error(err)
		}
		switch r.URL.Path {
		case "/total":
			fmt.Fprintf(w, `{"items":%s,"total":25}`, rows(page, 25))
		case "/count":
			next := "null"
			if page < 3 {
				next = `"/count?page=9"`
			}
			fmt.Fprintf(w, `{"results":%s,"next":%s}`, rows(page, 25), next)
		case "/bare":
			fmt.Fprint(w, rows(page, 25))
		case "/missing":
			if page > 2 {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			fmt.Fprint(w, rows(page, 20))
		case "/never":
			w.WriteHeader(http.StatusNotFound)
		case "/broken":
			if page > 1 {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			fmt.Fprint(w, rows(page, 20))
		case "/pages", "/total_pages", "/last_page", "/page_count":
			fmt.Fprintf(w, `{"items":%s,%q:2}`, rows(page, 20), r.URL.Path[1:])
		case "/nopages":
			fmt.Fprintf(w, `{"items":%s,"pages":["a"],"total_pages":null,"total":"25"}`, rows(page, 20))
		case "/forever":
			fmt.Fprint(w, rows(1, 10))
		}
	})
	tests := []struct {
		name, src, want string
		requests        int
	}{
		{"total", `pages(get("/total"; {page: .}); .items; 100)`, `[25,true,25]`, 3},
		{"next", `pages(get("/count"; {page: .}); .results; 100)`, `[25,true,25]`, 3},
		{"bare", `pages(get("/bare"; {page: .}); .; 100)`, `[25,true,25]`, 4},
		{"cap", `pages(get("/total"; {page: .}); .items; 15)`, `[15,false,25]`, 2},
		{"cap of an unknown total", `pages(get("/bare"; {page: .}); .; 15)`, `[15,false,null]`, 2},
		{"a page that never changes", `pages(get("/forever"; {page: .}); .; 35)`, `[35,false,null]`, 4},
		{"a page that is not there", `pages(get("/missing"; {page: .}); .; 100)`, `[20,true,20]`, 3},
		{"a page that is not there, with items that fail on null", `pages(get("/missing"; {page: .}); [.[]]; 100)`, `[20,true,20]`, 3},
		{"cap before a page that is not there", `pages(get("/missing"; {page: .}); .; 15)`, `[15,false,null]`, 2},
		{"pages", `pages(get("/pages"; {page: .}); .items; 100)`, `[20,true,20]`, 2},
		{"total_pages", `pages(get("/total_pages"; {page: .}); .items; 100)`, `[20,true,20]`, 2},
		{"last_page", `pages(get("/last_page"; {page: .}); .items; 100)`, `[20,true,20]`, 2},
		{"page_count", `pages(get("/page_count"; {page: .}); .items; 100)`, `[20,true,20]`, 2},
		{"cap on the last page", `pages(get("/pages"; {page: .}); .items; 15)`, `[15,false,null]`, 2},
		{"cap at the last page", `pages(get("/pages"; {page: .}); .items; 20)`, `[20,true,20]`, 2},
		{"numbers that are none", `pages(get("/nopages"; {page: .}); .items; 100)`, `[20,true,20]`, 3},
		{"cap at the total", `pages(get("/total"; {page: .}); .items; 25)`, `[25,true,25]`, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := len(a.asked())
			if got := value(t, a, tt.src+` | [(.items | length), .complete, .total]`, nil); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if n := len(a.asked()) - before; n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
		})
	}
	for _, reply := range []string{`null`, `{}`, `{"items":null}`, `{"items":{"a":[1]}}`} {
		strange := newAPI(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, reply)
		})
		expectError(t, strange, `pages(get("/strange"; {page: .}); .items; 100)`, "the API's reply holds no list of rows")
		expectError(t, strange, `page(get("/strange"; .).items; 10; 0)`, "the API's reply holds no list of rows")
	}
	expectError(t, a, `pages(get("/never"; {page: .}); .; 100)`, "the API returned 404")
	expectError(t, a, `pages(get("/broken"; {page: .}); .; 100)`, "the API returned 500")
	// Only the request's own 404 is the end.
	expectError(t, a, `pages(get("/bare"; {page: .}); if .[0] == 10 then error({status: 404, message: "mine"}) else . end; 100)`, "mine")
}

// TestCutOff ends the context during the second of several requests.
func TestCutOff(t *testing.T) {
	tests := []struct {
		name, src string
		want      string // the error's text
		requests  int
	}{
		{"reading", `get("/1") | get("/2") | get("/3")`, "context canceled", 2},
		{"attempt", `attempt(get("/1")) | attempt(get("/2")) | attempt(get("/3"))`, "context canceled", 2},
		{"try", `[(get("/1"), get("/2"), get("/3"))?]`, "context canceled", 2},
		{"get_all", `[([range(9)] | get_all("/n/\(.)"; 1)), get("/x")]`, "context canceled", 2},
		{"writing", `post("/1") | post("/2") | post("/3")`, "the call was cut off: POST /2 may have reached the API; already done: POST /1", 2},
		{"writing in attempt", `attempt(post("/1")) | attempt(post("/2")) | attempt(post("/3"))`, "the call was cut off: POST /2 may have reached the API; already done: POST /1", 2},
		{"first writing", `get("/1") | post("/2")`, "the call was cut off: POST /2 may have reached the API", 2},
		{"then reading", `post("/1") | get("/2")`, "the call was cut off; already done: POST /1", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			requests := 0
			sender := senderFunc(func(ctx context.Context, req *Request) (*Response, error) {
				if requests++; requests < 2 {
					return jsonReply("1"), nil
				}
				cancel()
				if isWrite(req.Method) {
					return nil, fmt.Errorf("sent: %w", ctx.Err())
				}
				return nil, ctx.Err()
			})
			v, err := mustCompile(t, tt.src).Run(ctx, &Call{Sender: sender}, nil)
			if !errors.Is(err, context.Canceled) || err.Error() != tt.want {
				t.Errorf("got %v, %v; want %s", v, err, tt.want)
			}
			if requests != tt.requests {
				t.Errorf("%d requests, want %d", requests, tt.requests)
			}
		})
	}
	t.Run("a write that was not sent", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		sender := senderFunc(func(ctx context.Context, _ *Request) (*Response, error) {
			cancel()
			return nil, ctx.Err()
		})
		_, err := mustCompile(t, `post("/a")`).Run(ctx, &Call{Sender: sender}, nil)
		if err != context.Canceled {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an endless program", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		call := &Call{Progress: func(context.Context, float64, float64, string) { cancel() }}
		_, err := mustCompile(t, `progress(0; null; "") | [range(infinite)] | length`).Run(ctx, call, nil)
		if err != context.Canceled {
			t.Errorf("got %v", err)
		}
	})
	t.Run("ended before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := mustCompile(t, `post("/a")`).Run(ctx, &Call{}, nil); err != context.Canceled {
			t.Errorf("got %v", err)
		}
	})
	t.Run("deadline over real HTTP", func(t *testing.T) {
		arrived := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		a := newAPI(t, func(_ http.ResponseWriter, r *http.Request) {
			close(arrived)
			<-r.Context().Done()
		})
		go func() {
			<-arrived
			cancel()
		}()
		_, err := mustCompile(t, `attempt(post("/a"))`).Run(ctx, a.newCall(nil), nil)
		if !errors.Is(err, context.Canceled) || err.Error() != "the call was cut off: POST /a may have reached the API" {
			t.Errorf("got %v", err)
		}
	})
}

// TestOneProgramManyCalls runs one program in many calls at once.
func TestOneProgramManyCalls(t *testing.T) {
	a := newAPI(t, failing)
	p := mustCompile(t, `
		get("/a/\($args.n)") as $a
		| post("/b/\($args.n)"; {n: $args.n}) as $b
		| attempt(get("/fail/404")) as $c
		| (["c", "d"] | get_all([., $args.n]; 2)) as $d
		| {n: $args.n, a: $a.path, b: $b.body.n, c: $c.ok, d: ($d | map(.body.path)), u: (["x", "y"] | index_by(.) | keys)}`)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			call := a.newCall(map[string]any{"n": i})
			v, err := p.Run(t.Context(), call, nil)
			if err != nil {
				t.Error(err)
				return
			}
			got, err := p.Marshal(v)
			want := fmt.Sprintf(`{"n":%[1]d,"a":"/a/%[1]d","b":%[1]d,"c":false,"d":["/c/%[1]d","/d/%[1]d"],"u":["x","y"]}`, i)
			if err != nil || string(got) != want {
				t.Errorf("got %s, %v; want %s", got, err, want)
			}
			if w := call.Done(); w != fmt.Sprintf("; already done: POST /b/%d", i) {
				t.Errorf("writes %q", w)
			}
		})
	}
	wg.Wait()
}
