package caddymcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/caddymcp/caddymcp/caddymcp/access"
	"github.com/caddymcp/caddymcp/caddymcp/internal/directive"
	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
	"github.com/caddymcp/caddymcp/caddymcp/upstream"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("mcp", parseCaddyfile)
	httpcaddyfile.RegisterDirectiveOrder("mcp", httpcaddyfile.After, "encode")
}

// parseCaddyfile sets up the handler from Caddyfile tokens. Syntax:
//
//	mcp [<matcher>] {
//		path         <path>
//		url          <url>
//
//		name         <name>
//		version      <version>
//		title        <text>
//		instructions <text>
//		website      <url>
//		icon         <url>
//
//		auth none
//		auth {
//			url_secret <secret>...
//			bearer     <name> <token> {
//				scopes     <scope>...
//				not_before <time>
//				expires    <time>
//			}
//			origins    <origin>...
//		}
//
//		upstream [<name>] [<url>] { ... }
//		jq       <file>...
//		tool     <name> { ... }
//
//		read_only [<bool>]
//		limits {
//			request <size>
//			reply   <characters>
//			calls   <number>
//			rate    <number>/s|m|h
//			time    <duration>
//		}
//		files <dir> {
//			extensions <ending>...
//			max_size   <size>
//		}
//		timezone <name>
//	}
//
// The syntax of upstream is at upstream.Upstream.UnmarshalBlock, that of tool at parseTool.
func parseCaddyfile(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	p := &parser{Helper: h, handler: new(Handler), lines: make(map[string]string)}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.handler, nil
}

// A parser reads one mcp block.
type parser struct {
	httpcaddyfile.Helper
	handler *Handler

	// lines tells where each tool was declared, for what is found wrong with
	// it after it was read.
	lines map[string]string
}

func (p *parser) parse() error {
	d, h := p.Dispenser, p.handler
	d.Next() // the directive's name
	end := fmt.Sprintf("%s:%d", d.File(), d.Line())
	if d.CountRemainingArgs() > 0 {
		return d.Err("mcp takes no argument besides a matcher: write its options in a block, and the path as 'path /mcp'")
	}
	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		word := d.Val()
		switch word {
		case "upstream", "jq", "tool":
		default:
			if err := once.Check(d, word); err != nil {
				return err
			}
		}
		if err := p.option(word); err != nil {
			return err
		}
	}
	if h.Auth == nil {
		return fmt.Errorf("%w, at %s", errNoAuth, end)
	}
	return p.check(end)
}

// option reads one subdirective.
func (p *parser) option(word string) error {
	d, h := p.Dispenser, p.handler
	switch word {
	case "path":
		return p.checked(&h.Path, func() error { return validatePath(h.Path) })

	case "url":
		return p.checked(&h.URL, func() error { return validateURL(h.URL) })

	case "name":
		return p.text(&h.Name)

	case "version":
		return p.text(&h.Version)

	case "title":
		return p.text(&h.Title)

	case "instructions":
		return p.text(&h.Instructions)

	case "website":
		return p.text(&h.Website)

	case "icon":
		return p.text(&h.Icon)

	case "auth":
		h.Auth = new(access.Access)
		return h.Auth.UnmarshalCaddyfile(d.NewFromNextSegment())

	case "upstream":
		u := new(upstream.Upstream)
		h.Upstreams = append(h.Upstreams, u)
		return u.UnmarshalBlock(p.Helper)

	case "jq":
		return p.libraries()

	case "tool":
		return p.tool()

	case "read_only":
		return p.readOnly()

	case "limits":
		h.Limits = new(Limits)
		return p.limits()

	case "files":
		h.Files = new(Files)
		return p.files()

	case "timezone":
		return p.checked(&h.Timezone, func() error { _, err := location(h.Timezone); return err })
	}
	return directive.Unrecognized(d, word, "mcp",
		"path", "url", "name", "version", "title", "instructions", "website", "icon", "auth",
		"upstream", "jq", "tool", "read_only", "limits", "files", "timezone")
}

// text reads the one argument of a subdirective.
func (p *parser) text(target *string) error {
	d := p.Dispenser
	word := d.Val()
	switch n := d.CountRemainingArgs(); {
	case n == 0:
		return d.Errf("'%s' needs a value", word)
	case n > 1:
		return d.Errf("'%s' takes one value: write it in quotes if it holds spaces", word)
	}
	d.NextArg()
	if *target = directive.Plain(d.Val()); *target == "" {
		return d.Errf("the value of '%s' is empty: leave '%s' out, or give it one", word, word)
	}
	return nil
}

// checked reads one argument and checks it.
func (p *parser) checked(target *string, check func() error) error {
	if err := p.text(target); err != nil {
		return err
	}
	return p.wrap(check())
}

