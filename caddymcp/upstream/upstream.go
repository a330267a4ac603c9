// Package upstream sends a tool's requests to a REST API: through Caddy's HTTP
// transport, through a chain of Caddy handlers, or to the public web. It
// retries, caches and limits them, and turns every failure into one sentence.
package upstream

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"go.uber.org/zap"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// The defaults of an [Upstream].
const (
	defaultTimeout     = 15 * time.Second
	defaultRetries     = 2
	defaultBackoff     = 500 * time.Millisecond
	defaultMaxResponse = 10_000_000
)

// An Upstream is one REST API. Exactly one of url, routes and public_web says
// where its requests go.
type Upstream struct {
	// The name by which tools and programs choose this API, and by which
	// error sentences call it. The only upstream needs none. Default: none;
	// sentences then say 'the API'.
	Name string `json:"name,omitempty"`

	// Where the API is: an http or https URL, whose path is put in front of
	// every request's path, or a unix socket in Caddy's notation, such as
	// 'unix//run/api.sock'. Placeholders such as {env.API_URL} are resolved
	// when the config loads, and must not be empty.
	URL string `json:"url,omitempty"`

	// How to connect to the URL. Unlike in reverse_proxy, no proxy is taken
	// from the environment. Default: HTTP/1.1 and HTTP/2, keep-alive, no proxy.
	Transport *reverseproxy.HTTPTransport `json:"transport,omitempty"`

	// Whether the certificate of an https URL is verified: 1, true, yes, on,
	// 0, false, no or off. Placeholders are resolved when the config loads.
	// Default: true, also where a placeholder is empty.
	VerifyTLS string `json:"verify_tls,omitempty"`

	// Caddy handlers that answer the requests, in place of a URL. They are
	// called within this process.
	Routes caddyhttp.RouteList `json:"routes,omitempty"`

	// Requests go to any http or https URL, but to public addresses only,
	// without credentials and without a proxy. Default: false.
	PublicWeb bool `json:"public_web,omitempty"`

	// Headers that every request carries. They replace what a tool sets.
	Headers []Header `json:"headers,omitempty"`

	// What a tool says when a request fails. The first that applies is used.
	Errors []program.ErrorText `json:"errors,omitempty"`

	// How often a read that failed is repeated: after transport errors and
	// replies of 500 and more. A write is never repeated. Default: 2.
	Retries *int `json:"retries,omitempty"`

	// How long to wait before the first repetition; the second waits twice as
	// long, and so on. Default: 500ms.
	RetryBackoff caddy.Duration `json:"retry_backoff,omitempty"`

	// Requests that change nothing although their method says so. They count
	// as reads: they are repeated, may be cached, and are allowed to tools
	// that only read.
	SafeRequests []SafeRequest `json:"safe,omitempty"`

	// Which replies are kept in memory, and for how long. Default: none.
	Caches []Cache `json:"caches,omitempty"`

	// How many requests may be in flight at once. Default: no limit.
	Concurrency int `json:"concurrency,omitempty"`

	// How long one request may take, with its reply. Default: 15s.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// The largest reply, in bytes, after decompression. Default: 10MB.
	MaxResponse int64 `json:"max_response,omitempty"`

	// A program that tells whether the API can be used. Default: none.
	Check *Check `json:"check,omitempty"`

	base    *url.URL // of URL; nil for routes and public_web
	via     exchanger
	retries int
	backoff time.Duration
	timeout time.Duration
	max     int64
	slots   chan struct{} // nil without a limit
	caches  []*cache
	down    atomic.Pointer[program.Error]
	logger  *zap.Logger
}

// A SafeRequest is a request that the author declares to change nothing.
type SafeRequest struct {
	// The HTTP method.
	Method string `json:"method"`

	// The path below the upstream's base path. A segment that is '*' stands
	// for any one segment.
	Path string `json:"path"`
}

// Provision prepares u for sending. It opens no connection.
func (u *Upstream) Provision(ctx caddy.Context) error {
	if err := u.Validate(); err != nil {
		return err
	}
	u.logger = ctx.Logger()
	u.retries, u.backoff = defaultRetries, defaultBackoff
	if u.Retries != nil {
		u.retries = *u.Retries
	}
	if u.RetryBackoff > 0 {
		u.backoff = time.Duration(u.RetryBackoff)
	}
	u.timeout = defaultTimeout
	if u.Timeout > 0 {
		u.timeout = time.Duration(u.Timeout)
	}
	u.max = defaultMaxResponse
	if u.MaxResponse > 0 {
		u.max = u.MaxResponse
	}
	if u.Concurrency > 0 {
		u.slots = make(chan struct{}, u.Concurrency)
	}
	for _, config := range u.Caches {
		c, err := newCache(config)
		if err != nil {
			return err
		}
		u.caches = append(u.caches, c)
	}
	for _, h := range u.Headers {
		if err := h.provision(); err != nil {
			return err
		}
	}
	return u.connect(ctx)
}

