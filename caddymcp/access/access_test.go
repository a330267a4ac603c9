package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap/zapcore"
)

// Secrets of the tests.
const (
	urlSecret   = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
	nextSecret  = "Zk3vQ9_xT-4LmW8pRb2YsE"
	phoneToken  = "aB3dE5fG7hJ9kL1mN3pQ5r"
	laptopToken = "tU7vW9xY1zA3bC5dE7fG9h"
)

// newContext returns a context as a config being loaded has one.
func newContext(t *testing.T) caddy.Context {
	t.Helper()
	ctx, cancel := caddy.NewContext(caddy.Context{Context: t.Context()})
	t.Cleanup(cancel)
	return ctx
}

// provisioned returns an Access for the endpoint /mcp.
func provisioned(t *testing.T, a *Access) *Access {
	t.Helper()
	t.Setenv("URL_SECRET", urlSecret)
	t.Setenv("NEXT_SECRET", nextSecret)
	t.Setenv("PHONE_TOKEN", phoneToken)
	t.Setenv("LAPTOP_TOKEN", laptopToken)
	if err := a.Provision(newContext(t), "/mcp", "https://mcp.example.com/mcp"); err != nil {
		t.Fatal(err)
	}
	return a
}

// Configurations of the tests.
func secretAccess() *Access {
	return &Access{URLSecrets: []string{"{env.URL_SECRET}", "{env.NEXT_SECRET}"}}
}

func bearerAccess() *Access {
	return &Access{BearerTokens: []*BearerToken{
		{Name: "phone", Token: "{env.PHONE_TOKEN}", Scopes: []string{"read"}},
		{Name: "laptop", Token: "{env.LAPTOP_TOKEN}"},
	}}
}

// handler uses an Access as a Caddy handler does.
func handler(a *Access) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, &caddyhttp.Server{})
		if !a.Match(r) {
			_, _ = io.WriteString(w, "next")
			return
		}
		caller, refusal := a.Check(r)
		if refusal != nil {
			refusal.Write(w)
			return
		}
		_, _ = io.WriteString(w, "caller "+caller.ID)
	})
}

// do serves one request. An httptest request comes from 192.0.2.1.
func do(a *Access, r *http.Request) *http.Response {
	rec := httptest.NewRecorder()
	handler(a).ServeHTTP(rec, r)
	return rec.Result()
}

