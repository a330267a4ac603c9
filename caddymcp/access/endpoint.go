package access

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// An endpoint is where an MCP server answers.
type endpoint struct {
	path    string   // without a trailing slash; empty at the root
	escaped string   // the same as it stands in a URL
	public  *url.URL // the configured URL, without a host if there is none

	// wholeHost means that all OAuth metadata of the host is refused. Clients
	// that find any insist on OAuth, even where none is asked for.
	wholeHost bool
}

// newEndpoint describes the endpoint at p.
func newEndpoint(p string, public *url.URL, wholeHost bool) endpoint {
	p = strings.TrimSuffix(p, "/")
	escaped := (&url.URL{Path: p}).EscapedPath()
	return endpoint{path: p, escaped: escaped, public: public, wholeHost: wholeHost}
}

// A place is where a URL stands in relation to an endpoint.
type place int

const (
	// elsewhere is not the endpoint's.
	elsewhere place = iota

	// bareEndpoint is the endpoint's path, with or without a slash after it.
	bareEndpoint

	// belowEndpoint is one plain segment under the path, with or without a
	// slash after it.
	belowEndpoint

	// nothing is the endpoint's, but never answered.
	nothing
)

// A location is where one URL stands.
type location struct {
	place   place
	segment string // of belowEndpoint
	shown   string // the path as logs may show it
}

// metadata are the paths at which clients look for OAuth metadata (RFC 8414,
// RFC 9728 and OpenID Connect Discovery). A resource's own path follows them.
var metadata = []string{
	"/.well-known/oauth-protected-resource",
	"/.well-known/oauth-authorization-server",
	"/.well-known/openid-configuration",
}

// redacted stands in logs for what may be a secret.
const redacted = "/REDACTED"

// locate tells where u stands. Paths are compared as they are written: any
// other spelling of one that would be answered is nothing.
func (e endpoint) locate(u *url.URL) location {
	clean := path.Clean("/" + u.Path)
	if e.owns(clean) || e.owns(u.Path) {
		rest, ok := strings.CutPrefix(u.EscapedPath(), e.escaped)
		if ok && (rest == "" || rest == "/") {
			return location{place: bareEndpoint, shown: e.path + rest}
		}
		if name, ok := strings.CutPrefix(rest, "/"); ok {
			name = strings.TrimSuffix(name, "/")
			if isPlain(name) {
				return location{place: belowEndpoint, segment: name, shown: e.path + redacted}
			}
		}
		return location{place: nothing, shown: e.path + redacted}
	}
	for _, prefix := range metadata {
		rest, ok := strings.CutPrefix(clean, prefix)
		if ok && (e.owns(rest) || e.wholeHost && (rest == "" || rest[0] == '/')) {
			return location{place: nothing, shown: prefix + redacted}
		}
	}
	return location{}
}

// owns tells whether a path is the endpoint's or under it.
func (e endpoint) owns(p string) bool {
	rest, ok := strings.CutPrefix(p, e.path)
	return ok && (rest == "" && e.path != "" || strings.HasPrefix(rest, "/"))
}

// Match tells whether the request belongs to the endpoint: its path with and
// without a trailing slash, everything under it, and the OAuth metadata paths
// that belong to it, which are all those of the host unless nothing but bearer
// tokens is configured. Paths are case-sensitive. The current path counts, and the one
// that the request came with, so that an earlier rewrite does no harm.
//
// Whoever calls Match answers every request that it accepts: after
// [Access.Check], with [NotFound] if there is nothing else to say.
func (a *Access) Match(r *http.Request) bool {
	for _, u := range urls(r) {
		if a.endpoint.locate(u).place != elsewhere {
			return true
		}
	}
	return false
}

// urls are the request's current URL and, where it is known, the one that the
// request came with.
func urls(r *http.Request) []*url.URL {
	if orig, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request); ok && orig.URL != nil {
		return []*url.URL{r.URL, orig.URL}
	}
	return []*url.URL{r.URL}
}

// Site names the hosts of the endpoint's site, separated by spaces. It is empty
// if the site answers to any host.
func (a *Access) Site() string {
	var names []string
	for _, match := range a.hosts {
		names = append(names, *match...)
	}
	return strings.Join(names, " ")
}
