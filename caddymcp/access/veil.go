package access

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// A veil is a request matcher that hides requests of the endpoint from a Caddy
// server before any handler has run: from its access and error logs, and from
// what the handlers themselves log or trace. The endpoint's own handler could
// not do it: Caddy copies the request for its logs first, and an earlier
// handler that fails has the copy logged.
type veil struct {
	access *Access

	// server is the one whose requests it sees.
	server *caddyhttp.Server

	// refuse answers such a request with 404.
	refuse bool
}

// MatchWithError returns true for every request that it does not refuse. One
// that comes from a link on the endpoint's page loses its Referer, and its log
// entry, as that would hold it.
func (v veil) MatchWithError(r *http.Request) (bool, error) {
	own := v.access.hosts.match(r)
	if v.refuse && (own && v.access.hides(r) || v.access.carries(r)) {
		silence(r)
		return false, caddyhttp.HandlerError{StatusCode: http.StatusNotFound}
	}
	if !own {
		if v.access.hides(r) && !claims(v.server, r) {
			hush(r) // it is nobody's, so most likely meant for the endpoint
		}
		return true, nil
	}
	if v.access.hides(r) {
		silence(r)
		caddyhttp.SetVar(r.Context(), caddyhttp.LogSkipVar, false) // Conceal writes the entry
		v.access.mask(r)
	}
	if referrer, err := url.Parse(r.Referer()); err == nil && v.access.secretive(referrer) {
		silence(r)
		r.Header.Del("Referer")
	}
	return true, nil
}

// claims tells whether a site of the server answers to the host of a request.
func claims(server *caddyhttp.Server, r *http.Request) bool {
	return slices.ContainsFunc(server.Routes, func(route caddyhttp.Route) bool {
		return len(route.MatcherSets) == 0 || slices.ContainsFunc(route.MatcherSets, func(set caddyhttp.MatcherSet) bool {
			named := false
			for _, m := range set {
				if host, ok := m.(*caddyhttp.MatchHost); ok {
					named = true
					if host.Match(r) {
						return true
					}
				}
			}
			return !named
		})
	})
}

// hides tells whether the request's URL may hold a secret.
func (a *Access) hides(r *http.Request) bool {
	return slices.ContainsFunc(urls(r), a.secretive)
}

// secretive tells whether a URL may hold a secret: any under the endpoint's
// path where URL secrets are configured, and one with a query where bearer
// tokens are, since some clients try to send them there.
func (a *Access) secretive(u *url.URL) bool {
	return !a.None && (len(a.URLSecrets) > 0 || u.RawQuery != "") && a.endpoint.locate(u).place != elsewhere
}

// mask takes what may be a secret out of the request. [Access.Check] finds it
// in the URL that the request came with, which Caddy keeps.
func (a *Access) mask(r *http.Request) {
	r.URL.Path, r.URL.RawPath = a.shown(r), ""
	r.URL.RawQuery, r.URL.ForceQuery = "", false
	r.RequestURI = r.URL.RequestURI()
}

// shown is the path of a request of the endpoint as others may see it.
func (a *Access) shown(r *http.Request) string {
	for _, u := range urls(r) {
		if at := a.endpoint.locate(u); at.place != elsewhere {
			return at.shown
		}
	}
	return ""
}

// silence has Caddy write the access and error log of the request to no
// logger, until the log_name directive says otherwise.
func silence(r *http.Request) {
	caddyhttp.SetVar(r.Context(), caddyhttp.AccessLoggerNameVarKey, []any{})
}

// veil puts a veil before the first route of the endpoint's own server, and on
// the routes that Caddy has added for its redirects from HTTP to HTTPS, which
// would repeat the secret in the Location header of a plain reply. Behind the
// one, and before the first route of the servers that redirect, it puts a cover.
//
// Provisioning is the time for it: the routes are there and nothing has been
// served. The redirects may be compiled already, or not yet; compiled routes
// share the matcher sets that are changed here. A compiled route without any
// stays as it is: that of a user's catch-all site for plain HTTP.
func (a *Access) veil(app *caddyhttp.App, own *caddyhttp.Server) {
	if a.None {
		return
	}
	for _, server := range app.Servers {
		redirecting := false
		for _, route := range server.Routes {
			if !redirects(route) {
				continue
			}
			redirecting = true
			for i, set := range route.MatcherSets {
				route.MatcherSets[i] = append(set, veil{access: a, server: server, refuse: true})
			}
		}
		switch {
		case server == own:
			begin(server, veil{access: a, server: server}, cover{access: a})
		case redirecting:
			begin(server, cover{access: a})
		}
	}
}

// begin puts matchers before all others of a server.
func begin(server *caddyhttp.Server, matchers ...any) {
	if len(server.Routes) == 0 {
		return
	}
	obeysSilence(server)
	if first := &server.Routes[0]; len(first.MatcherSets) == 0 {
		first.MatcherSets = caddyhttp.MatcherSets{matchers}
	} else {
		first.MatcherSets[0] = slices.Insert(first.MatcherSets[0], 0, matchers...)
	}
}

// redirects tells whether a route is a redirect that automatic HTTPS made.
// Those of users are pointers, as all handlers from a config are.
func redirects(route caddyhttp.Route) bool {
	if len(route.Handlers) != 1 {
		return false
	}
	response, ok := route.Handlers[0].(caddyhttp.StaticResponse)
	return ok && strings.HasPrefix(response.Headers.Get("Location"), "https://{http.request.host}")
}

// obeysSilence makes sure that the server asks each request for its loggers,
// which it does only if it has a log config. The one made here adds no
// access log.
func obeysSilence(server *caddyhttp.Server) {
	if server.Logs == nil {
		server.Logs = &caddyhttp.ServerLogConfig{SkipUnmappedHosts: true}
	}
}

// hosts are the host names of a site. Nil is any.
type hosts []*caddyhttp.MatchHost

// match tells whether the request names one of the hosts.
func (h hosts) match(r *http.Request) bool {
	return h == nil || slices.ContainsFunc(h, func(m *caddyhttp.MatchHost) bool { return m.Match(r) })
}

// siteHosts returns the hosts of the route that is being provisioned: the
// first whose handlers are still JSON, as Caddy goes through them in order.
func siteHosts(server *caddyhttp.Server) hosts {
	i := slices.IndexFunc(server.Routes, func(r caddyhttp.Route) bool { return r.HandlersRaw != nil })
	if i < 0 {
		return nil
	}
	var all hosts
	for _, set := range server.Routes[i].MatcherSets {
		before := len(all)
		for _, m := range set {
			if host, ok := m.(*caddyhttp.MatchHost); ok {
				all = append(all, host)
			}
		}
		if len(all) == before {
			return nil
		}
	}
	return all
}

// Interface guards
var _ caddyhttp.RequestMatcherWithError = veil{}
