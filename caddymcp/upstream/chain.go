package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// chain sends requests into Caddy handlers in this process.
type chain struct {
	handler caddyhttp.Handler
	max     int64
}

// newChain compiles routes. The chain ends in a handler that reports that no
// other answered.
func newChain(ctx caddy.Context, routes caddyhttp.RouteList, limit int64) (*chain, error) {
	if err := routes.Provision(ctx); err != nil {
		return nil, fmt.Errorf("preparing the handlers: %w", err)
	}
	last := caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { return errUnanswered })
	return &chain{handler: routes.Compile(last), max: limit}, nil
}

// errUnanswered means that no handler of the chain took the request.
var errUnanswered = errors.New("no handler of the upstream answered the request")

// close does nothing: Caddy cleans the handlers up by itself.
func (c *chain) close() error { return nil }

func (c *chain) exchange(ctx context.Context, out *outgoing) (*program.Response, error) {
	call := callOf(ctx)
	r := out.request(ctx)
	r.URL = &url.URL{Path: out.url.Path, RawPath: out.url.RawPath, RawQuery: out.url.RawQuery}
	r.RequestURI = r.URL.RequestURI()
	r.RemoteAddr = "127.0.0.1:0"
	if r.Body == nil {
		r.Body = http.NoBody
	}
	server := call.Server
	if server == nil {
		server = new(caddyhttp.Server)
	}
	if call.Request != nil {
		r.RemoteAddr, r.TLS = call.Request.RemoteAddr, call.Request.TLS
	}
	w := &recorder{header: http.Header{}, max: c.max, drop: out.discard || out.method == http.MethodHead}
	r = caddyhttp.PrepareRequest(r, chainReplacer(call), w, server)
	if call.Request != nil {
		if ip := caddyhttp.GetVar(call.Request.Context(), caddyhttp.ClientIPVarKey); ip != nil {
			caddyhttp.SetVar(r.Context(), caddyhttp.ClientIPVarKey, ip)
		}
	}
	aborted, err := c.serve(w, r)
	switch {
	case w.full:
		return nil, tooLarge(c.max)
	case ctx.Err() != nil:
		return nil, &exchangeError{err: ctx.Err(), sent: true}
	case aborted:
		return nil, &exchangeError{text: "broke off its reply", err: err, sent: true, passing: true}
	case err != nil && w.status != 0:
		return nil, &exchangeError{text: "broke off its reply", err: err, sent: true, passing: true}
	case err != nil:
		return chainError(err)
	case w.status == 0:
		w.WriteHeader(http.StatusOK) // what a server does for a handler that writes nothing
	}
	reply := &program.Response{Status: w.status, Header: w.sent}
	if !w.drop {
		reply.Body = w.body.Bytes()
	}
	return reply, decode(reply, c.max)
}

// serve runs the chain. A handler that gives up in the middle of a reply
// panics with http.ErrAbortHandler.
func (c *chain) serve(w http.ResponseWriter, r *http.Request) (aborted bool, err error) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler { //nolint:errorlint // a panic value, by identity
			aborted, err = true, http.ErrAbortHandler
		} else if p != nil {
			panic(p)
		}
	}()
	return false, c.handler.ServeHTTP(w, r)
}

// chainError makes a reply of an error with a status, such as that of Caddy's
// error handler, and an exchangeError of what proxies return without a reply.
func chainError(err error) (*program.Response, error) {
	if errors.Is(err, errUnanswered) {
		return nil, &exchangeError{kind: program.KindUnreachable, err: err}
	}
	failure := &exchangeError{kind: program.KindUnreachable, err: err, sent: true, passing: true}
	if _, ok := errors.AsType[reverseproxy.DialError](err); ok {
		failure.sent = false
		return nil, failure
	}
	handlerErr, ok := errors.AsType[caddyhttp.HandlerError](err)
	if !ok {
		return nil, failure
	}
	switch handlerErr.StatusCode {
	case 0, http.StatusBadGateway:
		return nil, failure
	case http.StatusServiceUnavailable:
		failure.sent = false // no address of the proxy is up
		return nil, failure
	case http.StatusGatewayTimeout, 499:
		failure.kind, failure.passing = program.KindTimeout, false
		return nil, failure
	}
	return &program.Response{Status: handlerErr.StatusCode, Header: http.Header{}}, nil
}

// chainReplacer is the replacer of a request to the chain: its own, with the
// module's placeholders and the identity that Caddy found in the MCP request.
func chainReplacer(call *Call) *caddy.Replacer {
	repl, outer := caddy.NewReplacer(), call.replacer()
	repl.Map(func(key string) (any, bool) {
		if value, ok := call.placeholder(key); ok {
			return value, true
		}
		if strings.HasPrefix(key, "http.auth.user.") {
			value, _ := outer.Get(key)
			return caddy.ToString(value), true
		}
		return nil, false
	})
	return repl
}

// identity is what a chain can tell two calls apart by.
func (c *Call) identity() []string {
	id := []string{c.host(), c.scheme(), c.CallerID, c.CallerName, strings.Join(c.CallerScopes, " "), c.Tool}
	if c.Request == nil {
		return id
	}
	addr, _, err := net.SplitHostPort(c.Request.RemoteAddr)
	if err != nil {
		addr = c.Request.RemoteAddr
	}
	client := caddyhttp.GetVar(c.Request.Context(), caddyhttp.ClientIPVarKey)
	user, _ := c.replacer().Get("http.auth.user.id")
	id = append(id, addr, caddy.ToString(client), caddy.ToString(user))
	if c.Request.TLS != nil {
		for _, cert := range c.Request.TLS.PeerCertificates {
			id = append(id, string(cert.Raw))
		}
	}
	return id
}

// A recorder is the response writer of a chain. It keeps the reply to itself,
// up to a size.
type recorder struct {
	header http.Header // as the handlers see it
	sent   http.Header // as it was when the status was written
	status int
	body   bytes.Buffer
	max    int64
	drop   bool // the body
	full   bool // the body is larger than max
}

// Header implements http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter. Only the first final status counts.
func (w *recorder) WriteHeader(status int) {
	if status < 200 || w.status != 0 {
		return
	}
	w.status, w.sent = status, w.header.Clone()
}

func (w *recorder) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.drop {
		return len(data), nil
	}
	if int64(w.body.Len()+len(data)) > w.max {
		w.full = true
		return 0, http.ErrContentLength
	}
	return w.body.Write(data)
}

// Interface guards
var (
	_ exchanger           = (*chain)(nil)
	_ exchanger           = (*direct)(nil)
	_ http.ResponseWriter = (*recorder)(nil)
)