// bodyOf reads a whole response body.
func bodyOf(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestURLSecret(t *testing.T) {
	a := provisioned(t, secretAccess())
	both := provisioned(t, &Access{URLSecrets: secretAccess().URLSecrets, BearerTokens: bearerAccess().BearerTokens})
	for _, tc := range []struct {
		name, path string
		want       string // empty for the 404
	}{
		{"the secret", "/mcp/" + urlSecret, "caller url_secret"},
		{"with a slash", "/mcp/" + urlSecret + "/", "caller url_secret"},
		{"with a query", "/mcp/" + urlSecret + "?x=1", "caller url_secret"},
		{"the other secret", "/mcp/" + nextSecret, "caller url_secret"},
		{"wrong", "/mcp/1f1e2d3c4b5a69788796a5b4c3d2e1f0", ""},
		{"a part", "/mcp/" + urlSecret[:31], ""},
		{"none", "/mcp", ""},
		{"none, with a slash", "/mcp/", ""},
		{"other case", "/mcp/" + strings.ToUpper(urlSecret), ""},
		{"escaped", "/mcp/%30" + urlSecret[1:], ""},
		{"escaped slash", "/mcp%2f" + urlSecret, ""},
		{"escaped path", "/%6dcp/" + urlSecret, ""},
		{"double slash", "/mcp//" + urlSecret, ""},
		{"double slash first", "//mcp/" + urlSecret, ""},
		{"double slash last", "/mcp/" + urlSecret + "//", ""},
		{"dot segment", "/mcp/./" + urlSecret, ""},
		{"dot segment before", "/x/../mcp/" + urlSecret, ""},
		{"climbing out", "/mcp/" + urlSecret + "/../..", ""},
		{"path parameter", "/mcp/" + urlSecret + ";x", ""},
		{"extra segment", "/mcp/" + urlSecret + "/x", ""},
		{"digest", "/mcp/sha256:" + urlSecret, ""},
		{"metadata", "/.well-known/oauth-protected-resource", ""},
		{"metadata of the secret", "/.well-known/oauth-protected-resource/mcp/" + urlSecret, ""},
		{"metadata of the server", "/.well-known/oauth-authorization-server", ""},
		{"metadata of OpenID", "/.well-known/openid-configuration/", ""},
		{"metadata under the endpoint", "/mcp/" + urlSecret + "/.well-known/openid-configuration", ""},
		{"another site's path", "/mcpx", "next"},
		{"another case of the path", "/MCP/x", "next"},
		{"another document", "/.well-known/security.txt", "next"},
		{"a name that begins alike", "/.well-known/oauth-protected-resources", "next"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			resp := do(a, httptest.NewRequest("POST", "https://example.com"+tc.path, nil))
			body := bodyOf(t, resp)
			if tc.want != "" {
				if resp.StatusCode != 200 || body != tc.want {
					t.Fatalf("got %d %q, want %q", resp.StatusCode, body, tc.want)
				}
				return
			}
			absent := do(a, httptest.NewRequest("POST", "https://example.com/mcp/nothing/here", nil))
			if got, want := dump(resp, body), dump(absent, bodyOf(t, absent)); got != want || resp.StatusCode != 404 {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	t.Run("beside a bearer token", func(t *testing.T) {
		resp := do(both, httptest.NewRequest("POST", "https://example.com/mcp/"+urlSecret, nil))
		if got := bodyOf(t, resp); got != "caller url_secret" {
			t.Errorf("got %q", got)
		}
		if resp := do(both, httptest.NewRequest("GET", "https://example.com/.well-known/oauth-protected-resource", nil)); resp.StatusCode != 404 {
			t.Errorf("metadata: got %d, want 404", resp.StatusCode)
		}
		if resp := do(both, httptest.NewRequest("POST", "https://example.com/mcp", nil)); resp.StatusCode != 401 {
			t.Errorf("the path alone: got %d, want 401", resp.StatusCode)
		}
		if resp := do(both, httptest.NewRequest("POST", "https://example.com/mcp/wrong", nil)); resp.StatusCode != 404 || resp.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("a wrong secret: got %d %q, want 404 without a challenge", resp.StatusCode, resp.Header)
		}
	})
}

// dump is a response as bytes.
func dump(resp *http.Response, body string) string {
	var buf bytes.Buffer
	buf.WriteString(resp.Status + "\n")
	_ = resp.Header.Write(&buf)
	return buf.String() + "\n" + body
}

func TestNotFound(t *testing.T) {
	rec := httptest.NewRecorder()
	NotFound(rec)
	want := "404 Not Found\nCache-Control: no-store\r\nContent-Length: 10\r\nContent-Type: text/plain; charset=utf-8\r\n" +
		"Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\nnot found\n"
	if got := dump(rec.Result(), rec.Body.String()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPlainHTTP(t *testing.T) {
	a := provisioned(t, secretAccess())
	for _, tc := range []struct {
		name, url, remote string
		trusted           bool
		proto             string
		want              int
	}{
		{"plain", "http://example.com", "192.0.2.1:1234", false, "", 404},
		{"plain from the network", "http://example.com", "10.0.0.7:1234", false, "", 404},
		{"claims a proxy", "http://example.com", "192.0.2.1:1234", false, "https", 404},
		{"trusted proxy, plain", "http://example.com", "10.0.0.7:1234", true, "http", 404},
		{"trusted proxy, silent", "http://example.com", "10.0.0.7:1234", true, "", 404},
		{"trusted proxy, TLS", "http://example.com", "10.0.0.7:1234", true, "https", 200},
		{"loopback", "http://example.com", "127.0.0.1:1234", false, "", 200},
		{"loopback, IPv6", "http://example.com", "[::1]:1234", false, "", 200},
		{"loopback, mapped", "http://example.com", "[::ffff:127.0.0.1]:1234", false, "", 200},
		{"unix socket", "http://example.com", "@", false, "", 200},
		{"TLS", "https://example.com", "192.0.2.1:1234", false, "", 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", tc.url+"/mcp/"+urlSecret, nil)
			r.RemoteAddr = tc.remote
			if tc.proto != "" {
				r.Header.Set("X-Forwarded-Proto", tc.proto)
			}
			r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), nil, &caddyhttp.Server{})
			caddyhttp.SetVar(r.Context(), caddyhttp.TrustedProxyVarKey, tc.trusted)
			got := 200
			if _, refusal := a.Check(r); refusal != nil {
				got = refusal.Status
			}
			if got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestNone(t *testing.T) {
	a := provisioned(t, &Access{None: true})
	for path, want := range map[string]int{"/mcp": 200, "/mcp/": 200, "/mcp/x": 404, "/.well-known/oauth-authorization-server": 404} {
		if resp := do(a, httptest.NewRequest("POST", "https://example.com"+path, nil)); resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, resp.StatusCode, want)
		}
	}
}

func TestNoneHidesNothing(t *testing.T) {
	a := provisioned(t, &Access{None: true})
	if a.hides(httptest.NewRequest("POST", "https://example.com/mcp?x=1", nil)) {
		t.Error("there is no secret to hide")
	}
}

func TestRewritten(t *testing.T) {
	a := provisioned(t, secretAccess())
	for _, tc := range []struct {
		name, came, is string
		match, ok      bool
	}{
		{"by try_files", "/mcp/" + urlSecret, "/index.php", true, true},
		{"to the endpoint", "/assistant/" + urlSecret, "/mcp/" + urlSecret, true, true},
		{"to a wrong secret", "/x", "/mcp/y", true, false},
		{"elsewhere", "/x", "/y", false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "https://example.com"+tc.came, nil)
			r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), nil, &caddyhttp.Server{})
			r.URL.Path = tc.is
			if got := a.Match(r); got != tc.match {
				t.Fatalf("match: got %v", got)
			}
			if _, refusal := a.Check(r); (refusal == nil) != tc.ok {
				t.Errorf("check: got %v", refusal)
			}
		})
	}
}

