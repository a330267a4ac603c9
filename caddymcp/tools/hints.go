package tools

import (
	"cmp"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// Hints are what clients are told of a tool's effects.
type hints struct {
	readOnly    bool
	destructive bool
	idempotent  bool
	openWorld   bool
}

// hints derives the hints of an action from the requests it can make. What
// the author says of the action goes first, then what the author says of the
// tool.
func (c *compiler) hints(a *Action, compiled *action, when string) hints {
	effects := compiled.effects(c.upstream)
	h := hints{readOnly: true, idempotent: true}
	for _, e := range effects {
		h.openWorld = h.openWorld || c.env.Upstreams.PublicWeb(e.Upstream)
		if c.reads(e) {
			continue
		}
		h.readOnly = false
		h.destructive = h.destructive || e.Method != http.MethodPost
		h.idempotent = h.idempotent && (e.Method == http.MethodPut || e.Method == http.MethodDelete)
	}
	tool := &c.tool.Action
	said := cmp.Or(a.ReadOnly, tool.ReadOnly)
	compiled.unsafe = said != nil && !*said
	if said != nil && *said != h.readOnly {
		h.readOnly = *said
		h.destructive, h.idempotent = false, h.readOnly
		if h.readOnly {
			c.onlyReads(effects, when)
		}
	}
	if h.readOnly {
		if a.Destructive != nil && *a.Destructive && (when != "" || c.tool.Cases == nil) {
			c.fail("%sonly reads, but says 'destructive': remove that, or say 'read_only false'", prefix(when))
		}
	} else {
		if said := cmp.Or(a.Destructive, tool.Destructive); said != nil {
			h.destructive = *said
		}
		if said := cmp.Or(a.Idempotent, tool.Idempotent); said != nil {
			h.idempotent = *said
		}
	}
	if said := cmp.Or(a.OpenWorld, tool.OpenWorld); said != nil {
		h.openWorld = *said
	}
	return h
}

// reads reports whether a request changes nothing.
func (c *compiler) reads(e program.Effect) bool {
	return e.Method == http.MethodGet || e.Method == http.MethodHead ||
		c.env.Upstreams.Safe(e.Upstream, e.Method, e.Path)
}

// onlyReads refuses 'read_only' where it could only fail: the upstream lets
// no writing request of such an action through.
func (c *compiler) onlyReads(effects []program.Effect, when string) {
	for _, e := range effects {
		if e.Method != "" && !c.reads(e) {
			c.fail("%ssays 'read_only', but can send %s %s: declare that request 'safe' in the upstream, or remove 'read_only'",
				prefix(when), e.Method, e.Path)
		}
	}
}

// join is what holds for a tool that can do either.
func (h hints) join(other hints) hints {
	return hints{
		readOnly:    h.readOnly && other.readOnly,
		destructive: h.destructive || other.destructive,
		idempotent:  h.idempotent && other.idempotent,
		openWorld:   h.openWorld || other.openWorld,
	}
}

// annotations are the hints in MCP's form. All of them are said, since the
// protocol's own defaults are the alarming ones.
func (h hints) annotations(title string) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{
		Title:           title,
		ReadOnlyHint:    h.readOnly,
		DestructiveHint: &h.destructive,
		IdempotentHint:  h.idempotent,
		OpenWorldHint:   &h.openWorld,
	}
}
