package access

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzMatch holds that one spelling alone reaches the secret, and that
// nothing that names the endpoint's path is left to other handlers.
func FuzzMatch(f *testing.F) {
	for _, seed := range []string{
		"/mcp", "/mcp/", "/mcp/" + urlSecret, "/mcp/" + urlSecret + "/", "/mcp/%30" + urlSecret[1:], "//mcp/" + urlSecret,
		"/mcp/./" + urlSecret, "/mcp/" + urlSecret + ";x", "/mcp%2f" + urlSecret, "/.well-known/oauth-protected-resource/mcp", "/x/../mcp", "*", "/mcp/" + urlSecret + "?x",
	} {
		f.Add(seed)
	}
	e := newEndpoint("/mcp", &url.URL{}, true)
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		at := e.locate(u)
		path, _, _ := strings.Cut(target, "?")
		if at.place == belowEndpoint {
			if exact := "/mcp/" + at.segment; u.Host == "" && path != exact && path != exact+"/" {
				t.Errorf("%q reaches %q", target, at.segment)
			}
		}
		if at.place == bareEndpoint && u.Host == "" && path != "/mcp" && path != "/mcp/" {
			t.Errorf("%q reaches the endpoint", target)
		}
		if strings.HasPrefix(u.Path, "/mcp/") && at.place == elsewhere {
			t.Errorf("%q is left to others", target)
		}
		if strings.Contains(at.shown, urlSecret) || at.place != elsewhere && at.shown == "" {
			t.Errorf("%q is shown as %q", target, at.shown)
		}
	})
}

func TestEscapedEndpoint(t *testing.T) {
	a := &Access{None: true}
	if err := a.Provision(newContext(t), "/my tools/", ""); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/my%20tools": 200, "/my%20tools/": 200, "/m%79%20tools": 404} {
		if resp := do(a, httptest.NewRequest(http.MethodPost, "https://example.com"+path, nil)); resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, resp.StatusCode, want)
		}
	}
}

func TestMask(t *testing.T) {
	a := provisioned(t, secretAccess())
	for target, want := range map[string]string{
		"/mcp/" + urlSecret + "?x=" + urlSecret:              "/mcp/REDACTED",
		"//mcp/%30" + urlSecret[1:] + "?":                    "/mcp/REDACTED",
		"/mcp/?x":                                            "/mcp/",
		"/.well-known/openid-configuration/mcp/" + urlSecret: "/.well-known/openid-configuration/REDACTED",
	} {
		r := httptest.NewRequest(http.MethodPost, target, nil)
		a.mask(r)
		if r.RequestURI != want || r.URL.String() != want {
			t.Errorf("got %q and %q, want %q", r.RequestURI, r.URL, want)
		}
	}
}