// connect makes what the requests leave through.
func (u *Upstream) connect(ctx caddy.Context) (err error) {
	switch {
	case u.PublicWeb:
		u.via, err = newPublic(ctx, u.max)
	case len(u.Routes) > 0:
		u.via, err = newChain(ctx, u.Routes, u.max)
	default:
		u.base, u.via, err = newDirect(ctx, u.URL, u.Transport, u.VerifyTLS, u.max)
	}
	if err != nil {
		u.via = nil // not an interface that holds a nil pointer
	}
	return err
}

// Validate checks the configuration. It needs no Provision, which calls it.
func (u *Upstream) Validate() error {
	forms := 0
	for _, given := range []bool{u.URL != "", len(u.Routes) > 0, u.PublicWeb} {
		if given {
			forms++
		}
	}
	switch {
	case forms == 0:
		return errors.New("there is no URL: write 'upstream [<name>] <url>', or handlers such as reverse_proxy in its block, or public_web")
	case forms > 1:
		return errors.New("there is more than one of a URL, handlers and public_web: keep one")
	case u.URL == "" && u.Transport != nil:
		return errors.New("transport needs a URL: with handlers, write it inside reverse_proxy")
	case u.URL == "" && u.VerifyTLS != "":
		return errors.New("verify_tls needs a URL: with handlers, write tls_insecure_skip_verify inside reverse_proxy")
	case u.Retries != nil && *u.Retries < 0, u.RetryBackoff < 0, u.Concurrency < 0, u.Timeout < 0, u.MaxResponse < 0:
		return errors.New("retries, retry_backoff, concurrency, timeout and max_response cannot be negative")
	case u.Transport != nil && u.Transport.ProxyProtocol != "":
		return errors.New("the PROXY protocol needs reverse_proxy in the block, in place of a URL")
	}
	if err := u.validateURL(); err != nil {
		return err
	}
	for _, h := range u.Headers {
		if err := h.validate(u.PublicWeb); err != nil {
			return err
		}
	}
	for _, e := range u.Errors {
		if err := validateErrorText(e); err != nil {
			return err
		}
	}
	for _, s := range u.SafeRequests {
		if s.Method == "" || s.Method != strings.ToUpper(s.Method) {
			return fmt.Errorf("safe needs an HTTP method in capitals, not '%s'", s.Method)
		}
		if err := validatePath(s.Path); err != nil {
			return err
		}
	}
	for _, c := range u.Caches {
		if err := c.validate(); err != nil {
			return err
		}
	}
	return nil
}

// validateURL checks the URL, as far as it is known before placeholders are
// resolved, and what goes with it.
func (u *Upstream) validateURL() error {
	if err := validateVerifyTLS(u.VerifyTLS); err != nil {
		return fmt.Errorf("verify_tls: %w", err)
	}
	if err := checkPlaceholders(u.URL); err != nil {
		return err
	}
	if u.URL == "" || strings.Contains(u.URL, "{") {
		return nil
	}
	base, _, err := parseBase(u.URL, u.URL)
	if err != nil {
		return err
	}
	var paths []string
	for _, s := range u.SafeRequests {
		paths = append(paths, s.Path)
	}
	for _, c := range u.Caches {
		paths = append(append(paths, c.Paths...), c.DropOn...)
	}
	prefix := strings.TrimSuffix(base.EscapedPath(), "/")
	for _, path := range paths {
		if rest, ok := below(prefix, path); ok && prefix != "" {
			return fmt.Errorf("the path '%s' begins with the path of the URL '%s': paths are below the URL, so write '%s'", path, u.URL, rest)
		}
	}
	return nil
}

// Cleanup closes idle connections and stops the upkeep of the caches. Requests
// in flight go on.
func (u *Upstream) Cleanup() error {
	for _, c := range u.caches {
		c.kept.StopAllGoroutines()
	}
	if u.via == nil {
		return nil
	}
	return u.via.close()
}

// Safe reports whether a request changes nothing: its method is GET or HEAD,
// or the author declared it safe. The path is below the base path. A '*' in it
// stands for a segment that is not known, which only a '*' of the declared
// path covers.
func (u *Upstream) Safe(method, path string) bool {
	if method == "GET" || method == "HEAD" {
		return true
	}
	return slices.ContainsFunc(u.SafeRequests, func(s SafeRequest) bool {
		return s.Method == method && matchPath(s.Path, path)
	})
}

// title is what the config calls u.
func (u *Upstream) title() string {
	if u.Name == "" {
		return "upstream"
	}
	return fmt.Sprintf("upstream '%s'", u.Name)
}

// name is what sentences for the model call u.
func (u *Upstream) name() string {
	switch {
	case u.Name != "":
		return u.Name
	case u.PublicWeb:
		return "the site"
	}
	return "the API"
}

// Interface guards
var (
	_ caddy.Provisioner  = (*Upstream)(nil)
	_ caddy.Validator    = (*Upstream)(nil)
	_ caddy.CleanerUpper = (*Upstream)(nil)
	_ program.Sender     = (*Upstream)(nil)
)
