package access

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// BearerToken is one token that callers send in their Authorization header.
type BearerToken struct {
	// Who the token was given to, as logs and tools see it: 1 to 64
	// characters of `A-Z a-z 0-9 . _ -`. Required.
	Name string `json:"name,omitempty"`

	// The token, as a placeholder, `{env.NAME}` or `{file./path}`, or its
	// hash, `sha256:<hex>`. A token has at least 128 bits. Required.
	Token string `json:"token,omitempty"`

	// The scopes of whoever sends the token. Default: none.
	Scopes []string `json:"scopes,omitempty"`

	// When the token begins to be valid: a date and time (RFC 3339), or a
	// date, which means its first moment in UTC. Default: at once.
	NotBefore string `json:"not_before,omitempty"`

	// When the token ceases to be valid, written like `not_before`.
	// Default: never.
	Expires string `json:"expires,omitempty"`

	notBefore time.Time // zero for at once
	expires   time.Time // zero for never
}

var (
	tokenName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

	// scopeToken is what a scope is made of (RFC 6749, section 3.3).
	scopeToken = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]+$`)
)

// validate checks what can be checked without resolving placeholders.
func (t *BearerToken) validate() error {
	if t == nil {
		return errors.New("bearer: a token is null: give it a name and a token")
	}
	if !tokenName.MatchString(t.Name) {
		return fmt.Errorf("bearer '%s': a name has 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'", t.Name)
	}
	if err := checkReference(t.Token); err != nil {
		return fmt.Errorf("bearer '%s': %w", t.Name, err)
	}
	for _, scope := range t.Scopes {
		if !scopeToken.MatchString(scope) {
			return fmt.Errorf("bearer '%s': '%s' is not a scope: use printable ASCII without spaces, quotes and backslashes", t.Name, scope)
		}
	}
	if _, _, err := t.validity(); err != nil {
		return fmt.Errorf("bearer '%s': %w", t.Name, err)
	}
	return nil
}

// validity returns from when and until when the token is valid.
func (t *BearerToken) validity() (notBefore, expires time.Time, err error) {
	if notBefore, err = parseTime(t.NotBefore); err != nil {
		return notBefore, expires, fmt.Errorf("not_before: %w", err)
	}
	if expires, err = parseTime(t.Expires); err != nil {
		return notBefore, expires, fmt.Errorf("expires: %w", err)
	}
	if !expires.IsZero() && !notBefore.Before(expires) {
		return notBefore, expires, fmt.Errorf("it expires at '%s', before it begins to be valid at '%s'", t.Expires, t.NotBefore)
	}
	return notBefore, expires, nil
}

// expired tells whether the token has ceased to be valid.
func (t *BearerToken) expired(now time.Time) bool {
	return !t.expires.IsZero() && !now.Before(t.expires)
}

// parseTime reads an RFC 3339 date, or date and time. Empty is the zero time.
func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("'%s' is not a date: write it as 2027-01-31 or 2027-01-31T12:00:00Z", text)
}

// checkBearer finds the caller by the Authorization header, which is the only
// place where a token is looked for.
func (a *Access) checkBearer(r *http.Request) (Caller, *Refusal) {
	token, present := bearerToken(r.Header.Values("Authorization"))
	if !present {
		return Caller{}, unauthorized
	}
	i := indexOf(a.tokens, token)
	if i < 0 {
		return Caller{}, invalidToken
	}
	t := a.BearerTokens[i]
	if now := time.Now(); now.Before(t.notBefore) || t.expired(now) {
		return Caller{}, invalidToken
	}
	return t.caller(), nil
}

// bearerToken takes the token from the values of the Authorization header.
// present means that bearer credentials were given. If the token is empty
// nevertheless, there is none in them, or there is more than one header.
func bearerToken(values []string) (token string, present bool) {
	if len(values) != 1 {
		return "", len(values) > 1
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimLeft(token, " "), true
}
