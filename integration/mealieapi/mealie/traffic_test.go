package mealie

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

// fail adds a fault over HTTP.
func (s *server) fail(fault string) { s.t.Helper(); s.do("POST", "/_control", fault).Holds(204) }

func TestFaults(t *testing.T) {
	s := serve(t, Options{})
	const hummus = "/api/recipes/hummus"
	t.Run("a status with Mealie's words", func(t *testing.T) {
		s := s.in(t)
		s.fail(`{"method":"GET","path":"/api/recipes/*","status":500,"body":{"detail":{"message":"disk full"}},"times":2}`)
		for range 2 {
			if a := s.get(hummus); a.Status != 500 || a.Body != `{"detail":{"message":"disk full"}}` || a.Header.Get("Content-Type") != "application/json" {
				t.Errorf("got %d %s", a.Status, a.Body)
			}
			s.get("/api/recipes").Holds(200)
			s.do("PATCH", hummus, `{}`).Holds(200)
		}
		s.get(hummus).Holds(200)
	})
	t.Run("a page", func(t *testing.T) {
		s := s.in(t)
		s.fail(`{"status":502,"body":"<h1>Bad Gateway</h1>","times":1}`)
		if a := s.get("/api/app/about"); a.Status != 502 || a.Body != "<h1>Bad Gateway</h1>" || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
			t.Errorf("got %d %s", a.Status, a.Body)
		}
	})
	t.Run("nothing", func(t *testing.T) {
		s := s.in(t)
		s.fail(`{"status":503,"times":1}`)
		if a := s.get(hummus); a.Status != 503 || a.Body != "" {
			t.Errorf("got %d %s", a.Status, a.Body)
		}
	})
	t.Run("the third", func(t *testing.T) {
		s := s.in(t)
		s.fail(`{"path":"/api/recipes/hummus","status":500,"after":2,"times":1}`)
		for i, want := range []int{200, 200, 500, 200} {
			if a := s.get(hummus); a.Status != want {
				t.Errorf("request %d: got %d", i, a.Status)
			}
		}
	})
	t.Run("a dropped connection", func(t *testing.T) {
		s := s.in(t)
		s.fail(`{"method":"POST","drop":true,"times":1}`)
		if res, err := http.Post(s.url+"/api/recipes", "application/json", strings.NewReader("{}")); err == nil {
			res.Body.Close()
			t.Errorf("got %d", res.StatusCode)
		}
	})
	t.Run("always, until it forgets", func(t *testing.T) {
		s := s.in(t)
		s.fail(`{"status":500}`)
		for range 3 {
			s.get(hummus).Holds(500)
		}
		s.do("DELETE", "/_control", "").Holds(204)
		s.get(hummus).Holds(200)
	})
	t.Run("refused", func(t *testing.T) {
		s := s.in(t)
		s.do("POST", "/_control", `{"statuss":500}`).Holds(400, "unknown field")
		s.do("POST", "/_control", `{"delay":"long"}`).Holds(400, "that is no fault")
		s.do("PUT", "/_control", `{}`).Holds(405)
		s.get(hummus).Holds(200)
	})
}

// A slow API is one whose every request is delayed.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTraffic()
		tr.Fail(Fault{Delay: Duration(time.Second)})
		r, err := http.NewRequestWithContext(t.Context(), "GET", "/api/recipes", nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if tr.interfere(nil, r) || time.Since(began) != time.Second {
			t.Errorf("answered after %s", time.Since(began))
		}
		// A caller who goes ends the delay.
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began = time.Now()
		defer func() {
			if recover() != http.ErrAbortHandler || time.Since(began) != 100*time.Millisecond {
				t.Errorf("ended after %s", time.Since(began))
			}
		}()
		tr.interfere(nil, r.WithContext(ctx))
	})
}

func TestTraffic(t *testing.T) {
	s := serve(t, Options{})
	s.get("/api/recipes?search=a&tags=b&tags=c").Holds(200)
	s.do("POST", "/api/recipes", `{"name":"x"}`).Holds(201)
	s.as("Bearer other", "GET", "/api/recipes/a%2Fb", "", "").Holds(401)

	seen := refapitest.Decode[Traffic](s.get("/_control"), 200)
	if seen.Total != 3 || seen.InFlight != 0 || seen.MaxInFlight != 1 || len(seen.Requests) != 3 {
		t.Fatalf("got %+v", seen)
	}
	list, made, refused := seen.Requests[0], seen.Requests[1], seen.Requests[2]
	if list.Method != "GET" || list.Path != "/api/recipes" || strings.Join(list.Query["tags"], ",") != "b,c" || !list.Authorized {
		t.Errorf("got %+v", list)
	}
	if made.Method != "POST" || made.Body != `{"name":"x"}` || made.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %+v", made)
	}
	if refused.Path != "/api/recipes/a%2Fb" || refused.Authorized {
		t.Errorf("got %+v", refused)
	}
	if text := fmt.Sprint(s.api.Traffic()); strings.Contains(text, testToken) {
		t.Errorf("the token is kept: %s", text)
	}
	s.api.Forget()
	if seen := s.api.Traffic(); seen.Total != 0 || len(seen.Requests) != 0 || seen.MaxInFlight != 0 {
		t.Errorf("got %+v", seen)
	}
}

func TestInFlight(t *testing.T) {
	s := serve(t, Options{})
	hold := make(chan struct{})
	s.api.Fail(Fault{Path: "/api/recipes/*", Hold: hold})
	const n = 8
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { s.get("/api/recipes/hummus").Holds(200) })
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.api.AwaitInFlight(ctx, n); err != nil {
		t.Fatal(err)
	}
	close(hold)
	wg.Wait()
	s.api.Forget()
	s.get("/api/recipes").Holds(200)
	if seen := s.api.Traffic(); seen.MaxInFlight != 1 {
		t.Errorf("got %+v", seen)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if err := s.api.AwaitInFlight(gone, 1); err == nil {
		t.Error("a request is in flight")
	}
}

// The oldest requests are dropped, and long bodies cut.
func TestTrafficIsBounded(t *testing.T) {
	s := serve(t, Options{})
	r, err := http.NewRequestWithContext(t.Context(), "POST", "/api/recipes", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range maxKept {
		s.api.enter(r, nil)()
	}
	s.api.enter(r, make([]byte, maxKeptBody+1))()
	seen := s.api.Traffic()
	if last := seen.Requests[maxKept-1]; seen.Total != maxKept+1 || len(seen.Requests) != maxKept || len(last.Body) != maxKeptBody {
		t.Errorf("%d of %d requests, the last with %d bytes", len(seen.Requests), seen.Total, len(last.Body))
	}
}

func TestDuration(t *testing.T) {
	var f Fault
	if err := json.Unmarshal([]byte(`{"delay":"150ms"}`), &f); err != nil || f.Delay != Duration(150*time.Millisecond) {
		t.Errorf("got %v, %v", f.Delay, err)
	}
}
