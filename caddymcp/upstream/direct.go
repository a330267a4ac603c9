package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/caddymcp/caddymcp/caddymcp/internal/directive"
	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// direct sends requests through Caddy's HTTP transport.
type direct struct {
	transport *reverseproxy.HTTPTransport
	max       int64
	closed    atomic.Bool
}

// newDirect makes the transport of a URL, and parses the URL. Placeholders are
// resolved here.
func newDirect(ctx caddy.Context, text string, config *reverseproxy.HTTPTransport, verify string, limit int64) (*url.URL, *direct, error) {
	repl := caddy.NewReplacer()
	resolved, err := repl.ReplaceOrErr(text, true, true)
	if err != nil {
		return nil, nil, fmt.Errorf("the URL '%s' cannot be resolved: %w", redact(text), err)
	}
	base, socket, err := parseBase(text, resolved)
	if err != nil {
		return nil, nil, err
	}
	transport := new(reverseproxy.HTTPTransport)
	if config != nil {
		*transport = *config
	}
	if transport.ForwardProxyURL == "" && transport.NetworkProxyRaw == nil {
		transport.NetworkProxyRaw = noProxy
	}
	switch {
	case transport.TLS == nil:
	case socket != "":
		base.Scheme = "https"
	case base.Scheme == "http":
		return nil, nil, fmt.Errorf("the transport has TLS settings but the URL '%s' is not https", text)
	}
	if answer := repl.ReplaceAll(verify, ""); answer != "" {
		on, err := directive.Bool(answer)
		if err != nil {
			return nil, nil, fmt.Errorf("verify_tls: %w", err)
		}
		if !on {
			settings := new(reverseproxy.TLSConfig)
			if transport.TLS != nil {
				*settings = *transport.TLS
			}
			settings.InsecureSkipVerify = true
			transport.TLS = settings
		}
	}
	if err := transport.Provision(ctx); err != nil {
		return nil, nil, fmt.Errorf("preparing the transport: %w", err)
	}
	if socket != "" {
		dialer := net.Dialer{Timeout: time.Duration(transport.DialTimeout)}
		transport.Transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", socket)
		}
	}
	return base, &direct{transport: transport, max: limit}, nil
}

// validateVerifyTLS checks what can be checked before placeholders are
// resolved.
func validateVerifyTLS(text string) error {
	if text == "" || placeholders.MatchString(text) {
		return checkPlaceholders(text)
	}
	_, err := directive.Bool(text)
	return err
}

// noProxy keeps Caddy's transport from reading HTTP_PROXY and its like.
var noProxy = json.RawMessage(`{"from":"none"}`)

// private finds what no error may show of a URL: the user with the password, and
// the query. Caddy puts the values of {$NAME} into the text itself.
var private = regexp.MustCompile(`^(\w+://)?.*(@)|([?#]).+`)

// redact is a URL without that.
func redact(text string) string { return private.ReplaceAllString(text, "${1}${3}"+masked+"${2}") }

// parseBase parses the resolved URL of an upstream. Errors show the text of
// the config, without what can be a secret in it. For a unix socket it returns
// the socket's path too.
func parseBase(text, resolved string) (base *url.URL, socket string, err error) {
	text = redact(text)
	if socket, ok := strings.CutPrefix(resolved, "unix/"); ok {
		if socket == "" {
			return nil, "", fmt.Errorf("'%s' names no socket: write it as 'unix//run/api.sock'", text)
		}
		return &url.URL{Scheme: "http", Host: "localhost"}, socket, nil
	}
	base, err = url.Parse(resolved)
	switch {
	case err != nil, base.Scheme != "http" && base.Scheme != "https", base.Hostname() == "":
		return nil, "", fmt.Errorf("'%s' is not an http or https URL: write it as 'http://127.0.0.1:8080/api', or as 'unix//run/api.sock'", text)
	case base.User != nil:
		return nil, "", fmt.Errorf("the URL '%s' holds a user name: write a header Authorization with {env.NAME} in its place", text)
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, "", fmt.Errorf("the URL '%s' holds a query or a fragment: only its path is put in front of requests", text)
	case !decent(base.EscapedPath()):
		return nil, "", fmt.Errorf("the path of the URL '%s' holds a segment that is '.' or '..'", text)
	}
	return base, "", nil
}

// close closes the connections that are idle. Those of calls in flight are
// closed when they become idle.
func (d *direct) close() error {
	d.closed.Store(true)
	return d.transport.Cleanup()
}

func (d *direct) exchange(ctx context.Context, out *outgoing) (*program.Response, error) {
	defer func() {
		if d.closed.Load() {
			_ = d.transport.Cleanup() // it always gives nil
		}
	}()
	// A connection that was never had cannot have carried the request.
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	// The transport looks placeholders up, and notes its proxy in the vars,
	// which must not be those of the MCP request.
	ctx = context.WithValue(ctx, caddy.ReplacerCtxKey, callOf(ctx).replacer())
	ctx = context.WithValue(ctx, caddyhttp.VarsCtxKey, map[string]any{})

	resp, err := d.transport.RoundTrip(out.request(ctx))
	if errors.Is(err, errNotPublic) {
		return nil, &exchangeError{kind: program.KindNotPublic, text: "is not at a public address", err: err}
	}
	if err != nil {
		kind := program.KindUnreachable
		if _, ok := errors.AsType[*net.DNSError](err); ok {
			kind = program.KindUnresolved
		}
		return nil, &exchangeError{kind: kind, err: err, sent: connected.Load(), passing: true}
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 {
		return nil, &exchangeError{text: "switched to another protocol", sent: true}
	}
	reply := &program.Response{Status: resp.StatusCode, Header: resp.Header}
	if out.discard {
		return reply, nil
	}
	reply.Body, err = readReply(resp.Body, d.max)
	if err != nil {
		return nil, err
	}
	return reply, decode(reply, d.max)
}

// request is out for net/http.
//
// net/http may send a request again by itself when a kept-alive connection
// turns out to be closed. It does so for GET and HEAD, and for any method with
// an Idempotency-Key header and a body that it can rewind. A write must not be
// sent twice, so its body cannot be rewound, and the header, whose name is the
// same in any case, is put where net/http does not look.
func (out *outgoing) request(ctx context.Context) *http.Request {
	target := *out.url
	r := (&http.Request{
		Method:     out.method,
		URL:        &target,
		Host:       out.host,
		Header:     out.header.Clone(),
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
	}).WithContext(ctx)
	if len(out.body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(out.body))
		r.ContentLength = int64(len(out.body))
	}
	if !out.reading {
		for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
			if values, ok := r.Header[name]; ok {
				delete(r.Header, name)
				r.Header[strings.ToLower(name)] = values
			}
		}
	}
	return r
}

// readReply reads a body of at most limit bytes.
func readReply(body io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, &exchangeError{text: "broke off its reply", err: err, sent: true, passing: true}
	}
	if int64(len(data)) > limit {
		return nil, tooLarge(limit)
	}
	return data, nil
}
