package tools

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// A path is a path template: literal text and the names of arguments between.
type path []pathPart

type pathPart struct {
	literal string // escaped
	name    string // of an argument, if literal is empty
}

// parsePath reads a path template and refuses what an author cannot have
// meant. Percent-encodings stay as they are written.
func parsePath(template string) (path, error) {
	if !strings.HasPrefix(template, "/") {
		return nil, fmt.Errorf("path '%s' must begin with '/'", template)
	}
	var parts path
	var plain strings.Builder // the template with each argument as one harmless character
	for rest := template; rest != ""; {
		literal, after, found := strings.Cut(rest, "{")
		if strings.Contains(literal, "}") {
			return nil, fmt.Errorf("path '%s' has a '}' without '{'", template)
		}
		escaped, err := escapeLiteral(literal)
		if err != nil {
			return nil, fmt.Errorf("path '%s' %w", template, err)
		}
		if escaped != "" {
			parts = append(parts, pathPart{literal: escaped})
			plain.WriteString(literal)
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(after, "}")
		if !closed {
			return nil, fmt.Errorf("path '%s' has a '{' without '}'", template)
		}
		if name == "" || strings.Contains(name, "{") {
			return nil, fmt.Errorf("path '%s' has '{%s}', write the name of a parameter between the braces", template, name)
		}
		parts = append(parts, pathPart{name: name})
		plain.WriteByte('*')
		rest = after
	}
	for segment := range strings.SplitSeq(plain.String(), "/") {
		if decoded, _ := url.PathUnescape(segment); decoded == "." || decoded == ".." {
			return nil, fmt.Errorf("path '%s' has the segment '%s', write the path that is meant", template, segment)
		}
	}
	return parts, nil
}

// escapeLiteral escapes what is not ASCII in the literal part of a path, and
// refuses what must not be there.
func escapeLiteral(literal string) (string, error) {
	var escaped strings.Builder
	for i := range len(literal) {
		switch c := literal[i]; {
		case c == '?':
			return "", errors.New("has a '?', write query parameters as 'param' or 'query'")
		case c == '#':
			return "", errors.New("has a '#', which no request can send: write '%23'")
		case c <= ' ' || c == 0x7f || c == '\\':
			return "", fmt.Errorf("has the character %q, write '%%%02X'", c, c)
		case c >= 0x80:
			fmt.Fprintf(&escaped, "%%%02X", c)
		default:
			escaped.WriteByte(c)
		}
	}
	if _, err := url.PathUnescape(literal); err != nil {
		return "", errors.New("has a '%' that begins no percent-encoding, write '%25'")
	}
	return escaped.String(), nil
}

// names are the arguments in the path.
func (p path) names() []string {
	var names []string
	for _, part := range p {
		if part.name != "" {
			names = append(names, part.name)
		}
	}
	return names
}

// pattern is the path with '*' for each segment that holds an argument, the
// form in which programs report theirs.
func (p path) pattern() string {
	var text strings.Builder
	for _, part := range p {
		if part.name != "" {
			text.WriteByte(0)
		}
		text.WriteString(part.literal)
	}
	segments := strings.Split(text.String(), "/")
	for i, segment := range segments {
		if strings.Contains(segment, "\x00") {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}

// expand puts the arguments in, each encoded so that it cannot leave its segment.
func (p path) expand(args map[string]any) (string, error) {
	var text strings.Builder
	for _, part := range p {
		if part.name == "" {
			text.WriteString(part.literal)
			continue
		}
		value := args[part.name]
		segment, err := program.Segment(value)
		if err != nil {
			return "", refuse("%s: %s", part.name, misplaced(value))
		}
		text.WriteString(segment)
	}
	return text.String(), nil
}

// misplaced says why a value cannot be a segment of a path.
func misplaced(value any) string {
	switch value := value.(type) {
	case string:
		if value == "" {
			return "must not be empty"
		}
		return "may not be '.' or '..', or lead there"
	default:
		return "must be a string, a number or a boolean, because it is part of the path"
	}
}
