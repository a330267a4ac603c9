package directive

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// Source reads the one jq argument that follows the current token of d:
//
//	<jq>          # one token: a word, backticks, double quotes or a heredoc
//	file <path>   # relative to the file in which it is written
//
// It consumes the arguments of the line. The text comes back as it was
// written, with Caddy's shorthands undone, and with its file and first line.
func Source(d *caddyfile.Dispenser) (program.Source, error) {
	word := d.Val()
	if !d.NextArg() {
		return program.Source{}, d.Errf("'%s' needs jq: write it in backticks, as a heredoc, or as 'file <path>'", word)
	}
	token := d.Token()
	if token.Text == "file" && !token.Quoted() && d.NextArg() {
		return sourceFile(d, word)
	}
	if d.NextArg() {
		if isHeredoc(token) {
			return program.Source{}, d.Errf("the heredoc after '%s' ends before '%s', because its marker occurs inside the text: choose another marker", word, d.Val())
		}
		return program.Source{}, d.Errf("unexpected '%s': jq that holds spaces or braces is written in backticks or as a heredoc", d.Val())
	}
	if env := envPlaceholder(token); env != "" {
		return program.Source{}, d.Errf("Caddy takes '%s' for the beginning of an environment variable, before jq is read: write '{ %s' instead", env, env[1:])
	}
	if strings.TrimSpace(token.Text) == "" {
		return program.Source{}, d.Errf("the jq after '%s' is empty", word)
	}
	line := token.Line
	if isHeredoc(token) {
		line++ // the text begins below the marker
	}
	return program.Source{Text: Plain(token.Text), File: token.File, Line: line}, nil
}

// sourceFile reads the file that the current token of d names.
func sourceFile(d *caddyfile.Dispenser, word string) (program.Source, error) {
	token := d.Token()
	if d.NextArg() {
		return program.Source{}, d.Errf("unexpected '%s' after '%s file': write one path, in quotes if it holds spaces", d.Val(), word)
	}
	path := token.Text
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(token.File), path)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the author of the config names it
	if err != nil {
		return program.Source{}, d.WrapErr(err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return program.Source{}, d.Errf("the jq file '%s' is empty", token.Text)
	}
	return program.Source{Text: string(text), File: path, Line: 1}, nil
}

// isHeredoc tells a heredoc by its two line breaks beyond those of its text.
func isHeredoc(token caddyfile.Token) bool {
	return token.NumLineBreaks() > strings.Count(token.Text, "\n")
}

// envPattern finds the beginning of what Caddy takes for an environment
// variable. The end, the next closing brace, can be on a later line.
var envPattern = regexp.MustCompile(`\{\$[^}\s]+`)

// envPlaceholder returns the first '{$name' in the lines of the file that the
// token was read from. Caddy has replaced it in the token already, which is
// why it reads the file. A file that cannot be read has none.
func envPlaceholder(token caddyfile.Token) string {
	text, err := os.ReadFile(token.File)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	first := min(max(token.Line-1, 0), len(lines))
	last := min(first+token.NumLineBreaks()+1, len(lines))
	return envPattern.FindString(strings.Join(lines[first:last], "\n"))
}
