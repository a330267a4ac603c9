package upstream

import (
	"context"
	"net/http"
	"regexp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// An Attempt is one HTTP request that is about to leave an upstream. A
// repetition is an attempt of its own, and so is each redirect; what a cache
// answers is none.
type Attempt struct {
	// Method and URL are those of the request.
	Method, URL string

	// Header is what is sent, as a person may see it: in place of a value
	// from the environment or a file stands what the config says.
	Header http.Header

	// Body is what is sent.
	Body []byte

	// Reading means that the request changes nothing.
	Reading bool
}

// An Interceptor stands where requests leave an upstream. It sends the attempt
// with send, or returns an error instead.
type Interceptor func(a *Attempt, send func() (*program.Response, error)) (*program.Response, error)

// Intercept lets an interceptor have every attempt of every upstream from now
// on. It must not be called while requests are sent.
func (s Set) Intercept(by Interceptor) {
	for _, u := range s {
		u.via = &intercepted{u.via, u, by}
	}
}

// intercepted is an exchanger behind an interceptor.
type intercepted struct {
	exchanger
	upstream *Upstream
	by       Interceptor
}

func (i *intercepted) exchange(ctx context.Context, out *outgoing) (*program.Response, error) {
	a := &Attempt{
		Method:  out.method,
		URL:     out.url.String(),
		Header:  i.upstream.shown(out),
		Body:    out.body,
		Reading: out.reading,
	}
	return i.by(a, func() (*program.Response, error) { return i.exchanger.exchange(ctx, out) })
}

// masked stands for a credential that a tool itself sends.
const masked = "…"

// own finds the module's own placeholders, which hold no secret.
var own = regexp.MustCompile(`\{mcp\.[^{}\s]+\}`)

// shown are the headers of a request without their secrets.
func (u *Upstream) shown(out *outgoing) http.Header {
	header := out.header.Clone()
	if out.host != out.url.Host {
		header.Set("Host", out.host)
	}
	for name := range header {
		if isCredential(name) {
			header[name] = []string{masked}
		}
	}
	secret := make(http.Header)
	for _, h := range u.Headers {
		if header.Get(h.Name) != "" && placeholders.MatchString(own.ReplaceAllString(h.Value, "")) {
			secret.Add(h.Name, h.Value)
		}
	}
	for name, values := range secret {
		header[name] = values
	}
	return header
}

// Interface guards
var _ exchanger = (*intercepted)(nil)
