package access

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Access says who may call an MCP endpoint. URL secrets and bearer tokens may
// stand together, and then either one is enough.
type Access struct {
	// Secrets that open the endpoint at `<path>/<secret>`; any of them does,
	// so that a new one can be given out before the old one is withdrawn.
	// Each is a placeholder, `{env.NAME}` or `{file./path}`, or the hash of
	// the secret, `sha256:<hex>`. A secret has at least 128 bits, in
	// characters of `A-Z a-z 0-9 - _`, and is kept out of Caddy's logs: the
	// server's other handlers see REDACTED in its place. Default: none.
	URLSecrets []string `json:"url_secrets,omitempty"`

	// Tokens that open the endpoint in an `Authorization: Bearer` header
	// (RFC 6750). Default: none.
	BearerTokens []*BearerToken `json:"bearer_tokens,omitempty"`

	// Anyone may call. It excludes every other method. Default: false.
	None bool `json:"none,omitempty"`

	// Values of the `Origin` header to accept besides the endpoint's own
	// origin, such as `https://app.example.com`. A request without the
	// header is accepted always. Default: none.
	Origins []string `json:"origins,omitempty"`

	endpoint endpoint
	secrets  []digest
	tokens   []digest        // in the order of BearerTokens
	origins  map[string]bool // by normalized origin
	hosts    hosts           // those of the site, nil for any

	logger    *zap.Logger
	accessLog *zap.Logger // the server's, nil outside a server
}

// Caller is who calls.
type Caller struct {
	// ID tells callers apart: 'url_secret', 'bearer:<name>', or nothing
	// where anyone may call.
	ID string

	// Name is the name of the bearer token, or empty.
	Name string

	// Scopes are those of the bearer token.
	Scopes []string
}

// Provision resolves the secrets and prepares the checks of the endpoint at
// path. publicURL is the endpoint's configured URL, or empty; its host counts
// as the endpoint's own. An invalid configuration is an error, and so is a
// secret that is empty or too weak; the error names the method, never the
// value.
func (a *Access) Provision(ctx caddy.Context, path, publicURL string) error {
	if err := a.Validate(); err != nil {
		return err
	}
	public, err := url.Parse(publicURL)
	if err != nil {
		return fmt.Errorf("'%s' is not a URL: %w", publicURL, err)
	}
	a.logger = ctx.Logger()
	a.endpoint = newEndpoint(path, public, a.None || len(a.URLSecrets) > 0)

	repl := caddy.NewReplacer()
	for _, secret := range a.URLSecrets {
		d, err := resolve(repl, secret, checkURLSecret)
		if err != nil {
			return fmt.Errorf("url_secret: %w", err)
		}
		a.secrets = append(a.secrets, d)
	}
	for _, t := range a.BearerTokens {
		d, err := resolve(repl, t.Token, checkToken)
		if err != nil {
			return fmt.Errorf("bearer '%s': %w", t.Name, err)
		}
		if j := slices.Index(a.tokens, d); j >= 0 {
			return fmt.Errorf("bearer '%s' has the same token as '%s': give each its own", t.Name, a.BearerTokens[j].Name)
		}
		a.tokens = append(a.tokens, d)
		if t.notBefore, t.expires, err = t.validity(); err != nil {
			return fmt.Errorf("bearer '%s': %w", t.Name, err)
		}
		if t.expired(time.Now()) {
			a.logger.Warn("a bearer token has expired", zap.String("name", t.Name), zap.Time("expires", t.expires))
		}
	}
	a.origins = make(map[string]bool, len(a.Origins))
	for _, origin := range a.Origins {
		o, err := parseOrigin(origin)
		if err != nil {
			return err
		}
		a.origins[o.String()] = true
	}
	a.provisionServer(ctx)
	return nil
}