// wrap adds the position to an error, if there is one.
func (p *parser) wrap(err error) error {
	if err == nil {
		return nil
	}
	return p.WrapErr(err)
}

// libraries reads 'jq <file>...'.
func (p *parser) libraries() error {
	d := p.Dispenser
	if d.CountRemainingArgs() == 0 {
		return d.Err("'jq' needs the path of a file with jq definitions")
	}
	for d.NextArg() {
		path := d.Val()
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(d.File()), path)
		}
		text, err := os.ReadFile(path) //nolint:gosec // the author of the config names it
		if err != nil {
			return p.wrap(err)
		}
		p.handler.Libraries = append(p.handler.Libraries, program.Source{Text: string(text), File: path, Line: 1})
	}
	return nil
}

// readOnly reads 'read_only [<bool>]'. A placeholder is resolved at load.
func (p *parser) readOnly() error {
	d := p.Dispenser
	if d.CountRemainingArgs() == 0 {
		p.handler.ReadOnly = "on"
		return nil
	}
	if err := p.text(&p.handler.ReadOnly); err != nil {
		return err
	}
	if strings.Contains(p.handler.ReadOnly, "{") {
		return nil
	}
	_, err := directive.Bool(p.handler.ReadOnly)
	return p.wrap(err)
}

func (p *parser) limits() error {
	d, l := p.Dispenser, p.handler.Limits
	if d.CountRemainingArgs() > 0 {
		return d.Err("'limits' takes a block: write each limit on a line of its own in it")
	}
	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		word := d.Val()
		if err := once.Check(d, word); err != nil {
			return err
		}
		var text string
		if err := p.text(&text); err != nil {
			return err
		}
		var err error
		switch word {
		case "request":
			l.Request, err = directive.Size(text)
		case "reply":
			l.Reply, err = positive(text)
		case "calls":
			l.Calls, err = positive(text)
		case "rate":
			l.Rate = text
			_, err = newLimiter(text)
		case "time":
			err = duration(&l.Time, text)
		default:
			return directive.Unrecognized(d, word, "limits", "request", "reply", "calls", "rate", "time")
		}
		if err != nil {
			return p.wrap(err)
		}
	}
	return nil
}

func (p *parser) files() error {
	d, f := p.Dispenser, p.handler.Files
	if err := p.text(&f.Dir); err != nil {
		return err
	}
	if !filepath.IsAbs(f.Dir) && !strings.HasPrefix(f.Dir, "{") {
		f.Dir = filepath.Join(filepath.Dir(d.File()), f.Dir)
	}
	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		word := d.Val()
		if err := once.Check(d, word); err != nil {
			return err
		}
		switch word {
		case "extensions":
			f.Extensions = d.RemainingArgs()
			if len(f.Extensions) == 0 {
				return d.Err("'extensions' needs endings of file names, such as '.jpg .png'")
			}
			for _, e := range f.Extensions {
				if !strings.HasPrefix(e, ".") || e != strings.ToLower(e) {
					return d.Errf("bad extension '%s': write it with its dot and in lower case, such as '.jpg'", e)
				}
			}

		case "max_size":
			var text string
			if err := p.text(&text); err != nil {
				return err
			}
			var err error
			if f.MaxSize, err = directive.Size(text); err != nil {
				return p.wrap(err)
			}

		default:
			return directive.Unrecognized(d, word, "files", "extensions", "max_size")
		}
	}
	return nil
}

// check compiles the tools, so that what is wrong with them is known with the
// line of the Caddyfile. Everything it finds, Provision and Validate find too.
func (p *parser) check(end string) error {
	if err := upstream.Set(p.handler.Upstreams).Validate(); err != nil {
		return p.at(err, end)
	}
	if err := p.handler.checkScopes(); err != nil {
		return p.at(err, end)
	}
	scratch := &Handler{Upstreams: p.handler.Upstreams, Libraries: p.handler.Libraries, Tools: p.handler.Tools}
	if err := scratch.compile(false); err != nil {
		return p.at(err, end)
	}
	return nil
}

// at adds the position of the tool that an error is about, or of the block.
func (p *parser) at(err error, block string) error {
	var config *tools.ConfigError
	if errors.As(err, &config) {
		return fmt.Errorf("%w, at %s", config, p.lines[config.Tool])
	}
	return fmt.Errorf("%w, at %s", err, block)
}

// positive reads a whole number above zero.
func positive(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("'%s' is not a number above zero", text)
	}
	return n, nil
}

// duration reads a duration above zero.
func duration(target *caddy.Duration, text string) error {
	d, err := directive.Duration(text)
	*target = caddy.Duration(d)
	return err
}
