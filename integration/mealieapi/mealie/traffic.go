package mealie

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Fault is what happens to requests that it matches, in place of what Mealie
// would do.
type Fault struct {
	// Method and Path say which requests. Empty is any. In a path, * stands
	// for one segment.
	Method string `json:"method"`
	Path   string `json:"path"`

	// After lets that many requests pass first; Times is how many are met
	// then, or all of them if it is 0.
	After int `json:"after"`
	Times int `json:"times"`

	// Delay passes before anything else happens, and Hold, for tests in the
	// same process, is waited for until it is closed.
	Delay Duration        `json:"delay"`
	Hold  <-chan struct{} `json:"-"`

	// Drop closes the connection without an answer.
	Drop bool `json:"drop"`

	// Status and Body are the answer. Without a status, the request goes on to
	// Mealie. A body that is a JSON string is sent as HTML, any other as JSON.
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
}

// A Duration is written as in "150ms".
type Duration time.Duration

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// A Request is one that the API has received. Its headers lack the token.
type Request struct {
	Method     string      `json:"method"`
	Path       string      `json:"path"` // as it was sent, with its escapes
	Query      url.Values  `json:"query"`
	Header     http.Header `json:"header"`
	Body       string      `json:"body"` // its beginning
	Authorized bool        `json:"authorized"`
}

// Traffic is what the API has received since it started or was told to forget.
type Traffic struct {
	Total       int       `json:"total"`
	InFlight    int       `json:"in_flight"`
	MaxInFlight int       `json:"max_in_flight"`
	Requests    []Request `json:"requests"` // the last of them
}

const (
	maxKept     = 10_000  // requests
	maxKeptBody = 1 << 16 // bytes of each
)

// traffic counts and keeps requests, and interferes with them.
type traffic struct {
	mu      sync.Mutex
	seen    Traffic
	faults  []*Fault
	changed chan struct{} // closed when a request enters
}

func newTraffic() *traffic {
	return &traffic{changed: make(chan struct{})}
}

// Fail adds a fault. Where several match a request, the oldest that has not
// run out decides.
func (t *traffic) Fail(f Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, &f)
}

// Forget drops the faults and the requests seen.
func (t *traffic) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = nil
	t.seen = Traffic{InFlight: t.seen.InFlight, MaxInFlight: t.seen.InFlight}
}

// Traffic returns what was seen.
func (t *traffic) Traffic() Traffic {
	t.mu.Lock()
	defer t.mu.Unlock()
	seen := t.seen
	seen.Requests = slices.Clone(seen.Requests)
	return seen
}

// AwaitInFlight returns when n requests are in flight, or with ctx's error.
func (t *traffic) AwaitInFlight(ctx context.Context, n int) error {
	for {
		t.mu.Lock()
		now, changed := t.seen.InFlight, t.changed
		t.mu.Unlock()
		if now >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// enter keeps a request, and returns what to do when it has been answered.
func (a *API) enter(r *http.Request, body []byte) (leave func()) {
	header := r.Header.Clone()
	header.Del("Authorization")
	kept := Request{
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: header,
		Body: string(body[:min(len(body), maxKeptBody)]), Authorized: a.authorized(r),
	}
	t := a.traffic
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen.Total++
	t.seen.InFlight++
	t.seen.MaxInFlight = max(t.seen.MaxInFlight, t.seen.InFlight)
	if len(t.seen.Requests) == maxKept {
		t.seen.Requests = t.seen.Requests[1:]
	}
	t.seen.Requests = append(t.seen.Requests, kept)
	close(t.changed)
	t.changed = make(chan struct{})
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.seen.InFlight--
	}
}

// fault finds the fault that a request meets.
func (t *traffic) fault(r *http.Request) *Fault {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range t.faults {
		matches, _ := path.Match(f.Path, r.URL.EscapedPath())
		switch {
		case f.Method != "" && !strings.EqualFold(f.Method, r.Method), f.Path != "" && !matches:
			continue
		case f.After > 0:
			f.After--
			continue
		case f.Times == 1:
			t.faults = slices.Delete(t.faults, i, i+1)
		case f.Times > 1:
			f.Times--
		}
		met := *f
		return &met
	}
	return nil
}

// interfere lets a request meet its fault, and tells whether that has answered.
func (t *traffic) interfere(w http.ResponseWriter, r *http.Request) bool {
	f := t.fault(r)
	if f == nil {
		return false
	}
	if f.Delay > 0 {
		timer := time.NewTimer(time.Duration(f.Delay))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
	}
	if f.Hold != nil {
		select {
		case <-f.Hold:
		case <-r.Context().Done():
		}
	}
	switch {
	case f.Drop || r.Context().Err() != nil:
		panic(http.ErrAbortHandler)
	case f.Status == 0:
		return false
	}
	body := []byte(f.Body)
	w.Header().Set("Content-Type", "application/json")
	if text := ""; json.Unmarshal(f.Body, &text) == nil {
		body = []byte(text)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	w.WriteHeader(f.Status)
	w.Write(body)
	return true
}
