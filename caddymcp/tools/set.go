package tools

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Set is compiled tools, safe for concurrent use.
type Set struct {
	tools    []*tool // in the order of declaration
	byName   map[string]*tool
	readOnly bool
	limit    int
}

// List returns the tools in the order of declaration, without those that
// read-only mode leaves out. They are shared and must not be changed.
func (s *Set) List() []*mcp.Tool {
	return s.list(func(*tool) bool { return true })
}

// ListFor returns the tools of [Set.List] that a caller with these scopes may
// call.
func (s *Set) ListFor(scopes []string) []*mcp.Tool {
	return s.list(func(t *tool) bool {
		return !slices.ContainsFunc(t.config.Scopes, func(scope string) bool { return !slices.Contains(scopes, scope) })
	})
}

func (s *Set) list(keep func(*tool) bool) []*mcp.Tool {
	listed := make([]*mcp.Tool, 0, len(s.tools))
	for _, t := range s.tools {
		if t.listed != nil && keep(t) {
			listed = append(listed, t.listed)
		}
	}
	return listed
}

// Tool returns one tool as [Set.List] does, or nil.
func (s *Set) Tool(name string) *mcp.Tool {
	if t := s.byName[name]; t != nil {
		return t.listed
	}
	return nil
}

// Has reports whether a tool is declared. Read-only mode may leave it out of
// the list; a call of it then says so.
func (s *Set) Has(name string) bool { return s.byName[name] != nil }

// Scopes returns all the scopes that a caller of a tool needs.
func (s *Set) Scopes(name string) []string {
	if t := s.byName[name]; t != nil {
		return t.config.Scopes
	}
	return nil
}

// describe makes a tool's entry in the list.
func (c *compiler) describe(t *tool, h hints) *mcp.Tool {
	described := &mcp.Tool{
		Name:        t.config.Name,
		Title:       t.config.Title,
		Description: t.config.Description,
		InputSchema: t.args.text,
		Annotations: h.annotations(t.config.Title),
	}
	if t.output != nil && t.mode != "text" {
		// A client that is told of a schema is owed the structured result.
		described.OutputSchema = t.output.text
	}
	for _, m := range t.config.Meta {
		if described.Meta == nil {
			described.Meta = mcp.Meta{}
		}
		_, twice := described.Meta[m.Key]
		switch {
		case strings.TrimSpace(m.Key) == "":
			c.fail("'meta' needs a key and a JSON value")
		case twice:
			c.fail("'meta %s' stands twice: remove one", m.Key)
		case !json.Valid([]byte(m.Value)):
			c.fail("'meta %s' has the value '%s', which is not JSON: put text into double quotes", m.Key, shorten(m.Value))
		}
		described.Meta[m.Key] = json.RawMessage(m.Value)
	}
	return described
}
