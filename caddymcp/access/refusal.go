package access

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Refusal is the answer to a request that may not go on.
type Refusal struct {
	// Status is the HTTP status code.
	Status int

	// Challenge is the WWW-Authenticate header (RFC 6750), or empty.
	Challenge string

	// Message is the body: one line for the person who reads it.
	Message string
}

// challenge begins every WWW-Authenticate header.
const challenge = `Bearer realm="mcp"`

// The refusals that do not depend on the request.
var (
	notFound      = &Refusal{Status: http.StatusNotFound, Message: "not found"}
	unauthorized  = &Refusal{Status: http.StatusUnauthorized, Challenge: challenge, Message: "a bearer token is required"}
	invalidToken  = &Refusal{Status: http.StatusUnauthorized, Challenge: challenge + `, error="invalid_token"`, Message: "the bearer token is not valid"}
	originRefused = &Refusal{Status: http.StatusForbidden, Message: "origin not allowed"}
	hostRefused   = &Refusal{Status: http.StatusForbidden, Message: "host not allowed"}
)

// NotFound writes the 404 that answers every path of an endpoint where there
// is nothing. It is the same for all of them, so a wrong secret does not tell
// itself from a wrong path.
func NotFound(w http.ResponseWriter) { notFound.Write(w) }

// InsufficientScope is the 403 for a caller that lacks one of the required
// scopes. Its challenge lists what the caller has and what it needs, since
// clients ask for exactly what is listed. There is no challenge where no
// bearer token is configured.
func (a *Access) InsufficientScope(caller Caller, required []string) *Refusal {
	refusal := &Refusal{Status: http.StatusForbidden, Message: "insufficient scope: this takes " + strings.Join(required, " ")}
	if len(a.BearerTokens) > 0 {
		scopes := slices.Clone(caller.Scopes)
		for _, scope := range required {
			if !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
		refusal.Challenge = challenge + `, error="insufficient_scope", scope="` + strings.Join(scopes, " ") + `"`
	}
	return refusal
}

// Write sends the refusal.
func (f *Refusal) Write(w http.ResponseWriter) {
	body := f.Message + "\n"
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	if f.Challenge != "" {
		h.Set("WWW-Authenticate", f.Challenge)
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(body)) //nolint:gosec // no part of a request is in it
}
