package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"math"
	"regexp"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// A digest is the SHA-256 of a secret: all that is kept of it.
type digest = [sha256.Size]byte

// digestPrefix marks a secret that is given by its digest.
const digestPrefix = "sha256:"

// What a secret must be made of, and of how much.
const (
	minBits     = 128
	minDistinct = 8
)

var (
	// Errors never hold the text they are about, which may be a secret.
	errReference = errors.New("a secret does not belong in the config: write {env.NAME}, {file./path} or sha256:<64 hex digits>")

	errPlaceholder = errors.New("unknown placeholder: a secret is {env.NAME}, {file./path} or sha256:<64 hex digits>")

	errWeak = errors.New("the secret is too weak, it needs 128 bits: make one with 'openssl rand -hex 32'")

	errURLCharacters = errors.New("the secret has characters that do not belong in a URL path: use A-Z, a-z, 0-9, '-' and '_', as 'openssl rand -hex 32' does")

	errTokenCharacters = errors.New("the token has characters that a bearer token cannot have: make one with 'openssl rand -hex 32'")
)

var (
	placeholder = regexp.MustCompile(`^\{(env|file)\.[^{}]+\}$`)

	// b64token is what a bearer token is made of (RFC 6750, section 2.1).
	b64token = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)
)

// checkReference refuses a secret that is not given by placeholder or digest.
func checkReference(secret string) error {
	switch {
	case placeholder.MatchString(secret):
		return nil
	case strings.HasPrefix(secret, "{"):
		return errPlaceholder
	}
	if _, err := parseDigest(secret); err != nil {
		return errReference
	}
	return nil
}

// parseDigest reads sha256:<hex>.
func parseDigest(text string) (d digest, err error) {
	text, ok := strings.CutPrefix(text, digestPrefix)
	if !ok || len(text) != hex.EncodedLen(len(d)) {
		return d, errReference
	}
	_, err = hex.Decode(d[:], []byte(text))
	return d, err
}

// resolve returns the digest of a secret that [checkReference] accepts. check
// judges the secret itself, where it is known.
func resolve(repl *caddy.Replacer, secret string, check func(string) error) (digest, error) {
	if strings.HasPrefix(secret, digestPrefix) {
		return parseDigest(secret)
	}
	value, err := repl.ReplaceOrErr(secret, true, true)
	if err != nil {
		return digest{}, err
	}
	if err := check(value); err != nil {
		return digest{}, err
	}
	return sha256.Sum256([]byte(value)), nil
}

// checkURLSecret judges a secret for the URL.
func checkURLSecret(secret string) error {
	if !isPlain(secret) {
		return errURLCharacters
	}
	return checkStrength(secret)
}

// isPlain tells whether text can be a URL secret: not empty, and made of what
// no URL ever escapes.
func isPlain(text string) bool {
	for i := range len(text) {
		if !isPlainByte(text[i]) {
			return false
		}
	}
	return text != ""
}

// isPlainByte tells whether a URL secret can have the character.
func isPlainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// checkToken judges a bearer token.
func checkToken(token string) error {
	if !b64token.MatchString(token) {
		return errTokenCharacters
	}
	return checkStrength(token)
}

// checkStrength refuses a secret that cannot have been drawn at random from
// 2^128: its length times the bits of the alphabet that it seems to use. What
// repeats a few characters is refused too. A long text that a person made up
// passes, as nothing tells it from chance.
func checkStrength(secret string) error {
	var digits, hexes, lower, upper, distinct int
	var seen [256]bool
	for i := range len(secret) {
		c := secret[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		}
		if c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' {
			hexes++
		}
		if !seen[c] {
			seen[c] = true
			distinct++
		}
	}
	alphabet := 64.0
	switch {
	case digits == len(secret):
		alphabet = 10
	case digits+hexes == len(secret) && (lower == 0 || upper == 0):
		alphabet = 16
	case lower == 0 || upper == 0:
		alphabet = 36
	}
	if distinct < minDistinct || float64(len(secret))*math.Log2(alphabet) < minBits {
		return errWeak
	}
	return nil
}

// indexOf returns which of digests is that of secret, or -1. It compares all
// of them, each in constant time, whether one has matched or not.
func indexOf(digests []digest, secret string) int {
	sum := sha256.Sum256([]byte(secret))
	found := -1
	for i := range digests {
		equal := subtle.ConstantTimeCompare(digests[i][:], sum[:])
		found = subtle.ConstantTimeSelect(equal, i, found)
	}
	return found
}
