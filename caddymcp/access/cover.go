package access

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// A cover is a request matcher that keeps the endpoint's secrets out of what a
// Caddy server logs of any request, whatever its host and path: a client may
// have mistaken either. It matches always.
type cover struct{ access *Access }

// MatchWithError returns true. A request with a secret in its URL goes on with
// a word in the secret's place, unlogged. A Referer that holds one is dropped.
func (c cover) MatchWithError(r *http.Request) (bool, error) {
	if uri := c.access.redact(r.RequestURI); uri != r.RequestURI {
		hush(r)
		r.RequestURI = uri
		// No escape is broken, since none is but in a secret as a whole.
		escaped := c.access.redact(r.URL.EscapedPath())
		if plain, err := url.PathUnescape(escaped); err == nil {
			r.URL.Path, r.URL.RawPath = plain, escaped
		}
		r.URL.RawQuery = c.access.redact(r.URL.RawQuery)
	}
	if referrer := r.Referer(); c.access.redact(referrer) != referrer {
		hush(r)
		r.Header.Del("Referer")
	}
	return true, nil
}

// hush has Caddy write no access log entry of the request, nor an error log
// entry unless the log_name directive chooses a logger.
func hush(r *http.Request) {
	silence(r)
	caddyhttp.SetVar(r.Context(), caddyhttp.LogSkipVar, true)
}

// carries tells whether a secret stood in the URL that the request came with.
func (a *Access) carries(r *http.Request) bool {
	uri := r.RequestURI
	if orig, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request); ok {
		uri = orig.RequestURI
	}
	return a.redact(uri) != uri
}

// redact puts a word in the place of every secret in the text of a URL,
// whether or not it is written with escapes.
func (a *Access) redact(text string) string {
	text = a.redactPieces(text, false)
	if strings.Contains(text, "%") {
		text = a.redactPieces(text, true)
	}
	return text
}

// redactPieces looks at the pieces between the characters that no URL secret
// has. If unescape is set, an escape counts as the character it stands for.
func (a *Access) redactPieces(text string, unescape bool) string {
	var shown strings.Builder
	piece := make([]byte, 0, 64)
	done, start := 0, 0 // the end of what is shown, and the beginning of the piece
	for i := 0; i <= len(text); {
		c, n := character(text[i:], unescape)
		if isPlainByte(c) {
			piece = append(piece, c)
			i += n
			continue
		}
		if a.isSecret(string(piece)) {
			shown.WriteString(text[done:start] + "REDACTED")
			done = i
		}
		i += n
		piece, start = piece[:0], i
	}
	return shown.String() + text[done:]
}

// character returns the character that text begins with, and how many bytes of
// text it takes. The end counts as the character 0.
func character(text string, unescape bool) (byte, int) {
	if text == "" {
		return 0, 1
	}
	if unescape && text[0] == '%' && len(text) > 2 {
		if c, err := strconv.ParseUint(text[1:3], 16, 8); err == nil {
			return byte(c), 3
		}
	}
	return text[0], 1
}

// isSecret tells whether a piece of a URL is one of the endpoint's secrets. Few
// pieces have the form of one.
func (a *Access) isSecret(piece string) bool {
	return checkURLSecret(piece) == nil && (indexOf(a.secrets, piece) >= 0 || indexOf(a.tokens, piece) >= 0)
}

// Interface guards
var _ caddyhttp.RequestMatcherWithError = cover{}
