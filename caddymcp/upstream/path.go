package upstream

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// validatePath checks a path of the config.
func validatePath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("the path '%s' does not begin with '/'", path)
	}
	if strings.ContainsAny(path, "?#") {
		return fmt.Errorf("the path '%s' holds a query or a fragment: write the path alone", path)
	}
	if !decent(path) {
		return fmt.Errorf("the path '%s' holds a segment that is '.' or '..', or a bad escape", path)
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if segment == "*" || !strings.ContainsAny(segment, "*{}") {
			continue
		}
		before := strings.Join(segments[:i], "/")
		if i < len(segments)-1 {
			return fmt.Errorf("in the path '%s', only a segment that is '*' stands for any other: write '%s'",
				path, before+"/*/"+strings.Join(segments[i+1:], "/"))
		}
		stem, _, _ := strings.Cut(segment, "*")
		stem, _, _ = strings.Cut(stem, "{")
		parent := strings.TrimSuffix(before+"/"+stem, "/")
		return fmt.Errorf("in the path '%s', only a segment that is '*' stands for any other: write '%s' and '%s', each on its own",
			path, cmp.Or(parent, "/"), parent+"/*")
	}
	return nil
}

// matchPath reports whether path has as many segments as pattern, each equal
// to the pattern's or covered by its '*'.
func matchPath(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	return len(want) == len(have) && matchSegments(want, have)
}

// underPath reports whether path is pattern or below it.
func underPath(pattern, path string) bool {
	want := strings.Split(strings.TrimSuffix(pattern, "/"), "/")
	have := strings.Split(path, "/")
	return len(have) >= len(want) && matchSegments(want, have[:len(want)])
}

func matchSegments(want, have []string) bool {
	for i := range want {
		if want[i] == "*" && have[i] != "" || want[i] == have[i] {
			continue
		}
		w, err1 := url.PathUnescape(want[i])
		h, err2 := url.PathUnescape(have[i])
		if err1 != nil || err2 != nil || w != h {
			return false
		}
	}
	return true
}

// decent reports whether no segment of an escaped path, also when a server
// takes an encoded slash for a real one, is '.' or '..'.
func decent(path string) bool {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return false
	}
	for segment := range strings.FieldsFuncSeq(plain, func(r rune) bool { return r == '/' || r == '\\' }) {
		// What follows a semicolon is a parameter of the segment to some servers.
		if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
			return false
		}
	}
	return true
}

// below returns what is left of an escaped path below base, and whether it is
// there at all.
func below(base, path string) (string, bool) {
	base = strings.TrimSuffix(base, "/")
	rest, ok := strings.CutPrefix(path, base)
	if !ok || !decent(path) {
		return "", false
	}
	if rest == "" {
		return "/", true
	}
	return rest, rest[0] == '/'
}

// sameOrigin compares scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) &&
		strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

// portOf is u's port, or that of its scheme.
func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if strings.EqualFold(u.Scheme, "https") {
		return "443"
	}
	return "80"
}