// provisionServer finds the server that the endpoint belongs to, its log and
// its site, and hides the endpoint's URLs from it and from the other servers.
func (a *Access) provisionServer(ctx caddy.Context) {
	server, _ := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if server == nil {
		return
	}
	a.hosts = siteHosts(server)
	app := HTTPApp(ctx)
	if app == nil {
		return
	}
	a.accessLog = ctx.Logger(app).Named("log.access")
	a.veil(app, server)
}

// HTTPApp is the app to which a handler that is being provisioned belongs, or
// nil outside of one.
func HTTPApp(ctx caddy.Context) *caddyhttp.App {
	for _, m := range ctx.Modules() {
		if app, ok := m.(*caddyhttp.App); ok {
			return app
		}
	}
	return nil
}

// Validate checks what can be checked without resolving placeholders.
func (a *Access) Validate() error {
	methods := len(a.URLSecrets) + len(a.BearerTokens)
	switch {
	case a.None && methods > 0:
		return errors.New("'none' lets anyone call, so it stands alone: remove it, or the other methods")
	case !a.None && methods == 0:
		return errors.New("nobody may call: write 'auth none', or 'auth' with 'url_secret {env.NAME}' or 'bearer <name> {env.NAME}' on a line of its block")
	}
	for _, secret := range a.URLSecrets {
		if err := checkReference(secret); err != nil {
			return fmt.Errorf("url_secret: %w", err)
		}
	}
	names := make(map[string]bool, len(a.BearerTokens))
	for _, t := range a.BearerTokens {
		if err := t.validate(); err != nil {
			return err
		}
		if names[t.Name] {
			return fmt.Errorf("bearer '%s' is given twice: give each token its own name", t.Name)
		}
		names[t.Name] = true
	}
	for _, origin := range a.Origins {
		if _, err := parseOrigin(origin); err != nil {
			return err
		}
	}
	return nil
}

// Check returns who makes the request, or how to refuse it. It looks at the
// Origin and Host headers first, then at the path, then at the credentials. A
// caller that it finds becomes Caddy's {http.auth.user.id}.
//
// The request must be one that [Access.Match] accepts.
func (a *Access) Check(r *http.Request) (Caller, *Refusal) {
	if refusal := a.checkOrigin(r); refusal != nil {
		return Caller{}, refusal
	}
	if refusal := a.checkHost(r); refusal != nil {
		return Caller{}, refusal
	}
	caller, refusal := a.authenticate(r)
	if refusal != nil {
		return Caller{}, refusal
	}
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok && caller.ID != "" {
		repl.Set("http.auth.user.id", caller.ID)
	}
	return caller, nil
}

// authenticate finds the caller by the path and the credentials.
func (a *Access) authenticate(r *http.Request) (Caller, *Refusal) {
	bare := false
	for _, u := range urls(r) {
		at := a.endpoint.locate(u)
		bare = bare || at.place == bareEndpoint
		if at.place != belowEndpoint || indexOf(a.secrets, at.segment) < 0 {
			continue
		}
		if private(r) {
			return urlSecretCaller, nil
		}
		a.logger.Warn("refused a URL secret that came over plain HTTP: use HTTPS, or list the proxy in trusted_proxies",
			zap.String("remote", r.RemoteAddr))
	}
	switch {
	case bare && a.None:
		return Caller{}, nil
	case bare && len(a.BearerTokens) > 0:
		return a.checkBearer(r)
	}
	return Caller{}, notFound
}

// MarshalLogObject writes what Caddy's trace log may show: how many secrets
// there are, and the names of the tokens.
func (a *Access) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	names := make([]string, 0, len(a.BearerTokens))
	for _, t := range a.BearerTokens {
		names = append(names, t.Name)
	}
	enc.AddInt("url_secrets", len(a.URLSecrets))
	enc.AddBool("none", a.None)
	zap.Strings("bearer_tokens", names).AddTo(enc)
	zap.Strings("origins", a.Origins).AddTo(enc)
	return nil
}

// Interface guards
var (
	_ caddy.Validator         = (*Access)(nil)
	_ zapcore.ObjectMarshaler = (*Access)(nil)
)
