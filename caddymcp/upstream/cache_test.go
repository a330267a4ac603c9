package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// counting answers every request with how many it has seen.
func counting(n *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{"cc": "Cache-Control", "vary": "Vary", "cookie": "Set-Cookie"} {
			if v := r.URL.Query().Get(name); v != "" {
				w.Header().Set(value, v)
			}
		}
		if s, err := strconv.Atoi(r.URL.Query().Get("status")); err == nil {
			w.WriteHeader(s)
		}
		fmt.Fprint(w, n.Add(1))
	}
}

func hour(paths ...string) []Cache {
	return []Cache{{For: caddy.Duration(time.Hour), Paths: paths}}
}

func TestCacheKeeps(t *testing.T) {
	tests := []struct {
		name string
		req  *program.Request
		kept bool
	}{
		{"path", get("/foods"), true},
		{"wildcard", get("/foods/1"), true},
		{"query", get("/foods?a=1"), true},
		{"safe request", post("/parse", "a"), true},
		{"other path", get("/units"), false},
		{"deeper path", get("/foods/1/2"), false},
		{"head", &program.Request{Method: "HEAD", Path: "/foods"}, false},
		{"body left unread", &program.Request{Method: "GET", Path: "/foods", DiscardBody: true}, false},
		{"no-store", get("/foods?cc=no-store"), false},
		{"no-cache", get("/foods?cc=max-age%3D60%2C%20No-Cache"), false},
		{"private", get("/foods?cc=private%3D%22x%22"), false},
		{"public", get("/foods?cc=public%2C%20max-age%3D1"), true},
		{"vary", get("/foods?vary=Accept%2C%20Authorization"), true},
		{"vary on all", get("/foods?vary=*"), false},
		{"cookie", get("/foods?cookie=a%3Db"), false},
		{"error", &program.Request{Method: "GET", Path: "/foods?status=404", Raw: true}, false},
		{"partial", get("/foods?status=206"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var n atomic.Int64
			a := newAPI(t, counting(&n))
			u := ready(t, &Upstream{URL: a.URL, Caches: hour("/foods", "/foods/*", "/parse"), SafeRequests: []SafeRequest{{"POST", "/parse"}}})
			mustSend(t, u, tt.req)
			mustSend(t, u, tt.req)
			if sent := len(a.requests()); (sent == 1) != tt.kept {
				t.Errorf("%d requests were sent", sent)
			}
		})
	}
}

// TestCacheIsPassedBy checks that a request can ask for a reply of its own.
func TestCacheIsPassedBy(t *testing.T) {
	for _, control := range []string{"no-cache", "max-age=0, No-Store"} {
		t.Run(control, func(t *testing.T) {
			var n atomic.Int64
			u := ready(t, &Upstream{URL: newAPI(t, counting(&n)).URL, Caches: hour("/foods")})
			anew := get("/foods")
			anew.Header = http.Header{"Cache-Control": {control}}
			for i, step := range []struct {
				req  *program.Request
				want string
			}{{get("/foods"), "1"}, {anew, "2"}, {anew, "3"}, {get("/foods"), "1"}} {
				if got := string(mustSend(t, u, step.req).Body); got != step.want {
					t.Errorf("request %d: got reply %s, want %s", i, got, step.want)
				}
			}
		})
	}
}

func TestCacheKey(t *testing.T) {
	header := func(name, value string) *program.Request {
		req := get("/foods")
		req.Header = http.Header{name: {value}}
		return req
	}
	query := get("/foods")
	query.Query = map[string][]string{"q": {"1"}}
	var n atomic.Int64
	a := newAPI(t, counting(&n))
	u := ready(t, &Upstream{
		URL: a.URL, Caches: hour("/foods", "/parse"), SafeRequests: []SafeRequest{{"POST", "/parse"}},
		Headers: []Header{{"X-User", "{mcp.caller.id}"}},
	})
	ann, bob := WithCall(t.Context(), &Call{CallerID: "ann"}), WithCall(t.Context(), &Call{CallerID: "bob"})
	different := []struct {
		ctx context.Context
		req *program.Request
	}{
		{t.Context(), get("/foods")},
		{t.Context(), query},
		{ann, get("/foods")},
		{bob, get("/foods")},
		{t.Context(), header("Accept-Language", "de")},
		{t.Context(), header("Accept-Language", "fr")},
		{t.Context(), post("/parse", "a")},
		{t.Context(), post("/parse", "b")},
	}
	for round := range 2 {
		for i, d := range different {
			resp, err := u.Send(d.ctx, d.req)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(resp.Body), strconv.Itoa(i+1); got != want {
				t.Errorf("round %d: request %d got the reply %s", round, i+1, got)
			}
		}
	}
}

