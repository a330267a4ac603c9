package refapi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A shelf is data to be kept.
type shelf struct {
	Jars []string `json:"jars"`
}

func (s *shelf) check() error {
	if s.Jars == nil {
		return errors.New("it has no jars")
	}
	return nil
}

func openShelf(t *testing.T, file string) *Store[shelf] {
	t.Helper()
	s, err := Open(file, "a shelf", (*shelf).check, func() *shelf { return &shelf{[]string{"jam"}} })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// add is a change.
func add(name string) func(*shelf) error {
	return func(s *shelf) error {
		s.Jars = append(s.Jars, name)
		return nil
	}
}

func expectJars(t *testing.T, s *Store[shelf], want string) {
	t.Helper()
	if got := strings.Join(s.Read().Jars, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func expectOneFile(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("files were left behind: %v", entries)
	}
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	for name, file := range map[string]string{"file": filepath.Join(dir, "shelf.json"), "memory": ""} {
		t.Run(name, func(t *testing.T) {
			s := openShelf(t, file)
			expectJars(t, s, "jam")
			before := s.Read()
			if err := s.Update(add("honey")); err != nil {
				t.Fatal(err)
			}
			expectJars(t, s, "jam honey")
			if len(before.Jars) != 1 {
				t.Errorf("what was read has changed: %v", before.Jars)
			}

			refused := errors.New("refused")
			err := s.Update(func(d *shelf) error {
				d.Jars[0] = "marmalade"
				return refused
			})
			if !errors.Is(err, refused) {
				t.Errorf("got %v", err)
			}
			expectJars(t, s, "jam honey")

			again := "jam" // the seed
			if file != "" {
				again = "jam honey"
				expectOneFile(t, dir)
			}
			expectJars(t, openShelf(t, file), again)
		})
	}
}

func TestUpdateChecksWhatItCopies(t *testing.T) {
	s := openShelf(t, "")
	if err := s.Update(func(d *shelf) error { d.Jars = nil; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(add("honey")); err == nil || err.Error() != "it has no jars" {
		t.Errorf("got %v", err)
	}
}

func TestNothingChangedIsNotWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shelf.json")
	s := openShelf(t, file)
	stat := func() os.FileInfo {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	before := stat()
	if err := s.Update(func(*shelf) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, stat()) {
		t.Error("no change wrote the file")
	}
	if err := s.Update(add("honey")); err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, stat()) {
		t.Error("a change was not written as a new file")
	}
}

// A change that cannot be kept is not made, and leaves nothing behind.
func TestFileThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "shelf.json")
	s := openShelf(t, file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil { // no file replaces a folder
		t.Fatal(err)
	}
	if err := s.Update(add("honey")); err == nil {
		t.Error("the change was kept")
	}
	expectJars(t, s, "jam")
	expectOneFile(t, dir)
}

func TestFilesThatAreRefused(t *testing.T) {
	for name, content := range map[string]string{
		"empty":          ``,
		"no JSON":        `shelf`,
		"something else": `{"jars":[],"users":[]}`,
		"incomplete":     `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "shelf.json")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			seeded := func() *shelf { t.Error("it was seeded"); return new(shelf) }
			_, err := Open(file, "a shelf", (*shelf).check, seeded)
			if err == nil || !strings.HasPrefix(err.Error(), file+" does not hold a shelf: ") {
				t.Errorf("got %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != content {
				t.Errorf("the file now holds %s %v", after, err)
			}
		})
	}
}

// Updates at the same time all have their effect.
func TestConcurrentUpdates(t *testing.T) {
	s := openShelf(t, filepath.Join(t.TempDir(), "shelf.json"))
	const n = 20
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if err := s.Update(add("honey")); err != nil {
				t.Error(err)
			}
			s.Read()
		})
	}
	wg.Wait()
	if got := len(s.Read().Jars); got != 1+n {
		t.Errorf("there are %d jars, want %d", got, 1+n)
	}
}
