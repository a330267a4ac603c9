package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestReadResult(t *testing.T) {
	l, err := newList(1)
	if err != nil {
		t.Fatal(err)
	}
	item := `{\"name\":\"ingredient 1\",\"state\":\"low\",\"location\":\"fridge\",\"quantity\":0.25,\"unit\":\"g\"}`
	result := func(text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"%s"}]}}`, text)
	}
	good := result(`{\"items\":[` + item + `]}`)
	for name, tt := range map[string]struct {
		status     int
		kind, body string
		want       string // of the error
	}{
		"JSON":           {200, "application/json", good, ""},
		"an event":       {200, "text/event-stream", "event: message\ndata: " + good + "\n\n", ""},
		"no event":       {200, "text/event-stream", ": nothing\n\n", "no event"},
		"a status":       {202, "application/json", good, "not 200"},
		"a failure":      {200, "application/json", strings.Replace(good, `"content"`, `"isError":true,"content"`, 1), "no result"},
		"an error":       {200, "application/json", `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no"}}`, "no result"},
		"two blocks":     {200, "application/json", strings.Replace(good, `[{`, `[{"type":"text"},{`, 1), "no result"},
		"another id":     {200, "application/json", strings.Replace(good, "7", "8", 1), "no result"},
		"another item":   {200, "application/json", strings.Replace(good, "0.25", "0.5", 1), "not the 1 of the API"},
		"an item less":   {200, "application/json", result(`{\"items\":[]}`), "0 items"},
		"an item more":   {200, "application/json", result(`{\"items\":[` + item + "," + item + `]}`), "2 items"},
		"a field more":   {200, "application/json", strings.Replace(good, `{\"name\"`, `{\"id\":1,\"name\"`, 1), "unknown field"},
		"a text, plain":  {200, "application/json", result("nothing"), "invalid character"},
		"something else": {200, "text/html", "<html>", "invalid character"},
	} {
		t.Run(name, func(t *testing.T) {
			resp := &http.Response{StatusCode: tt.status, Header: http.Header{"Content-Type": {tt.kind}}}
			err := l.readResult(resp, []byte(tt.body), 7)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want '%s'", err, tt.want)
			}
		})
	}
}
