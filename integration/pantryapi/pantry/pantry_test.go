package pantry

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

const testToken = "an-api-token"

// testDay is the day on which the pantries of tests are seeded and used.
var testDay = time.Date(2026, time.June, 23, 18, 30, 0, 0, time.UTC)

// A server is the API over real HTTP.
type server struct {
	t   *testing.T
	url string
}

func serve(t *testing.T, file string) *server {
	t.Helper()
	h, err := New(Options{Token: testToken, File: file, Now: func() time.Time { return testDay }})
	if err != nil {
		t.Fatal(err)
	}
	return &server{t, refapitest.Serve(t, h)}
}

// request sends one request. A body is sent as JSON.
func (s *server) request(method, path, body string, header ...string) *refapitest.Reply {
	s.t.Helper()
	all := []string{"Authorization", "Token " + testToken}
	if body != "" {
		all = append(all, "Content-Type", "application/json")
	}
	return refapitest.Send(s.t, method, s.url+path, body, append(all, header...)...)
}

func (s *server) get(path string) *refapitest.Reply { s.t.Helper(); return s.request("GET", path, "") }

func (s *server) post(path, body string) *refapitest.Reply {
	s.t.Helper()
	return s.request("POST", path, body)
}

// rows is the pantry by "name (location)".
func (s *server) rows() map[string]row {
	s.t.Helper()
	rows := map[string]row{}
	for _, r := range refapitest.Decode[[]row](s.get("/api/pantry/"), 200) {
		key := r.Name + " (" + r.Location + ")"
		if _, ok := rows[key]; ok {
			s.t.Errorf("%s has two rows", key)
		}
		rows[key] = r
	}
	return rows
}

func TestNewNeedsToken(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("an API without a token was made")
	}
}

func TestHabits(t *testing.T) {
	s := serve(t, "")
	const (
		setState = "/api/pantry/set-state/"
		page404  = "<h1>Not Found</h1>"
	)
	tests := []struct {
		name   string
		method string
		path   string
		body   string
		header []string

		status      int
		reply       string // the whole body, or part of a page
		replyHeader []string
	}{
		{
			"no credentials", "GET", "/api/pantry/", "",
			[]string{"Authorization", ""},
			401, `{"detail":"Authentication credentials were not provided."}`,
			[]string{"WWW-Authenticate", "Token"},
		},
		{
			"another scheme", "GET", "/api/pantry/", "",
			[]string{"Authorization", "Bearer " + testToken},
			401, `{"detail":"Authentication credentials were not provided."}`,
			[]string{"WWW-Authenticate", "Token"},
		},
		{
			"wrong token", "GET", "/api/pantry/", "",
			[]string{"Authorization", "Token wrong"},
			401, `{"detail":"Invalid token."}`,
			[]string{"WWW-Authenticate", "Token"},
		},
		{
			"token of other length", "GET", "/api/pantry/", "",
			[]string{"Authorization", "Token " + testToken + "x"},
			401, `{"detail":"Invalid token."}`, nil,
		},
		{
			"no token", "GET", "/api/pantry/", "",
			[]string{"Authorization", "Token"},
			401, `{"detail":"Invalid token header. No credentials provided."}`, nil,
		},
		{
			"token with space", "GET", "/api/pantry/", "",
			[]string{"Authorization", "Token a b"},
			401, `{"detail":"Invalid token header. Token string should not contain spaces."}`, nil,
		},
		{
			"scheme in lower case", "GET", "/api/pantry/9999/", "",
			[]string{"Authorization", "token " + testToken},
			404, `{"detail":"Not found."}`, nil,
		},
		{
			"credentials before method", "DELETE", "/api/pantry/", "",
			[]string{"Authorization", ""},
			401, `{"detail":"Authentication credentials were not provided."}`, nil,
		},
		{
			"credentials before body", "POST", setState, "{",
			[]string{"Authorization", ""},
			401, `{"detail":"Authentication credentials were not provided."}`, nil,
		},

		{
			"unknown page", "GET", "/api/nothing/", "", nil,
			404, page404,
			[]string{"Content-Type", "text/html; charset=utf-8"},
		},
		{"unknown page without credentials", "GET", "/api/nothing/", "", []string{"Authorization", ""}, 404, page404, nil},
		{"id that is no number", "GET", "/api/pantry/abc/", "", nil, 404, page404, nil},
		{
			"unknown id", "GET", "/api/pantry/9999/", "", nil,
			404, `{"detail":"Not found."}`,
			[]string{"Content-Type", "application/json"},
		},
		{"id beyond integers", "GET", "/api/pantry/99999999999999999999/", "", nil, 404, `{"detail":"Not found."}`, nil},
		{"unknown id to change", "PATCH", "/api/pantry/9999/", "{}", nil, 404, `{"detail":"Not found."}`, nil},

		{
			"no slash", "GET", "/api/pantry?location=fridge", "", nil,
			301, "",
			[]string{"Location", "/api/pantry/?location=fridge"},
		},
		{"no slash after id", "GET", "/api/pantry/7", "", nil, 301, "", []string{"Location", "/api/pantry/7/"}},
		{"no slash in POST", "POST", "/api/pantry/set-state", "{}", nil, 301, "", []string{"Location", setState}},
		{
			"no slash without credentials", "GET", "/api/pantry", "",
			[]string{"Authorization", ""},
			301, "",
			[]string{"Location", "/api/pantry/"},
		},

		{
			"method", "DELETE", "/api/pantry/", "", nil,
			405, `{"detail":"Method \"DELETE\" not allowed."}`,
			[]string{"Allow", "GET, HEAD"},
		},
		{
			"method of a form", "GET", setState, "", nil,
			405, `{"detail":"Method \"GET\" not allowed."}`,
			[]string{"Allow", "POST"},
		},
		{
			"method of an item", "PUT", "/api/pantry/1/", "{}", nil,
			405, `{"detail":"Method \"PUT\" not allowed."}`,
			[]string{"Allow", "GET, HEAD, PATCH"},
		},
		{"HEAD", "HEAD", "/api/pantry/", "", nil, 200, "", []string{"Vary", "Accept"}},

		{
			"media type", "POST", setState, "state=in",
			[]string{"Content-Type", "text/plain"},
			415, `{"detail":"Unsupported media type \"text/plain\" in request."}`, nil,
		},
		{
			"no media type", "POST", setState, "{}",
			[]string{"Content-Type", ""},
			415, `{"detail":"Unsupported media type \"\" in request."}`, nil,
		},
		{
			"media type with charset", "POST", setState, "{}",
			[]string{"Content-Type", "application/json; charset=utf-8"},
			400, `{"ingredient":["This field is required."],"state":["This field is required."]}`, nil,
		},
		{
			"no body", "POST", setState, "", nil,
			400, `{"ingredient":["This field is required."],"state":["This field is required."]}`, nil,
		},
		{
			"no object", "POST", setState, `[1]`, nil,
			400, `{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}`, nil,
		},
		{
			"null", "POST", setState, `null`, nil,
			400, `{"non_field_errors":["Invalid data. Expected a dictionary, but got NoneType."]}`, nil,
		},
		{
			"malformed", "POST", setState, "{\n\"state\": in}", nil,
			400, `{"detail":"JSON parse error - invalid character 'i' looking for beginning of value: line 2 column 10 (char 11)"}`, nil,
		},
		{
			"cut off", "POST", setState, `{"state":`, nil,
			400, `{"detail":"JSON parse error - unexpected EOF: line 1 column 10 (char 9)"}`, nil,
		},
		{
			"two values", "POST", setState, `{} {}`, nil,
			400, `{"detail":"JSON parse error - extra data: line 1 column 4 (char 3)"}`, nil,
		},
		{
			"too large", "POST", setState, `{"state":"` + strings.Repeat("x", maxBody) + `"}`, nil,
			413, `{"detail":"The request body is larger than 2621440 bytes."}`, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{t, s.url}
			got := s.request(tt.method, tt.path, tt.body, tt.header...)
			if got.Status == 301 {
				got.Body = "" // a page for browsers
			}
			if tt.reply == page404 && strings.Contains(got.Body, page404) {
				got.Body = page404
			}
			got.Is(tt.status, tt.reply)
			for i := 0; i < len(tt.replyHeader); i += 2 {
				if v := got.Header.Get(tt.replyHeader[i]); v != tt.replyHeader[i+1] {
					t.Errorf("%s is %q, want %q", tt.replyHeader[i], v, tt.replyHeader[i+1])
				}
			}
			if challenge := got.Header.Get("WWW-Authenticate"); challenge != "" && got.Status != 401 {
				t.Errorf("status %d has a challenge", got.Status)
			}
		})
	}
}

