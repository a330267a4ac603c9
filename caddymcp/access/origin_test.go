package access

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestOrigin(t *testing.T) {
	a := provisioned(t, &Access{URLSecrets: secretAccess().URLSecrets, Origins: []string{"https://app.example.com", "http://localhost:6274", "vscode-file://vscode-app"}})
	for _, tc := range []struct {
		name, url string
		origin    []string
		want      int
	}{
		{"absent", "https://example.com", nil, 200},
		{"the host's own", "https://example.com", []string{"https://example.com"}, 200},
		{"in other case", "https://example.com", []string{"https://EXAMPLE.com"}, 200},
		{"with the default port", "https://example.com", []string{"https://example.com:443"}, 200},
		{"host with the default port", "https://example.com:443", []string{"https://example.com"}, 200},
		{"another port", "https://example.com", []string{"https://example.com:8443"}, 403},
		{"the same other port", "https://example.com:8443", []string{"https://example.com:8443"}, 200},
		{"plain page of the host", "https://example.com", []string{"http://example.com"}, 403},
		{"the configured URL", "https://10.0.0.7", []string{"https://mcp.example.com"}, 200},
		{"the configured host, plain", "https://10.0.0.7", []string{"http://mcp.example.com"}, 403},
		{"listed", "https://example.com", []string{"https://app.example.com"}, 200},
		{"listed, with the default port", "https://example.com", []string{"https://app.example.com:443"}, 200},
		{"listed, plain", "https://example.com", []string{"http://app.example.com"}, 403},
		{"listed with a port", "https://example.com", []string{"http://localhost:6274"}, 200},
		{"listed, another scheme", "https://example.com", []string{"vscode-file://vscode-app"}, 200},
		{"foreign", "https://example.com", []string{"https://evil.example"}, 403},
		{"foreign, ends alike", "https://example.com", []string{"https://evilexample.com"}, 403},
		{"null", "https://example.com", []string{"null"}, 403},
		{"empty", "https://example.com", []string{""}, 403},
		{"with a path", "https://example.com", []string{"https://example.com/"}, 403},
		{"with a user", "https://example.com", []string{"https://example.com@evil.example"}, 403},
		{"two", "https://example.com", []string{"https://example.com", "https://example.com"}, 403},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for secret, want := range map[string]int{urlSecret: tc.want, "wrong": max(tc.want, 403)} {
				r := httptest.NewRequest("POST", tc.url+"/mcp/"+secret, nil)
				r.Header["Origin"] = tc.origin
				if want == 403 && tc.want == 200 {
					want = 404
				}
				if resp := do(a, r); resp.StatusCode != want {
					t.Errorf("got %d, want %d", resp.StatusCode, want)
				}
			}
		})
	}
}

func TestParseOrigin(t *testing.T) {
	for _, text := range []string{"", "*", "null", "example.com", "https://", "https://*.example.com", "https://example.com/x", "https://a?b", "https://a?", "https://a#", "https://user@example.com", "https://{env.X}", "http://a:b"} {
		if o, err := parseOrigin(text); err == nil {
			t.Errorf("%q: got %v", text, o)
		} else if !strings.Contains(err.Error(), "'"+text+"' is not an origin") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestHost(t *testing.T) {
	anyone := provisioned(t, &Access{None: true})
	guarded := provisioned(t, secretAccess())
	for _, tc := range []struct {
		name, local, host string
		want              int
	}{
		{"localhost", "127.0.0.1:80", "localhost", 200},
		{"localhost with a port", "127.0.0.1:80", "LOCALHOST:8080", 200},
		{"under localhost", "127.0.0.1:80", "app.localhost", 200},
		{"address", "127.0.0.1:80", "127.0.0.1:8080", 200},
		{"IPv6 address", "[::1]:80", "[::1]:8080", 200},
		{"the configured host", "127.0.0.1:80", "MCP.example.com", 200},
		{"foreign", "127.0.0.1:80", "evil.example", 403},
		{"foreign, IPv6", "[::1]:80", "evil.example:80", 403},
		{"ends alike", "127.0.0.1:80", "evillocalhost", 403},
		{"address of the network", "127.0.0.1:80", "192.168.1.7", 403},
		{"no loopback listener", "192.168.1.7:80", "example.com", 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			addr, err := net.ResolveTCPAddr("tcp", tc.local)
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(addr))
			r := httptest.NewRequestWithContext(ctx, "POST", "http://"+tc.host+"/mcp", nil)
			if resp := do(anyone, r); resp.StatusCode != tc.want {
				t.Errorf("got %d, want %d", resp.StatusCode, tc.want)
			}
			r = httptest.NewRequestWithContext(ctx, "POST", "https://"+tc.host+"/mcp/"+urlSecret, nil)
			if resp := do(guarded, r); resp.StatusCode != 200 {
				t.Errorf("with a secret: got %d", resp.StatusCode)
			}
		})
	}
}

func TestRebinding(t *testing.T) {
	server := httptest.NewServer(handler(provisioned(t, &Access{None: true})))
	defer server.Close()
	for host, want := range map[string]int{"": 200, "localhost": 200, "evil.example": 403} {
		req, err := http.NewRequest("POST", server.URL+"/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		if host == "evil.example" {
			req.Header.Set("Origin", "http://evil.example")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%q: got %d, want %d", host, resp.StatusCode, want)
		}
	}
}

// FuzzOrigin holds that what is taken for an origin is one, and the same one
// again when it is written out.
func FuzzOrigin(f *testing.F) {
	for _, seed := range []string{"https://example.com", "http://[::1]:80", "null", "https://a@b", "HTTPS://EXAMPLE.com:443", "https://a/b", "x://y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := parseOrigin(text)
		if err != nil {
			return
		}
		if o.scheme == "" || o.host == "" || strings.ContainsAny(o.host, "/@?#") {
			t.Fatalf("%q: got %+v", text, o)
		}
		if o.scheme != "http" && o.scheme != "https" {
			return
		}
		if again, err := parseOrigin(o.String()); err != nil || again != o {
			t.Errorf("%q: got %v, then %v, %v", text, o, again, err)
		}
	})
}
