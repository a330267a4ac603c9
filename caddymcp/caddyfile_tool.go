package caddymcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/caddymcp/caddymcp/caddymcp/internal/directive"
	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
)

// tool reads one tool. Syntax:
//
//	tool <name> {
//		title        <text>
//		description  <text>
//
//		param <name> <type> [required] { ... }
//		input  <json-schema>
//		output <json-schema>
//		scope  <scope>...
//
//		require <jq> <message>
//		get|post|put|patch|delete|head <path> {
//			query  <name> <jq>
//			header <name> <jq>
//			body   <jq>
//			form | multipart
//		}
//		run    <jq>
//		result <jq>
//		case <param> <value>... {
//			require ...
//			get|post|put|patch|delete|head ... | run ...
//			result ...
//			read_only | destructive | idempotent | open_world | closed_world
//		}
//
//		error    <status>... <message>
//		reply    text|structured|both
//		timeout  <duration>
//		upstream <name>
//		meta     <key> <value>
//
//		read_only    [<bool>]
//		destructive  [<bool>]
//		idempotent   [<bool>]
//		open_world
//		closed_world
//
//		read_only {
//			description <text>
//			param ...
//		}
//	}
//
// jq is one token, or 'file <path>'. The syntax of param is at param.
func (p *parser) tool() error {
	d := p.Dispenser
	t := new(Tool)
	at := fmt.Sprintf("%s:%d", d.File(), d.Line())
	if err := p.text(&t.Name); err != nil {
		return d.Err("'tool' needs one name, such as 'tool get_pantry { … }'")
	}
	p.lines[t.Name] = at
	p.handler.Tools = append(p.handler.Tools, t)

	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		word := d.Val()
		switch word {
		case "param", "require", "case", "error", "meta", "read_only":
		default:
			if err := once.Check(d, word); err != nil {
				return err
			}
		}
		known, err := p.action(&t.Action, word)
		if !known {
			err = p.toolOption(t, word)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// toolOption reads what belongs to a tool and not to a case of it.
func (p *parser) toolOption(t *Tool, word string) error {
	d := p.Dispenser
	switch word {
	case "title":
		return p.text(&t.Title)

	case "description":
		return p.text(&t.Description)

	case "param":
		param, err := p.param()
		t.Params = append(t.Params, param)
		return err

	case "input":
		return p.text(&t.Input)

	case "output":
		return p.text(&t.Output)

	case "scope":
		t.Scopes = d.RemainingArgs()
		if len(t.Scopes) == 0 {
			return d.Err("'scope' needs the scopes that a caller must hold")
		}
		return nil

	case "case":
		return p.toolCase(t)

	case "error":
		e, err := p.errorText()
		t.Errors = append(t.Errors, e)
		return err

	case "reply":
		return p.text(&t.Reply)

	case "timeout":
		var text string
		if err := p.text(&text); err != nil {
			return err
		}
		return p.wrap(duration(&t.Timeout, text))

	case "upstream":
		return p.text(&t.Upstream)

	case "meta":
		return p.meta(t)

	case "read_only":
		return p.view(t)
	}
	return directive.Unrecognized(d, word, "tool",
		"title", "description", "param", "input", "output", "scope", "require",
		"get", "post", "put", "patch", "delete", "head", "run", "result", "case",
		"error", "reply", "timeout", "upstream", "meta",
		"read_only", "destructive", "idempotent", "open_world", "closed_world")
}

// action reads what a tool does, or what one of its cases does. It says
// whether the word was one of these.
func (p *parser) action(a *tools.Action, word string) (bool, error) {
	d := p.Dispenser
	switch word {
	case "require":
		cond, message, err := directive.Pair(d)
		a.Require = append(a.Require, tools.Require{If: cond, Message: message})
		return true, err

	case "get", "post", "put", "patch", "delete", "head":
		if a.Request != nil {
			return true, d.Errf("a second request: a tool makes one, '%s %s', or write a program with 'run'", strings.ToLower(a.Request.Method), a.Request.Path)
		}
		return true, p.request(a, word)

	case "run":
		return true, p.source(&a.Run)

	case "result":
		return true, p.source(&a.Result)

	case "read_only":
		if p.blockFollows() {
			return false, nil // the view of a tool
		}
		return true, p.flag(&a.ReadOnly)

	case "destructive":
		return true, p.flag(&a.Destructive)

	case "idempotent":
		return true, p.flag(&a.Idempotent)

	case "open_world", "closed_world":
		if a.OpenWorld != nil {
			return true, d.Err("write either open_world or closed_world")
		}
		if d.NextArg() {
			return true, d.Errf("'%s' takes no argument", word)
		}
		open := word == "open_world"
		a.OpenWorld = &open
		return true, nil
	}
	return false, nil
}

// blockFollows says whether the current token opens a block. It reads ahead
// on a copy.
func (p *parser) blockFollows() bool {
	ahead := *p.Dispenser
	return ahead.NextBlock(ahead.Nesting())
}

// flag reads '[<bool>]'.
func (p *parser) flag(target **bool) error {
	d := p.Dispenser
	if *target != nil {
		return d.Errf("'%s' is given twice: write it once", d.Val())
	}
	on := true
	if d.CountRemainingArgs() > 0 {
		var text string
		if err := p.text(&text); err != nil {
			return err
		}
		var err error
		if on, err = directive.Bool(text); err != nil {
			return p.wrap(err)
		}
	}
	*target = &on
	return nil
}

// source reads one jq argument.
func (p *parser) source(target **program.Source) error {
	src, err := directive.Source(p.Dispenser)
	*target = &src
	return err
}

// request reads a verb, a path and its block.
func (p *parser) request(a *tools.Action, verb string) error {
	d := p.Dispenser
	r := &tools.Request{Method: strings.ToUpper(verb)}
	a.Request = r
	if d.CountRemainingArgs() != 1 {
		return d.Errf("'%s' needs one path, such as '%s /items/{id}'", verb, verb)
	}
	d.NextArg()
	r.Path = directive.Plain(d.Val())
	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		word := d.Val()
		var err error
		switch word {
		case "query":
			err = p.field(&r.Query)
		case "header":
			err = p.field(&r.Headers)
		case "body":
			if err = once.Check(d, word); err == nil {
				err = p.source(&r.Body)
			}
		case "form", "multipart":
			if r.Encoding != "" {
				err = d.Errf("the body is sent as '%s' already: write form or multipart, once", r.Encoding)
			} else if d.NextArg() {
				err = d.Errf("'%s' takes no argument", word)
			}
			r.Encoding = word
		default:
			err = directive.Unrecognized(d, word, "a request", "query", "header", "body", "form", "multipart")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// field reads '<name> <jq>'.
func (p *parser) field(fields *[]tools.Field) error {
	d := p.Dispenser
	word := d.Val()
	if !d.NextArg() {
		return d.Errf("'%s' needs a name and jq", word)
	}
	name := directive.Plain(d.Val())
	if slices.ContainsFunc(*fields, func(f tools.Field) bool { return f.Name == name }) {
		return d.Errf("%s '%s' is given twice: write it once", word, name)
	}
	src, err := directive.Source(d)
	*fields = append(*fields, tools.Field{Name: name, Value: src})
	return err
}

// toolCase reads 'case <param> <value>... { ... }'.
func (p *parser) toolCase(t *Tool) error {
	d := p.Dispenser
	args := d.RemainingArgs()
	if len(args) < 2 {
		return d.Err("'case' needs a parameter and one or more of its values, such as 'case action add { … }'")
	}
	c := &tools.Case{Param: args[0], Values: args[1:]}
	t.Cases = append(t.Cases, c)
	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		word := d.Val()
		if word != "require" {
			if err := once.Check(d, word); err != nil {
				return err
			}
		}
		known, err := p.action(&c.Action, word)
		if !known && err == nil {
			err = directive.Unrecognized(d, word, "case",
				"require", "get", "post", "put", "patch", "delete", "head", "run", "result",
				"read_only", "destructive", "idempotent", "open_world", "closed_world")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errorText reads 'error <status>... <message>'.
func (p *parser) errorText() (program.ErrorText, error) {
	d := p.Dispenser
	args := d.RemainingArgs()
	if len(args) < 2 {
		return program.ErrorText{}, d.Err("'error' needs one or more statuses and a message, such as 'error 404 \"no such recipe\"'")
	}
	last := len(args) - 1
	return program.ErrorText{On: args[:last], Message: directive.Plain(args[last])}, nil
}

// meta reads 'meta <key> <value>'. What is not JSON is a string.
func (p *parser) meta(t *Tool) error {
	d := p.Dispenser
	var key, value string
	if !d.AllArgs(&key, &value) {
		return d.Err("'meta' needs a key and a value, such as 'meta anthropic/searchHint \"stock\"'")
	}
	if !json.Valid([]byte(value)) {
		text, err := json.Marshal(value)
		if err != nil {
			return p.wrap(err)
		}
		value = string(text)
	}
	t.Meta = append(t.Meta, tools.Meta{Key: key, Value: value})
	return nil
}

// view reads what a tool shows in read-only mode.
func (p *parser) view(t *Tool) error {
	d := p.Dispenser
	if t.ReadOnlyView != nil {
		return d.Err("'read_only { … }' is given twice: write it once")
	}
	t.ReadOnlyView = new(tools.View)
	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		switch word := d.Val(); word {
		case "description":
			if err := once.Check(d, word); err != nil {
				return err
			}
			if err := p.text(&t.ReadOnlyView.Description); err != nil {
				return err
			}

		case "param":
			param, err := p.param()
			if err != nil {
				return err
			}
			t.ReadOnlyView.Params = append(t.ReadOnlyView.Params, param)

		default:
			return directive.Unrecognized(d, word, "read_only", "description", "param")
		}
	}
	return nil
}
