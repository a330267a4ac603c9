package caddymcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/caddymcp/caddymcp/caddymcp/access"
	"github.com/caddymcp/caddymcp/caddymcp/internal/directive"
	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/caddymcp/tools"
	"github.com/caddymcp/caddymcp/caddymcp/upstream"
)

func init() {
	caddy.RegisterModule(new(Handler))
}

// Handler is an MCP server over REST APIs. Each tool that it serves is
// declared in its config, as one HTTP request or as a jq program that makes
// several. It speaks every revision of the Model Context Protocol up to
// 2026-07-28 on one URL. What it does not own goes to the next handler.
//
// Headers that upstreams send may hold these placeholders besides Caddy's own:
//
// Placeholder | Description
// ------------|------------
// `{mcp.caller.id}` | Who calls: the name of a bearer token, or the access method
// `{mcp.caller.name}` | The caller's name, for people
// `{mcp.caller.scopes}` | The caller's scopes, separated by spaces
// `{mcp.tool}` | The tool that is called
type Handler struct {
	// Where the endpoint is, with or without a slash at the end. Default: /mcp.
	Path string `json:"path,omitempty"`

	// The endpoint's public URL, where the Host of requests does not tell it.
	// Default: none.
	URL string `json:"url,omitempty"`

	// The name of the server. Default: caddymcp.
	Name string `json:"name,omitempty"`

	// The version of the server. Default: 1.
	Version string `json:"version,omitempty"`

	// The name of the server for people. Default: none.
	Title string `json:"title,omitempty"`

	// What a model should know before it uses the tools. Default: none.
	Instructions string `json:"instructions,omitempty"`

	// A web page about the server. Default: none.
	Website string `json:"website,omitempty"`

	// The URL of an image. Default: none.
	Icon string `json:"icon,omitempty"`

	// Who may call. Required: a server that everyone may use says so.
	Auth *access.Access `json:"auth,omitempty"`

	// The REST APIs behind the tools.
	Upstreams []*upstream.Upstream `json:"upstreams,omitempty"`

	// jq definitions that all programs share.
	Libraries []program.Source `json:"jq,omitempty"`

	// The tools, in the order in which clients see them.
	Tools []*Tool `json:"tools,omitempty"`

	// Whether tools that write are left out: 1, true, yes, on, or 0, false,
	// no, off. Placeholders are allowed. Default: off.
	ReadOnly string `json:"read_only,omitempty"`

	// What a call, and a caller, may cost.
	Limits *Limits `json:"limits,omitempty"`

	// Where programs may read files. Default: nowhere.
	Files *Files `json:"files,omitempty"`

	// The time zone of 'today' in programs, such as Europe/Berlin. Default:
	// the host's.
	Timezone string `json:"timezone,omitempty"`

	logger    *zap.Logger
	location  *time.Location
	limits    Limits
	limiter   *limiter
	slots     chan struct{}
	upstreams upstream.Set
	set       *tools.Set
	checks    []*program.Program // by upstream; nil without one
	timeouts  map[string]time.Duration

	// info is what the server says of itself.
	info *mcp.Implementation

	endpoint    *endpoint
	endpointKey string
}

// Tool is one tool that a model can call.
type Tool struct {
	tools.Tool

	// How long a call may take. Default: the time limit of the server.
	Timeout caddy.Duration `json:"timeout,omitempty"`
}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.mcp",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision resolves secrets, compiles the tools and builds the server. It
// makes no request: the checks of upstreams begin when the config runs.
func (h *Handler) Provision(ctx caddy.Context) error {
	h.logger = ctx.Logger()
	h.setDefaults()
	h.info = h.implementation()

	if err := registerMetrics(ctx.GetMetricsRegistry()); err != nil {
		return err
	}
	if h.Auth == nil {
		return errNoAuth
	}
	if err := h.Auth.Provision(ctx, h.Path, h.URL); err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	h.upstreams = h.Upstreams
	if err := h.upstreams.Provision(ctx); err != nil {
		return err
	}
	if h.Files != nil {
		if err := h.Files.provision(); err != nil {
			return err
		}
	}
	if err := h.provisionLimits(); err != nil {
		return err
	}
	var err error
	if h.location, err = location(h.Timezone); err != nil {
		return err
	}
	readOnly, err := h.readOnly()
	if err != nil {
		return err
	}
	if err := h.compile(readOnly); err != nil {
		return err
	}
	if err := h.claimEndpoint(ctx); err != nil {
		return err
	}
	if err := h.subscribe(ctx); err != nil {
		return err
	}
	h.enlist(ctx)
	return nil
}

