package farm

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// maxServed bounds what is kept of the requests for lists.
const maxServed = 1000

// A control is how tests make the lists fail, and see what they were asked.
type control struct {
	mu    sync.Mutex
	log   []served
	fault string
}

// served is one request for a list.
type served struct {
	URI  string `json:"uri"`
	User string `json:"user"`
	Rows int    `json:"rows"`
}

// faults are what a list can be told to answer. What they say is for the
// developers of the farm, and holds what people have written.
var faults = map[string]http.HandlerFunc{
	// The page of a framework that shows its developers what went wrong.
	"page": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, "<!DOCTYPE html><title>Internal Server Error</title><h1>NullReferenceException</h1>"+
			"<pre>at Farm.Entries.List() in /srv/farm/Entries.cs:line 42\nVoidReason = '"+Canary+"'</pre>")
	},

	// A refusal that quotes a row.
	"detail": func(w http.ResponseWriter, _ *http.Request) {
		problem(http.StatusUnprocessableEntity, "the row '%s' cannot be shown", Canary).write(w)
	},

	// No reply until the client gives up.
	"slow": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },

	// A connection that ends.
	"down": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
}

func (c *control) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /control/served", func(w http.ResponseWriter, _ *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		refapi.WriteJSON(w, http.StatusOK, append([]served{}, c.log...))
	})
	mux.HandleFunc("DELETE /control/served", func(w http.ResponseWriter, _ *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.log = nil
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("PUT /control/fault", func(w http.ResponseWriter, r *http.Request) {
		var fault string
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 100)).Decode(&fault); err != nil || fault != "" && faults[fault] == nil {
			problem(http.StatusBadRequest, "write a fault as a JSON string: page, detail, slow, down, or empty for none").write(w)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.fault = fault
		w.WriteHeader(http.StatusNoContent)
	})
}

// fail answers a request as it was told to, if it was.
func (c *control) fail(w http.ResponseWriter, r *http.Request) bool {
	c.mu.Lock()
	answer := faults[c.fault]
	c.mu.Unlock()
	if answer == nil {
		return false
	}
	answer(w, r)
	return true
}

// served notes a request and how many rows it was answered with.
func (c *control) served(r *http.Request, rows int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, served{r.RequestURI, r.Header.Get(UserHeader), rows})
	if len(c.log) > maxServed {
		c.log = c.log[1:]
	}
}
