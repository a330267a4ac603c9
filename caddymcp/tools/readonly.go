package tools

import (
	"context"
	"slices"
)

// list makes what clients see of the tool. In read-only mode that is its
// reading half, or nothing.
func (c *compiler) list(out *tool) {
	view := c.view(out)
	if len(c.errs) > 0 {
		return
	}
	actions := out.actions()
	if c.env.ReadOnly {
		actions = slices.DeleteFunc(actions, func(a *action) bool { return !a.hints.readOnly })
		if len(actions) == 0 {
			return
		}
		out.args = view
	}
	h := actions[0].hints
	for _, a := range actions[1:] {
		h = h.join(a.hints)
	}
	out.listed = c.describe(out, h)
	if v := c.tool.ReadOnlyView; c.env.ReadOnly && v != nil && v.Description != "" {
		out.listed.Description = v.Description
	}
}

// actions are all that a tool can do.
func (t *tool) actions() []*action {
	var actions []*action
	if t.action != nil {
		actions = append(actions, t.action)
	}
	for _, a := range t.cases {
		if !slices.Contains(actions, a) {
			actions = append(actions, a)
		}
	}
	return actions
}

// view compiles what the tool accepts in read-only mode, so that its mistakes
// show outside that mode as well.
func (c *compiler) view(out *tool) *arguments {
	params := c.tool.Params
	if v := c.tool.ReadOnlyView; v != nil && len(v.Params) > 0 {
		c.checkView(out, v.Params)
		params = v.Params
	}
	reads := slices.ContainsFunc(out.actions(), func(a *action) bool { return a.hints.readOnly })
	writes := slices.ContainsFunc(out.actions(), func(a *action) bool { return !a.hints.readOnly })
	if c.tool.ReadOnlyView != nil && !(reads && writes) {
		c.fail("'read_only { … }' is for a tool whose cases read and write: remove it, or write 'read_only' alone to say that the tool changes nothing")
	}
	if c.tool.Input != "" && len(params) == 0 || !writes && c.tool.ReadOnlyView == nil {
		return out.args
	}
	params = slices.Clone(params)
	for i, p := range params {
		if p.Name == out.by && writes {
			params[i] = out.narrow(p)
		}
	}
	return c.declared(params, len(c.errs))
}

// checkView checks that a view only takes away.
func (c *compiler) checkView(out *tool, params []*Param) {
	has := func(params []*Param, name string) *Param {
		i := slices.IndexFunc(params, func(p *Param) bool { return p.Name == name })
		if i < 0 {
			return nil
		}
		return params[i]
	}
	for _, p := range params {
		switch original := has(c.params, p.Name); {
		case original == nil:
			c.fail("parameter '%s' in 'read_only' is no parameter of the tool: declare it there as well", p.Name)
		case original.Type != p.Type:
			c.fail("parameter '%s' in 'read_only' is of type %s, in the tool of type %s: use that", p.Name, p.Type, original.Type)
		}
	}
	for _, p := range c.params {
		if has(params, p.Name) == nil && (p.Required || p.Name == out.by && out.action == nil) {
			c.fail("'read_only' leaves out parameter '%s', without which the tool cannot be called: add it", p.Name)
		}
	}
}

// narrow leaves a case's parameter only the values that read.
func (t *tool) narrow(p *Param) *Param {
	narrowed := *p
	values := p.Enum
	if p.Type == "boolean" && values == nil {
		values = []string{"false", "true"}
	}
	narrowed.Enum = nil
	for _, text := range values {
		if v, err := parseValue(p, text); err == nil && t.reads(caseValue(v)) {
			narrowed.Enum = append(narrowed.Enum, text)
		}
	}
	if p.Default != nil && !slices.Contains(narrowed.Enum, *p.Default) {
		narrowed.Default = nil
		narrowed.Required = t.action == nil || !t.action.hints.readOnly
	}
	return &narrowed
}

// reads reports whether the action for a case's value changes nothing.
func (t *tool) reads(value string) bool {
	a := t.cases[value]
	if a == nil {
		a = t.action
	}
	return a != nil && a.hints.readOnly
}

// asksToWrite reports whether arguments, refused in read-only mode, are those
// of a case that writes.
func (t *tool) asksToWrite(ctx context.Context, raw []byte) bool {
	b := newBudget(ctx)
	decoded, err := b.decodeJSON(raw)
	if err != nil || t.by == "" {
		return false
	}
	args, _ := decoded.(map[string]any)
	v, given := args[t.by]
	if member := t.args.shape.members[t.by]; given && member != nil {
		value := caseValue(member.mend(v, b))
		return (t.cases[value] != nil || t.action != nil) && !t.reads(value)
	}
	return false
}
