package upstream

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// An Attempt is one HTTP request that is about to leave an upstream. A
// repetition is an attempt of its own, and so is each redirect; what a cache
// answers is none.
type Attempt struct {
	// Method is that of the request.
	Method string

	// URL and Header are what is sent, as a person may see it: in place of
	// a value from the environment or a file stands what the config says.
	URL    string
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
		URL:     i.upstream.shownURL(out),
		Header:  i.upstream.shownHeader(out),
		Body:    out.body,
		Reading: out.reading,
	}
	return i.by(a, func() (*program.Response, error) { return i.exchanger.exchange(ctx, out) })
}

// masked stands for a secret for which the config has no other words.
const masked = "…"

// own finds the module's own placeholders, which hold no secret.
var own = regexp.MustCompile(`\{mcp\.[^{}\s]+\}`)

// secretWord matches what headers and members of a query are called that hold
// secrets: more than [secretName], since it takes nothing to hide too much.
var secretWord = regexp.MustCompile(`(?i)(^|[-_.])(auth|sig|pwd)$|(authorization|cookie|token|secret|key|password|passwd|signature|credentials?)$`)

// hides reports whether the value of a name is not shown.
func hides(name string) bool { return secretWord.MatchString(name) && !holdsNoSecret(name) }

// shownURL is the URL of a request without its secrets.
func (u *Upstream) shownURL(out *outgoing) string {
	pairs := strings.Split(out.url.RawQuery, "&")
	for i, pair := range pairs {
		name, _, ok := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); ok && (err != nil || hides(plain)) {
			pairs[i] = name + "=" + masked
		}
	}
	shown := *out.url
	shown.RawQuery = strings.Join(pairs, "&")
	if !placeholders.MatchString(u.URL) {
		return shown.String()
	}
	text := strings.TrimSuffix(u.URL, "/") + out.path
	if shown.RawQuery != "" {
		text += "?" + shown.RawQuery
	}
	return text
}

// shownHeader are the headers of a request without their secrets.
func (u *Upstream) shownHeader(out *outgoing) http.Header {
	header := out.header.Clone()
	if out.host != out.url.Host {
		header.Set("Host", out.host)
	}
	for name := range header {
		if hides(name) {
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
