package directive

import (
	"regexp"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

// shorthands are the placeholders that Caddy's adapter replaces by longer ones
// in every token of a site block.
var shorthands = []string{
	"host", "hostport", "port",
	"orig_method", "orig_uri", "orig_path", "orig_dir", "orig_file", "orig_query", "orig_?query",
	"method", "uri", "%uri", "path", "%path", "dir", "file", "query", "%query", "?query",
	"remote", "remote_host", "remote_port", "scheme", "uuid",
	"tls_cipher", "tls_version", "tls_client_fingerprint", "tls_client_issuer",
	"tls_client_serial", "tls_client_subject",
	"tls_client_certificate_pem", "tls_client_certificate_der_base64",
	"upstream_hostport", "client_ip",
}

// families are the shorthands that end in a name of the user's choice.
var families = []string{
	"header.", "cookie.", "labels.", "path.", "file.", "query.", "re.",
	"vars.", "rp.", "resp.", "err.", "file_match.",
}

// longPlaceholder finds what a replaced shorthand can look like.
var longPlaceholder = regexp.MustCompile(`\{http\.[\w.-]+\}`)

// Plain gives text back as it stands in the Caddyfile, where the adapter has
// replaced shorthands such as {path} or {query.q} by Caddy's full placeholder
// names. Where two shorthands mean the same, such as {file} and {path.file},
// it gives the one without a dot.
func Plain(text string) string {
	if !strings.Contains(text, "{http.") {
		return text
	}
	return longPlaceholder.ReplaceAllStringFunc(text, shorten)
}

// shorten returns the shorthand that Caddy replaces by long, or long itself.
func shorten(long string) string {
	table := tables()
	if short, ok := table.short[long]; ok {
		return short
	}
	for prefix, family := range table.family {
		name, ok := strings.CutPrefix(long, prefix)
		if !ok {
			continue
		}
		// A prefix can be the beginning of another, and a family does not
		// take every name, so only what leads back to long is right.
		if short := "{" + family + name; lengthen(short) == long {
			return short
		}
	}
	return long
}

// lengthen is what the adapter makes of text.
func lengthen(text string) string {
	segment := caddyfile.Segment{{Text: text}}
	httpcaddyfile.NewShorthandReplacer().ApplyToSegment(&segment)
	return segment[0].Text
}

// inverse leads from Caddy's long placeholders back to the shorthands.
type inverse struct {
	short  map[string]string // "{http.request.uri.path}" → "{path}"
	family map[string]string // "{http.request.header." → "header."
}

// tables computes the inverse from the replacer that the adapter uses.
var tables = sync.OnceValue(func() inverse {
	table := inverse{short: map[string]string{}, family: map[string]string{}}
	for _, name := range shorthands {
		table.short[lengthen("{"+name+"}")] = "{" + name + "}"
	}
	for _, name := range families {
		table.family[strings.TrimSuffix(lengthen("{"+name+"}"), "}")] = name
	}
	return table
})
