package upstream

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/caddymcp/caddymcp/caddymcp/internal/directive"
	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// UnmarshalBlock reads an upstream from the Caddyfile. The current token of h
// is the word upstream. Syntax:
//
//	upstream [<name>] [<url>] {
//		header       <name> <value>
//		error        <status>... <message>
//		retry        <n> [<backoff>]
//		safe         <method> <path>...
//		cache        <duration> <path>... {
//			drop_on <path>...
//		}
//		concurrency  <n>
//		timeout      <duration>
//		max_response <size>
//		check        <jq> | file <path> {
//			required
//		}
//		verify_tls   <bool>
//		transport    http {
//			...
//		}
//		public_web
//
//		route {
//			...
//		}
//		<handler directives>...
//	}
//
// A lone argument is the URL if it holds a colon, begins with 'unix/' or is a
// placeholder; else it is the name. In place of a URL, the block holds Caddy's
// own handler directives, such as reverse_proxy, or public_web. A handler
// directive that has the name of one of the words above is written inside
// route. The status of error can be 4xx, 5xx, unreachable or timeout, and its
// message can hold {status}, {detail}, {url} and {arg.name}.
func (u *Upstream) UnmarshalBlock(h httpcaddyfile.Helper) error {
	head := h.Token()
	if err := u.parseArgs(h.Dispenser); err != nil {
		return err
	}
	var once directive.Once
	var handlers []caddyfile.Segment
	for nesting := h.Nesting(); h.NextBlock(nesting); {
		word := h.Val()
		parse, ok := subdirectives[word]
		if !ok {
			handlers = append(handlers, h.NextSegment())
			continue
		}
		if !slices.Contains(repeatable, word) {
			if err := once.Check(h.Dispenser, word); err != nil {
				return err
			}
		}
		if err := parse(u, h.Dispenser); err != nil {
			return err
		}
	}
	if len(handlers) > 0 {
		if err := u.parseHandlers(h, head, handlers); err != nil {
			return err
		}
	}
	if err := u.Validate(); err != nil {
		return at(head).WrapErr(fmt.Errorf("%s: %w", u.title(), err))
	}
	return nil
}

// at is a dispenser whose errors are at token.
func at(token caddyfile.Token) *caddyfile.Dispenser {
	d := caddyfile.NewDispenser([]caddyfile.Token{token})
	d.Next()
	return d
}

// upstreamName is what a name can be.
var upstreamName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// parseArgs reads the name and the URL.
func (u *Upstream) parseArgs(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	switch {
	case len(args) > 2:
		return d.Errf("unexpected '%s': upstream takes a name and a URL", args[2])
	case len(args) == 2:
		u.Name, u.URL = args[0], directive.Plain(args[1])
	case len(args) == 1 && isURL(args[0]):
		u.URL = directive.Plain(args[0])
	case len(args) == 1:
		u.Name = args[0]
	}
	if len(args) > 0 && u.Name == "" && u.URL == "" {
		return d.Err("upstream has an empty argument: leave it out")
	}
	if u.Name != "" && !upstreamName.MatchString(u.Name) {
		return d.Errf("'%s' is not a name for an upstream: begin with a letter, and use letters, digits, '_' and '-'", u.Name)
	}
	return nil
}

// isURL tells a URL from a name.
func isURL(arg string) bool {
	return strings.Contains(arg, ":") || strings.HasPrefix(arg, "unix/") ||
		strings.HasPrefix(arg, "{") && strings.HasSuffix(arg, "}")
}

// repeatable are the words that may be given several times.
var repeatable = []string{"header", "error", "safe", "cache"}

