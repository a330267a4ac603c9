package refapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
)

// A Token is what callers of an API have to show.
type Token struct{ sum [sha256.Size]byte }

// NewToken returns the token with a text, which must not be empty.
func NewToken(text string) (Token, error) {
	if text == "" {
		return Token{}, errors.New("a token is required")
	}
	return Token{sha256.Sum256([]byte(text))}, nil
}

// Is tells whether this is the text of the token. How long that takes says
// nothing about the token.
func (t Token) Is(text string) bool {
	sum := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(sum[:], t.sum[:]) == 1
}

// IsIn tells whether a request has "Authorization: Bearer …" with the token.
func (t Token) IsIn(r *http.Request) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && t.Is(given)
}