func TestRootEndpoint(t *testing.T) {
	t.Setenv("URL_SECRET", urlSecret)
	a := &Access{URLSecrets: []string{"{env.URL_SECRET}"}}
	if err := a.Provision(newContext(t), "/", ""); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/": 404, "/" + urlSecret: 200, "/x": 404, "/x/y": 404} {
		if resp := do(a, httptest.NewRequest("POST", "https://example.com"+path, nil)); resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, resp.StatusCode, want)
		}
	}
}

func TestUserID(t *testing.T) {
	a := provisioned(t, bearerAccess())
	r := httptest.NewRequest("POST", "https://example.com/mcp", nil)
	r.Header.Set("Authorization", "Bearer "+phoneToken)
	repl := caddy.NewReplacer()
	r = caddyhttp.PrepareRequest(r, repl, nil, &caddyhttp.Server{})
	caller, refusal := a.Check(r)
	if refusal != nil || caller.Name != "phone" || caller.ID != "bearer:phone" || !slices.Equal(caller.Scopes, []string{"read"}) {
		t.Fatalf("got %+v, %v", caller, refusal)
	}
	if id, _ := repl.GetString("http.auth.user.id"); id != "bearer:phone" {
		t.Errorf("user id: got %q", id)
	}
}

func TestProvisionErrors(t *testing.T) {
	t.Setenv("EMPTY", "")
	t.Setenv("SHORT", "0123456789abcdef01234")
	t.Setenv("SLASH", urlSecret+"/x")
	t.Setenv("SPACE", phoneToken+" x")
	t.Setenv("PHONE_TOKEN", phoneToken)
	for _, tc := range []struct {
		name string
		a    Access
		want string
	}{
		{"empty secret", Access{URLSecrets: []string{"{env.EMPTY}"}}, "url_secret: evaluated placeholder {env.EMPTY} is empty"},
		{"missing secret", Access{URLSecrets: []string{"{env.ACCESS_TEST_MISSING}"}}, "url_secret: evaluated placeholder {env.ACCESS_TEST_MISSING} is empty"},
		{"missing file", Access{URLSecrets: []string{"{file./nowhere/secret}"}}, "url_secret: evaluated placeholder {file./nowhere/secret} is empty"},
		{"short secret", Access{URLSecrets: []string{"{env.SHORT}"}}, "url_secret: the secret is too weak"},
		{"not for a path", Access{URLSecrets: []string{"{env.SLASH}"}}, "url_secret: the secret has characters"},
		{"short token", Access{BearerTokens: []*BearerToken{{Name: "phone", Token: "{env.SHORT}"}}}, "bearer 'phone': the secret is too weak"},
		{"token with a space", Access{BearerTokens: []*BearerToken{{Name: "phone", Token: "{env.SPACE}"}}}, "bearer 'phone': the token has characters"},
		{"shared token", Access{BearerTokens: []*BearerToken{{Name: "a", Token: "{env.PHONE_TOKEN}"}, {Name: "b", Token: "{env.PHONE_TOKEN}"}}}, "bearer 'b' has the same token as 'a'"},
		{"nothing", Access{}, "nobody may call"},
		{"origins alone", Access{Origins: []string{"https://app.example.com"}}, "nobody may call"},
		{"none and another", Access{None: true, URLSecrets: []string{"{env.SHORT}"}}, "'none' lets anyone call"},
		{"literal secret", Access{URLSecrets: []string{urlSecret}}, "a secret does not belong in the config"},
		{"prefixed secret", Access{URLSecrets: []string{"x{env.SHORT}"}}, "a secret does not belong in the config"},
		{"other placeholder", Access{URLSecrets: []string{"{http.request.host}"}}, "url_secret: unknown placeholder: a secret is {env.NAME}"},
		{"placeholder without a family", Access{BearerTokens: []*BearerToken{{Name: "a", Token: "{PHONE_TOKEN}"}}}, "bearer 'a': unknown placeholder: a secret is {env.NAME}"},
		{"short digest", Access{URLSecrets: []string{"sha256:abcd"}}, "a secret does not belong in the config"},
		{"bad digest", Access{URLSecrets: []string{"sha256:" + strings.Repeat("zz", 32)}}, "a secret does not belong in the config"},
		{"literal token", Access{BearerTokens: []*BearerToken{{Name: "a", Token: phoneToken}}}, "bearer 'a': a secret does not belong in the config"},
		{"null token", Access{BearerTokens: []*BearerToken{nil}}, "a token is null"},
		{"nameless token", Access{BearerTokens: []*BearerToken{{Token: "{env.PHONE_TOKEN}"}}}, "bearer '': a name has"},
		{"name twice", Access{BearerTokens: []*BearerToken{{Name: "a", Token: "{env.PHONE_TOKEN}"}, {Name: "a", Token: "{env.SHORT}"}}}, "bearer 'a' is given twice"},
		{"bad scope", Access{BearerTokens: []*BearerToken{{Name: "a", Token: "{env.PHONE_TOKEN}", Scopes: []string{`a"b`}}}}, `'a"b' is not a scope`},
		{"bad date", Access{BearerTokens: []*BearerToken{{Name: "a", Token: "{env.PHONE_TOKEN}", Expires: "tomorrow"}}}, "expires: 'tomorrow' is not a date"},
		{"never valid", Access{BearerTokens: []*BearerToken{{Name: "a", Token: "{env.PHONE_TOKEN}", NotBefore: "2027-02-01", Expires: "2027-02-01"}}}, "before it begins to be valid"},
		{"bad origin", Access{None: true, Origins: []string{"app.example.com"}}, "'app.example.com' is not an origin"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.a.Provision(newContext(t), "/mcp", "")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			for _, secret := range []string{urlSecret, phoneToken, "0123456789abcdef"} {
				if strings.Contains(err.Error(), secret) {
					t.Error("the error holds the secret")
				}
			}
		})
	}
}