// subdirectives read what follows each word of the block.
var subdirectives = map[string]func(*Upstream, *caddyfile.Dispenser) error{
	"header":       (*Upstream).parseHeader,
	"error":        (*Upstream).parseError,
	"retry":        (*Upstream).parseRetry,
	"safe":         (*Upstream).parseSafe,
	"cache":        (*Upstream).parseCache,
	"concurrency":  (*Upstream).parseConcurrency,
	"timeout":      (*Upstream).parseTimeout,
	"max_response": (*Upstream).parseMaxResponse,
	"check":        (*Upstream).parseCheck,
	"verify_tls":   (*Upstream).parseVerifyTLS,
	"transport":    (*Upstream).parseTransport,
	"public_web":   (*Upstream).parsePublicWeb,
}

// noBlock refuses a block after a word that has none.
func noBlock(d *caddyfile.Dispenser, word string) error {
	if d.NextBlock(d.Nesting()) {
		return d.Errf("'%s' takes no block", word)
	}
	return nil
}

// one reads the only argument of a word.
func one(d *caddyfile.Dispenser, usage string) (string, error) {
	word, text := d.Val(), ""
	if !d.AllArgs(&text) || text == "" {
		return "", d.Errf("write '%s %s'", word, usage)
	}
	return text, noBlock(d, word)
}

func (u *Upstream) parseHeader(d *caddyfile.Dispenser) error {
	var header Header
	if !d.AllArgs(&header.Name, &header.Value) {
		return d.Err("write 'header <name> <value>', the value in quotes if it holds spaces")
	}
	// {file.name} is also Caddy's shorthand for a part of the request's path,
	// which is never meant here.
	header.Value = strings.ReplaceAll(header.Value, "{http.request.uri.path.file.", "{file.")
	if err := header.validate(false); err != nil {
		return d.WrapErr(err)
	}
	u.Headers = append(u.Headers, header)
	return noBlock(d, "header")
}

func (u *Upstream) parseError(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	if len(args) < 2 {
		return d.Err("write 'error <status>... <message>', the message in quotes")
	}
	last := len(args) - 1
	text := program.ErrorText{On: args[:last], Message: directive.Plain(args[last])}
	if err := validateErrorText(text); err != nil {
		return d.WrapErr(err)
	}
	u.Errors = append(u.Errors, text)
	return noBlock(d, "error")
}

func (u *Upstream) parseRetry(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	if len(args) < 1 || len(args) > 2 {
		return d.Err("write 'retry <n> [<backoff>]'")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 {
		return d.Errf("'%s' is not a number of repetitions: write 0 or more", args[0])
	}
	u.Retries = &n
	if len(args) == 2 {
		backoff, err := directive.Duration(args[1])
		if err != nil {
			return d.WrapErr(err)
		}
		u.RetryBackoff = caddy.Duration(backoff)
	}
	return noBlock(d, "retry")
}

func (u *Upstream) parseSafe(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	if len(args) < 2 {
		return d.Err("write 'safe <method> <path>...'")
	}
	for _, path := range args[1:] {
		safe := SafeRequest{Method: strings.ToUpper(args[0]), Path: directive.Plain(path)}
		if err := validatePath(safe.Path); err != nil {
			return d.WrapErr(err)
		}
		u.SafeRequests = append(u.SafeRequests, safe)
	}
	return noBlock(d, "safe")
}

func (u *Upstream) parseCache(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	if len(args) < 2 {
		return d.Err("write 'cache <duration> <path>...'")
	}
	keep, err := directive.Duration(args[0])
	if err != nil {
		return d.WrapErr(err)
	}
	config := Cache{For: caddy.Duration(keep), Paths: plainPaths(args[1:])}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		if d.Val() != "drop_on" {
			return directive.Unrecognized(d, d.Val(), "cache", "drop_on")
		}
		paths := d.RemainingArgs()
		if len(paths) == 0 {
			return d.Err("write 'drop_on <path>...'")
		}
		config.DropOn = append(config.DropOn, plainPaths(paths)...)
	}
	if err := config.validate(); err != nil {
		return d.WrapErr(err)
	}
	u.Caches = append(u.Caches, config)
	return nil
}

