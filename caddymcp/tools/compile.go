package tools

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// Env is what tools are compiled against.
type Env struct {
	// Library holds the jq definitions that programs see. Nil is none.
	Library *program.Library

	// Upstreams are the APIs that requests go to.
	Upstreams Upstreams

	// ReadOnly leaves out every tool that can write.
	ReadOnly bool

	// ReplyLimit is the length of the longest result, in characters.
	// Default: 100000.
	ReplyLimit int
}

// Upstreams answers what tools need to know of the configured APIs.
type Upstreams interface {
	// Names lists the APIs.
	Names() []string

	// Default is the API of tools that name none, if there is one.
	Default() (name string, ok bool)

	// PublicWeb reports whether an upstream is the public web instead of
	// one API.
	PublicWeb(name string) bool

	// Safe reports whether the author has declared that a request changes
	// nothing, although its method says so. The path has a '*' for each
	// segment that is not known.
	Safe(name, method, path string) bool
}

// A ConfigError is a mistake in the declaration of one tool.
type ConfigError struct {
	Tool string
	Err  error
}

func (e *ConfigError) Error() string { return fmt.Sprintf("tool '%s': %v", e.Tool, e.Err) }
func (e *ConfigError) Unwrap() error { return e.Err }

// Compile checks and compiles tools. Its error joins a *[ConfigError] for
// each mistake.
func Compile(config []*Tool, env Env) (*Set, error) {
	if env.ReplyLimit == 0 {
		env.ReplyLimit = 100_000
	}
	set := &Set{byName: make(map[string]*tool, len(config)), readOnly: env.ReadOnly, limit: env.ReplyLimit}
	var errs []error
	for _, t := range config {
		c := &compiler{env: &env, tool: t}
		compiled := c.compile()
		if set.byName[t.Name] != nil {
			c.fail("is declared twice: rename one")
		}
		errs = append(errs, c.errs...)
		set.tools = append(set.tools, compiled)
		set.byName[t.Name] = compiled
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return set, nil
}

// A tool is a compiled [Tool].
type tool struct {
	config   *Tool
	upstream string
	args     *arguments
	requires []requirement // of all actions
	action   *action       // nil if every call is a case
	cases    map[string]*action
	by       string // the parameter that chooses the case
	output   *output
	mode     string    // text, structured or both
	listed   *mcp.Tool // nil if read-only mode leaves it out
}

// A compiler compiles one tool and collects its mistakes.
type compiler struct {
	env      *Env
	tool     *Tool
	upstream string
	params   []*Param   // the root parameters, of a raw schema too
	open     bool       // there may be arguments that are no parameters
	orders   [][]string // of keys, as the output schema has them
	errs     []error
}

func (c *compiler) fail(format string, args ...any) {
	c.errs = append(c.errs, &ConfigError{c.tool.Name, fmt.Errorf(format, args...)})
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

func (c *compiler) compile() *tool {
	t := c.tool
	if !toolName.MatchString(t.Name) {
		c.fail("the name must be 1 to 64 characters of A-Z, a-z, 0-9, '_', '-' and '.'")
	}
	if strings.TrimSpace(t.Description) == "" {
		c.fail("needs a 'description': say what it does and when to call it")
	}
	out := &tool{config: t}
	c.findUpstream()
	out.upstream = c.upstream
	if out.args = c.arguments(); out.args == nil {
		return out
	}
	c.errorTexts()
	c.output(out)
	c.actions(out)
	c.places(out)
	if len(c.errs) == 0 {
		c.list(out)
	}
	return out
}

// arguments compiles what the tool accepts. It returns nil if that has failed.
func (c *compiler) arguments() *arguments {
	before := len(c.errs)
	if c.tool.Input != "" {
		if len(c.tool.Params) > 0 {
			c.fail("has both 'input' and 'param', use one")
		}
		args, err := rawArguments(c.tool.Input)
		if err != nil {
			c.fail("the 'input' schema %w", err)
			return nil
		}
		c.params = paramsOfSchema(args.schema)
		c.open = args.schema.AdditionalProperties != any(false) || len(args.schema.PatternProperties) > 0
		return args
	}
	c.params = c.tool.Params
	return c.declared(c.params, before)
}

// declared compiles declared parameters, if no mistake was found since before.
func (c *compiler) declared(params []*Param, before int) *arguments {
	c.checkParams(params, "")
	if len(c.errs) > before {
		return nil
	}
	args, err := newArguments(params)
	if err != nil {
		c.fail("the parameters make a schema that %w", err)
		return nil
	}
	c.checkDefaults(args.schema, params, "")
	return args
}

var errorArgument = regexp.MustCompile(`\{arg\.([^{}]*)\}`)

func (c *compiler) errorTexts() {
	for _, e := range c.tool.Errors {
		if len(e.On) == 0 || strings.TrimSpace(e.Message) == "" {
			c.fail("'error' needs a status and a message: error 404 \"no such recipe\"")
		}
		for _, on := range e.On {
			if !program.ValidOn(on) {
				c.fail("error '%s' is not a failure: write a status from 300 to 599, 3xx, 4xx, 5xx, unreachable or timeout", on)
			}
		}
		for _, match := range errorArgument.FindAllStringSubmatch(e.Message, -1) {
			if !slices.ContainsFunc(c.params, func(p *Param) bool { return p.Name == match[1] }) {
				c.fail("error '%s' names '%s', which is no parameter", strings.Join(e.On, " "), match[0])
			}
		}
	}
}

func (c *compiler) findUpstream() {
	if c.tool.Upstream == "" {
		c.upstream, _ = c.env.Upstreams.Default()
		return
	}
	c.upstream = c.tool.Upstream
	c.checkUpstream(c.upstream)
}

// checkUpstream refuses the name of an upstream that there is not.
func (c *compiler) checkUpstream(name string) {
	switch names := c.env.Upstreams.Names(); {
	case slices.Contains(names, name):
	case len(names) == 1 && names[0] == "":
		c.fail("upstream '%s' is not declared: the only upstream has no name, leave 'upstream' out", name)
	default:
		c.fail("upstream '%s' is not declared, there is %s", name, listed(names))
	}
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return "'" + strings.Join(names, "', '") + "'"
}

// actions compiles what the tool does, and its cases.
func (c *compiler) actions(out *tool) {
	t := c.tool
	if len(t.Cases) == 0 || t.Request != nil || t.Run != nil || t.Result != nil {
		out.action = c.action(&t.Action, "")
		c.checkEffects(out.action)
	}
	out.requires = c.requires(t.Require)
	if len(t.Cases) > 0 {
		c.cases(out)
	}
}

// places refuses what is said of a parameter's place if no request has it.
func (c *compiler) places(out *tool) {
	var inPaths []string
	requests := false
	for _, a := range out.actions() {
		if a.request != nil {
			requests = true
			inPaths = append(inPaths, a.request.path.names()...)
		}
	}
	for _, p := range c.params {
		switch {
		case !requests && (p.In != "" || p.As != "" || p.Style != ""):
			c.fail("parameter '%s' has 'in', 'as' or 'style', which mean nothing to a program: it sees '$args.%s'", p.Name, p.Name)
		case requests && p.In == "path" && !slices.Contains(inPaths, p.Name):
			c.fail("parameter '%s' says 'in path', but no path has '{%s}'", p.Name, p.Name)
		}
	}
}

// checkEffects checks that the requests of an action have somewhere to go.
func (c *compiler) checkEffects(a *action) {
	for _, e := range a.effects("") {
		switch {
		case e.Upstream != "":
			c.checkUpstream(e.Upstream)
		case c.tool.Upstream != "":
		default:
			if _, ok := c.env.Upstreams.Default(); ok {
				continue
			}
			if len(c.env.Upstreams.Names()) == 0 {
				c.fail("makes requests, but there is no 'upstream': declare the API")
			} else {
				c.fail("makes requests, but does not say where to: add 'upstream <name>' (there is %s)", listed(c.env.Upstreams.Names()))
			}
			return
		}
	}
	if a.request != nil && c.env.Upstreams.PublicWeb(c.upstream) {
		c.fail("upstream '%s' is the public web, which has no paths: use 'run' and request({url: …})", c.upstream)
	}
}

// program compiles jq. It returns nil if that has failed.
func (c *compiler) program(src program.Source, requests bool) *program.Program {
	p, err := program.Compile(src, program.Options{
		Library:   c.env.Library,
		Requests:  requests,
		KeyOrders: c.orders,
	})
	if err != nil {
		c.fail("%w", err)
		return nil
	}
	c.checkArguments(p)
	return p
}

// text compiles the inside of a jq string. It returns nil if that has failed.
func (c *compiler) text(src program.Source) *program.Program {
	p, err := program.CompileText(src, program.Options{Library: c.env.Library})
	if err != nil {
		c.fail("%w", err)
		return nil
	}
	c.checkArguments(p)
	return p
}

// checkArguments refuses a program that names an argument which no call has.
func (c *compiler) checkArguments(p *program.Program) {
	if c.open {
		return
	}
	names := make([]string, 0, len(c.params))
	for _, param := range c.params {
		names = append(names, param.Name)
	}
	for _, a := range p.Arguments() {
		if slices.Contains(names, a.Name) {
			continue
		}
		remedy := nearest(a.Name, names)
		if remedy == "" {
			remedy = ": declare it or correct the name"
		}
		c.fail("%w", &program.LoadError{File: a.File, Line: a.Line, Column: a.Column, Message: fmt.Sprintf(
			"'%s' is no parameter of the tool%s", program.ArgumentText(a.Name), remedy)})
	}
}
