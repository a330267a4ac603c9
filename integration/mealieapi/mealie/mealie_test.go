package mealie

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

const testToken = "a-mealie-token"

// testDay is a Sunday, on which the libraries of tests are seeded and used.
var testDay = time.Date(2026, time.August, 9, 18, 30, 0, 0, time.UTC)

// A server is the API over real HTTP.
type server struct {
	t   *testing.T
	api *API
	url string
}

func serve(t *testing.T, opts Options) *server {
	t.Helper()
	opts.Token, opts.Now = testToken, func() time.Time { return testDay }
	api, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return &server{t, api, refapitest.Serve(t, api)}
}

// in is the server for a subtest.
func (s *server) in(t *testing.T) *server { return &server{t, s.api, s.url} }

// do sends one request with the token.
func (s *server) do(method, path, body string) *refapitest.Reply {
	s.t.Helper()
	return s.as("Bearer "+testToken, method, path, "application/json", body)
}

func (s *server) as(authorization, method, path, contentType, body string) *refapitest.Reply {
	s.t.Helper()
	if body == "" {
		contentType = ""
	}
	return refapitest.Send(s.t, method, s.url+path, body, "Authorization", authorization, "Content-Type", contentType)
}

func (s *server) get(path string) *refapitest.Reply { s.t.Helper(); return s.do("GET", path, "") }

// A list is a page of recipes.
type list struct {
	Page       int    `json:"page"`
	PerPage    int    `json:"per_page"`
	Total      int    `json:"total"`
	TotalPages int    `json:"total_pages"`
	Items      []item `json:"items"`
	Next       *string
	Previous   *string
}

type item struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
}

func (l list) names() string {
	var names []string
	for _, i := range l.Items {
		names = append(names, i.Name)
	}
	return strings.Join(names, ", ")
}

// find lists recipes by pairs of parameters.
func (s *server) find(pairs ...string) list {
	s.t.Helper()
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Add(pairs[i], pairs[i+1])
	}
	return refapitest.Decode[list](s.get("/api/recipes?"+q.Encode()), 200)
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("an API without a token was made")
	}
	refapitest.Refuses(t, func(file string) error {
		_, err := New(Options{Token: testToken, File: file})
		return err
	}, map[string]string{
		"no JSON":       "library",
		"unknown field": `{"meals":[]}`,
		"no recipes":    `{"foods":[]}`,
		"no slug":       `{"foods":[],"recipes":[{"id":"x"}]}`,
		"null recipe":   `{"foods":[],"recipes":[null]}`,
	})
}

func TestApp(t *testing.T) {
	s := serve(t, Options{})
	s.as("", "GET", "/api/app/about", "", "").Holds(200, `"version":"v2.8.0"`)
	s.get("/api/users/self").Holds(200, `"username":"cook"`, `"householdSlug":"family"`)
}

func TestToken(t *testing.T) {
	s := serve(t, Options{})
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer other", "Token " + testToken, testToken} {
		t.Run(authorization, func(t *testing.T) {
			for _, path := range []string{"/api/users/self", "/api/recipes", "/_control"} {
				a := s.in(t).as(authorization, "GET", path, "", "")
				if a.Status != 401 || a.Body != `{"detail":"Could not validate credentials"}` || a.Header.Get("WWW-Authenticate") != "Bearer" {
					t.Errorf("%s: got %d %s", path, a.Status, a.Body)
				}
			}
		})
	}
}