func TestCacheBeforeAChainTellsCallersApart(t *testing.T) {
	n := 0
	u := chainOf(t, func(w http.ResponseWriter, _ *http.Request) error {
		n++
		_, err := fmt.Fprint(w, n)
		return err
	})
	u.Caches = hour("/foods")
	ready(t, u)
	call := func(change func(*Call)) context.Context {
		c := &Call{CallerID: "ann", Tool: "list"}
		ctx := callFor(t.Context(), c, nil)
		change(c)
		return ctx
	}
	same := func(*Call) {}
	for i, change := range []func(*Call){
		same,
		func(c *Call) { c.CallerID = "bob" },
		func(c *Call) { c.CallerName = "Bob" },
		func(c *Call) { c.CallerScopes = []string{"x"} },
		func(c *Call) { c.Tool = "other" },
		func(c *Call) { c.Request.Host = "other.example.com" },
		func(c *Call) { c.Request.RemoteAddr = "203.0.113.10:1" },
		func(c *Call) { c.replacer().Set("http.auth.user.id", "ann") },
		func(c *Call) { c.Request.RemoteAddr = "203.0.113.9:4321" },
		same,
	} {
		resp, err := u.Send(call(change), get("/foods"))
		if err != nil {
			t.Fatal(err)
		}
		want := min(i+1, 8)
		if i >= 8 {
			want = 1 // the port of a connection makes no difference
		}
		if string(resp.Body) != strconv.Itoa(want) {
			t.Errorf("call %d got the reply %s, want %d", i, resp.Body, want)
		}
	}
}

func TestCacheExpires(t *testing.T) {
	var n atomic.Int64
	a := newAPI(t, counting(&n))
	u := ready(t, &Upstream{URL: a.URL, Caches: []Cache{{For: caddy.Duration(time.Millisecond), Paths: []string{"/foods"}}}})
	for deadline := time.Now().Add(5 * time.Second); len(a.requests()) < 2; {
		mustSend(t, u, get("/foods"))
		if time.Now().After(deadline) {
			t.Fatal("the reply was kept for more than its time")
		}
	}
}

func TestCachedReplyCannotBeChanged(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-A", "1")
		_, _ = io.WriteString(w, "abc")
	})
	u := ready(t, &Upstream{URL: a.URL, Caches: hour("/foods")})
	for range 3 {
		resp := mustSend(t, u, get("/foods"))
		if string(resp.Body) != "abc" || resp.Header.Get("X-A") != "1" {
			t.Fatalf("got %q %v", resp.Body, resp.Header)
		}
		resp.Body[0] = 'x'
		resp.Header.Set("X-A", "2")
		resp.Header["X-B"] = nil
	}
	a.expect(t, "GET /foods")
}

func TestCacheDrops(t *testing.T) {
	tests := []struct {
		name    string
		dropOn  []string
		write   *program.Request
		dropped bool
	}{
		{"any write", nil, post("/other", ""), true},
		{"failed write", nil, post("/other?status=500", ""), true},
		{"safe request", nil, post("/parse", ""), false},
		{"read", nil, get("/other"), false},
		{"listed", []string{"/foods"}, post("/foods", ""), true},
		{"below listed", []string{"/foods"}, &program.Request{Method: "DELETE", Path: "/foods/1"}, true},
		{"below listed with a slash", []string{"/foods/"}, &program.Request{Method: "PUT", Path: "/foods/1/x"}, true},
		{"beside listed", []string{"/foods"}, post("/foodstuff", ""), false},
		{"wildcard", []string{"/groups/*/foods"}, post("/groups/7/foods/1", ""), true},
		{"not listed", []string{"/foods"}, post("/units", ""), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var n atomic.Int64
			a := newAPI(t, counting(&n))
			u := ready(t, &Upstream{URL: a.URL, Caches: hour("/foods"), SafeRequests: []SafeRequest{{"POST", "/parse"}}})
			u.caches[0].DropOn = tt.dropOn
			mustSend(t, u, get("/foods"))
			_, _ = u.Send(t.Context(), tt.write)
			before := len(a.requests())
			mustSend(t, u, get("/foods"))
			if dropped := len(a.requests()) > before; dropped != tt.dropped {
				t.Errorf("dropped: %v", dropped)
			}
		})
	}
}

