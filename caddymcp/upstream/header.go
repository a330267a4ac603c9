package upstream

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"golang.org/x/net/http/httpguts"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// A Header is one header that every request of an upstream carries.
type Header struct {
	// The header's name.
	Name string `json:"name"`

	// Its value. Placeholders are evaluated for every request, in the MCP
	// request that it is made for:
	//
	// Placeholder | Description
	// ------------|-------------
	// `{env.*}`, `{file.*}` | An environment variable or a file. It must not be empty when the config loads.
	// `{mcp.caller.id}` | Who calls.
	// `{mcp.caller.name}` | The caller's name.
	// `{mcp.caller.scopes}` | What the caller may do, separated by spaces.
	// `{mcp.tool}` | The tool that is called.
	//
	// A header is left out if all its placeholders are empty. Authorization,
	// Cookie, Proxy-Authorization, and what ends in -Token, -Secret, -Key or
	// -Password, but for Idempotency-Key and X-Csrf-Token, hold credentials,
	// which are not accepted as they are: write {env.NAME} or {file./path}.
	Value string `json:"value"`
}

// transportHeaders are what the connection sets by itself, so that neither the
// config nor a tool can.
var transportHeaders = []string{
	"Accept-Encoding", "Cdn-Loop", "Connection", "Content-Length", "Expect", "Keep-Alive",
	"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// secretName matches the headers that hold secrets, as a rule: [holdsNoSecret] knows
// the exceptions.
var secretName = regexp.MustCompile(`(?i)^((proxy-)?authorization|cookie|.*-(token|secret|key|password))$`)

// isCredential reports whether a header holds a secret.
func isCredential(name string) bool {
	return secretName.MatchString(name) && !holdsNoSecret(name)
}

// holdsNoSecret reports whether a header is named like one that holds a secret,
// and holds none.
func holdsNoSecret(name string) bool {
	name = strings.ToLower(name)
	return name == "idempotency-key" || name == "x-csrf-token"
}

// callerSecrets finds placeholders that hold the caller's own credentials: its
// Authorization and Cookie headers, the URL with its secret, the body.
var callerSecrets = regexp.MustCompile(`(?i)\{http\.request\.(header\.(authorization|cookie|proxy-authorization)\}|cookie\.|(orig_)?uri|body)`)

// placeholders finds what the replacer would evaluate.
var placeholders = regexp.MustCompile(`\{[^{}\s]+\}`)

// dotless finds a placeholder, not escaped, whose name has no dot. Caddy knows
// none such.
var dotless = regexp.MustCompile(`(?:^|[^\\])\{([^{}.\\]*)\}`)

// checkPlaceholders refuses a placeholder without a dot: nothing would be sent
// in its place, silently.
func checkPlaceholders(text string) error {
	found := dotless.FindStringSubmatch(text)
	switch {
	case found == nil:
		return nil
	case envName.MatchString(found[1]):
		return fmt.Errorf("unknown placeholder '{%s}': did you mean '{env.%[1]s}'?", found[1])
	}
	return fmt.Errorf("unknown placeholder '{%s}': write a brace that begins none as '\\{'", found[1])
}

// envName is what environment variables are called.
var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func (h Header) validate(public bool) error {
	key := http.CanonicalHeaderKey(h.Name)
	secret := isCredential(h.Name)
	switch {
	case !httpguts.ValidHeaderFieldName(h.Name):
		return fmt.Errorf("'%s' is not a header name", h.Name)
	case slices.Contains(transportHeaders, key):
		return fmt.Errorf("the header '%s' belongs to the connection and cannot be set", h.Name)
	case !httpguts.ValidHeaderFieldValue(h.Value):
		return fmt.Errorf("the value of header '%s' holds a line break or another control character", h.Name)
	case public && (secret || placeholders.MatchString(h.Value)):
		return fmt.Errorf("public_web sends no credentials: the header '%s' cannot be one and cannot hold a placeholder", h.Name)
	case secret && !placeholders.MatchString(h.Value):
		return fmt.Errorf("the header '%s' holds its secret in plain text: write {env.NAME} or {file./path} in its place", h.Name)
	case callerSecrets.MatchString(h.Value):
		return fmt.Errorf("the header '%s' would hand the caller's own credentials, URL or body to the API", h.Name)
	}
	return checkPlaceholders(h.Value)
}

// provision checks that what is known when the config loads is not empty.
func (h Header) provision() error {
	_, err := caddy.NewReplacer().ReplaceFunc(h.Value, func(key string, value any) (any, error) {
		fixed := strings.HasPrefix(key, "env.") || strings.HasPrefix(key, "file.")
		if fixed && caddy.ToString(value) == "" {
			return nil, fmt.Errorf("the header '%s' needs {%s}, which is not set or empty", h.Name, key)
		}
		return value, nil
	})
	return err
}

// value evaluates the header for one call. It is empty if the header is to be
// left out.
func (h Header) value(call *Call, repl *caddy.Replacer) (string, error) {
	seen, some := false, false
	value, err := repl.ReplaceFunc(h.Value, func(key string, value any) (any, error) {
		if own, ok := call.placeholder(key); ok {
			value = own
		}
		seen = true
		some = some || caddy.ToString(value) != ""
		return value, nil
	})
	if err != nil || (seen && !some) {
		return "", err
	}
	return strings.TrimSpace(value), nil
}

// header makes the headers of one request: the defaults, then the tool's, then
// the config's.
func (u *Upstream) header(ctx context.Context, req *program.Request) (http.Header, error) {
	header := http.Header{
		"Accept":     {"application/json, */*;q=0.5"},
		"User-Agent": {"caddymcp"},
	}
	if req.Body != nil && req.ContentType != "" {
		header.Set("Content-Type", req.ContentType)
	}
	for name, values := range req.Header {
		key := http.CanonicalHeaderKey(name)
		if !httpguts.ValidHeaderFieldName(name) || key == "Host" || slices.Contains(transportHeaders, key) {
			return nil, &program.Error{Message: fmt.Sprintf("a tool cannot set the header '%s'", printable(name))}
		}
		if u.PublicWeb && isCredential(name) {
			return nil, &program.Error{Message: fmt.Sprintf("the header '%s' is not sent to the public web", name)}
		}
		if !slices.ContainsFunc(values, func(v string) bool { return !httpguts.ValidHeaderFieldValue(v) }) {
			header[key] = slices.Clone(values)
			continue
		}
		return nil, &program.Error{Message: fmt.Sprintf("the value of header '%s' holds a line break or another control character", name)}
	}
	call := callOf(ctx)
	repl := call.replacer()
	own := http.Header{}
	for _, h := range u.Headers {
		value, err := h.value(call, repl)
		if err != nil || !httpguts.ValidHeaderFieldValue(value) {
			return nil, &program.Error{Message: fmt.Sprintf("the header '%s' of %s cannot be sent", h.Name, u.name())}
		}
		// A header of the config keeps a tool from setting it, even when it
		// is left out.
		header.Del(h.Name)
		if value != "" {
			own.Add(h.Name, value)
		}
	}
	for name, values := range own {
		header[name] = values
	}
	header.Set("CDN-Loop", LoopToken)
	return header, nil
}

// LoopToken is the value of the CDN-Loop header (RFC 8586) that every request
// carries. An MCP request that carries it comes from one of our own upstreams.
const LoopToken = "caddymcp"