func plainPaths(args []string) []string {
	paths := make([]string, len(args))
	for i, arg := range args {
		paths[i] = directive.Plain(arg)
	}
	return paths
}

func (u *Upstream) parseConcurrency(d *caddyfile.Dispenser) error {
	text, err := one(d, "<n>")
	if err != nil {
		return err
	}
	u.Concurrency, err = strconv.Atoi(text)
	if err != nil || u.Concurrency < 1 {
		return d.Errf("'%s' is not a number of requests: write 1 or more", text)
	}
	return nil
}

func (u *Upstream) parseTimeout(d *caddyfile.Dispenser) error {
	text, err := one(d, "<duration>")
	if err != nil {
		return err
	}
	timeout, err := directive.Duration(text)
	if err != nil {
		return d.WrapErr(err)
	}
	u.Timeout = caddy.Duration(timeout)
	return nil
}

func (u *Upstream) parseMaxResponse(d *caddyfile.Dispenser) error {
	text, err := one(d, "<size>")
	if err != nil {
		return err
	}
	if u.MaxResponse, err = directive.Size(text); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

func (u *Upstream) parseCheck(d *caddyfile.Dispenser) error {
	source, err := directive.Source(d)
	if err != nil {
		return err
	}
	u.Check = &Check{Program: source}
	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		word := d.Val()
		if word != "required" {
			return directive.Unrecognized(d, word, "check", "required")
		}
		if err := once.Check(d, word); err != nil {
			return err
		}
		if d.NextArg() {
			return d.ArgErr()
		}
		u.Check.Required = true
	}
	return nil
}

func (u *Upstream) parseVerifyTLS(d *caddyfile.Dispenser) error {
	text, err := one(d, "<bool>")
	if err != nil {
		return err
	}
	u.VerifyTLS = directive.Plain(text)
	if err := validateVerifyTLS(u.VerifyTLS); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

func (u *Upstream) parseTransport(d *caddyfile.Dispenser) error {
	if !d.NextArg() || d.Val() != "http" {
		return d.Err("write 'transport http', or use reverse_proxy in place of a URL for another transport")
	}
	u.Transport = new(reverseproxy.HTTPTransport)
	return u.Transport.UnmarshalCaddyfile(d.NewFromNextSegment())
}

func (u *Upstream) parsePublicWeb(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.Errf("unexpected '%s': public_web stands alone", d.Val())
	}
	u.PublicWeb = true
	return noBlock(d, "public_web")
}

// parseHandlers makes the chain of the handler directives in the block, as if
// they stood in a block of their own.
func (u *Upstream) parseHandlers(h httpcaddyfile.Helper, head caddyfile.Token, segments []caddyfile.Segment) error {
	open, shut := head.Clone(), head.Clone()
	open.Text, shut.Text = "{", "}"
	tokens := []caddyfile.Token{head, open}
	for _, segment := range segments {
		tokens = append(tokens, segment...)
	}
	last := tokens[len(tokens)-1]
	shut.Line = last.Line + last.NumLineBreaks() + 1
	tokens = append(tokens, shut)

	handler, err := httpcaddyfile.ParseSegmentAsSubroute(h.WithDispenser(caddyfile.NewDispenser(tokens)))
	if err != nil {
		for _, segment := range segments {
			// Caddy reports the end of the block in place of the word.
			if strings.Contains(err.Error(), "unrecognized directive: "+segment.Directive()+" ") {
				return at(segment[0]).Errf("unrecognized '%s' in upstream: it is neither one of %s nor a Caddy handler",
					segment.Directive(), strings.Join(slices.Sorted(maps.Keys(subdirectives)), ", "))
			}
		}
		return at(head).WrapErr(fmt.Errorf("%s: reading its handlers: %w", u.title(), err))
	}
	subroute, ok := handler.(*caddyhttp.Subroute)
	if !ok || len(subroute.Routes) == 0 {
		return at(head).Errf("%s: its handlers make no route", u.title())
	}
	u.Routes = subroute.Routes
	return nil
}
