package caddymcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddymcp/caddymcp/caddymcp/access"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
)

// handlerJSON finds the config of the mcp handler in an adapted config.
func handlerJSON(t *testing.T, v any) map[string]any {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		if v["handler"] == "mcp" {
			return v
		}
		for _, member := range v {
			if found := handlerJSON(t, member); found != nil {
				return found
			}
		}
	case []any:
		for _, member := range v {
			if found := handlerJSON(t, member); found != nil {
				return found
			}
		}
	}
	return nil
}

// Caddy encodes the config anew through maps, which sorts the keys of objects
// and rounds large integers. Nothing of ours may depend on either.
func TestConfigSurvivesCaddy(t *testing.T) {
	golden, err := os.ReadFile("testdata/adapt/everything.caddyfiletest")
	if err != nil {
		t.Fatal(err)
	}
	input, config, _ := strings.Cut(string(golden), goldenRule)
	var generic any
	if err := json.Unmarshal([]byte(config), &generic); err != nil {
		t.Fatal(err)
	}
	m := handlerJSON(t, generic)
	delete(m, "handler")
	again, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var h Handler
	decoder := json.NewDecoder(strings.NewReader(string(again)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&h); err != nil {
		t.Fatal(err)
	}

	var names []string
	for _, tool := range h.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "search change upload raw" {
		t.Errorf("the tools come as %s", got)
	}
	if got := h.Tools[3].Input; !strings.Contains(got, "12345678901234567890") || strings.Index(got, "zeta") > strings.Index(got, "alpha") {
		t.Errorf("the schema comes as %s", got)
	}
	encoded, err := json.Marshal(&h)
	if err != nil {
		t.Fatal(err)
	}
	var twice Handler
	if err := json.Unmarshal(encoded, &twice); err != nil || !reflect.DeepEqual(h, twice) {
		t.Errorf("the config changes when it is encoded again: %v", err)
	}
	if strings.Contains(input, "sha256:") {
		t.Error("the golden should hold placeholders")
	}
}

// Loading a config, as 'caddy validate' does, makes no request; its checks
// begin when it runs.
func TestChecksBeginWhenTheConfigRuns(t *testing.T) {
	t.Parallel()
	var healthy atomic.Bool
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/about" && !healthy.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, `{"detail":"starting"}`)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"version":"3.2"}`)
	})
	s := serveSite(t, fmt.Sprintf(`mcp {
		auth none
		upstream food %s {
			retry 0
			check `+"`get(\"/about\") | \"connected to food \\(.version)\"`"+` {
				required
			}
		}
		tool x {
			description "Reads."
			get /items
		}
	}`, a.URL))
	if got := a.taken(); len(got) > 0 {
		t.Fatalf("loading made requests: %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.handler.startChecks(ctx)
	session := connect(t, s.URL+"/mcp")
	eventually(t, "calls answer with the error of the check", func() bool {
		text, isError := call(t, session, "x", `{}`)
		return isError && strings.Contains(text, "starting")
	})
	healthy.Store(true)
	eventually(t, "calls work once the check passes", func() bool {
		_, isError := call(t, session, "x", `{}`)
		return !isError
	})
}

// A check is classed as reading.
func TestChecksCannotWrite(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, nil)
	s := serveSite(t, fmt.Sprintf(`mcp {
		auth none
		upstream %s {
			check `+"`request({method: (\"PO\" + \"ST\"), path: \"/items\"}) | \"written\"`"+`
		}
	}`, a.URL))
	_, err := runCheck(t.Context(), s.handler.checks[0], s.handler, "")
	if got := a.taken(); err == nil || len(got) > 0 {
		t.Errorf("the check ends with %v, the API received %v", err, got)
	}
}

// eventually waits for a condition, without a fixed pause.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("it does not come true that %s", what)
		}
	}
}

// Behind the check of the HTTP layer, the call itself checks the scopes again.
func TestTheCallChecksScopesItself(t *testing.T) {
	s := scopedSite(t, serveAPI(t, nil))
	result, outcome := s.handler.admit(t.Context(),
		&tools.Call{Name: "write"},
		&incoming{caller: access.Caller{ID: "guest", Scopes: []string{"pantry:read"}}}, new(tally))
	if !result.IsError || outcome.Kind != tools.Refused {
		t.Errorf("the call is %s", outcome.Kind)
	}
}

func TestConfigsThatDoNotLoad(t *testing.T) {
	for _, tc := range []struct{ name, body, says string }{
		{"an empty secret", "mcp {\nauth {\nurl_secret {env.CADDYMCP_TEST_UNSET}\n}\n}", "url_secret"},
		{"an empty upstream", "mcp {\nauth none\nupstream {env.CADDYMCP_TEST_UNSET}\n}", "upstream"},
		{"an empty header", "mcp {\nauth none\nupstream http://127.0.0.1:1 {\nheader Authorization \"Token {env.CADDYMCP_TEST_UNSET}\"\n}\n}", "CADDYMCP_TEST_UNSET"},
		{"a folder that is missing", "mcp {\nauth none\nfiles /nowhere/at/all\n}", "files"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := loadSite(t, tc.body)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// What the parser refuses, Validate and Provision refuse for JSON as well.
func TestJSONIsChecked(t *testing.T) {
	for name, h := range map[string]*Handler{
		"path":     {Path: "mcp"},
		"url":      {URL: "food.example.com"},
		"limits":   {Limits: &Limits{Rate: "often"}},
		"timezone": {Timezone: "Mars/Olympus"},
		"scope":    {Tools: []*Tool{{Tool: tools.Tool{Name: "x", Scopes: []string{"nobody:has"}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			err := errors.Join(h.provisionLimits(), func() error { _, err := location(h.Timezone); return err }())
			h.setDefaults()
			h.Auth = &access.Access{None: true}
			if err == nil {
				err = h.Validate()
			}
			if err == nil {
				t.Error("it is taken")
			}
		})
	}
}

func TestValidatePath(t *testing.T) {
	for _, p := range []string{"/mcp", "/a/b", "/Ä"} {
		if err := validatePath(p); err != nil {
			t.Error(err)
		}
	}
	for _, p := range []string{"", "/", "mcp", "/mcp/", "/a//b", "/a/../b", "/.", "/..", "/a?b", "/a*", "/%61", "/a;b", `/a\b`, "/.well-known/mcp"} {
		if validatePath(p) == nil {
			t.Errorf("'%s' is taken", p)
		}
	}
}
