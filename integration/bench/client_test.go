package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Replies over another version of HTTP than the row says end the run.
func TestVersionOfHTTP(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	c := newClient("http", certificate{})
	c.major = 2
	if _, err := c.send(t.Context(), http.MethodGet, server.URL, make(http.Header), nil); err == nil || !strings.Contains(err.Error(), "is HTTP/1.1, not HTTP/2") {
		t.Errorf("got %v", err)
	}
}

func TestNumbered(t *testing.T) {
	text, err := numberIn([]byte(`{"id":1,"x":"a"}`), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text.text(42)), `{"id":42,"x":"a"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for got, want := range map[string]bool{
		`{"id":42,"x":"a"}`:  true,
		`{"id":41,"x":"a"}`:  false,
		`{"id":421,"x":"a"}`: false,
		`{"id":42,"x":"b"}`:  false,
		`{"id":42,"x":"a"}.`: false,
		`{"id":42`:           false,
		``:                   false,
	} {
		if text.is([]byte(got), 42) != want {
			t.Errorf("%s: got %v", got, !want)
		}
	}
	if _, err := numberIn([]byte(`{"id":12}`), 1); err == nil {
		t.Error("a number was found that is not there")
	}
}
