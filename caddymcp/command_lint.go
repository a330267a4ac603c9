package caddymcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/caddymcp/caddymcp/caddymcp/tokens"
)

// What clients take without complaint, hiding or cutting.
const (
	maxName        = 48     // characters of a name: clients put their own prefix before it
	maxDescription = 2048   // bytes of a text for the model
	maxTools       = 40     // of a server
	maxListTokens  = 20_000 // of a tools/list reply: a tenth of a context of 200,000
)

// lintCommand makes 'caddy mcp lint'.
func lintCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Finds what a strict client, or who reviews a server, would object to",
		Long: fmt.Sprintf(`
Prints a line for everything that a strict client, or who reviews a server,
would object to, and nothing if there is nothing. It looks for

	- names of more than %d characters, or with other ones than a-z 0-9 _ -
	- names of arguments that clients refuse
	- descriptions that are missing, or longer than %d bytes
	- tools without a title
	- arrays without items, a choice of inputs, and other schemas that clients
	  refuse
	- tools of which some cases only read and others write: split such a tool,
	  or give it a read_only block that says what it is without its writing half
	- replies that pass through as the API sends them, as far as that is plain:
	  no result, or one that is '.', or a program that is one request
	- more than %d tools, or more than %d tokens of them

With --text-fields it lists the text that each tool can return instead, for
whoever asks what a stranger's words can reach: the fields and names that the
output schema lets through, or any text, and what a tool can say beside its
result. For errors, progress and log messages a program is taken to do all that
its text and the libraries name.
`, maxName, maxDescription, maxTools, maxListTokens),
		Example: `  caddy mcp lint --config Caddyfile --envfile /etc/caddy/env
  caddy mcp lint --text-fields`,
		Args: cobra.NoArgs,
		RunE: onBlocks(runLint),
	}
	cmd.Flags().Bool("text-fields", false, "List the text that each tool can return")
	return cmd
}

func runLint(ctx context.Context, cmd *cobra.Command, _ []string, blocks []*block) (int, error) {
	look := (*linter).lint
	if fields, _ := cmd.Flags().GetBool("text-fields"); fields {
		look = (*linter).textFields
	}
	exit := caddy.ExitCodeSuccess
	for _, b := range blocks {
		l := &linter{block: b, out: cmd.OutOrStdout()}
		if len(blocks) > 1 {
			l.prefix = b.String() + ": "
		}
		if err := look(l, ctx); err != nil {
			return caddy.ExitCodeFailedStartup, err
		}
		if l.found > 0 {
			exit = exitNo
		}
	}
	return exit, nil
}

// A linter looks at one block.
type linter struct {
	*block
	out    io.Writer
	prefix string
	found  int
}

func (l *linter) object(format string, args ...any) {
	l.found++
	fmt.Fprintln(l.out, l.prefix+fmt.Sprintf(format, args...))
}

var (
	plainName    = regexp.MustCompile(`^[a-z0-9_-]+$`)
	argumentName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

// lint prints what there is to object to.
func (l *linter) lint(ctx context.Context) error {
	reply, err := l.listTools(ctx, l.anyone())
	if err != nil {
		return err
	}
	if n := len(l.Instructions); n > maxDescription {
		l.object("the instructions have %d bytes, clients cut them at %d", n, maxDescription)
	}
	list := l.set.List()
	for _, t := range list {
		l.tool(t)
	}
	if n := len(list); n > maxTools {
		l.object("there are %d tools, clients warn from %d on: spread them over several mcp blocks", n, maxTools)
	}
	if n := tokens.Count(string(reply)); n > maxListTokens {
		l.object("the tools take %d tokens to read, which is more than %d: shorten their descriptions, or spread them over several mcp blocks", n, maxListTokens)
	}
	return nil
}

// tool looks at one tool.
func (l *linter) tool(t *mcp.Tool) {
	object := func(format string, args ...any) {
		l.object("tool '%s': %s", t.Name, fmt.Sprintf(format, args...))
	}
	if n := len(t.Name); n > maxName {
		object("the name has %d characters, clients with a prefix of their own take %d", n, maxName)
	}
	if !plainName.MatchString(t.Name) {
		object("the name has characters besides a-z, 0-9, '_' and '-', which some clients rewrite")
	}
	if n := len(t.Description); n > maxDescription {
		object("the description has %d bytes, clients cut it at %d", n, maxDescription)
	}
	if t.Title == "" {
		object("has no title: people see it when they are asked to allow a call")
	}
	if l.set.Mixes(t.Name) {
		object("mixes reading and writing: split it, or say in 'read_only { … }' what it is without its writing half")
	}
	if l.set.PassesThrough(t.Name) {
		object("passes the API's reply through as it is: say in 'result' what of it the model needs")
	}
	for _, s := range []struct {
		what   string
		schema any
	}{{"input", t.InputSchema}, {"output", t.OutputSchema}} {
		var schema map[string]any
		if text, ok := s.schema.(json.RawMessage); ok && json.Unmarshal(text, &schema) == nil {
			l.schema(object, s.what, schema)
			if s.what == "input" {
				l.input(object, schema)
			}
		}
	}
}

// input looks at what clients ask of the schema of the arguments alone.
func (l *linter) input(object func(string, ...any), schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !argumentName.MatchString(name) {
			object("the argument '%s' has a name that is not 1 to 64 characters of A-Z, a-z, 0-9, '_', '.' and '-', which some clients refuse", name)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if schema[keyword] != nil {
			object("the input has '%s' at its top, which some clients refuse: say in 'require' what goes together", keyword)
		}
	}
}

// schema looks at a schema and what is in it. At is where it stands.
func (l *linter) schema(object func(string, ...any), at string, schema map[string]any) {
	if text, ok := schema["description"].(string); ok && len(text) > maxDescription {
		object("the description of %s has %d bytes, clients cut it at %d", at, len(text), maxDescription)
	}
	switch typ := schema["type"].(type) {
	case []any:
		object("%s has several types, which some clients refuse", at)
	case string:
		if _, ok := schema["items"]; typ == "array" && !ok {
			object("%s is an array without items, which some clients refuse", at)
		}
	}
	if ref, ok := schema["$ref"].(string); ok && !strings.HasPrefix(ref, "#") {
		object("%s refers to another document, which no client fetches", at)
	}
	for _, s := range subschemas(schema) {
		l.schema(object, at+s.at, s.schema)
	}
}
