package farm

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

const testToken = "an-api-token"

// serve is the API over real HTTP, on the first of December 2026.
func serve(t testing.TB, file string) string {
	t.Helper()
	h, err := New(Options{Token: testToken, File: file, Now: func() time.Time {
		return time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return refapitest.Serve(t, h)
}

// do sends a request for a user, and returns the status and the body.
func do(t testing.TB, user, method, url, body string) (status int, reply string) {
	t.Helper()
	return send(t, method, url, body, "Authorization", "Bearer "+testToken, UserHeader, user)
}

func send(t testing.TB, method, url, body string, headers ...string) (status int, reply string) {
	t.Helper()
	got := refapitest.Send(t, method, url, body, headers...)
	return got.Status, got.Body
}

// read decodes a list that a user may read.
func read(t testing.TB, user, url string) (rows []map[string]any) {
	t.Helper()
	status, body := do(t, user, "GET", url, "")
	if err := json.Unmarshal([]byte(body), &rows); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s %v", url, status, body, err)
	}
	return rows
}

const there = `{"title":"Not Found","status":404,"detail":"there is nothing here"}`

var (
	northID   = id("f10c0000", 1)
	southID   = id("f10c0000", 2)
	awayID    = id("f10c0000", 5)
	largeID   = id("96ade000", 1)
	foreignID = id("96ade000", 7)
	ledgerID  = id("e6610000", 1)
)

// How many rows of each list a user gets.
func TestLists(t *testing.T) {
	url := serve(t, "")
	for _, tt := range []struct {
		user, path string
		want       int
	}{
		{"owner", "/flocks", 34},
		{"manager", "/flocks", 34},
		{"worker", "/flocks", 2},
		{"neighbour", "/flocks", 1},
		{"owner", "/flocks?name=layer+HOUSE", 30},
		{"owner", "/flocks?name=layer+HOUSE&limit=11", 11},
		{"owner", "/flocks?name=Layer", 0},
		{"owner", "/flocks?nameContains=LAYER", 30},
		{"owner", "/flocks?nameContains=house&status=Depleted", 15},
		{"owner", "/flocks?id=" + northID, 1},
		{"owner", "/flocks?id=" + awayID, 0},
		{"worker", "/flocks?id=" + southID, 0},
		{"owner", "/flocks?limit=3&offset=32", 2},
		{"owner", "/flocks?limit=0", 0},
		{"owner", "/flocks?offset=2147483647&limit=2147483647", 0},
		{"owner", "/egg-grades", 6},
		{"owner", "/egg-grades?name=CRACKED", 2},
		{"neighbour", "/egg-grades", 1},
		{"worker", "/stock", 6},
		{"sales", "/stock", 6},
		{"sales", "/egg-lots?limit=1000", 105},
		{"owner", "/egg-lots", 100}, // what the API gives if it is not told
		{"worker", "/egg-lots", 3},
		{"worker", "/egg-lots?gradeId=" + largeID, 1},
		{"owner", "/egg-lots?flockId=" + northID, 2},
		{"owner", "/egg-lots?from=2026-11-19&to=2026-11-19", 4},
		{"owner", "/egg-lots?status=Empty", 0},
		{"sales", "/egg-lots/" + ledgerID + "/movements", 41},
		{"worker", "/egg-lots/" + ledgerID + "/movements?offset=40", 1},
		{"owner", "/daily-entries?limit=1000", 122},
		{"worker", "/daily-entries", 51},
		{"worker", "/daily-entries?flockId=" + northID + "&status=Voided", 5},
		{"owner", "/daily-entries?to=2026-09-30", 19},
	} {
		t.Run(tt.user+" "+tt.path, func(t *testing.T) {
			if got := read(t, tt.user, url+"/api"+tt.path); len(got) != tt.want {
				t.Errorf("got %d rows, want %d", len(got), tt.want)
			}
		})
	}
}

// With one grade shared by a flock that the worker has and one that he has not.
func TestStock(t *testing.T) {
	url := serve(t, "")
	for user, want := range map[string]float64{"owner": 100, "worker": 30} {
		for _, row := range read(t, user, url+"/api/stock") {
			if row["gradeName"] == "Small" && row["quantity"] != want {
				t.Errorf("%s sees %v, want %v", user, row["quantity"], want)
			}
		}
	}
}

// A flock accepts what is produced today if it is active and there.
func TestAcceptsProduction(t *testing.T) {
	h, err := New(Options{Token: testToken, Now: func() time.Time { return time.Date(2026, time.May, 3, 12, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	early := httptest.NewServer(h)
	t.Cleanup(early.Close)
	for url, want := range map[string]bool{serve(t, ""): true, early.URL: false} {
		for _, row := range read(t, "owner", url+"/api/flocks") {
			if got := row["acceptsProductionToday"]; got != (want && row["status"] == "Active") {
				t.Errorf("%s, %s: got %v", row["name"], row["status"], got)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	url := serve(t, "")
	missing := id("e6610000", 999)
	foreign := id("e6610000", 105+1)
	southLot := id("e6610000", 3)
	for _, tt := range []struct {
		name, user, method, path, body string
		status                         int
		want                           string
	}{
		{"no user", "", "GET", "/flocks", "", 403, "must name one user"},
		{"unknown user", "nobody", "GET", "/flocks", "", 403, "may not"},
		{"role", "sales", "GET", "/flocks", "", 403, "may not"},
		{"role", "sales", "GET", "/daily-entries", "", 403, "may not"},
		{"role that writes", "worker", "POST", "/egg-lots/" + ledgerID + "/discard", `{"quantity":1}`, 403, "may not"},
		{"unknown path", "owner", "GET", "/houses", "", 404, there},
		{"unknown lot", "owner", "GET", "/egg-lots/" + missing + "/movements", "", 404, there},
		{"lot of another farm", "owner", "GET", "/egg-lots/" + foreign + "/movements", "", 404, there},
		{"lot of another flock", "worker", "GET", "/egg-lots/" + southLot + "/movements", "", 404, there},
		{"unknown flock", "owner", "GET", "/daily-entries?flockId=x", "", 404, there},
		{"flock of another farm", "owner", "GET", "/daily-entries?flockId=" + awayID, "", 404, there},
		{"flock of another worker", "worker", "GET", "/egg-lots?flockId=" + southID, "", 404, there},
		{"grade of another farm", "owner", "GET", "/egg-lots?gradeId=" + foreignID, "", 404, there},
		{"write to a lot of another farm", "owner", "POST", "/egg-lots/" + foreign + "/discard", `{"quantity":1}`, 404, there},
		{"write to an entry of another farm", "owner", "POST", "/daily-entries/" + id("da170000", 123) + "/void", `{}`, 404, there},
		{"limit", "owner", "GET", "/flocks?limit=x", "", 400, "'limit'"},
		{"negative offset", "owner", "GET", "/flocks?offset=-1", "", 400, "'offset'"},
		{"offset beyond 32 bits", "owner", "GET", "/flocks?offset=2147483648", "", 400, "'offset'"},
		{"twice", "owner", "GET", "/flocks?limit=1&limit=2", "", 400, "twice"},
		{"unknown field", "owner", "GET", "/flocks?farm=x", "", 400, "no query field 'farm'"},
		{"no date", "owner", "GET", "/egg-lots?from=yesterday", "", 400, "'from' must be a date"},
		{"no JSON", "owner", "POST", "/egg-lots/" + ledgerID + "/discard", "x", 400, "not as expected"},
		{"too many", "owner", "POST", "/egg-lots/" + ledgerID + "/discard", `{"quantity":201}`, 422, "from 1 to 200"},
		{"void already", "owner", "POST", "/daily-entries/" + id("da170000", 15) + "/void", `{}`, 409, "void already"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, body := do(t, tt.user, tt.method, url+"/api"+tt.path, tt.body)
			if status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("got %d %s, want %d and %s", status, body, tt.status, tt.want)
			}
		})
	}
}

// The user's name is believed from nobody but the service.
func TestToken(t *testing.T) {
	url := serve(t, "")
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer other", "Token " + testToken, testToken} {
		for _, path := range []string{"/api/flocks", "/elsewhere", "/control/served"} {
			t.Run(authorization+" "+path, func(t *testing.T) {
				if status, body := send(t, "GET", url+path, "", UserHeader, "owner", "Authorization", authorization); status != http.StatusUnauthorized || !strings.Contains(body, "service token is required") {
					t.Errorf("got %d %s", status, body)
				}
			})
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("an API without a token was made")
	}
}

// What is written is in the lists and in the file.
func TestChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "farm.json")
	url := serve(t, file)
	if status, body := do(t, "manager", "POST", url+"/api/egg-lots/"+ledgerID+"/discard", `{"quantity":200,"reason":"a fox"}`); status != 200 {
		t.Fatalf("got %d %s", status, body)
	}
	if status, body := do(t, "owner", "POST", url+"/api/daily-entries/"+id("da170000", 1)+"/void", `{"reason":"a mistake"}`); status != 200 {
		t.Fatalf("got %d %s", status, body)
	}
	for _, base := range []string{url, serve(t, file)} {
		ledger := read(t, "worker", base+"/api/egg-lots/"+ledgerID+"/movements")
		if last := ledger[len(ledger)-1]; len(ledger) != 42 || last["reason"] != "a fox" || last["quantity"] != -200.0 || last["occurredAt"] != "2026-12-01T09:00:00Z" {
			t.Errorf("got %v", last)
		}
		if lots := read(t, "owner", base+"/api/egg-lots?status=Empty"); len(lots) != 1 || lots[0]["remaining"] != 0.0 {
			t.Errorf("got %v", lots)
		}
		if entries := read(t, "owner", base+"/api/daily-entries?limit=1"); entries[0]["status"] != "Voided" || entries[0]["voidReason"] != "a mistake" {
			t.Errorf("got %v", entries)
		}
	}
}

func TestControl(t *testing.T) {
	url := serve(t, "")
	served := func() string {
		_, body := do(t, "", "GET", url+"/control/served", "")
		return body
	}
	read(t, "worker", url+"/api/flocks?limit=1")
	do(t, "owner", "GET", url+"/api/flocks?limit=x", "")
	if got, want := served(), `[{"uri":"/api/flocks?limit=1","user":"worker","rows":1},{"uri":"/api/flocks?limit=x","user":"owner","rows":0}]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	do(t, "", "DELETE", url+"/control/served", "")
	if got := served(); got != "[]" {
		t.Errorf("got %s", got)
	}

	for fault, want := range map[string]int{"page": 500, "detail": 422, "": 200} {
		if status, body := do(t, "", "PUT", url+"/control/fault", `"`+fault+`"`); status != 204 {
			t.Fatalf("%s: got %d %s", fault, status, body)
		}
		if status, body := do(t, "owner", "GET", url+"/api/stock", ""); status != want || !strings.Contains(body, Canary) {
			t.Errorf("%s: got %d %s", fault, status, body)
		}
	}
	do(t, "", "PUT", url+"/control/fault", `"down"`)
	if res, err := http.Get(url + "/api/stock"); err == nil && res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token it is %d", res.StatusCode)
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", url+"/api/stock", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testToken)
	if res, err := http.DefaultClient.Do(req); err == nil {
		t.Errorf("got %d", res.StatusCode)
	}
	for _, body := range []string{`"fire"`, `page`, ``} {
		if status, reply := do(t, "", "PUT", url+"/control/fault", body); status != 400 {
			t.Errorf("%s: got %d %s", body, status, reply)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	refapitest.Refuses(t, func(file string) error {
		_, err := New(Options{Token: testToken, File: file})
		return err
	}, map[string]string{
		"no JSON":       "farm",
		"unknown field": `{"barns":[]}`,
		"no farm":       `{}`,
		"unknown id":    `{"farms":[{"id":"f"}],"users":[{"name":"u","farms":["g"]}]}`,
	})
}

// Whatever is asked for, the API answers with JSON and no server error, and
// with nothing that the user may not see.
func FuzzQuery(f *testing.F) {
	url := serve(f, "")
	for _, query := range []string{"", "limit=3&offset=2", "limit=-1", "name=North+House", "nameContains=%ff", "from=2026-11-01&to=", "flockId=" + awayID, "a;b", "limit=99999999999"} {
		f.Add("flocks", query)
		f.Add("daily-entries", query)
		f.Add("egg-lots/"+ledgerID+"/movements", query)
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		req := httptest.NewRequestWithContext(t.Context(), "GET", url+"/api/", nil)
		req.RequestURI = ""
		req.URL.Path, req.URL.RawQuery = "/api/"+path, query
		req.Header.Set("Authorization", "Bearer "+testToken)
		req.Header.Set(UserHeader, "worker")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Skip() // no client could send it
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= 500 || strings.Contains(string(body), awayID) {
			t.Errorf("got %d %s %v", res.StatusCode, body, err)
		}
		if res.Header.Get("Location") == "" && res.StatusCode != 400 && !json.Valid(body) {
			t.Errorf("got %d %s", res.StatusCode, body)
		}
	})
}
