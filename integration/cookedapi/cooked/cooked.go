// Package cooked is the REST API of the Cooked shopping list: a list of
// product groups in the aisles of a shop, made from the ingredients of recipes.
// The README beside it describes every path.
package cooked

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// maxBody bounds a request body, in bytes.
const maxBody = 1 << 20

// Options configure the API.
type Options struct {
	// Token is what callers send as "Authorization: Bearer …". Required.
	Token string

	// File is where the list is kept, as JSON. It is made with a sample list
	// if it does not exist. Empty keeps the list in memory. No two servers may
	// share it.
	File string
}

// New returns the API, whose paths begin with /shopping-list.
func New(opts Options) (http.Handler, error) {
	token, err := refapi.NewToken(opts.Token)
	if err != nil {
		return nil, err
	}
	st, err := refapi.Open(opts.File, "a shopping list", (*data).check, sample)
	if err != nil {
		return nil, err
	}
	return &api{store: st, token: token, routes: routes(st)}, nil
}

type api struct {
	store  *refapi.Store[data]
	token  refapi.Token
	routes http.Handler
}

// ServeHTTP answers who may call, with JSON whatever happens.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.token.IsIn(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refapi.WriteJSON(w, http.StatusUnauthorized, refusal{Text: "a valid token is required"})
		return
	}
	a.routes.ServeHTTP(w, r)
}

// routes serves each path by what it does to the data.
func routes(st *refapi.Store[data]) http.Handler {
	mux := http.NewServeMux()
	read := func(pattern string, show func(d *data) any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			refapi.WriteJSON(w, http.StatusOK, show(st.Read()))
		})
	}
	write := func(pattern string, change func(d *data, r *http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			var reply any
			err := st.Update(func(d *data) (err error) {
				reply, err = change(d, r)
				return err
			})
			var refused *refusal
			switch {
			case errors.As(err, &refused):
				refapi.WriteJSON(w, refused.status, refused)
			case err != nil:
				slog.Error("the Cooked API failed", "method", r.Method, "path", r.URL.Path, "error", err)
				refapi.WriteJSON(w, http.StatusInternalServerError, refusal{Text: "something went wrong"})
			case reply == nil:
				w.WriteHeader(http.StatusNoContent)
			default:
				refapi.WriteJSON(w, http.StatusOK, reply)
			}
		})
	}
	read("GET /shopping-list", func(d *data) any { return d.List })
	write("POST /shopping-list/ingredients", addIngredients)
	write("PUT /shopping-list/groups/{id}", replaceGroup)
	write("DELETE /shopping-list/groups", removeGroups)
	write("PUT /shopping-list/selection", replaceSelection)
	write("DELETE /shopping-list", clearList)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refapi.WriteJSON(w, http.StatusNotFound, refusal{Text: fmt.Sprintf("there is no %s %s", r.Method, r.URL.Path)})
	})
	return mux
}

// A refusal is a reply that reports an error.
type refusal struct {
	status int
	Text   string `json:"error"`
}

func (r *refusal) Error() string { return r.Text }

// refuse makes a refusal.
func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// decode reads the JSON object of a request, which has no fields but those of
// into.
func decode(r *http.Request, into any) error {
	err := refapi.ReadJSON(r, into)
	if err == nil {
		return nil
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", maxBody)
	}
	return refuse(http.StatusBadRequest, "the body is not as expected: %v", err)
}

var _ http.Handler = (*api)(nil)
