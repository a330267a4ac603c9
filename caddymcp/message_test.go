package caddymcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestParseBody(t *testing.T) {
	for _, tc := range []struct {
		name, body  string
		tools       []string
		initializes bool
		notifies    bool
		fails       bool
	}{
		{name: "call", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, tools: []string{"a"}},
		{name: "batch", body: ` [{"id":1,"method":"tools/call","params":{"name":"a"}},{"id":2,"method":"tools/call","params":{"name":"b"}}]`, tools: []string{"a", "b"}},
		{name: "initialize", body: `{"id":1,"method":"initialize","params":{}}`, initializes: true},
		{name: "progress token", body: `{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":7}}}`, tools: []string{"a"}, notifies: true},
		{name: "log level", body: `{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/logLevel":"info"}}}`, tools: []string{"a"}, notifies: true},
		{name: "params of another type", body: `{"id":1,"method":"tools/call","params":[1]}`, tools: []string{""}},
		{name: "empty", body: ``, fails: true},
		{name: "empty batch", body: `[]`, fails: true},
		{name: "large batch", body: `[` + strings.Repeat(`{},`, maxBatch) + `{}]`, fails: true},
		{name: "cut off", body: `{"id":1,`, fails: true},
		{name: "two values", body: `{"id":1} {"id":2}`, fails: true},
		{name: "not an object", body: `7`, fails: true},
		{name: "batch of numbers", body: `[7]`, fails: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := parseBody([]byte(tc.body))
			if tc.fails {
				if err == nil {
					t.Fatal("it should fail")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := b.tools(); !slices.Equal(got, tc.tools) {
				t.Errorf("tools %q, want %q", got, tc.tools)
			}
			if b.initializes() != tc.initializes {
				t.Errorf("initializes %v, want %v", b.initializes(), tc.initializes)
			}
			if b.notifies() != tc.notifies {
				t.Errorf("notifies %v, want %v", b.notifies(), tc.notifies)
			}
		})
	}
}

// An id that the SDK would damage travels as a string and comes back as sent.
func TestIDsComeBackAsSent(t *testing.T) {
	for _, id := range []string{
		`1`, `"a"`, `"9007199254740993"`, `-3`, `0`,
		`9007199254740993`, `-9007199254740993`, `1.5`, `1e3`, `1.0`, `123456789012345678901234567890`,
	} {
		t.Run(id, func(t *testing.T) {
			b, err := parseBody([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping","other":{"kept":12345678901234567890}}`))
			if err != nil {
				t.Fatal(err)
			}
			raw, hidden := b.hideIDs()
			var sent struct {
				ID    json.RawMessage
				Other json.RawMessage
			}
			if err := json.Unmarshal(raw, &sent); err != nil {
				t.Fatal(err)
			}
			if string(sent.Other) != `{"kept":12345678901234567890}` {
				t.Errorf("another member changed: %s", sent.Other)
			}
			if damaged(sent.ID) {
				t.Errorf("the SDK would damage %s", sent.ID)
			}
			rec := httptest.NewRecorder()
			w := &replyWriter{ResponseWriter: rec, hidden: hidden}
			reply := `{"jsonrpc":"2.0","id":` + string(sent.ID) + `,"result":{}}`
			n, err := w.Write([]byte(reply))
			if err != nil || n != len(reply) {
				t.Errorf("wrote %d of %d: %v", n, len(reply), err)
			}
			if want := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`; rec.Body.String() != want {
				t.Errorf("got %s, want %s", rec.Body, want)
			}
		})
	}
}

func TestHideIDsInBatchesAndCancellations(t *testing.T) {
	first, err := parseBody([]byte(`[{"id":1,"method":"ping"},{"id":9007199254740993,"method":"ping"}]`))
	if err != nil {
		t.Fatal(err)
	}
	raw, hidden := first.hideIDs()
	if len(hidden) != 1 || !strings.HasPrefix(string(raw), `[{"id":1,"method":"ping"},`) {
		t.Errorf("hid %d ids in %s", len(hidden), raw)
	}
	cancel, err := parseBody([]byte(`{"method":"notifications/cancelled","params":{"requestId":9007199254740993,"reason":"x"}}`))
	if err != nil {
		t.Fatal(err)
	}
	raw, also := cancel.hideIDs()
	if len(also) != 1 || string(also[0]) != string(hidden[0]) || !bytes.Contains(raw, hidden[0]) {
		t.Errorf("the cancellation names %s, the request is %s: %s", also, hidden, raw)
	}
}

// A token of the client names its progress notifications.
func TestHideProgressTokens(t *testing.T) {
	const message = `{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":9007199254740993}}}`
	b, err := parseBody([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	raw, hidden := b.hideIDs()
	if len(hidden) != 1 || !bytes.Contains(raw, append([]byte(`"progressToken":`), hidden[0]...)) {
		t.Fatalf("hid %d ids in %s", len(hidden), raw)
	}
	rec := httptest.NewRecorder()
	w := &replyWriter{ResponseWriter: rec, hidden: hidden}
	fmt.Fprintf(w, `{"params":{"progressToken":%s}}`, hidden[0])
	if want := `{"params":{"progressToken":9007199254740993}}`; rec.Body.String() != want {
		t.Errorf("got %s, want %s", rec.Body, want)
	}
}

func TestListens(t *testing.T) {
	for text, want := range map[string]bool{
		`{"method":"subscriptions/listen"}`:                        true,
		`[{"method":"ping"},{"method":"subscriptions/listen"}]`:    true,
		`[{"method":"ping"},{"method":"notifications/cancelled"}]`: false,
	} {
		b, err := parseBody([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if b.listens() != want {
			t.Errorf("%s listens: %t", text, !want)
		}
	}
}

func TestDecodeHeader(t *testing.T) {
	for _, tc := range []struct {
		in, want string
		ok       bool
	}{
		{"get_pantry", "get_pantry", true},
		{"=?base64?Z2V0X3BhbnRyeQ==?=", "get_pantry", true},
		{"=?base64?w6Q=?=", "ä", true},
		{"=?base64?!?=", "", false},
		{"=?base64?Z2V0", "", false},
	} {
		got, ok := decodeHeader(tc.in)
		if ok != tc.ok || (ok && got != tc.want) {
			t.Errorf("%s: got %q %v, want %q %v", tc.in, got, ok, tc.want, tc.ok)
		}
	}
}

func FuzzParseBody(f *testing.F) {
	f.Add([]byte(`{"id":9007199254740993,"method":"tools/call","params":{"name":"a"}}`))
	f.Add([]byte(`[{"id":1.5,"method":"notifications/cancelled","params":{"requestId":1e9}}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := parseBody(raw)
		if err != nil {
			return
		}
		out, _ := b.hideIDs()
		again, err := parseBody(out)
		if err != nil {
			t.Fatalf("%s became %s: %v", raw, out, err)
		}
		if !slices.Equal(b.tools(), again.tools()) || len(b.messages) != len(again.messages) {
			t.Fatalf("%s became %s", raw, out)
		}
	})
}
