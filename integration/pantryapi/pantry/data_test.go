package pantry

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

func TestFileIsKept(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pantry.json")
	s := serve(t, file)
	s.post("/api/pantry/set-state/", `{"ingredient":"noodles","state":"out"}`)
	s.post("/api/bulk-pantry-add/", `{"items":[{"name":"Kimchi","quantity":"0.25","unit":"kg"}]}`)
	s.post("/api/create-meta-recipe/", "{"+bowl+"}")

	again := serve(t, file)
	for _, path := range []string{"/api/pantry/", "/api/meta-recipes/", "/api/what-can-i-cook/"} {
		if before, after := s.get(path).Body, again.get(path).Body; before != after {
			t.Errorf("%s is not the same after a restart:\n%s\n%s", path, before, after)
		}
	}
	if got := again.rows()["Egg noodles (cupboard)"].State; got != "out" {
		t.Errorf("egg noodles are %s", got)
	}
	// Ids go on where they were.
	added := refapitest.Decode[map[string][]struct{ Item row }](again.post("/api/bulk-pantry-add/", `{"items":[{"name":"Miso"}]}`), 201)
	for _, r := range s.rows() {
		if r.ID == added["results"][0].Item.ID {
			t.Errorf("the id %d was given out twice", r.ID)
		}
	}

	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("files were left behind: %v", entries)
	}
}

func TestFileThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := serve(t, filepath.Join(dir, "pantry.json"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	before := s.get("/api/pantry/").Body
	got := s.post("/api/pantry/set-state/", `{"ingredient":"noodles","state":"out"}`)
	if got.Status != 500 || !strings.Contains(got.Body, "<h1>Server Error (500)</h1>") || strings.Contains(got.Body, dir) {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	if s.get("/api/pantry/").Body != before {
		t.Error("a change that was not written is served")
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	refapitest.Refuses(t, func(file string) error {
		_, err := New(Options{Token: testToken, File: file})
		return err
	}, map[string]string{
		"empty":           ``,
		"no JSON":         `pantry`,
		"something else":  `{"recipes":[],"users":[]}`,
		"lost ingredient": `{"pantry":[{"id":1,"ingredient":7}]}`,
		"no servings":     `{"meta_recipes":[{"id":1,"name":"x"}]}`,
		"bad amount":      `{"ingredients":[{"id":7}],"pantry":[{"id":1,"ingredient":7,"quantity":"much"}]}`,
	})
}

// Writes at the same time all have their effect.
func TestConcurrency(t *testing.T) {
	s := serve(t, filepath.Join(t.TempDir(), "pantry.json"))
	before := len(s.rows())
	const n = 20
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			name := "Jar " + itoa(i)
			if got := s.post("/api/bulk-pantry-add/", `{"items":[{"name":"`+name+`"}]}`); got.Status != 201 {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
			// The same one is created once, whoever is first.
			s.post("/api/bulk-pantry-add/", `{"items":[{"name":"Kimchi"}]}`)
			s.get("/api/what-can-i-cook/")
		})
	}
	wg.Wait()
	if got := len(s.rows()) - before; got != n+1 {
		t.Errorf("%d rows are new, want %d", got, n+1)
	}
}
