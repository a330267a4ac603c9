package upstream

// Names lists the upstreams by name.
func (s Set) Names() []string {
	names := make([]string, len(s))
	for i, u := range s {
		names[i] = u.Name
	}
	return names
}

// Default is the upstream of tools that name none, if there is one.
func (s Set) Default() (name string, ok bool) {
	if u := s.Get(""); u != nil {
		return u.Name, true
	}
	return "", false
}

// PublicWeb reports whether the named upstream is the public web.
func (s Set) PublicWeb(name string) bool {
	u := s.Get(name)
	return u != nil && u.PublicWeb
}

// Safe reports whether a request to the named upstream changes nothing. See
// [Upstream.Safe].
func (s Set) Safe(name, method, path string) bool {
	u := s.Get(name)
	return u != nil && u.Safe(method, path)
}
