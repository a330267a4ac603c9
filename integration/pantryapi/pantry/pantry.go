// Package pantry is a household pantry's REST API, as one written with Django
// and its REST framework would behave: trailing slashes, token authentication,
// field errors, decimals as strings. The README beside it describes every
// path.
package pantry

import (
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// Options configure the API.
type Options struct {
	// Token is what callers send as "Authorization: Token …". Required.
	Token string

	// File is where the pantry is kept, as JSON. It is seeded if it does not
	// exist. Empty keeps the pantry in memory. No two servers may share it.
	File string

	// Now is the clock behind expiry dates and cook logs. Default: time.Now.
	Now func() time.Time
}

// New returns the API, whose paths begin with /api/.
func New(opts Options) (http.Handler, error) {
	token, err := refapi.NewToken(opts.Token)
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	st, err := refapi.Open(opts.File, "a pantry", (*data).check, func() *data { return seed(opts.Now()) })
	if err != nil {
		return nil, err
	}
	return &api{store: st, token: token, now: opts.Now}, nil
}

type api struct {
	store *refapi.Store[data]
	token refapi.Token
	now   func() time.Time
}

// A handler answers one method of one path: a status and a body, or an error
// that is a *failure. What a writing handler does to d is kept if it succeeds.
type handler func(d *data, r *request) (int, any, error)

// A view is a path's handlers by method.
type view map[string]handler

var (
	views = map[string]view{
		"/api/pantry/":             {"GET": listItems},
		"/api/pantry/set-state/":   {"POST": setState},
		"/api/bulk-pantry-add/":    {"POST": bulkAdd},
		"/api/meta-recipes/":       {"GET": listMetaRecipes},
		"/api/create-meta-recipe/": {"POST": createMetaRecipe, "PUT": updateMetaRecipe},
		"/api/what-can-i-cook/":    {"GET": whatCanICook},
		"/api/log-cook/":           {"POST": logCook},
	}

	itemPath = regexp.MustCompile(`^/api/pantry/([0-9]+)/$`)
	itemView = view{"GET": getItem, "PATCH": patchItem}
)

// resolve finds the view of a path and the id in it.
func resolve(path string) (v view, id int) {
	if v, ok := views[path]; ok {
		return v, 0
	}
	if m := itemPath.FindStringSubmatch(path); m != nil {
		id, _ := strconv.Atoi(m[1]) // a number too large is no item's id either
		return itemView, id
	}
	return nil, 0
}

// ServeHTTP answers in the order of Django's layers: the URL, who is calling,
// the method, the body, and then the view.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v, id := resolve(r.URL.Path)
	if v == nil {
		if slashed, _ := resolve(r.URL.Path + "/"); slashed != nil {
			u := *r.URL
			u.Path += "/"
			http.Redirect(w, r, u.RequestURI(), http.StatusMovedPermanently)
			return
		}
		writePage(w, http.StatusNotFound, "Not Found", "The requested resource was not found on this server.")
		return
	}

	w.Header().Set("Vary", "Accept")
	w.Header().Set("Allow", v.allow())
	status, body, err := a.serve(v, id, w, r)
	var refused *failure
	switch {
	case err == nil:
		refapi.WriteJSON(w, status, body)
	case errors.As(err, &refused):
		refused.write(w)
	default:
		slog.Error("the pantry API failed", "method", r.Method, "path", r.URL.Path, "error", err)
		writePage(w, http.StatusInternalServerError, "Server Error (500)", "")
	}
}

func (a *api) serve(v view, id int, w http.ResponseWriter, r *http.Request) (int, any, error) {
	if err := a.authenticate(r); err != nil {
		return 0, nil, err
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	handle, ok := v[method]
	if !ok {
		return 0, nil, detail(http.StatusMethodNotAllowed, `Method "%s" not allowed.`, r.Method)
	}

	req := &request{id: id, query: r.URL.Query(), today: a.now()}
	if method == http.MethodGet {
		return handle(a.store.Read(), req)
	}
	var err error
	if req.body, err = parseBody(w, r); err != nil {
		return 0, nil, err
	}
	var status int
	var body any
	err = a.store.Update(func(d *data) (err error) {
		status, body, err = handle(d, req)
		return err
	})
	return status, body, err
}

// authenticate checks the token of "Authorization: Token …". Another scheme
// counts as no credentials.
func (a *api) authenticate(r *http.Request) error {
	words := strings.Fields(r.Header.Get("Authorization"))
	switch {
	case len(words) == 0 || !strings.EqualFold(words[0], "Token"):
		return detail(http.StatusUnauthorized, "Authentication credentials were not provided.")
	case len(words) == 1:
		return detail(http.StatusUnauthorized, "Invalid token header. No credentials provided.")
	case len(words) > 2:
		return detail(http.StatusUnauthorized, "Invalid token header. Token string should not contain spaces.")
	}
	if !a.token.Is(words[1]) {
		return detail(http.StatusUnauthorized, "Invalid token.")
	}
	return nil
}

// allow is the value of the Allow header.
func (v view) allow() string {
	var methods []string
	for _, m := range []string{"GET", "POST", "PUT", "PATCH"} {
		if v[m] == nil {
			continue
		}
		methods = append(methods, m)
		if m == "GET" {
			methods = append(methods, "HEAD")
		}
	}
	return strings.Join(methods, ", ")
}

var _ http.Handler = (*api)(nil)
