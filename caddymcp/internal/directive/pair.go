package directive

import (
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// Pair reads the two arguments that follow the current token of d: jq, and a
// message that may hold \( ) interpolations. Each is one token.
func Pair(d *caddyfile.Dispenser) (jq, message program.Source, err error) {
	word := d.Val()
	if d.CountRemainingArgs() != 2 {
		return jq, message, d.Errf("'%s' needs two arguments, jq and a message: write each in backticks or quotes if it holds spaces", word)
	}
	for _, target := range []*program.Source{&jq, &message} {
		d.NextArg()
		token := d.Token()
		if env := envPlaceholder(token); env != "" {
			return jq, message, d.Errf("Caddy replaces '%s' by an environment variable before jq is read: write '{ %s' instead", env, env[1:])
		}
		if strings.TrimSpace(token.Text) == "" {
			return jq, message, d.Errf("an argument of '%s' is empty: it needs jq and a message", word)
		}
		*target = program.Source{Text: Plain(token.Text), File: token.File, Line: token.Line}
	}
	return jq, message, nil
}
