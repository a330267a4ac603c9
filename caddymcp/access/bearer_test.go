package access

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestBearer(t *testing.T) {
	a := provisioned(t, bearerAccess())
	plain, invalid := `Bearer realm="mcp"`, `Bearer realm="mcp", error="invalid_token"`
	for _, tc := range []struct {
		name          string
		authorization []string
		path          string
		want          string // the body of a 200
		challenge     string // of a 401
	}{
		{"a token", []string{"Bearer " + phoneToken}, "/mcp", "caller bearer:phone", ""},
		{"with a slash", []string{"Bearer " + phoneToken}, "/mcp/", "caller bearer:phone", ""},
		{"another token", []string{"Bearer " + laptopToken}, "/mcp", "caller bearer:laptop", ""},
		{"scheme in lower case", []string{"bearer " + phoneToken}, "/mcp", "caller bearer:phone", ""},
		{"scheme in upper case", []string{"BEARER " + phoneToken}, "/mcp", "caller bearer:phone", ""},
		{"two spaces", []string{"Bearer  " + phoneToken}, "/mcp", "caller bearer:phone", ""},
		{"no header", nil, "/mcp", "", plain},
		{"empty header", []string{""}, "/mcp", "", plain},
		{"another scheme", []string{"Basic cGhvbmU6cGhvbmU="}, "/mcp", "", plain},
		{"no scheme", []string{phoneToken}, "/mcp", "", plain},
		{"query", nil, "/mcp?access_token=" + phoneToken, "", plain},
		{"no token", []string{"Bearer"}, "/mcp", "", invalid},
		{"empty token", []string{"Bearer "}, "/mcp", "", invalid},
		{"wrong token", []string{"Bearer " + strings.ToLower(phoneToken)}, "/mcp", "", invalid},
		{"part of a token", []string{"Bearer " + phoneToken[1:]}, "/mcp", "", invalid},
		{"two tokens", []string{"Bearer " + phoneToken + " " + phoneToken}, "/mcp", "", invalid},
		{"two in one header", []string{"Bearer " + phoneToken + ", Bearer " + phoneToken}, "/mcp", "", invalid},
		{"two headers", []string{"Bearer " + phoneToken, "Bearer " + phoneToken}, "/mcp", "", invalid},
		{"two headers, one empty", []string{"Bearer " + phoneToken, ""}, "/mcp", "", invalid},
		{"8 kB", []string{"Bearer " + strings.Repeat("a", 8192)}, "/mcp", "", invalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "https://example.com"+tc.path, nil)
			r.Header["Authorization"] = tc.authorization
			resp := do(a, r)
			body := bodyOf(t, resp)
			if tc.want != "" {
				if resp.StatusCode != 200 || body != tc.want {
					t.Errorf("got %d %q, want %q", resp.StatusCode, body, tc.want)
				}
				return
			}
			if got := resp.Header.Values("WWW-Authenticate"); resp.StatusCode != 401 || len(got) != 1 || got[0] != tc.challenge {
				t.Errorf("got %d %q, want 401 %q", resp.StatusCode, got, tc.challenge)
			}
		})
	}
	for path, want := range map[string]string{
		"/mcp/" + phoneToken:                        "", // not a URL secret
		"/.well-known/oauth-protected-resource/mcp": "",
		"/.well-known/oauth-protected-resource":     "next",
		"/.well-known/openid-configuration":         "next",
	} {
		resp := do(a, httptest.NewRequest("GET", "https://example.com"+path, nil))
		if want == "" && resp.StatusCode != 404 || want != "" && bodyOf(t, resp) != want {
			t.Errorf("%s: got %d, want %q or 404", path, resp.StatusCode, want)
		}
	}
}

func TestValidity(t *testing.T) {
	// The clock of a synctest bubble begins at 2000-01-01T00:00:00Z.
	for _, tc := range []struct {
		name, notBefore, expires string
		wait                     time.Duration
		ok                       bool
	}{
		{"always", "", "", 0, true},
		{"not yet", "2000-01-02", "", 0, false},
		{"one moment early", "2000-01-02", "", 24*time.Hour - 1, false},
		{"at the moment", "2000-01-02", "", 24 * time.Hour, true},
		{"by date and time", "2000-01-01T13:00:00+01:00", "", 12 * time.Hour, true},
		{"not expired", "", "2000-01-02", 24*time.Hour - 1, true},
		{"expires", "", "2000-01-02", 24 * time.Hour, false},
		{"expired at load", "", "1999-12-31", 0, false},
		{"between", "2000-01-02", "2000-01-03T00:00:00Z", 36 * time.Hour, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := bearerAccess()
			a.BearerTokens[0].NotBefore, a.BearerTokens[0].Expires = tc.notBefore, tc.expires
			t.Setenv("PHONE_TOKEN", phoneToken)
			t.Setenv("LAPTOP_TOKEN", laptopToken)
			synctest.Test(t, func(t *testing.T) {
				if err := a.Provision(newContext(t), "/mcp", ""); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tc.wait)
				r := httptest.NewRequest("POST", "https://example.com/mcp", nil)
				r.Header.Set("Authorization", "Bearer "+phoneToken)
				_, refusal := a.Check(r)
				if (refusal == nil) != tc.ok {
					t.Errorf("got %v", refusal)
				}
				if refusal != nil && refusal.Challenge != invalidToken.Challenge {
					t.Errorf("got %q", refusal.Challenge)
				}
			})
		})
	}
}

// FuzzBearer holds that a token is found in the one form that it may have.
func FuzzBearer(f *testing.F) {
	for _, seed := range []string{"", "Bearer", "Bearer " + phoneToken, "bearer\t" + phoneToken, "BEARER  " + phoneToken, "Bearer " + phoneToken + ",", "Basic eA=="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		token, present := bearerToken([]string{value})
		if token != "" && !present {
			t.Errorf("%q: got %q, but not present", value, token)
		}
		exact := len(value) > 7 && strings.EqualFold(value[:7], "Bearer ") && strings.TrimLeft(value[7:], " ") == phoneToken
		if (token == phoneToken) != exact {
			t.Errorf("%q: got %q", value, token)
		}
		if again, present := bearerToken([]string{value, value}); again != "" || !present {
			t.Errorf("two headers: got %q, %v", again, present)
		}
	})
}
