// Package farm is the REST API of a laying-hen farm's production software:
// flocks, the eggs they lay, and where the eggs went. It serves several farms
// and decides by itself what each of their people may see. The README beside
// it describes every path.
package farm

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// UserHeader names the user for whom a request is made.
const UserHeader = "X-Farm-User"

// Options configure the API.
type Options struct {
	// Token is what services send as "Authorization: Bearer …". Required.
	Token string

	// File is where the farms are kept, as JSON. It is made with sample data
	// if it does not exist. Empty keeps the farms in memory. No two servers may
	// share it.
	File string

	// Now is the clock behind what a flock accepts today and what is written.
	// Default: time.Now.
	Now func() time.Time
}

// New returns the API, whose paths begin with /api/, and with /control/ for
// what tests need.
func New(opts Options) (http.Handler, error) {
	token, err := refapi.NewToken(opts.Token)
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	st, err := refapi.Open(opts.File, "a farm", (*data).check, sample)
	if err != nil {
		return nil, err
	}
	a := &api{store: st, token: token, now: opts.Now, mux: http.NewServeMux()}
	for pattern, l := range lists {
		a.mux.HandleFunc("GET /api/"+pattern, func(w http.ResponseWriter, r *http.Request) { a.list(w, r, l) })
	}
	for pattern, c := range changes {
		a.mux.HandleFunc("POST /api/"+pattern, func(w http.ResponseWriter, r *http.Request) { a.change(w, r, c) })
	}
	a.mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) { notFound.write(w) })
	a.control.routes(a.mux)
	return a, nil
}

type api struct {
	store   *refapi.Store[data]
	token   refapi.Token
	now     func() time.Time
	mux     *http.ServeMux
	control control
}

// ServeHTTP answers whether the service is known. Without its token the header
// that names the user is worth nothing.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.token.IsIn(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		problem(http.StatusUnauthorized, "a valid service token is required").write(w)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// A request is what a user asks of the data.
type request struct {
	*http.Request
	data *data
	user *user
	now  time.Time
}

// read makes a request for the user that the header names. Other roles are
// refused.
func (a *api) read(r *http.Request, d *data, roles []string) (*request, error) {
	named := r.Header.Values(UserHeader)
	if len(named) != 1 {
		return nil, problem(http.StatusForbidden, "%s must name one user", UserHeader)
	}
	i := slices.IndexFunc(d.Users, func(u *user) bool { return u.Name == named[0] })
	if i < 0 || !slices.Contains(roles, d.Users[i].Role) {
		return nil, problem(http.StatusForbidden, "the user may not do this")
	}
	return &request{Request: r, data: d, user: d.Users[i], now: a.now()}, nil
}

// list answers with the rows of a list that are asked for.
func (a *api) list(w http.ResponseWriter, r *http.Request, l list) {
	if a.control.fail(w, r) {
		return
	}
	rows, err := a.rows(r, l)
	a.control.served(r, len(rows))
	answer(w, r, rows, err)
}

func (a *api) rows(r *http.Request, l list) ([]any, error) {
	req, err := a.read(r, a.store.Read(), l.roles)
	if err != nil {
		return nil, err
	}
	w, err := l.window(r.URL.Query())
	if err != nil {
		return nil, err
	}
	rows, err := l.rows(req)
	if err != nil {
		return nil, err
	}
	return w.of(rows), nil
}

// change answers with what a request has made of the data.
func (a *api) change(w http.ResponseWriter, r *http.Request, c change) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	var reply any
	err := a.store.Update(func(d *data) error {
		req, err := a.read(r, d, c.roles)
		if err != nil {
			return err
		}
		reply, err = c.apply(req)
		return err
	})
	answer(w, r, reply, err)
}

// answer sends a reply, or the problem that there was.
func answer(w http.ResponseWriter, r *http.Request, reply any, err error) {
	var p *problemError
	switch {
	case err == nil:
		refapi.WriteJSON(w, http.StatusOK, reply)
	case errors.As(err, &p):
		p.write(w)
	default:
		slog.Error("the farm API failed", "method", r.Method, "path", r.URL.Path, "error", err)
		problem(http.StatusInternalServerError, "something went wrong").write(w)
	}
}

// A problemError is a reply that reports a problem (RFC 9457).
type problemError struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// notFound is the answer for what there is not, and for what the user may not
// know of.
var notFound = problem(http.StatusNotFound, "there is nothing here")

func problem(status int, format string, args ...any) *problemError {
	return &problemError{http.StatusText(status), status, fmt.Sprintf(format, args...)}
}

func (p *problemError) Error() string { return p.Detail }

func (p *problemError) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	refapi.WriteJSON(w, p.Status, p)
}

var _ http.Handler = (*api)(nil)
