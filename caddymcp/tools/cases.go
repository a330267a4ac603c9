package tools

import (
	"fmt"
	"slices"
	"strings"
)

// cases compiles the actions that one parameter chooses.
func (c *compiler) cases(out *tool) {
	out.by = c.tool.Cases[0].Param
	out.cases = map[string]*action{}
	i := slices.IndexFunc(c.params, func(p *Param) bool { return p.Name == out.by })
	if i < 0 {
		c.fail("case '%s' is no parameter of the tool", out.by)
		return
	}
	values, ok := c.caseValues(c.params[i])
	if !ok {
		return
	}
	for _, one := range c.tool.Cases {
		if one.Param != out.by {
			c.fail("case '%s' and case '%s' are of two parameters: the cases of a tool are of one", out.by, one.Param)
			return
		}
		if len(one.Values) == 0 {
			c.fail("case '%s' has no value, write case %s <value>", out.by, out.by)
			continue
		}
		when := out.by + "=" + strings.Join(one.Values, "|")
		compiled := c.action(&one.Action, when)
		compiled.requires = c.requires(one.Require)
		c.checkEffects(compiled)
		for _, value := range one.Values {
			switch {
			case !slices.Contains(values, value):
				c.fail("case %s=%s is no value of the parameter, it has %s", out.by, value, listed(values))
			case out.cases[value] != nil:
				c.fail("case %s=%s stands twice: remove one", out.by, value)
			default:
				out.cases[value] = compiled
			}
		}
	}
	c.checkCoverage(out, c.params[i], values)
}

// caseValues are the values that a case can name.
func (c *compiler) caseValues(p *Param) ([]string, bool) {
	switch {
	case p.Type == "boolean":
		return []string{"true", "false"}, true
	case (p.Type == "string" || p.Type == "integer") && len(p.Enum) > 0:
		var values []string
		for _, text := range p.Enum {
			if v, err := parseValue(p, text); err == nil {
				values = append(values, caseValue(v))
			}
		}
		return values, true
	}
	c.fail("case '%s' needs a parameter of type string or integer with an 'enum', or a boolean", p.Name)
	return nil, false
}

// checkCoverage makes sure that every call has an action.
func (c *compiler) checkCoverage(out *tool, p *Param, values []string) {
	var left []string
	for _, value := range values {
		if out.cases[value] == nil {
			left = append(left, value)
		}
	}
	certain := p.Required || p.Default != nil
	switch {
	case out.action == nil && len(left) > 0:
		c.fail("has no action for %s: add cases, or a request or 'run' for the rest", fmt.Sprintf("%s=%s", p.Name, strings.Join(left, ", ")))
	case out.action == nil && !certain:
		c.fail("has no action where '%s' is absent: make it 'required' or give it a 'default'", p.Name)
	case out.action != nil && len(left) == 0 && certain:
		c.fail("has a case for every value of '%s', so the action outside them is never used: remove it", p.Name)
	}
}

// caseValue is a value as the Caddyfile writes it.
func caseValue(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(encodeJSON(v))
}

// choose is the action for some arguments. It is nil only in read-only mode,
// where an argument can be absent that is required otherwise.
func (t *tool) choose(args map[string]any) *action {
	if v, given := args[t.by]; given && t.by != "" {
		if a := t.cases[caseValue(v)]; a != nil {
			return a
		}
	}
	return t.action
}
