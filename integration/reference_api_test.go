package integration

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A shelf is the API of the reference's examples: a few books, which are
// there again after every reset. It records what it is asked.
type shelf struct {
	*httptest.Server

	mu    sync.Mutex
	books []book
	next  int
	asked []asked
}

type book struct {
	ID     int      `json:"id"`
	Title  string   `json:"title"`
	Author string   `json:"author"`
	Year   int      `json:"year,omitempty"`
	Shelf  string   `json:"shelf,omitempty"`
	State  string   `json:"state,omitempty"`
	Tags   []string `json:"tags"`
	Notes  *string  `json:"notes"`
}

// An asked request is as the page shows it: the URL is below the API's.
type asked struct {
	line   string
	header http.Header
}

// shelfPath is the path of the API's URL.
const shelfPath = "/api"

// cover is a picture of one pixel.
var cover, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := new(shelf)
	s.reset()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /books", s.list)
	mux.HandleFunc("POST /books", s.create)
	mux.HandleFunc("/books/{id}", s.one)
	mux.HandleFunc("/books/{id}/cover", s.cover)
	mux.HandleFunc("GET /shelves/{name}", s.shelf)
	mux.HandleFunc("POST /parse", s.parse)
	mux.HandleFunc("POST /loans", s.lend)
	mux.HandleFunc("GET /broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, "<html><h1>Internal Server Error</h1></html>")
	})
	s.Server = httptest.NewServer(s.record(http.StripPrefix(shelfPath, mux)))
	t.Cleanup(s.Close)
	return s
}

// reset puts the books back, and forgets what was asked.
func (s *shelf) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	empty, signed := "", "signed"
	s.books = []book{
		{1, "Dune", "Frank Herbert", 1965, "sf", "read", []string{"desert"}, &empty},
		{2, "Emma", "Jane Austen", 1815, "classics", "unread", []string{}, nil},
		{3, "Solaris", "Stanisław Lem", 1961, "sf", "lent", []string{"ocean"}, &signed},
	}
	s.next, s.asked = 4, nil
}

// taken returns what was asked, and forgets it.
func (s *shelf) taken() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.asked
	s.asked = nil
	return taken
}

func (s *shelf) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		line := strings.TrimSpace(r.Method + " " + strings.TrimPrefix(r.RequestURI, shelfPath) + " " + string(body))
		if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			line = r.Method + " " + strings.TrimPrefix(r.RequestURI, shelfPath) + " " + formText(r)
		}
		s.mu.Lock()
		s.asked = append(s.asked, asked{line, r.Header})
		s.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// formText shows a multipart body as name=value, and name=@file.
func formText(r *http.Request) string {
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		return err.Error()
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.MultipartForm.Value)) {
		parts = append(parts, name+"="+strings.Join(r.MultipartForm.Value[name], ","))
	}
	for _, name := range slices.Sorted(maps.Keys(r.MultipartForm.File)) {
		parts = append(parts, name+"=@"+r.MultipartForm.File[name][0].Filename)
	}
	return strings.Join(parts, " ")
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
}

func refuse(w http.ResponseWriter, status int, detail any) {
	answer(w, status, map[string]any{"detail": detail})
}

// list gives a page of two, or as many as 'limit' says from 'offset' on. States
// are separated by commas.
func (s *shelf) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	found := []book{}
	for _, b := range s.books {
		if author := q.Get("author"); author != "" && !strings.Contains(b.Author, author) {
			continue
		}
		if state := q.Get("state"); state != "" && !slices.Contains(strings.Split(state, ","), b.State) {
			continue
		}
		found = append(found, b)
	}
	limit, offset := 2, 0
	number := func(name string, target *int) {
		if n, err := strconv.Atoi(q.Get(name)); err == nil {
			*target = n
		}
	}
	number("limit", &limit)
	number("offset", &offset)
	page := 1
	number("page", &page)
	offset += (page - 1) * limit
	var next any
	if offset+limit < len(found) {
		next = fmt.Sprintf("%s/books?page=%d", shelfPath, page+1)
	}
	answer(w, http.StatusOK, struct {
		Items []book `json:"items"`
		Total int    `json:"total"`
		Next  any    `json:"next"`
	}{found[min(offset, len(found)):min(offset+limit, len(found))], len(found), next})
}

// create needs a title.
func (s *shelf) create(w http.ResponseWriter, r *http.Request) {
	b := book{Tags: []string{}}
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		refuse(w, http.StatusBadRequest, "the body is not a book")
		return
	}
	if b.Title == "" {
		refuse(w, http.StatusUnprocessableEntity, []any{map[string]any{"loc": []any{"body", "title"}, "msg": "field required"}})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b.ID = s.next
	s.next++
	s.books = append(s.books, b)
	answer(w, http.StatusCreated, b)
}

// one reads, replaces, changes or deletes a book.
func (s *shelf) one(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.books, func(b book) bool { return strconv.Itoa(b.ID) == r.PathValue("id") })
	if i < 0 {
		refuse(w, http.StatusNotFound, "no such book")
		return
	}
	switch r.Method {
	case http.MethodDelete:
		s.books = slices.Delete(s.books, i, i+1)
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodPut:
		s.books[i] = book{ID: s.books[i].ID, Tags: []string{}}
		fallthrough
	case http.MethodPatch:
		if err := json.NewDecoder(r.Body).Decode(&s.books[i]); err != nil && r.ContentLength != 0 {
			refuse(w, http.StatusBadRequest, "the body is not a book")
			return
		}
	}
	answer(w, http.StatusOK, s.books[i])
}

func (s *shelf) cover(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		file, header, err := r.FormFile("cover")
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, "there is no cover")
			return
		}
		file.Close()
		answer(w, http.StatusOK, map[string]any{"bytes": header.Size})
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(cover)
}

func (s *shelf) shelf(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := []any{}
	for _, b := range s.books {
		if b.Shelf == r.PathValue("name") {
			rows = append(rows, map[string]any{"id": b.ID, "title": b.Title})
		}
	}
	answer(w, http.StatusOK, rows)
}

// parse takes a title and an author out of a text, and changes nothing.
func (s *shelf) parse(w http.ResponseWriter, r *http.Request) {
	var in struct{ Text string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	title, author, _ := strings.Cut(in.Text, " by ")
	answer(w, http.StatusOK, struct {
		Title  string `json:"title"`
		Author string `json:"author"`
	}{title, author})
}

// lend takes a form, and fails after it has read it if nobody borrows.
func (s *shelf) lend(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("to") == "" {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	answer(w, http.StatusOK, map[string]any{"lent_to": r.FormValue("to")})
}
