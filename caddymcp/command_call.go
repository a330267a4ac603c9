package caddymcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/caddymcp/caddymcp/caddymcp/tools"
)

// callCommand makes 'caddy mcp call'.
func callCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call <tool> [<name>=<value> ...]",
		Short: "Calls a tool against its real API, and prints the reply",
		Long: `
Calls a tool against its real API, as a client would, and prints the reply as a
model would read it.

Values are mended as those of models are: '5' is a number where the tool has a
number, a name that stands several times is an array, and an array or an object
is written as JSON. --json takes all arguments as one JSON object instead, or
the ones that are not given by name.

With --dry-run reads are sent, and the first request that writes is printed
instead: the call ends there. Where 'read_only false' is said, of a tool or of
the case that the arguments choose, even reads are taken for writes, and nothing
is sent. With --trace every request that is sent is shown on stderr, and so are
progress and log messages.

In bash, arguments and values complete once '=' is part of words: write
COMP_WORDBREAKS=${COMP_WORDBREAKS//=} into ~/.bashrc.
`,
		Example: `  caddy mcp call get_pantry location=fridge
  caddy mcp call set_item_state ingredient=noodles state=out --dry-run
  caddy mcp call add_to_pantry --json '{"items": [{"name": "noodles"}]}' --trace`,
		Args:              cobra.MinimumNArgs(1),
		RunE:              onBlock(runCall),
		ValidArgsFunction: completesIn(completeCall),
	}
	cmd.Flags().String("json", "", "The arguments, as a JSON object")
	addCallerFlag(cmd, "Who calls")
	cmd.Flags().Bool("dry-run", false, "Stop at the first request that writes, and print it")
	cmd.Flags().Bool("trace", false, "Show every request on stderr")
	return cmd
}

func runCall(ctx context.Context, cmd *cobra.Command, args []string, b *block) (int, error) {
	given, _ := cmd.Flags().GetString("json")
	arguments, err := readArguments(args[1:], given)
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	name := args[0]
	if !b.set.Has(name) {
		return caddy.ExitCodeFailedStartup, fmt.Errorf("there is no tool '%s': there are %s", name, cmp.Or(strings.Join(b.toolNames(), ", "), "none"))
	}
	caller, err := b.chooseCaller(cmd)
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	if !b.allows(caller, name) {
		fmt.Fprintf(cmd.ErrOrStderr(), "the tool '%s' needs the scope %s, which '%s' does not hold\n",
			name, strings.Join(b.set.Scopes(name), " "), callerName(caller))
		return exitNo, nil
	}
	in, err := b.incoming(ctx, caller, "")
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	call := &tools.Call{Name: name, Arguments: arguments}
	w := &witness{log: cmd.ErrOrStderr(), unsafe: b.set.Unsafe(ctx, call), stop: stop}
	w.dry, _ = cmd.Flags().GetBool("dry-run")
	w.trace, _ = cmd.Flags().GetBool("trace")
	b.upstreams.Intercept(w.intercept)
	if w.trace {
		call.Progress, call.Log = w.progress, w.message
	}
	result, outcome := b.admit(ctx, call, in, new(tally))
	if write := w.stopped(); write != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "dry run: the tool would send this, and was stopped before")
		return caddy.ExitCodeSuccess, printRequest(cmd.OutOrStdout(), write)
	}
	if err := printResult(cmd.OutOrStdout(), result); err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	return explain(cmd.ErrOrStderr(), outcome), nil
}

// explain tells the person at the terminal what is behind a failure, which the
// model does not read, and returns the exit code.
func explain(log io.Writer, outcome tools.Outcome) int {
	switch outcome.Kind {
	case tools.OK:
		return caddy.ExitCodeSuccess
	case tools.Refused:
		return exitNo
	}
	fmt.Fprintf(log, "%s: %v\n", outcome.Kind, outcome.Err)
	if outcome.Stack != nil {
		fmt.Fprintf(log, "%s\n", outcome.Stack)
	}
	return exitFailed
}

// toolNames are the names of the tools that there are: in read-only mode some
// of those that are declared are left out.
func (b *block) toolNames() []string {
	var names []string
	for _, t := range b.set.List() {
		names = append(names, t.Name)
	}
	return names
}

// readArguments makes the arguments of a call from name=value pairs and the
// JSON object that --json gives.
func readArguments(pairs []string, given string) (json.RawMessage, error) {
	arguments := make(map[string]json.RawMessage)
	if given != "" {
		if err := json.Unmarshal([]byte(given), &arguments); err != nil {
			return nil, fmt.Errorf("--json takes an object such as '{\"name\": \"value\"}': %w", err)
		}
		if arguments == nil { // null
			return nil, errors.New("--json takes an object such as '{\"name\": \"value\"}', not null")
		}
		if len(pairs) == 0 {
			return json.RawMessage(given), nil
		}
	}
	values := make(map[string][]string)
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("'%s' is not an argument: write it as 'name=value'", pair)
		}
		values[name] = append(values[name], value)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if arguments[name] != nil {
			return nil, fmt.Errorf("the argument '%s' stands in --json as well: give it once", name)
		}
		if list := values[name]; len(list) == 1 {
			arguments[name] = mustJSON(list[0])
		} else {
			arguments[name] = mustJSON(list)
		}
	}
	return mustJSON(arguments), nil
}

// printResult prints what a model reads of a result.
func printResult(out io.Writer, result *mcp.CallToolResult) error {
	var text bytes.Buffer
	for _, content := range result.Content {
		switch c := content.(type) {
		case *mcp.TextContent:
			fmt.Fprintln(&text, c.Text)
		case *mcp.ImageContent:
			fmt.Fprintf(&text, "(%s, %d bytes)\n", c.MIMEType, len(c.Data))
		case *mcp.AudioContent:
			fmt.Fprintf(&text, "(%s, %d bytes)\n", c.MIMEType, len(c.Data))
		default: // links and embedded resources
			raw, err := json.Marshal(c)
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "%s\n", raw)
		}
	}
	if structured, ok := result.StructuredContent.(json.RawMessage); ok && len(result.Content) == 0 {
		fmt.Fprintf(&text, "%s\n", structured)
	}
	_, err := text.WriteTo(out)
	return err
}
