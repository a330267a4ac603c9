package cooked

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

const testToken = "an-api-token"

// serve is the API over real HTTP.
func serve(t *testing.T, file string) string {
	t.Helper()
	h, err := New(Options{Token: testToken, File: file})
	if err != nil {
		t.Fatal(err)
	}
	return refapitest.Serve(t, h)
}

// do sends a request and returns the status and the body.
func do(t *testing.T, method, url, body string) (status int, reply string) {
	t.Helper()
	return doAs(t, "Bearer "+testToken, method, url, body)
}

func doAs(t *testing.T, authorization, method, url, body string) (status int, reply string) {
	t.Helper()
	got := refapitest.Send(t, method, url, body, "Authorization", authorization)
	return got.Status, got.Body
}

// shown is the list in short, a group per line.
func shown(t *testing.T, url string) string {
	t.Helper()
	status, body := do(t, "GET", url+"/shopping-list", "")
	var l list
	if err := json.Unmarshal([]byte(body), &l); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	var lines []string
	for _, g := range l.Groups {
		words := []string{g.ID, g.Name, "in " + g.AisleID}
		if g.Quantity != nil {
			words = append(words, "x "+*g.Quantity)
		}
		if g.Selected {
			words = append(words, "selected")
		}
		words = append(append(words, g.RecipeIDs...), g.ImportDraftIDs...)
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

const (
	tomatoes  = "group-1 Tomatoes in aisle-produce x 4 recipe-tacos\n"
	tortillas = "group-2 Corn tortillas in aisle-bakery x 12 selected recipe-tacos\n"
	milk      = "group-3 Milk in aisle-dairy x 500 ml recipe-pancakes\n"
	foil      = "group-4 Kitchen foil in aisle-other selected"
)

func TestChanges(t *testing.T) {
	for _, tt := range []struct {
		name, method, path, body string
		reply                    string
		list                     string
	}{
		{
			"add", "POST", "/ingredients", `{"ingredients":"2 limes\r\n\n For the filling:\n 1.5  tomatoes \n250 ml milk\n---\n7up","recipe_id":"recipe-pancakes"}`,
			`{"added":4}`,
			"group-1 Tomatoes in aisle-produce x 5.5 recipe-tacos recipe-pancakes\n" + tortillas +
				"group-3 Milk in aisle-dairy x 500 ml + 250 ml recipe-pancakes\n" + foil +
				"\ngroup-5 limes in aisle-produce x 2 recipe-pancakes\ngroup-6 7up in aisle-other recipe-pancakes",
		},
		{
			"add for a draft", "POST", "/ingredients", `{"ingredients":"Eggs\nLimes — 3","import_draft_id":"draft-lime-pie"}`,
			`{"added":2}`,
			tomatoes + tortillas + milk + foil + "\ngroup-5 Eggs in aisle-dairy draft-lime-pie\ngroup-6 Limes — 3 in aisle-produce draft-lime-pie",
		},
		{"add nothing", "POST", "/ingredients", `{"ingredients":"Sauce:\n12\n"}`, `{"added":0}`, tomatoes + tortillas + milk + foil},
		{
			"replace a row", "PUT", "/groups/group-2", `{"name":"Wraps","quantity":"8","selected":true,"aisle_id":"aisle-produce"}`,
			`{"id":"group-2","name":"Wraps","quantity":"8","selected":true,"aisle_id":"aisle-produce","recipe_ids":["recipe-tacos"],"import_draft_ids":[]}`,
			tomatoes + "group-2 Wraps in aisle-produce x 8 selected recipe-tacos\n" + milk + foil,
		},
		{
			"lose the rest of a row", "PUT", "/groups/group-2", `{"name":"Wraps"}`,
			`{"id":"group-2","name":"Wraps","quantity":null,"selected":false,"aisle_id":"aisle-other","recipe_ids":["recipe-tacos"],"import_draft_ids":[]}`,
			tomatoes + "group-2 Wraps in aisle-other recipe-tacos\n" + milk + foil,
		},
		{
			"select", "PUT", "/selection", `{"ids":["group-3","group-2"]}`, `{"ids":["group-2","group-3"]}`,
			tomatoes + tortillas + "group-3 Milk in aisle-dairy x 500 ml selected recipe-pancakes\n" + strings.TrimSuffix(foil, " selected"),
		},
		{
			"select nothing", "PUT", "/selection", `{"ids":[]}`, `{"ids":[]}`,
			tomatoes + strings.Replace(tortillas, " selected", "", 1) + milk + strings.TrimSuffix(foil, " selected"),
		},
		{"remove", "DELETE", "/groups?id=group-1&id=group-3", "", "", tortillas + foil},
		{"clear", "DELETE", "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "list.json")
			url := serve(t, file)
			want := http.StatusOK
			if tt.reply == "" {
				want = http.StatusNoContent
			}
			if status, reply := do(t, tt.method, url+"/shopping-list"+tt.path, tt.body); status != want || reply != tt.reply {
				t.Errorf("got  %d %s\nwant %d %s", status, reply, want, tt.reply)
			}
			if got := shown(t, url); got != tt.list {
				t.Errorf("got\n%s\nwant\n%s", got, tt.list)
			}
			if got := shown(t, serve(t, file)); got != tt.list {
				t.Errorf("the file holds\n%s\nwant\n%s", got, tt.list)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	url := serve(t, "")
	before := shown(t, url)
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"unknown path", "GET", "/lists", "", 404, "there is no GET /lists"},
		{"unknown method", "PATCH", "/shopping-list", "", 404, "there is no PATCH /shopping-list"},
		{"no JSON", "PUT", "/shopping-list/selection", "ids", 400, "not as expected"},
		{"more than JSON", "PUT", "/shopping-list/selection", `{"ids":[]}{}`, 400, "not as expected"},
		{"unknown field", "PUT", "/shopping-list/selection", `{"ids":[],"add":true}`, 400, `unknown field "add"`},
		{"wrong type", "PUT", "/shopping-list/groups/group-1", `{"name":"x","quantity":3}`, 400, "not as expected"},
		{"too large", "POST", "/shopping-list/ingredients", `{"ingredients":"` + strings.Repeat("x", maxBody) + `"}`, 413, "larger than"},
		{"no selection", "PUT", "/shopping-list/selection", `{}`, 400, "ids is required"},
		{"unknown in the selection", "PUT", "/shopping-list/selection", `{"ids":["group-1","group-9"]}`, 404, "no product group has the id 'group-9'"},
		{"unknown row", "PUT", "/shopping-list/groups/group-9", `{"name":"x"}`, 404, "no product group has the id 'group-9'"},
		{"no name", "PUT", "/shopping-list/groups/group-1", `{"name":" ","quantity":"9"}`, 400, "needs a name"},
		{"unknown aisle", "PUT", "/shopping-list/groups/group-1", `{"name":"x","aisle_id":"aisle-9"}`, 400, "no aisle has the id 'aisle-9'"},
		{"remove nothing", "DELETE", "/shopping-list/groups", "", 400, "id is required"},
		{"remove an unknown one too", "DELETE", "/shopping-list/groups?id=group-1&id=group-9", "", 404, "no product group has the id 'group-9'"},
		{"unknown recipe", "POST", "/shopping-list/ingredients", `{"ingredients":"x","recipe_id":"r"}`, 404, "no recipe has the id 'r'"},
		{"unknown draft", "POST", "/shopping-list/ingredients", `{"ingredients":"x","import_draft_id":"d"}`, 404, "no import draft has the id 'd'"},
		{"recipe and draft", "POST", "/shopping-list/ingredients", `{"ingredients":"x","recipe_id":"recipe-tacos","import_draft_id":"draft-lime-pie"}`, 400, "exclude each other"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, body := do(t, tt.method, url+tt.path, tt.body)
			var reply struct{ Error string }
			if err := json.Unmarshal([]byte(body), &reply); err != nil {
				t.Fatalf("%d %s: %v", status, body, err)
			}
			if status != tt.status || !strings.Contains(reply.Error, tt.want) {
				t.Errorf("got %d %s, want %d and '%s'", status, reply.Error, tt.status, tt.want)
			}
		})
	}
	if got := shown(t, url); got != before {
		t.Errorf("what was refused has changed the list:\n%s", got)
	}
}

func TestToken(t *testing.T) {
	url := serve(t, "")
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer other", "Token " + testToken, testToken} {
		t.Run(authorization, func(t *testing.T) {
			for _, path := range []string{"/shopping-list", "/elsewhere"} {
				if status, body := doAs(t, authorization, "GET", url+path, ""); status != http.StatusUnauthorized || body != `{"error":"a valid token is required"}` {
					t.Errorf("%s: got %d %s", path, status, body)
				}
			}
		})
	}
	if _, err := New(Options{}); err == nil {
		t.Error("an API without a token was made")
	}
}

func TestOpenRefuses(t *testing.T) {
	refapitest.Refuses(t, func(file string) error {
		_, err := New(Options{Token: testToken, File: file})
		return err
	}, map[string]string{
		"no JSON":       "list",
		"unknown field": `{"lists":[]}`,
		"no list":       `{}`,
	})
}

// A change that cannot be kept is not made.
func TestFileThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sub")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	url := serve(t, filepath.Join(dir, "list.json"))
	before := shown(t, url)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if status, body := do(t, "DELETE", url+"/shopping-list", ""); status != http.StatusInternalServerError || strings.Contains(body, dir) {
		t.Errorf("got %d %s", status, body)
	}
	if got := shown(t, url); got != before {
		t.Errorf("the list is\n%s", got)
	}
}