// Fields are checked in the same way wherever they stand.
func TestFields(t *testing.T) {
	s := serve(t, "")
	id := s.rows()["Tofu (fridge)"].ID
	patch := "/api/pantry/" + itoa(id) + "/"
	tests := []struct {
		name  string
		body  string
		reply string // of a 400
	}{
		{"choice", `{"state":"gone"}`, `{"state":["\"gone\" is not a valid choice."]}`},
		{"choice in capitals", `{"state":"IN"}`, `{"state":["\"IN\" is not a valid choice."]}`},
		{"choice of another type", `{"state":["in"]}`, `{"state":["\"[\"in\"]\" is not a valid choice."]}`},
		{"null choice", `{"state":null}`, `{"state":["This field may not be null."]}`},
		{
			"all at once", `{"state":"gone","location":"shed"}`,
			`{"location":["\"shed\" is not a valid choice."],"state":["\"gone\" is not a valid choice."]}`,
		},
		{"no decimal", `{"quantity":"some"}`, `{"quantity":["A valid number is required."]}`},
		{"list for a decimal", `{"quantity":[]}`, `{"quantity":["A valid number is required."]}`},
		{"negative", `{"quantity":-1}`, `{"quantity":["Ensure this value is greater than or equal to 0."]}`},
		{"places", `{"quantity":1.005}`, `{"quantity":["Ensure that there are no more than 2 decimal places."]}`},
		{"digits", `{"quantity":1234567}`, `{"quantity":["Ensure that there are no more than 6 digits before the decimal point."]}`},
		{"date", `{"expiry":"23.06.2026"}`, `{"expiry":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`},
		{"no such date", `{"expiry":"2026-02-30"}`, `{"expiry":["Date has wrong format. Use one of these formats instead: YYYY-MM-DD."]}`},
		{"boolean", `{"is_staple":"maybe"}`, `{"is_staple":["Must be a valid boolean."]}`},
		{"text", `{"unit":{}}`, `{"unit":["Not a valid string."]}`},
		{"null text", `{"unit":null}`, `{"unit":["This field may not be null."]}`},
		{"long text", `{"unit":"` + strings.Repeat("ü", 21) + `"}`, `{"unit":["Ensure this field has no more than 20 characters."]}`},
		{"null character", `{"unit":"\u0000"}`, `{"unit":["Null characters are not allowed."]}`},
	}
	before := s.rows()["Tofu (fridge)"]
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{t, s.url}
			s.request("PATCH", patch, tt.body).Is(400, tt.reply)
			if after := s.rows()["Tofu (fridge)"]; toJSON(t, after) != toJSON(t, before) {
				t.Errorf("a refused change was kept: %s", toJSON(t, after))
			}
		})
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