func TestDumps(t *testing.T) {
	a := provisioned(t, &Access{URLSecrets: secretAccess().URLSecrets, BearerTokens: bearerAccess().BearerTokens})
	enc := zapcore.NewMapObjectEncoder()
	if err := a.MarshalLogObject(enc); err != nil {
		t.Fatal(err)
	}
	trace, err := json.Marshal(enc.Fields)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"bearer_tokens":["phone","laptop"],"none":false,"origins":[],"url_secrets":2}`; string(trace) != want {
		t.Errorf("got %s, want %s", trace, want)
	}
	config, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{urlSecret, nextSecret, phoneToken, laptopToken} {
		if bytes.Contains(config, []byte(secret)) {
			t.Error("the JSON config holds a secret")
		}
	}
}

func TestInsufficientScope(t *testing.T) {
	scopes := []string{"read", "list", "unused"}
	caller := Caller{ID: "bearer:phone", Scopes: scopes[:2]}
	refusal := provisioned(t, bearerAccess()).InsufficientScope(caller, []string{"write", "read"})
	if want := `Bearer realm="mcp", error="insufficient_scope", scope="read list write"`; refusal.Challenge != want || refusal.Status != 403 {
		t.Errorf("got %d %q, want %q", refusal.Status, refusal.Challenge, want)
	}
	if scopes[2] != "unused" {
		t.Error("the memory behind the caller's scopes has changed")
	}
	if refusal := provisioned(t, secretAccess()).InsufficientScope(Caller{}, []string{"write"}); refusal.Challenge != "" {
		t.Errorf("without bearer tokens: got %q", refusal.Challenge)
	}
}

func TestStrength(t *testing.T) {
	for _, tc := range []struct {
		name, secret string
		weak         bool
	}{
		{"hex", urlSecret, false},
		{"hex, one short", urlSecret[1:], true},
		{"upper hex", strings.ToUpper(urlSecret), false},
		{"base64url", nextSecret, false},
		{"base64url, one short", nextSecret[1:], true},
		{"digits", "12345678901234567890123456789012345678", true},
		{"many digits", "123456789012345678901234567890123456789", false},
		{"one character", strings.Repeat("a", 64), true},
		{"two characters", strings.Repeat("aZ", 32), true},
		{"lower case and digits", "q3w5e7r9t1y2u4i6o8p0a2s4d6", false},
		{"uuid", "9b2e7c40-1d3f-4a68-b5c7-0e9f8d6a2b13", false},
		{"empty", "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := checkStrength(tc.secret); errors.Is(err, errWeak) != tc.weak {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestIsPlain(t *testing.T) {
	for text, want := range map[string]bool{"": false, "aZ09-_": true, "a.b": false, "a/b": false, "a%62": false, "ä": false, "a b": false} {
		if got := isPlain(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestIndexOf(t *testing.T) {
	a := provisioned(t, secretAccess())
	for secret, want := range map[string]int{urlSecret: 0, nextSecret: 1, "": -1, phoneToken: -1} {
		if got := indexOf(a.secrets, secret); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}
