package access

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// An origin is a scheme, a host and a port (RFC 6454).
type origin struct{ scheme, host, port string }

// String returns the origin as browsers write it, with its port always.
func (o origin) String() string {
	return o.scheme + "://" + net.JoinHostPort(o.host, o.port)
}

// parseOrigin reads an Origin header, or a configured origin.
func parseOrigin(text string) (origin, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" || u.RawQuery != "" || u.ForceQuery || strings.ContainsAny(text, "#*{}") {
		return origin{}, fmt.Errorf("'%s' is not an origin: write it as https://app.example.com, with a port if it has one and nothing after it", text)
	}
	return newOrigin(u.Scheme, u.Host), nil
}

// newOrigin makes the origin of a scheme and a host with or without a port.
func newOrigin(scheme, hostport string) origin {
	u := url.URL{Host: strings.ToLower(hostport)}
	o := origin{scheme: strings.ToLower(scheme), host: u.Hostname(), port: u.Port()}
	if o.port == "" {
		o.port = map[string]string{"http": "80", "https": "443"}[o.scheme]
	}
	return o
}

// checkOrigin refuses what a web page of another origin sends. Browsers name
// the page's origin in a header that pages cannot change; other clients send
// none.
func (a *Access) checkOrigin(r *http.Request) *Refusal {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return nil
	}
	o, err := parseOrigin(values[0])
	if len(values) > 1 || err != nil || !a.allowsOrigin(r, o) {
		return originRefused
	}
	return nil
}

// allowsOrigin tells whether an origin is listed or the endpoint's own. The
// scheme of a request that came without TLS is not known, as something in
// front may have taken it off.
func (a *Access) allowsOrigin(r *http.Request, o origin) bool {
	if a.origins[o.String()] {
		return true
	}
	if public := a.endpoint.public; public.Host != "" && o == newOrigin(public.Scheme, public.Host) {
		return true
	}
	web := o.scheme == "https" || o.scheme == "http" && r.TLS == nil
	return web && o == newOrigin(o.scheme, r.Host)
}

// checkHost refuses, where anyone may call, what reaches a loopback address
// under a foreign name: a web page whose host name was made to resolve to
// this machine (DNS rebinding). The names of the site's own address and of
// the endpoint's URL are not foreign.
func (a *Access) checkHost(r *http.Request) *Refusal {
	if !a.None || a.hosts != nil {
		return nil
	}
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !loopback(addr.String()) {
		return nil
	}
	name := newOrigin("", r.Host).host
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || loopback(name) {
		return nil
	}
	if public := a.endpoint.public.Hostname(); public != "" && strings.EqualFold(public, name) {
		return nil
	}
	return hostRefused
}

// private tells whether nobody on the way can have read the request's URL: it
// came over TLS, from this machine, or from a proxy that the server trusts and
// that took it over TLS.
func private(r *http.Request) bool {
	if r.TLS != nil || loopback(r.RemoteAddr) {
		return true
	}
	if trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool); trusted {
		return strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
	}
	// A unix socket has no address.
	return r.RemoteAddr == "" || strings.HasPrefix(r.RemoteAddr, "@")
}

// loopback tells whether an IP address, with or without a port, is a loopback
// address.
func loopback(addr string) bool {
	if host, _, err := net.SplitHostPort(addr); err == nil {
		addr = host
	}
	ip, err := netip.ParseAddr(addr)
	return err == nil && ip.IsLoopback()
}