// Whatever is sent, the API answers with JSON and no server error, and what it
// keeps can be opened again.
func FuzzBody(f *testing.F) {
	paths := []struct{ method, path string }{
		{"POST", "/shopping-list/ingredients"},
		{"PUT", "/shopping-list/groups/group-1"},
		{"PUT", "/shopping-list/selection"},
	}
	for i, body := range []string{
		`{"ingredients":"2 limes\n1/2 tomatoes\n9999999.5 milk","recipe_id":"recipe-tacos"}`,
		`{"name":"Wraps","quantity":"1e999999","selected":true,"aisle_id":"aisle-other"}`,
		`{"ids":["group-1","group-2"]}`,
	} {
		f.Add(i, body)
	}
	f.Fuzz(func(t *testing.T, at int, body string) {
		h, err := New(Options{Token: testToken})
		if err != nil {
			t.Fatal(err)
		}
		to := paths[uint(at)%uint(len(paths))]
		r := httptest.NewRequest(to.method, to.path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+testToken)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%s %s %q: %d %s", to.method, to.path, body, w.Code, w.Body)
		}
		if err := h.(*api).store.Update(func(*data) error { return nil }); err != nil {
			t.Fatalf("%s %s %q: %v", to.method, to.path, body, err)
		}
	})
}
