package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// sizes are those of the API's replies, in bytes.
var sizes = []int{4_000, 200_000}

// An item is one of what the API lists, and shown is what the tool shows of it.
type (
	item struct {
		ID         int        `json:"id"`
		Ingredient ingredient `json:"ingredient"`
		State      string     `json:"state"`
		Location   string     `json:"location"`
		Quantity   float64    `json:"quantity"`
		Unit       string     `json:"unit"`
		Expiry     string     `json:"expiry"`
		IsStaple   bool       `json:"is_staple"`
		Created    string     `json:"created_at"`
		Updated    string     `json:"updated_at"`
	}
	ingredient struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	shown struct {
		Name     string  `json:"name"`
		State    string  `json:"state"`
		Location string  `json:"location"`
		Quantity float64 `json:"quantity"`
		Unit     string  `json:"unit"`
	}
)

// A list is a reply of the API.
type list struct {
	size  int
	body  []byte
	items []shown // what the tool makes of it
}

// query asks for the list.
func (l list) query() string { return fmt.Sprintf("location=fridge&limit=%d", len(l.items)) }

// newList makes a list of about so many bytes.
func newList(size int) (list, error) {
	l := list{size: size}
	var items []item
	for len(l.body) < size {
		n := len(items) + 1
		i := item{
			ID:         1000 + n,
			Ingredient: ingredient{ID: 5000 + n, Name: fmt.Sprintf("ingredient %d", n)},
			State:      []string{"in", "low", "out"}[n%3],
			Location:   "fridge",
			Quantity:   float64(n) / 4,
			Unit:       "g",
			Expiry:     "2027-01-31",
			IsStaple:   n%2 == 0,
			Created:    "2026-11-01T08:15:00Z",
			Updated:    "2026-11-29T18:40:00Z",
		}
		text, err := json.Marshal(i)
		if err != nil {
			return list{}, err
		}
		items = append(items, i)
		l.body = append(append(l.body, ','), text...)
		l.items = append(l.items, shown{i.Ingredient.Name, i.State, i.Location, i.Quantity, i.Unit})
	}
	l.body[0] = '['
	l.body = append(l.body, ']')
	return l, nil
}

// An api is the upstream. Its replies are made beforehand, and it counts the
// requests, so that no reply can come from anywhere else unnoticed.
type api struct {
	url      string
	lists    []list
	requests atomic.Int64
	server   *http.Server
}

// startAPI serves the lists on a free port.
func startAPI() (*api, error) {
	a := new(api)
	byLimit := make(map[string][]byte)
	for _, size := range sizes {
		l, err := newList(size)
		if err != nil {
			return nil, err
		}
		a.lists = append(a.lists, l)
		byLimit[strconv.Itoa(len(l.items))] = l.body
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a.url = "http://" + ln.Addr().String()
	a.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a.requests.Add(1)
			query := r.URL.Query()
			body, ok := byLimit[query.Get("limit")]
			if !ok || r.URL.Path != "/items" || query.Get("location") != "fridge" {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			w.Write(body)
		}),
	}
	go func() { _ = a.server.Serve(ln) }() // if it ends early, calls fail
	return a, nil
}
