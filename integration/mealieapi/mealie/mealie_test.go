package mealie

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
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
	ts := httptest.NewServer(api)
	t.Cleanup(ts.Close)
	return &server{t, api, ts.URL}
}

// in is the server for a subtest.
func (s *server) in(t *testing.T) *server { return &server{t, s.api, s.url} }

// An answer is what the API answered.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

// do sends one request with the token, following no redirect.
func (s *server) do(method, path, body string) *answer {
	s.t.Helper()
	return s.as("Bearer "+testToken, method, path, "application/json", body)
}

func (s *server) as(authorization, method, path, contentType, body string) *answer {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	if body != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return &answer{s.t, res.StatusCode, res.Header, string(raw)}
}

func (s *server) get(path string) *answer { s.t.Helper(); return s.do("GET", path, "") }

// want checks the status and that the body contains the texts.
func (a *answer) want(status int, texts ...string) *answer {
	a.t.Helper()
	if a.status != status {
		a.t.Errorf("got %d, want %d: %s", a.status, status, a.body)
	}
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			a.t.Errorf("got %s\nwithout %s", a.body, text)
		}
	}
	return a
}

// lacks checks that the body does not contain the texts.
func (a *answer) lacks(texts ...string) {
	a.t.Helper()
	for _, text := range texts {
		if strings.Contains(a.body, text) {
			a.t.Errorf("got %s\nwith %s", a.body, text)
		}
	}
}

// decode checks the status and decodes the body.
func decode[T any](a *answer, status int) (v T) {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("got %d %s, want %d", a.status, a.body, status)
	}
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		a.t.Fatalf("%v in %s", err, a.body)
	}
	return v
}

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
	return decode[list](s.get("/api/recipes?"+q.Encode()), 200)
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("an API without a token was made")
	}
	for name, content := range map[string]string{
		"no JSON":       "library",
		"unknown field": `{"meals":[]}`,
		"no recipes":    `{"foods":[]}`,
		"no slug":       `{"foods":[],"recipes":[{"id":"x"}]}`,
		"null recipe":   `{"foods":[],"recipes":[null]}`,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "mealie.json")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := New(Options{Token: testToken, File: file}); err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestApp(t *testing.T) {
	s := serve(t, Options{})
	s.as("", "GET", "/api/app/about", "", "").want(200, `"version":"v2.8.0"`)
	s.get("/api/users/self").want(200, `"username":"cook"`, `"householdSlug":"family"`)
}

func TestToken(t *testing.T) {
	s := serve(t, Options{})
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer other", "Token " + testToken, testToken} {
		t.Run(authorization, func(t *testing.T) {
			for _, path := range []string{"/api/users/self", "/api/recipes", "/_control"} {
				a := s.in(t).as(authorization, "GET", path, "", "")
				if a.status != 401 || a.body != `{"detail":"Could not validate credentials"}` || a.header.Get("WWW-Authenticate") != "Bearer" {
					t.Errorf("%s: got %d %s", path, a.status, a.body)
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
		if to := a.header.Get("Location"); a.status != 307 || to != s.url+"/api/recipes?page=2" {
			t.Errorf("got %d to %s", a.status, to)
		}
	})
	t.Run("slash of a write", func(t *testing.T) {
		a := s.in(t).do("POST", "/api/foods/", `{"name":"x"}`)
		if to := a.header.Get("Location"); a.status != 307 || to != s.url+"/api/foods" {
			t.Errorf("got %d to %s", a.status, to)
		}
	})
	t.Run("unknown path", func(t *testing.T) { s.in(t).get("/api/meals").want(404, `{"detail":"Not Found"}`) })
	t.Run("unknown path with a slash", func(t *testing.T) { s.in(t).get("/api/meals/").want(404, `{"detail":"Not Found"}`) })
	t.Run("wrong method", func(t *testing.T) {
		a := s.in(t).do("PATCH", "/api/households/cookbooks/x", "{}")
		a.want(405, `{"detail":"Method Not Allowed"}`)
		if allow := a.header.Get("Allow"); allow != "GET, PUT, DELETE" {
			t.Errorf("allows %s", allow)
		}
	})
	t.Run("a slash in a segment", func(t *testing.T) {
		s.in(t).get("/api/recipes/spaghetti-carbonara%2Fimage").want(404, "No Entry Found")
	})
	t.Run("no JSON", func(t *testing.T) {
		s.in(t).do("POST", "/api/recipes", "name").want(422, `"type":"json_invalid"`, `"loc":["body",`, `"msg":"JSON decode error"`)
	})
	t.Run("no body", func(t *testing.T) {
		s.in(t).do("POST", "/api/recipes", "").want(422, `"type":"missing","loc":["body"],"msg":"Field required"`)
	})
	t.Run("no object", func(t *testing.T) {
		s.in(t).do("POST", "/api/recipes", "[]").want(422, `"type":"model_attributes_type","loc":["body"]`)
	})
	t.Run("two values", func(t *testing.T) { s.in(t).do("POST", "/api/recipes", "{}{}").want(422, `"type":"json_invalid"`) })
	t.Run("too large", func(t *testing.T) {
		s.in(t).do("POST", "/api/recipes", `{"name":"`+strings.Repeat("x", maxBody)+`"}`).want(413)
	})
	t.Run("every problem at once", func(t *testing.T) {
		a := s.in(t).get("/api/recipes?page=one&perPage=many")
		a.want(422, `"loc":["query","page"]`, `"loc":["query","perPage"]`, `"type":"int_parsing"`)
	})
}

func TestFileIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mealie.json")
	s := serve(t, Options{File: file})
	s.do("POST", "/api/recipes", `{"name":"Kept Pie"}`).want(201, `"kept-pie"`)
	s.do("POST", "/api/foods", `{"name":"dragon fruit"}`).want(201)
	s.do("DELETE", "/api/recipes/hummus", "").want(200)

	again := serve(t, Options{File: file})
	for _, path := range []string{"/api/recipes?perPage=-1", "/api/recipes/kept-pie", "/api/recipes/tiramisu", "/api/foods?perPage=-1", "/api/households/mealplans"} {
		if before, after := s.get(path).body, again.get(path).body; before != after {
			t.Errorf("%s is not the same after a restart:\n%s\n%s", path, before, after)
		}
	}
	again.get("/api/recipes/hummus").want(404)
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
	s.do("POST", "/api/recipes", `{"name":"Lost Pie"}`).want(500, "Internal Server Error").lacks(dir)
	s.get("/api/recipes/lost-pie").want(404)
}

// Writes at the same time all have their effect.
func TestConcurrency(t *testing.T) {
	s := serve(t, Options{})
	const n = 10
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			s.do("POST", "/api/recipes", `{"name":"Same Name"}`).want(201)
			s.get("/api/recipes?perPage=100").want(200)
		})
	}
	wg.Wait()
	if got := s.find("search", "same name", "perPage", "-1"); len(got.Items) < n || got.Items[n-1].Name[:9] != "Same Name" {
		t.Errorf("got %s", got.names())
	}
}
