package tools

import "slices"

// PassesThrough reports whether a tool can answer with an API's reply as it
// came, whatever is in it and however long it is.
func (s *Set) PassesThrough(name string) bool {
	return slices.ContainsFunc(s.actionsOf(name), func(a *action) bool { return a.request != nil && a.result == nil })
}

// Mixes reports whether some actions of a tool only read while others write,
// and it has no view for read-only mode, which tells the ones from the others.
func (s *Set) Mixes(name string) bool {
	actions := s.actionsOf(name)
	reads := func(a *action) bool { return a.hints.readOnly }
	writes := func(a *action) bool { return !reads(a) }
	return slices.ContainsFunc(actions, reads) && slices.ContainsFunc(actions, writes) &&
		s.byName[name].config.ReadOnlyView == nil
}

// Unsafe reports whether some action of a tool changes something by requests
// that only read, as far as their methods tell.
func (s *Set) Unsafe(name string) bool {
	return slices.ContainsFunc(s.actionsOf(name), func(a *action) bool { return a.unsafe })
}

// Output returns the JSON Schema that lets a tool's results through, or nil if
// they can hold anything.
func (s *Set) Output(name string) []byte {
	if t := s.byName[name]; t != nil && t.output != nil {
		return t.output.text
	}
	return nil
}

// actionsOf are what a tool can do in the mode of the set.
func (s *Set) actionsOf(name string) []*action {
	t := s.byName[name]
	if t == nil {
		return nil
	}
	return slices.DeleteFunc(t.actions(), func(a *action) bool { return s.readOnly && !a.hints.readOnly })
}
