// Package mealie is Mealie's REST API, as far as a set of tools over recipes,
// meal plans, cookbooks and taxonomy needs it: a FastAPI application, with its
// validation errors, its redirects and Mealie's own surprises. The README
// beside it describes every path.
package mealie

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// Options configure the API.
type Options struct {
	// Token is what callers send as "Authorization: Bearer …". Required.
	Token string

	// File is where the library is kept, as JSON. It is seeded if it does not
	// exist. Empty keeps the library in memory. No two servers may share it.
	File string

	// Now is the clock behind timestamps and today's meals. Default: time.Now.
	Now func() time.Time

	// Recipes is how many recipes a new library has. Default: those of the
	// seed; a higher number adds variations of them.
	Recipes int

	// Strict refuses what some versions of Mealie refuse and others do not:
	// read-only keys in writes.
	Strict bool
}

// An API is Mealie behind /api, and a control for tests behind /_control.
type API struct {
	*traffic
	store  *refapi.Store[data]
	token  refapi.Token
	now    func() time.Time
	strict bool
	client *http.Client // for pages and images that callers name
	routes *http.ServeMux
	open   map[string]bool // the patterns that need no token
}

// New returns the API.
func New(opts Options) (*API, error) {
	token, err := refapi.NewToken(opts.Token)
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	st, err := refapi.Open(opts.File, "a Mealie library", (*data).check, func() *data { return seed(opts.Now(), opts.Recipes) })
	if err != nil {
		return nil, err
	}
	a := &API{
		traffic: newTraffic(),
		store:   st,
		token:   token,
		now:     opts.Now,
		strict:  opts.Strict,
		client:  &http.Client{Timeout: 15 * time.Second},
		routes:  http.NewServeMux(),
		open:    map[string]bool{"GET /api/app/about": true},
	}
	a.serveApp()
	a.serveRecipes()
	a.serveBulkActions()
	a.serveImports()
	a.servePlan()
	a.serveCookbooks()
	a.serveTaxonomies()
	a.handleInput("POST /api/parser/ingredients", a.parseIngredients)
	return a, nil
}

// ServeHTTP answers the control itself, and everything else as Mealie does.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == controlPath {
		if !a.authorized(r) {
			writeFailure(w, errCredentials)
			return
		}
		a.control(w, r)
		return
	}
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	defer a.enter(r, body)()
	if !a.interfere(w, r) {
		a.serve(w, r)
	}
}

// serve answers in the order of FastAPI's layers: the path and method, who is
// calling, and then the rest.
func (a *API) serve(w http.ResponseWriter, r *http.Request) {
	_, pattern := a.routes.Handler(r)
	switch {
	case pattern == "":
		a.notFound(w, r)
	case !a.open[pattern] && !a.authorized(r):
		writeFailure(w, errCredentials)
	default:
		a.routes.ServeHTTP(w, r)
	}
}

// notFound tells a path with a slash too many, and a wrong method, from a path
// that does not exist.
func (a *API) notFound(w http.ResponseWriter, r *http.Request) {
	if slashless, ok := strings.CutSuffix(r.URL.Path, "/"); ok && len(a.methods(r, slashless)) > 0 {
		to := *r.URL
		to.Scheme, to.Host, to.Path, to.RawPath = "http", r.Host, slashless, ""
		if r.TLS != nil {
			to.Scheme = "https"
		}
		w.Header().Set("Location", to.String())
		w.WriteHeader(http.StatusTemporaryRedirect)
		return
	}
	if allowed := a.methods(r, r.URL.Path); len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeFailure(w, detail(http.StatusMethodNotAllowed, "Method Not Allowed"))
		return
	}
	writeFailure(w, errNoPath)
}

// methods are those with which a path exists.
func (a *API) methods(r *http.Request, path string) []string {
	var found []string
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		probe := r.Clone(r.Context())
		probe.Method, probe.URL.Path, probe.URL.RawPath = method, path, ""
		if _, pattern := a.routes.Handler(probe); pattern != "" {
			found = append(found, method)
		}
	}
	return found
}

// authorized tells whether a request shows the token.
func (a *API) authorized(r *http.Request) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && a.token.Is(strings.TrimSpace(given))
}

// A reply is a status and what its JSON is made of.
type reply struct {
	status int
	body   any
}

// ok is a reply with status 200.
func ok(body any) (reply, error) { return reply{http.StatusOK, body}, nil }

// handle serves a pattern with JSON. An error that is no *failure is an
// accident.
func (a *API) handle(pattern string, serve func(r *http.Request) (reply, error)) {
	a.routes.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		rep, err := serve(r)
		var refused *failure
		switch {
		case err == nil:
			refapi.WriteJSON(w, rep.status, rep.body)
		case errors.As(err, &refused):
			writeFailure(w, refused)
		default:
			slog.Error("the Mealie API failed", "method", r.Method, "path", r.URL.Path, "error", err)
			writeText(w, http.StatusInternalServerError, "Internal Server Error")
		}
	})
}

// handleInput serves a pattern whose requests have a JSON object.
func (a *API) handleInput(pattern string, serve func(r *http.Request, in *input) (reply, error)) {
	a.handle(pattern, func(r *http.Request) (reply, error) {
		in, err := readInput(r)
		if err != nil {
			return reply{}, err
		}
		return serve(r, in)
	})
}

// change runs a write that succeeds or changes nothing.
func (a *API) change(status int, write func(d *data) (any, error)) (reply, error) {
	var body any
	err := a.store.Update(func(d *data) (err error) {
		body, err = write(d)
		return err
	})
	return reply{status, body}, err
}

var _ http.Handler = (*API)(nil)
