package directive

import (
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// Unrecognized is the error for a word that is none of those that place takes.
// It names the one that was probably meant, or all.
func Unrecognized(d *caddyfile.Dispenser, word, place string, known ...string) error {
	for _, k := range known {
		if levenshtein.ComputeDistance(strings.ToLower(word), k) <= len(word)/3 {
			return d.Errf("unrecognized '%s' in %s: did you mean '%s'?", word, place, k)
		}
	}
	takes := strings.Join(known, ", ")
	if i := strings.LastIndex(takes, ", "); i >= 0 {
		takes = takes[:i] + " and " + takes[i+2:]
	}
	return d.Errf("unrecognized '%s' in %s: it takes %s", word, place, takes)
}