// TestCacheOverlap has reads and writes that overlap in every way.
func TestCacheOverlap(t *testing.T) {
	arrived, release := make(chan string), map[string]chan struct{}{"GET": make(chan struct{}), "POST": make(chan struct{})}
	u := chainOf(t, func(w http.ResponseWriter, r *http.Request) error {
		arrived <- r.Method
		<-release[r.Method]
		_, err := io.WriteString(w, "x")
		return err
	})
	u.Caches = hour("/foods")
	ready(t, u)
	done := make(chan error)
	send := func(req *program.Request) {
		go func() {
			_, err := u.Send(t.Context(), req)
			done <- err
		}()
		<-arrived
	}
	finish := func(method string) {
		release[method] <- struct{}{}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	kept := func() bool {
		for range u.caches[0].kept.All() {
			return true
		}
		return false
	}
	steps := []struct {
		name string
		run  func()
		kept bool
	}{
		{"no write", func() { send(get("/foods")); finish("GET") }, true},
		{"the write ends during the read", func() {
			send(post("/foods", ""))
			send(get("/foods"))
			finish("POST")
			finish("GET")
		}, false},
		{"the write begins during the read", func() {
			send(get("/foods"))
			send(post("/foods", ""))
			finish("GET")
			if kept() {
				t.Error("kept while the write is in flight")
			}
			finish("POST")
		}, false},
		{"the write is within the read", func() {
			send(get("/foods"))
			send(post("/foods", ""))
			finish("POST")
			finish("GET")
		}, false},
		{"the read is within the write", func() {
			send(post("/foods", ""))
			send(get("/foods"))
			finish("GET")
			if kept() {
				t.Error("kept while the write is in flight")
			}
			finish("POST")
		}, false},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			u.caches[0].kept.InvalidateAll()
			step.run()
			if kept() != step.kept {
				t.Errorf("kept: %v", kept())
			}
		})
	}
}

func TestCacheSharesOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, sent := make(chan struct{}), 0
		u := chainOf(t, func(w http.ResponseWriter, r *http.Request) error {
			sent++
			select {
			case <-release:
			case <-r.Context().Done():
				return r.Context().Err()
			}
			_, err := io.WriteString(w, "abc")
			return err
		})
		u.Caches = hour("/foods")
		ready(t, u)
		first, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := u.Send(first, get("/foods"))
			left <- err
		}()
		synctest.Wait()
		type answer struct {
			resp *program.Response
			err  error
		}
		answers := make(chan answer, 2)
		for range 2 {
			go func() {
				resp, err := u.Send(t.Context(), get("/foods"))
				answers <- answer{resp, err}
			}()
		}
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the one who left got %v", err)
		}
		synctest.Wait()
		close(release)
		for range 2 {
			a := <-answers
			if a.err != nil {
				t.Fatal(a.err)
			}
			if string(a.resp.Body) != "abc" {
				t.Errorf("got %q", a.resp.Body)
			}
			a.resp.Body[0] = 'x'
		}
		if sent != 1 {
			t.Errorf("%d requests were sent", sent)
		}
	})
}

func TestSharedRequestTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := chainOf(t, func(_ http.ResponseWriter, r *http.Request) error {
			<-r.Context().Done()
			return r.Context().Err()
		})
		u.Caches = hour("/foods")
		ready(t, u)
		failure := refusal(t, u, get("/foods"))
		if failure.Kind != "timeout" || failure.Message != "the API did not answer within 15s" {
			t.Errorf("got %+v", failure)
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 4<<20)) })
	u := ready(t, &Upstream{URL: a.URL, Caches: hour("/foods/*")})
	for i := range 12 {
		mustSend(t, u, get("/foods/"+strconv.Itoa(i)))
	}
	kept := u.caches[0].kept
	kept.CleanUp()
	if size := kept.WeightedSize(); size == 0 || size > maxCache {
		t.Errorf("the cache holds %d bytes", size)
	}
}
