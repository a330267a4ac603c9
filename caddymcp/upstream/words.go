package upstream

import (
	"fmt"
	"html"
	"maps"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxWords is how many characters of an API's own words are passed on.
const maxWords = 300

// words are what an API says of a failure: the message of its error object
// (RFC 9457 and the habits of the common frameworks), or a line of plain text.
// They are empty if there is nothing that reads like a sentence.
func words(body any) string {
	switch body := body.(type) {
	case map[string]any:
		return objectWords(body)
	case []any:
		return tidy(listWords(body))
	case string:
		return textWords(body)
	}
	return ""
}

// sentenceKeys are where APIs put their message, the most telling first.
var sentenceKeys = []string{"detail", "message", "error", "error_description", "title", "msg", "errors"}

func objectWords(body map[string]any) string {
	for _, key := range sentenceKeys {
		switch value := body[key].(type) {
		case string:
			if text := tidy(value); text != "" {
				return text
			}
		case []any:
			if text := tidy(listWords(value)); text != "" {
				return text
			}
		case map[string]any:
			if text := objectWords(value); text != "" {
				return text
			}
		}
	}
	return tidy(fieldWords(body))
}

// listWords joins a list of messages. Items with a loc, as FastAPI sends, say
// which field they are about.
func listWords(list []any) string {
	var parts []string
	for _, item := range list {
		switch item := item.(type) {
		case string:
			parts = append(parts, item)
		case map[string]any:
			text := ""
			for _, key := range []string{"msg", "message", "detail", "title"} {
				if s, ok := item[key].(string); ok {
					text = s
					break
				}
			}
			if text == "" {
				text = fieldWords(item)
			}
			if field := fieldOf(item); field != "" && text != "" {
				text = field + ": " + text
			}
			if text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "; ")
}

// fieldOf is the field that an item of an error list is about.
func fieldOf(item map[string]any) string {
	if loc, ok := item["loc"].([]any); ok {
		var path []string
		for i, part := range loc {
			text := fmt.Sprint(part)
			if i == 0 && slices.Contains([]string{"body", "query", "path", "header", "cookie"}, text) {
				continue
			}
			path = append(path, text)
		}
		return strings.Join(path, ".")
	}
	for _, key := range []string{"field", "pointer", "param"} {
		if s, ok := item[key].(string); ok {
			return s
		}
	}
	return ""
}

// fieldWords reads an object whose members are lists of messages about the
// field of that name, or such objects again, as Django REST framework sends.
func fieldWords(body map[string]any) string {
	var parts []string
	for _, field := range slices.Sorted(maps.Keys(body)) {
		var text string
		switch member := body[field].(type) {
		case []any:
			text = listWords(member)
		case map[string]any:
			text = fieldWords(member)
		}
		switch {
		case text == "":
		case field == "non_field_errors":
			parts = append(parts, text)
		default:
			parts = append(parts, field+": "+text)
		}
	}
	return strings.Join(parts, "; ")
}

// textWords takes a short plain text, but no page and no stack trace.
func textWords(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<") || strings.Contains(text, "\n") || len(text) > 4*maxWords {
		return ""
	}
	return tidy(text)
}

var (
	tag        = regexp.MustCompile(`</?[A-Za-z!][^<>]*>`)
	traceStart = regexp.MustCompile(`(?i)^\s*(traceback \(most recent call last\)|goroutine \d+ \[|exception in thread)`)
)

// tidy makes one short line of an API's text: no markup, no control
// characters, no trace.
func tidy(text string) string {
	if traceStart.MatchString(text) {
		return ""
	}
	if len(text) > 8*maxWords {
		text = strings.ToValidUTF8(text[:8*maxWords], "")
	}
	// Of a text with more than a few lines, the rest is a trace or a page.
	if strings.Count(text, "\n") > 3 {
		text, _, _ = strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	}
	text = html.UnescapeString(text)
	for tag.MatchString(text) {
		text = tag.ReplaceAllString(text, "")
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return shorten(strings.Join(strings.Fields(text), " "))
}

// shorten cuts text to maxWords characters.
func shorten(text string) string {
	runes := []rune(text)
	if len(runes) <= maxWords {
		return text
	}
	return strings.TrimSpace(string(runes[:maxWords-1])) + "…"
}

// printable is a name that a tool made, for a sentence.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, shorten(text))
}

// address finds URLs, IP addresses and names with a port. Of names without a
// dot only a port of four digits or more tells them from 'status:404'.
var address = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`,
	`\[[0-9a-f:.]+\](?::\d+)?`,
	`[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,}[0-9a-f.]*`,
	`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b`,
	`\b[a-z0-9-]+(?:\.[a-z0-9-]+)+:\d{2,5}\b`,
	`\b[a-z][a-z0-9-]*:\d{4,5}\b`,
	`\blocalhost\b`,
}, "|"))

// scrub takes the internal addresses out of an API's words.
func (u *Upstream) scrub(text string, out *outgoing) string {
	return address.ReplaceAllStringFunc(text, func(found string) string {
		if u.internal(hostOf(found), out) {
			return "[address]"
		}
		return found
	})
}

// hostOf is the host of a URL or host:port.
func hostOf(text string) string {
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text, _, _ = strings.Cut(rest, "/")
		if _, host, ok := strings.Cut(text, "@"); ok {
			text = host
		}
	}
	if host, _, err := net.SplitHostPort(text); err == nil {
		return host
	}
	return strings.Trim(text, "[]")
}

// internal reports whether host is the upstream's own, has no dot, or is an
// address that is not public.
func (u *Upstream) internal(host string, out *outgoing) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return !public(ip)
	}
	if strings.Contains(host, ":") {
		return false // a time of day
	}
	if strings.EqualFold(host, out.url.Hostname()) && !u.PublicWeb {
		return true
	}
	return host != "" && !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal")
}