// What FastAPI and Starlette do before Mealie is asked.
func TestHabits(t *testing.T) {
	s := serve(t, Options{})
	t.Run("slash", func(t *testing.T) {
		a := s.in(t).get("/api/recipes/?page=2")
		if to := a.Header.Get("Location"); a.Status != 307 || to != s.url+"/api/recipes?page=2" {
			t.Errorf("got %d to %s", a.Status, to)
		}
	})
	t.Run("slash of a write", func(t *testing.T) {
		a := s.in(t).do("POST", "/api/foods/", `{"name":"x"}`)
		if to := a.Header.Get("Location"); a.Status != 307 || to != s.url+"/api/foods" {
			t.Errorf("got %d to %s", a.Status, to)
		}
	})
	t.Run("unknown path", func(t *testing.T) { s.in(t).get("/api/meals").Holds(404, `{"detail":"Not Found"}`) })
	t.Run("unknown path with a slash", func(t *testing.T) { s.in(t).get("/api/meals/").Holds(404, `{"detail":"Not Found"}`) })
	t.Run("wrong method", func(t *testing.T) {
		a := s.in(t).do("PATCH", "/api/households/cookbooks/x", "{}")
		a.Holds(405, `{"detail":"Method Not Allowed"}`)
		if allow := a.Header.Get("Allow"); allow != "GET, PUT, DELETE" {
			t.Errorf("allows %s", allow)
		}
	})
	t.Run("a slash in a segment", func(t *testing.T) {
		s.in(t).get("/api/recipes/spaghetti-carbonara%2Fimage").Holds(404, "No Entry Found")
	})
	t.Run("no JSON", func(t *testing.T) {
		s.in(t).do("POST", "/api/recipes", "name").Holds(422, `"type":"json_invalid"`, `"loc":["body",`, `"msg":"JSON decode error"`)
	})
	t.Run("no body", func(t *testing.T) {
		s.in(t).do("POST", "/api/recipes", "").Holds(422, `"type":"missing","loc":["body"],"msg":"Field required"`)
	})
	t.Run("no object", func(t *testing.T) {
		s.in(t).do("POST", "/api/recipes", "[]").Holds(422, `"type":"model_attributes_type","loc":["body"]`)
	})
	t.Run("two values", func(t *testing.T) { s.in(t).do("POST", "/api/recipes", "{}{}").Holds(422, `"type":"json_invalid"`) })
	t.Run("too large", func(t *testing.T) {
		s.in(t).do("POST", "/api/recipes", `{"name":"`+strings.Repeat("x", maxBody)+`"}`).Holds(413)
	})
	t.Run("every problem at once", func(t *testing.T) {
		a := s.in(t).get("/api/recipes?page=one&perPage=many")
		a.Holds(422, `"loc":["query","page"]`, `"loc":["query","perPage"]`, `"type":"int_parsing"`)
	})
}

func TestFileIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mealie.json")
	s := serve(t, Options{File: file})
	s.do("POST", "/api/recipes", `{"name":"Kept Pie"}`).Holds(201, `"kept-pie"`)
	s.do("POST", "/api/foods", `{"name":"dragon fruit"}`).Holds(201)
	s.do("DELETE", "/api/recipes/hummus", "").Holds(200)

	again := serve(t, Options{File: file})
	for _, path := range []string{"/api/recipes?perPage=-1", "/api/recipes/kept-pie", "/api/recipes/tiramisu", "/api/foods?perPage=-1", "/api/households/mealplans"} {
		if before, after := s.get(path).Body, again.get(path).Body; before != after {
			t.Errorf("%s is not the same after a restart:\n%s\n%s", path, before, after)
		}
	}
	again.get("/api/recipes/hummus").Holds(404)
}

// A change that cannot be kept is not made.
func TestFileThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := serve(t, Options{File: filepath.Join(dir, "mealie.json")})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s.do("POST", "/api/recipes", `{"name":"Lost Pie"}`).Holds(500, "Internal Server Error").Lacks(dir)
	s.get("/api/recipes/lost-pie").Holds(404)
}

// Writes at the same time all have their effect.
func TestConcurrency(t *testing.T) {
	s := serve(t, Options{})
	const n = 10
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			s.do("POST", "/api/recipes", `{"name":"Same Name"}`).Holds(201)
			s.get("/api/recipes?perPage=100").Holds(200)
		})
	}
	wg.Wait()
	if got := s.find("search", "same name", "perPage", "-1"); len(got.Items) < n || got.Items[n-1].Name[:9] != "Same Name" {
		t.Errorf("got %s", got.names())
	}
}
