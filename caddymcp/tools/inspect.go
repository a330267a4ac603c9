package tools

import (
	"context"
	"slices"
)

// PassesThrough reports whether a tool answers with an API's reply as it came,
// whatever is in it and however long it is, as far as its text tells: it has no
// result or output, or the result is '.', or its program is one request.
func (s *Set) PassesThrough(name string) bool {
	t := s.byName[name]
	if t == nil || t.output != nil {
		return false
	}
	return slices.ContainsFunc(s.actionsOf(name), func(a *action) bool { return a.plain })
}

// Mixes reports whether some cases of a tool only read while others write,
// and it has no view for read-only mode, which tells the ones from the others.
func (s *Set) Mixes(name string) bool {
	actions := s.actionsOf(name)
	reads := func(a *action) bool { return a.hints.readOnly }
	writes := func(a *action) bool { return !reads(a) }
	return slices.ContainsFunc(actions, reads) && slices.ContainsFunc(actions, writes) &&
		s.byName[name].config.ReadOnlyView == nil
}

// Unsafe reports whether the author says of the action that a call chooses that
// it changes something, so that even its reads may.
func (s *Set) Unsafe(ctx context.Context, call *Call) bool {
	t := s.byName[call.Name]
	if t == nil || t.listed == nil {
		return false
	}
	args, err := t.args.read(ctx, call.Arguments)
	if err != nil { // which refuses the call
		return false
	}
	a := t.choose(args)
	return a != nil && a.unsafe
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
