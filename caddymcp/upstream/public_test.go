package upstream

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

func TestPublicAddresses(t *testing.T) {
	tests := map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "100.63.255.255": true, "100.128.0.0": true, "172.32.0.1": true,
		"2606:4700::1111": true, "2a00:1450::1": true, "2003::1": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.1.2.3": false, "100.64.0.1": false, "100.127.255.255": false,
		"127.0.0.1": false, "127.9.9.9": false, "169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.0.0.1": false, "192.0.2.1": false, "192.88.99.1": false, "192.168.1.1": false, "198.18.0.1": false,
		"198.19.255.255": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "239.1.1.1": false,
		"240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::8.8.8.8": false, "::ffff:127.0.0.1": false, "::ffff:8.8.8.8": false,
		"64:ff9b::7f00:1": false, "64:ff9b:1::1": false, "100::1": false, "2001::1": false, "2001:10::1": false,
		"2001:db8::1": false, "2002:7f00:1::": false, "3fff::1": false, "5f00::1": false, "fc00::1": false,
		"fd12:3456::1": false, "fe80::1": false, "fe80::1%eth0": false, "2606:4700::1%eth0": false, "fec0::1": false, "ff02::1": false,
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			if got := public(netip.MustParseAddr(text)); got != want {
				t.Errorf("public: %v", got)
			}
		})
	}
}

// allowLoopback lets tests reach their own servers.
func allowLoopback(t *testing.T, allowed ...string) {
	t.Helper()
	before := isPublic
	isPublic = func(ip netip.Addr) bool {
		for _, a := range allowed {
			if ip == netip.MustParseAddr(a) {
				return true
			}
		}
		return public(ip)
	}
	t.Cleanup(func() { isPublic = before })
}

func TestPublicWebRefusesInnerAddresses(t *testing.T) {
	a := newAPI(t, nil)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(a.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	u := ready(t, &Upstream{PublicWeb: true})
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "127.1"} {
		t.Run(host, func(t *testing.T) {
			failure := refusal(t, u, &program.Request{Method: "GET", URL: "http://" + host + ":" + port + "/"})
			if strings.Contains(failure.Message, "127") {
				t.Errorf("got %+v", failure)
			}
		})
	}
	failure := refusal(t, u, &program.Request{Method: "GET", URL: a.URL})
	if want := (program.Error{Kind: program.KindNotPublic, Message: "the site is not at a public address"}); *failure != want {
		t.Errorf("got %+v", failure)
	}
	failure = refusal(t, u, &program.Request{Method: "GET", URL: "http://nosuch.invalid/", Errors: []program.ErrorText{{On: []string{"unreachable"}, Message: "down"}}})
	if want := (program.Error{Kind: program.KindUnresolved, Message: "down", Configured: true}); *failure != want {
		t.Errorf("got %+v", failure)
	}
	a.expect(t)
}

func TestPublicWebURLs(t *testing.T) {
	u := ready(t, &Upstream{PublicWeb: true})
	for _, target := range []string{"", "/a", "ftp://example.com/", "file:///etc/passwd", "http://", "http://me:pw@example.com/", "//example.com/", "http://a b/", "javascript:x"} {
		t.Run(target, func(t *testing.T) {
			if failure := refusal(t, u, &program.Request{Method: "GET", URL: target}); !strings.Contains(failure.Message, "whole http or https URL") {
				t.Errorf("got %+v", failure)
			}
		})
	}
}

func TestPublicWeb(t *testing.T) {
	inner := newAPI(t, nil)
	_, innerPort, _ := net.SplitHostPort(strings.TrimPrefix(inner.URL, "http://"))
	other := newAPI(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "there") })
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=b")
		switch r.URL.Path {
		case "/there":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		case "/inner":
			http.Redirect(w, r, "http://localhost.localdomain.invalid:"+innerPort+"/x", http.StatusFound)
		case "/loopback":
			http.Redirect(w, r, "http://127.0.0.2:"+innerPort+"/x", http.StatusFound)
		default:
			_, _ = io.WriteString(w, "here")
		}
	})
	allowLoopback(t, "127.0.0.1")
	u := ready(t, &Upstream{PublicWeb: true, Retries: new(int), Headers: []Header{{"User-Agent", "pantry/1.0"}}})
	send := func(path string) *program.Request { return &program.Request{Method: "GET", URL: a.URL + path} }
	if resp := mustSend(t, u, send("/a#frag")); string(resp.Body) != "here" {
		t.Errorf("got %q", resp.Body)
	}
	r, _ := a.last(t)
	if r.RequestURI != "/a" || r.Header.Get("User-Agent") != "pantry/1.0" || r.Header.Get("Cdn-Loop") != "caddymcp" {
		t.Errorf("got %s %v", r.RequestURI, r.Header)
	}
	if resp := mustSend(t, u, send("/there")); string(resp.Body) != "there" {
		t.Errorf("got %q", resp.Body)
	}
	if r, _ := other.last(t); len(r.Header["Cookie"])+len(r.Header["Authorization"])+len(r.Header["Referer"]) > 0 || r.Host != strings.TrimPrefix(other.URL, "http://") {
		t.Errorf("got %v on %s", r.Header, r.Host)
	}
	refusal(t, u, send("/inner"))
	if failure := refusal(t, u, send("/loopback")); failure.Message != "the site is not at a public address" {
		t.Errorf("got %+v", failure)
	}
	inner.expect(t)

	for _, name := range []string{"Authorization", "cookie", "Proxy-Authorization", "x-api-key"} {
		req := send("/a")
		req.Header = http.Header{name: {"x"}}
		before := len(a.requests())
		if failure := refusal(t, u, req); !strings.Contains(failure.Message, "not sent to the public web") || len(a.requests()) != before {
			t.Errorf("%s: got %+v", name, failure)
		}
	}
}

func TestPublicWebConfig(t *testing.T) {
	tests := []struct {
		name string
		u    *Upstream
		want string
	}{
		{"with a URL", &Upstream{PublicWeb: true, URL: "http://a"}, "more than one"},
		{"with a secret", &Upstream{PublicWeb: true, Headers: []Header{{"X-Key", "{env.HOME}"}}}, "public_web sends no credentials"},
		{"with a credential", &Upstream{PublicWeb: true, Headers: []Header{{"Cookie", "a=b"}}}, "public_web sends no credentials"},
		{"with verify_tls", &Upstream{PublicWeb: true, VerifyTLS: "off"}, "verify_tls"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := provision(t, tt.u); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	if !(Set{{PublicWeb: true}}).PublicWeb("") || (Set{{}}).PublicWeb("") {
		t.Error("PublicWeb")
	}
}
