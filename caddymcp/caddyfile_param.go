package caddymcp

import (
	"strconv"

	"github.com/caddymcp/caddymcp/caddymcp/internal/directive"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
)

// param reads one parameter. Syntax:
//
//	param <name> <type> [required] {
//		description <text>
//		required
//		default    <value>
//		enum       <value>...
//		min        <number>
//		max        <number>
//		clamp      <min> <max>
//		min_length <number>
//		max_length <number>
//		pattern    <regexp>
//		format     date|date-time|uri|email|uuid
//		items      <type>[|<type>...] { ... }
//		min_items  <number>
//		max_items  <number>
//		param      ...
//		style      repeat|comma|brackets
//		as         <name>
//		in         path|query|header|body
//		local
//		allow_empty
//		allow_null
//	}
//
// The types are string, integer, number, boolean, array and object. items
// takes one or more types in place of a name and a type.
func (p *parser) param() (*tools.Param, error) {
	d := p.Dispenser
	args := d.RemainingArgs()
	param := new(tools.Param)
	switch {
	case len(args) == 3 && args[2] == "required":
		param.Required = true
	case len(args) > 2:
		return nil, d.Errf("unexpected '%s': after the name and the type of a parameter, only 'required' may stand", args[2])
	case len(args) < 2:
		return nil, d.Err("'param' needs a name and a type, such as 'param location string' or 'param id string required'")
	}
	param.Name, param.Type = directive.Plain(args[0]), args[1]
	return param, p.paramBlock(param)
}

// paramBlock reads the block of a parameter or of the items of an array.
func (p *parser) paramBlock(param *tools.Param) error {
	d := p.Dispenser
	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		word := d.Val()
		if word != "param" {
			if err := once.Check(d, word); err != nil {
				return err
			}
		}
		if err := p.paramOption(param, word); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) paramOption(param *tools.Param, word string) error {
	d := p.Dispenser
	switch word {
	case "description":
		return p.text(&param.Description)

	case "required":
		return p.mark(&param.Required)

	case "default":
		if d.CountRemainingArgs() != 1 {
			return d.Err("'default' takes one value: write it in quotes if it holds spaces")
		}
		d.NextArg()
		value := directive.Plain(d.Val())
		param.Default = &value
		return nil

	case "enum":
		for d.NextArg() {
			param.Enum = append(param.Enum, directive.Plain(d.Val()))
		}
		if len(param.Enum) == 0 {
			return d.Err("'enum' needs the values that are allowed")
		}
		return nil

	case "min":
		return p.number(&param.Min)

	case "max":
		return p.number(&param.Max)

	case "clamp":
		var low, high *float64
		if d.CountRemainingArgs() != 2 {
			return d.Err("'clamp' needs two numbers, such as 'clamp 1 100'")
		}
		for _, target := range []**float64{&low, &high} {
			d.NextArg()
			n, err := strconv.ParseFloat(d.Val(), 64)
			if err != nil {
				return d.Errf("'%s' is not a number", d.Val())
			}
			*target = &n
		}
		param.Clamp = &tools.Clamp{Min: *low, Max: *high}
		return nil

	case "min_length":
		return p.count(&param.MinLength)

	case "max_length":
		return p.count(&param.MaxLength)

	case "pattern":
		return p.text(&param.Pattern)

	case "format":
		return p.text(&param.Format)

	case "items":
		param.Items = new(tools.Param)
		if err := p.text(&param.Items.Type); err != nil {
			return d.Err("'items' needs a type, such as 'items string'")
		}
		return p.paramBlock(param.Items)

	case "min_items":
		return p.count(&param.MinItems)

	case "max_items":
		return p.count(&param.MaxItems)

	case "param":
		member, err := p.param()
		param.Params = append(param.Params, member)
		return err

	case "style":
		return p.text(&param.Style)

	case "as":
		return p.text(&param.As)

	case "in":
		return p.text(&param.In)

	case "local":
		return p.mark(&param.Local)

	case "allow_empty":
		return p.mark(&param.AllowEmpty)

	case "allow_null":
		return p.mark(&param.AllowNull)
	}
	return directive.Unrecognized(d, word, "param",
		"description", "required", "default", "enum", "min", "max", "clamp", "min_length", "max_length",
		"pattern", "format", "items", "min_items", "max_items", "param", "style", "as", "in",
		"local", "allow_empty", "allow_null")
}

// mark sets a switch that takes no argument.
func (p *parser) mark(target *bool) error {
	d := p.Dispenser
	if d.CountRemainingArgs() > 0 {
		return d.Errf("'%s' takes no argument", d.Val())
	}
	*target = true
	return nil
}

// number reads a number.
func (p *parser) number(target **float64) error {
	var text string
	if err := p.text(&text); err != nil {
		return err
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return p.Errf("'%s' is not a number", text)
	}
	*target = &n
	return nil
}

// count reads a whole number from zero.
func (p *parser) count(target **int) error {
	var text string
	if err := p.text(&text); err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return p.Errf("'%s' is not a whole number from zero", text)
	}
	*target = &n
	return nil
}
