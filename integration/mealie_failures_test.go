package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/mealieapi/mealie"
)

// faultAfter is a failure that comes after n requests.
func faultAfter(method, path string, n, status int) mealie.Fault {
	return mealie.Fault{Method: method, Path: path, After: n, Status: status}
}

func TestMealieFailures(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	for _, tt := range []struct {
		name, tool, args string
		fault            mealie.Fault
		want             string
		requests         int
	}{
		{
			"401", "get_recipe", `{"slug":"x"}`,
			mealie.Fault{Status: 401, Body: []byte(`{"detail":"Could not validate credentials"}`)},
			"authentication failed — check MEALIE_API_TOKEN", 1,
		},
		{"403", "list_cookbooks", `{}`, mealie.Fault{Status: 403}, "authentication failed — check MEALIE_API_TOKEN", 1},
		{
			"422", "search_recipes", `{"query":"x"}`,
			mealie.Fault{Status: 422, Body: []byte(`{"detail":[{"type":"int_parsing","loc":["query","perPage"],"msg":"Input should be a valid integer","input":"x"},{"loc":["query","page"],"msg":"too small"}]}`)},
			"perPage: Input should be a valid integer; page: too small", 1,
		},
		{
			"500 with words, three times", "get_recipe", `{"slug":"x"}`,
			mealie.Fault{Status: 500, Body: []byte(`{"detail":{"message":"Unknown Error","error":true,"exception":null}}`)},
			"Mealie returned 500: Unknown Error", 3,
		},
		{"502 without words", "get_recipe", `{"slug":"x"}`, mealie.Fault{Status: 502, Body: []byte(`"<html><h1>Bad gateway</h1></html>"`)}, "Mealie returned 502 — the server is unhealthy", 3},
		{"500 without a body", "get_todays_meals", `{}`, mealie.Fault{Status: 500}, "Mealie returned 500 — the server is unhealthy", 3},
		{"a write is sent once", "delete_cookbook", `{"cookbook_id":"7"}`, mealie.Fault{Status: 503}, "Mealie returned 503 — the server is unhealthy; the request may have been carried out", 1},
		{"dropped", "get_recipe", `{"slug":"x"}`, mealie.Fault{Drop: true}, "Mealie unreachable at {url}: EOF", -1}, // net/http repeats a read by itself,
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.Forget()
			s.Fail(tt.fault)
			s.refuses(t, tt.tool, tt.args, strings.ReplaceAll(tt.want, "{url}", s.api.URL))
			if sent := len(s.sent()); tt.requests >= 0 && sent != tt.requests {
				t.Errorf("%d requests were sent", sent)
			}
		})
	}
	t.Run("a server that has just woken up", func(t *testing.T) {
		s.fails("GET", "/api/households/mealplans/today", 503, 2, ``)
		if text, isError := call(t, s.session, "get_todays_meals", `{}`); isError {
			t.Errorf("got %s", text)
		}
		same(t, "requests", len(s.sent()), 3)
	})
	t.Run("unreachable", func(t *testing.T) {
		s.api.Close()
		s.refuses(t, "get_recipe", `{"slug":"x"}`, fmt.Sprintf("Mealie unreachable at %s: connection refused", s.api.URL))
		s.refuses(t, "delete_cookbook", `{"cookbook_id":"7"}`, fmt.Sprintf("Mealie unreachable at %s: connection refused", s.api.URL))
	})
	if strings.Contains(s.text(), mealieToken) || strings.Contains(s.text(), mealieMCPToken) {
		t.Error("a token is in the log")
	}
}

// A certificate that nobody knows is accepted only if MEALIE_VERIFY_SSL says so.
func TestMealieVerifySSL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		verify string
		tls    bool
		works  bool
	}{
		{"", true, false}, {"yes", true, false}, {"Off", true, true}, {"0", false, true}, {"1", false, true},
	} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			t.Parallel()
			s := mealieSetup{tls: tt.tls, env: []string{"MEALIE_VERIFY_SSL=" + tt.verify}}.start(t)
			if tt.works {
				s.waitFor(t, "connected to Mealie")
				return
			}
			s.waitFor(t, "upstream check failed")
			s.refuses(t, "get_todays_meals", `{}`, fmt.Sprintf("Mealie unreachable at %s: certificate signed by unknown authority", s.api.URL))
		})
	}
}

// Calls are answered with what the check at the start says, until it passes.
func TestMealieCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		about mealie.Fault
		want  string
	}{
		{"old", mealie.Fault{Status: 200, Body: []byte(`{"version":"v1.12.0"}`)}, "Mealie v1.12.0 is too old: this needs 2.0 or newer"},
		{"unhealthy", mealie.Fault{Status: 503}, "Mealie returned 503 — the server is unhealthy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.about.Path = "/api/app/about"
			s := mealieSetup{faults: []mealie.Fault{tt.about}}.start(t)
			s.waitFor(t, "upstream check failed")
			s.refuses(t, "get_todays_meals", `{}`, tt.want)
			for _, line := range s.sent() {
				if !strings.HasPrefix(line, "GET /api/app/about") {
					t.Errorf("sent %s", line)
				}
			}
			s.Forget()
			line := s.waitFor(t, "connected to Mealie")
			if !strings.Contains(line, "connected to Mealie v2.8.0 as cook") || strings.Count(s.text(), "connected to Mealie") != 1 {
				t.Errorf("logged %s", line)
			}
			if text, isError := call(t, s.session, "get_todays_meals", `{}`); isError {
				t.Errorf("got %s", text)
			}
		})
	}
	t.Run("a wrong token", func(t *testing.T) {
		t.Parallel()
		s := mealieSetup{env: []string{"MEALIE_API_TOKEN=wrong"}}.start(t)
		s.waitFor(t, "upstream check failed")
		s.refuses(t, "get_todays_meals", `{}`, "authentication failed — check MEALIE_API_TOKEN")
	})
	t.Run("a nightly version", func(t *testing.T) {
		t.Parallel()
		s := mealieSetup{faults: []mealie.Fault{{Path: "/api/app/about", Status: 200, Body: []byte(`{"version":"nightly"}`)}}}.start(t)
		s.waitFor(t, "connected to Mealie nightly as cook")
	})
}