// setDefaults fills in what the config leaves out.
func (h *Handler) setDefaults() {
	if h.Path == "" {
		h.Path = "/mcp"
	}
	if h.Name == "" {
		h.Name = "caddymcp"
	}
	if h.Version == "" {
		h.Version = "1"
	}
}

func (h *Handler) provisionLimits() error {
	if h.Limits != nil {
		h.limits = *h.Limits
	}
	if err := h.limits.validate(); err != nil {
		return err
	}
	h.limits = h.limits.withDefaults()
	h.slots = make(chan struct{}, h.limits.Calls)
	h.timeouts = make(map[string]time.Duration)
	for _, t := range h.Tools {
		if t.Timeout > 0 {
			h.timeouts[t.Name] = time.Duration(t.Timeout)
		}
	}
	var err error
	h.limiter, err = newLimiter(h.limits.Rate)
	return err
}

// timeLimit is how long a call of the tool may take.
func (h *Handler) timeLimit(tool string) time.Duration {
	if d, ok := h.timeouts[tool]; ok {
		return d
	}
	return time.Duration(h.limits.Time)
}

// location finds a time zone. Empty is the host's.
func location(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("unknown timezone '%s': write a name such as 'Europe/Berlin' or 'UTC'", name)
	}
	return loc, nil
}

// readOnly resolves the switch. Empty is off; what is not a boolean is an
// error, since a guard must not fail open.
func (h *Handler) readOnly() (bool, error) {
	on, err := directive.Bool(caddy.NewReplacer().ReplaceAll(h.ReadOnly, ""))
	if err != nil {
		return false, fmt.Errorf("read_only: %w", err)
	}
	return on, nil
}

// compile makes the tools and the checks of upstreams ready to run.
func (h *Handler) compile(readOnly bool) error {
	library, err := program.NewLibrary(h.Libraries...)
	if err != nil {
		return err
	}
	list := make([]*tools.Tool, len(h.Tools))
	for i, t := range h.Tools {
		list[i] = &t.Tool
	}
	h.set, err = tools.Compile(list, tools.Env{
		Library:    library,
		ReadOnly:   readOnly,
		Upstreams:  upstream.Set(h.Upstreams),
		ReplyLimit: h.limits.Reply,
	})
	if err != nil {
		return err
	}
	if err := registrable(h.set.List()); err != nil {
		return err
	}
	h.checks = make([]*program.Program, len(h.Upstreams))
	for i, u := range h.Upstreams {
		if u.Check == nil {
			continue
		}
		if h.checks[i], err = h.compileCheck(u, library); err != nil {
			return fmt.Errorf("check: %w", err)
		}
	}
	return nil
}

// files is where programs read files, or nil.
func (h *Handler) files() program.Files {
	if h.Files == nil {
		return nil
	}
	return h.Files
}

// subscribe waits for the config to run: then the checks of upstreams start,
// and clients hear of the tools. When the process is to exit, streams end,
// since it would wait for them.
func (h *Handler) subscribe(ctx caddy.Context) error {
	app, err := ctx.App("events")
	if err != nil {
		return err
	}
	events := app.(*caddyevents.App)
	if err := events.On("started", onEvent(func() error { return h.started(ctx) })); err != nil {
		return err
	}
	return events.On("stopping", onEvent(func() error {
		if caddy.Exiting() {
			h.endpoint.end()
		}
		return nil
	}))
}

// started is called once the config runs.
func (h *Handler) started(ctx context.Context) error {
	h.startChecks(ctx)
	h.endpoint.current.Store(h)
	return h.endpoint.list(h.Name, h.set.List())
}

// onEvent runs itself when the event comes.
type onEvent func() error

// Handle implements caddyevents.Handler.
func (f onEvent) Handle(context.Context, caddy.Event) error { return f() }

// Cleanup releases what Provision took. Calls in flight keep what they use.
func (h *Handler) Cleanup() error {
	err := h.upstreams.Cleanup()
	if h.endpoint != nil {
		_, poolErr := endpoints.Delete(h.endpointKey)
		err = errors.Join(err, poolErr)
	}
	return err
}

var errNoAuth = errors.New("mcp needs 'auth': say who may call, with a line such as 'url_secret {env.MCP_URL_SECRET}' or 'bearer <name> {env.MCP_TOKEN}' in its block, or write 'auth none' to let everyone in")

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.Validator             = (*Handler)(nil)
	_ caddy.CleanerUpper          = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
	_ program.Files               = (*Files)(nil)
)
