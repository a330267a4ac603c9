package upstream

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/caddyserver/caddy/v2"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

func TestWords(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"detail", `{"detail":"Not found."}`, "Not found."},
		{"message", `{"message":"no such recipe","status":404}`, "no such recipe"},
		{"error", `{"error":"bad slug"}`, "bad slug"},
		{"error object", `{"error":{"code":"x","message":"quota used up"}}`, "quota used up"},
		{"oauth", `{"error":"invalid_grant","error_description":"expired"}`, "invalid_grant"},
		{"title", `{"type":"about:blank","title":"Out of stock","status":409}`, "Out of stock"},
		{"RFC 9457", `{"title":"Conflict","detail":"Slug is taken","status":409}`, "Slug is taken"},
		{"detail object", `{"detail":{"message":"User not found","error":true}}`, "User not found"},
		{
			"FastAPI", `{"detail":[{"type":"missing","loc":["body","items",0,"name"],"msg":"Field required","input":{"secret":1}},{"loc":["query","page"],"msg":"Input should be greater than 0"}]}`,
			"items.0.name: Field required; page: Input should be greater than 0",
		},
		{
			"DRF", `{"name":["This field is required."],"qty":["A valid number is required.","Too big."],"non_field_errors":["No."]}`,
			"name: This field is required.; No.; qty: A valid number is required.; Too big.",
		},
		{"DRF nested", `{"slot_choices":{"filling":["No such thing."]}}`, "slot_choices: filling: No such thing."},
		{"DRF list", `["Bad thing."]`, "Bad thing."},
		{"errors list", `{"errors":[{"field":"slug","message":"taken"},{"message":"other"}]}`, "slug: taken; other"},
		{"errors object", `{"errors":{"name":["is short"]}}`, "name: is short"},
		{"empty detail", `{"detail":"","message":"m"}`, "m"},
		{"nothing to say", `{"ok":false,"code":7}`, ""},
		{"number", `7`, ""},
		{"plain text", "Recipe is locked", "Recipe is locked"},
		{"json string", `"Recipe is locked"`, "Recipe is locked"},
		{"page", "<!DOCTYPE html><html><body><h1>Error</h1></body></html>", ""},
		{"trace", "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'", ""},
		{"trace in detail", `{"detail":"Traceback (most recent call last):\n  File \"a.py\"\nKeyError","message":"failed"}`, "failed"},
		{"lines", `{"detail":"It broke.\n at a.js:1\n at b.js:2\n at c.js:3\n at d.js:4"}`, "It broke."},
		{"markup", `{"detail":"<p>Not <b>found</b></p>&nbsp;here &amp; there"}`, "Not found here & there"},
		{"hidden markup", `{"detail":"a &lt;script&gt;x&lt;/script&gt; <<b>b>c"}`, "a x c"},
		{"less than", `{"detail":"1 < 2 and 3 > 2"}`, "1 < 2 and 3 > 2"},
		{"control characters", `{"detail":"a\u0000b\u001b[31m\u202ec\td"}`, "ab[31mc d"},
		{"long", `{"detail":"` + strings.Repeat("ä", 400) + `"}`, strings.Repeat("ä", 299) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := words(errorBody([]byte(tt.body))); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestScrub(t *testing.T) {
	u := &Upstream{}
	out := &outgoing{url: &url.URL{Scheme: "https", Host: "api.example.com"}}
	tests := []struct{ text, want string }{
		{"connect ECONNREFUSED 10.0.0.5:5432", "connect ECONNREFUSED [address]"},
		{"see http://127.0.0.1:8042/api/x for more", "see [address] for more"},
		{"postgres://user:pw@db/pantry is down", "[address] is down"},
		{"db:5432 is down", "[address] is down"},
		{"no route to localhost", "no route to [address]"},
		{"from [::1]:80 and fe80::1", "from [address] and [address]"},
		{"at https://api.example.com/v1/x", "at [address]"},
		{"docs at https://docs.example.com/errors#x", "docs at https://docs.example.com/errors#x"},
		{"version 1.2.3.4.5 at 12:30, ratio 3:1", "version 1.2.3.4.5 at 12:30, ratio 3:1"},
		{"api.example.com:443 and x.internal:80", "[address] and [address]"},
		{"status:404, 12:30:45", "status:404, 12:30:45"},
		{"field name: required", "field name: required"},
		{"8.8.8.8 is fine", "8.8.8.8 is fine"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if got := u.scrub(tt.text, out); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestSentences(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("html") {
			w.WriteHeader(500)
			_, _ = io.WriteString(w, "<html><h1>Internal</h1></html>")
			return
		}
		w.WriteHeader(404)
		_, _ = io.WriteString(w, `{"detail":"No {status} Recipe at http://127.0.0.1:1/x","n":12345678901234567890}`)
	})
	base := &Upstream{URL: a.URL, Retries: new(int)}
	tests := []struct {
		name     string
		own      []program.ErrorText
		upstream []program.ErrorText
		title    string
		path     string
		want     string
		written  bool
	}{
		{"own words", nil, nil, "", "/a", "No {status} Recipe at [address]", false},
		{"page", nil, nil, "", "/a?html", "the API returned 500", false},
		{"page of a named API", nil, nil, "pantry", "/a?html", "pantry returned 500", false},
		{"upstream", nil, []program.ErrorText{{On: []string{"401", "4xx"}, Message: "up"}}, "", "/a", "up", true},
		{"request first", []program.ErrorText{{On: []string{"404"}, Message: "own"}}, []program.ErrorText{{On: []string{"404"}, Message: "up"}}, "", "/a", "own", true},
		{"first that applies", []program.ErrorText{{On: []string{"500"}, Message: "x"}, {On: []string{"4xx"}, Message: "class"}, {On: []string{"404"}, Message: "y"}}, nil, "", "/a", "class", true},
		{"other class", nil, []program.ErrorText{{On: []string{"5xx", "timeout", "unreachable"}, Message: "up"}}, "", "/a", "No {status} Recipe at [address]", false},
		{
			"placeholders",
			[]program.ErrorText{{On: []string{"404"}, Message: "{status} {detail} '{arg.slug}' {arg.o.n} {arg.none}{arg.list} {other} {"}},
			nil, "", "/a",
			"404 No {status} Recipe at [address] '{detail}' 12345678901234567890 [1] {other} {", true,
		},
		{"url", []program.ErrorText{{On: []string{"404"}, Message: "at {url}"}}, nil, "", "/a?b=1", "at " + a.URL, true},
		{"detail", []program.ErrorText{{On: []string{"404"}, Message: "{status}: {detail}"}, {On: []string{"404"}, Message: "no words"}}, nil, "", "/a", "404: No {status} Recipe at [address]", true},
		{"no detail", []program.ErrorText{{On: []string{"500"}, Message: "{status}: {detail}"}, {On: []string{"500"}, Message: "no words"}}, nil, "", "/a?html", "no words", true},
		{"no detail, upstream next", []program.ErrorText{{On: []string{"500"}, Message: "{status}: {detail}"}}, []program.ErrorText{{On: []string{"5xx"}, Message: "up"}}, "", "/a?html", "up", true},
		{"no detail, no other", []program.ErrorText{{On: []string{"500"}, Message: "{status}: {detail}"}}, nil, "", "/a?html", "the API returned 500", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := ready(t, &Upstream{Name: tt.title, URL: base.URL, Retries: base.Retries, Errors: tt.upstream})
			req := get(tt.path)
			req.Errors = tt.own
			req.Args = map[string]any{"slug": "{detail}", "o": map[string]any{"n": json.Number("12345678901234567890")}, "list": []any{json.Number("1")}}
			got := refusal(t, u, req)
			if got.Message != tt.want || got.Configured != tt.written {
				t.Errorf("got  %q (configured: %v)\nwant %q", got.Message, got.Configured, tt.want)
			}
		})
	}
	t.Run("body", func(t *testing.T) {
		u := ready(t, &Upstream{URL: base.URL, Retries: base.Retries})
		got := refusal(t, u, get("/a"))
		if n, _ := got.Body.(map[string]any)["n"].(json.Number); got.Status != 404 || n != "12345678901234567890" {
			t.Errorf("got %+v", got)
		}
		if got := refusal(t, u, get("/a?html")); got.Body != "<html><h1>Internal</h1></html>" {
			t.Errorf("got %+v", got)
		}
	})
}

func TestSentencesWithoutReply(t *testing.T) {
	u := ready(t, &Upstream{URL: "http://127.0.0.1:1/", Retries: new(int), Errors: []program.ErrorText{
		{On: []string{"timeout"}, Message: "slow"},
		{On: []string{"unreachable"}, Message: "start the {arg.what}{status} at {url}: {detail}"},
	}})
	req := get("/a")
	req.Args = map[string]any{"what": "server"}
	want := program.Error{Message: "start the server at http://127.0.0.1:1: connection refused", Kind: "unreachable", Configured: true}
	if got := refusal(t, u, req); *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

// TestDetailWithoutReply checks what is said of a cause: its last clause, and
// no inner address.
func TestDetailWithoutReply(t *testing.T) {
	for _, tt := range []struct{ cause, want string }{
		{"dial tcp: lookup api: no such host", "down: no such host"},
		{"dial: no route to 10.0.0.5:80", "down: no route to [address]"},
		{"gone", "down: gone"},
		{"read: ", "the API is unreachable"},
	} {
		t.Run(tt.cause, func(t *testing.T) {
			u := chainOf(t, func(http.ResponseWriter, *http.Request) error { return errors.New(tt.cause) })
			u.Retries, u.Errors = new(int), []program.ErrorText{{On: []string{"unreachable"}, Message: "down: {detail}"}}
			if got := refusal(t, ready(t, u), get("/a")); got.Message != tt.want {
				t.Errorf("got %q, want %q", got.Message, tt.want)
			}
		})
	}
	t.Run("timeout", func(t *testing.T) {
		a := newAPI(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		u := ready(t, &Upstream{URL: a.URL, Timeout: caddy.Duration(time.Millisecond), Errors: []program.ErrorText{{On: []string{"timeout"}, Message: "down: {detail}"}}})
		if got := refusal(t, u, get("/a")); got.Message != "down: no answer within 1ms" {
			t.Errorf("got %q", got.Message)
		}
	})
}

func TestErrorTextsAreValidated(t *testing.T) {
	for _, tt := range []struct {
		text program.ErrorText
		want string
	}{
		{program.ErrorText{Message: "m"}, "needs at least one status"},
		{program.ErrorText{On: []string{"404"}}, "has no message"},
		{program.ErrorText{On: []string{"200"}, Message: "m"}, "'200' is not a failure"},
		{program.ErrorText{On: []string{"4XX"}, Message: "m"}, "'4XX' is not a failure"},
		{program.ErrorText{On: []string{"404", "not found"}, Message: "m"}, "'not found' is not a failure"},
		{program.ErrorText{On: []string{"+404"}, Message: "m"}, "'+404' is not a failure"},
	} {
		err := provision(t, &Upstream{URL: "http://127.0.0.1:1", Errors: []program.ErrorText{tt.text}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v", tt.text, err)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, body := range []string{`{"detail":"x"}`, `{"detail":[{"loc":["body","a"],"msg":"m"}]}`, `{"a":["b"]}`, `<p>`, `"&lt;b&gt;"`, "at 10.0.0.1:80", "[]"} {
		f.Add([]byte(body))
	}
	u, out := &Upstream{}, &outgoing{url: &url.URL{Host: "api"}}
	f.Fuzz(func(t *testing.T, body []byte) {
		text := words(errorBody(body))
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxWords {
			t.Errorf("%q is not a short text", text)
		}
		if strings.ContainsFunc(text, unicode.IsControl) || tag.MatchString(text) {
			t.Errorf("%q holds markup or control characters", text)
		}
		if strings.Contains(u.scrub(text, out), "127.0.0.1:") {
			t.Errorf("%q shows an address", text)
		}
	})
}

func FuzzFillIn(f *testing.F) {
	for _, message := range []string{"{status}", "{detail} {arg.a}", "{{status}}", "{arg.a.b}", "{", "}{", "{url"} {
		f.Add(message, "{status}{detail}")
	}
	out := &outgoing{url: &url.URL{Scheme: "http", Host: "api", Path: "/a"}}
	f.Fuzz(func(t *testing.T, message, value string) {
		req := &program.Request{Args: map[string]any{"a": value}}
		got := (&Upstream{}).fillIn(message, req, out, 404, value)
		if !strings.Contains(message, "{") && got != strings.TrimSpace(message) {
			t.Errorf("%q became %q", message, got)
		}
		// What a value says is not read as a placeholder.
		if one := (&Upstream{}).fillIn("<{detail}>", req, out, 404, value); one != "<"+value+">" {
			t.Errorf("the detail %q became %q", value, one)
		}
	})
}
