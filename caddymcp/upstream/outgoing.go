package upstream

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// An outgoing is a request as it is sent.
type outgoing struct {
	method  string
	url     *url.URL // absolute, also for a chain
	path    string   // escaped, below the base path
	host    string   // what Host says
	header  http.Header
	body    []byte
	reading bool // changes nothing
	discard bool // the body of the reply stays unread
	timeout time.Duration
}

// outgoing makes the request that req describes, or refuses it with a
// *program.Error.
func (u *Upstream) outgoing(ctx context.Context, req *program.Request) (*outgoing, error) {
	out := &outgoing{
		method:  req.Method,
		body:    req.Body,
		discard: req.DiscardBody,
		timeout: req.Timeout,
	}
	if out.timeout <= 0 {
		out.timeout = u.timeout
	}
	var err error
	if out.header, err = u.header(ctx, req); err != nil {
		return nil, err
	}
	host := out.header.Get("Host")
	out.header.Del("Host")
	if out.url, err = u.target(ctx, req, host); err != nil {
		return nil, err
	}
	out.path, _ = u.within(u.origin(ctx), out.url)
	if out.host = host; host == "" {
		out.host = out.url.Host
	}
	if len(req.Query) > 0 {
		query := req.Query.Encode()
		if out.url.RawQuery != "" {
			query = out.url.RawQuery + "&" + query
		}
		out.url.RawQuery = query
	}
	out.reading = u.Safe(out.method, out.path)
	if req.ReadOnly && !out.reading {
		return nil, &program.Error{Message: fmt.Sprintf("this tool only reads, so it cannot send a %s request", printable(out.method))}
	}
	return out, nil
}

// origin is where the paths of requests begin: the upstream's URL, or for a
// chain the MCP request's own host.
func (u *Upstream) origin(ctx context.Context) *url.URL {
	if u.base != nil || u.PublicWeb {
		return u.base
	}
	call := callOf(ctx)
	return &url.URL{Scheme: call.scheme(), Host: call.host()}
}

// target is the URL of req, for an upstream whose Host header the config sets
// to host.
func (u *Upstream) target(ctx context.Context, req *program.Request, host string) (*url.URL, error) {
	origin := u.origin(ctx)
	switch {
	case u.PublicWeb:
		return u.publicTarget(req)
	case req.URL != "":
		return nil, &program.Error{Message: fmt.Sprintf("%s takes a path, not a whole URL", u.name())}
	case req.Follow != "":
		link, err := origin.Parse(req.Follow)
		if err == nil {
			u.rehost(link, host)
			if _, ok := u.within(origin, link); ok {
				return link, nil
			}
		}
		return nil, &program.Error{Message: fmt.Sprintf("%s gave a link that leads to another place, so it is not followed", u.name())}
	}
	path, query, _ := strings.Cut(req.Path, "?")
	target := *origin
	ok := strings.HasPrefix(path, "/") && !strings.Contains(req.Path, "#") && decent(path)
	if ok {
		target.RawPath = strings.TrimSuffix(origin.EscapedPath(), "/") + path
		var err error
		target.Path, err = url.PathUnescape(target.RawPath)
		target.RawQuery = query
		ok = err == nil && target.EscapedPath() == target.RawPath && webURL(&target)
	}
	if !ok {
		return nil, &program.Error{Message: "the tool made a path that cannot be sent: it must begin with '/', be encoded, and hold no '.' or '..' segment"}
	}
	return &target, nil
}

// publicTarget is the URL of a request to the public web.
func (u *Upstream) publicTarget(req *program.Request) (*url.URL, error) {
	text := req.URL
	if text == "" {
		text = req.Follow
	}
	target, err := url.Parse(text)
	if err != nil || !webURL(target) {
		return nil, &program.Error{Message: "this needs a whole http or https URL without a user name"}
	}
	target.Fragment, target.RawFragment = "", ""
	return target, nil
}

// webURL reports whether target is an absolute http or https URL without
// credentials that fits into the first line of a request.
func webURL(target *url.URL) bool {
	return (target.Scheme == "http" || target.Scheme == "https") && target.Hostname() != "" && target.User == nil &&
		!strings.ContainsFunc(target.RawQuery, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// rehost puts the upstream's own address into a link. An API that is sent
// another Host header makes its links with that.
func (u *Upstream) rehost(link *url.URL, host string) {
	if u.base != nil && host != "" && host != u.base.Host && strings.EqualFold(link.Host, host) {
		link.Scheme, link.Host = u.base.Scheme, u.base.Host
	}
}

// within returns the path of target below the upstream's base path, and
// whether target belongs to the upstream at all. A chain answers under both
// schemes, since what is in front of it may have ended TLS.
func (u *Upstream) within(origin, target *url.URL) (string, bool) {
	if !webURL(target) {
		return "", false
	}
	if u.PublicWeb {
		return target.EscapedPath(), true
	}
	if u.base == nil {
		origin = &url.URL{Scheme: target.Scheme, Host: origin.Host}
	}
	if !sameOrigin(origin, target) {
		return "", false
	}
	return below(origin.EscapedPath(), target.EscapedPath())
}
