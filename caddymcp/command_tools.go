package caddymcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/caddyserver/caddy/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/caddymcp/caddymcp/caddymcp/access"
	"github.com/caddymcp/caddymcp/caddymcp/tokens"
)

// toolsCommand makes 'caddy mcp tools'.
func toolsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Lists the tools as a client sees them, and what they cost to read",
		Long: `
Lists the tools as a client sees them, with the size of each in characters and
in tokens (o200k_base), and the size of the whole tools/list reply. Without
--caller those of all scopes are listed.
`,
		Example: `  caddy mcp tools --config Caddyfile --envfile /etc/caddy/env
  caddy mcp tools --caller phone
  caddy mcp tools --json | jq -r '.tools[].name'`,
		Args: cobra.NoArgs,
		RunE: onBlock(runTools),
	}
	cmd.Flags().Bool("json", false, "Print the tools/list reply")
	addCallerFlag(cmd, "Whose tools")
	return cmd
}

func runTools(ctx context.Context, cmd *cobra.Command, _ []string, b *block) (int, error) {
	caller := b.anyone()
	if cmd.Flags().Changed("caller") {
		var err error
		if caller, err = b.chooseCaller(cmd); err != nil {
			return caddy.ExitCodeFailedStartup, err
		}
	}
	reply, err := b.listTools(ctx, caller)
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	out := cmd.OutOrStdout()
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		fmt.Fprintf(out, "%s\n", reply)
		return caddy.ExitCodeSuccess, nil
	}
	return caddy.ExitCodeSuccess, printTools(out, b, reply)
}

// printTools prints the tools of a tools/list reply, a line for each.
func printTools(out io.Writer, b *block, reply []byte) error {
	list, err := toolsIn(reply)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TOOL\tCHARACTERS\tTOKENS\tHINTS\tTITLE")
	for _, raw := range list {
		var t mcp.Tool
		if err := json.Unmarshal(raw, &t); err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", t.Name, size(raw), hintsOf(t.Annotations), t.Title)
	}
	fmt.Fprintf(table, "%s\t%s\t\t%s\n", "total", size(reply), fmt.Sprintf("%d tools of %s", len(list), b))
	return table.Flush()
}

// size is how long a text is, in characters and in tokens.
func size(text []byte) string {
	return fmt.Sprintf("%d\t%d", utf8.RuneCount(text), tokens.Count(string(text)))
}

// hintsOf names the hints of a tool that hold.
func hintsOf(a *mcp.ToolAnnotations) string {
	var names []string
	for _, hint := range []struct {
		holds bool
		name  string
	}{
		{a.ReadOnlyHint, "read-only"},
		{a.DestructiveHint != nil && *a.DestructiveHint, "destructive"},
		{a.IdempotentHint, "idempotent"},
		{a.OpenWorldHint != nil && *a.OpenWorldHint, "open world"},
	} {
		if hint.holds {
			names = append(names, hint.name)
		}
	}
	return strings.Join(names, ", ")
}

// toolsIn are the tools of a tools/list reply.
func toolsIn(reply []byte) ([]json.RawMessage, error) {
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	err := json.Unmarshal(reply, &list)
	return list.Tools, err
}

// anyone is a caller who holds every scope.
func (b *block) anyone() access.Caller {
	var scopes []string
	for _, t := range b.Tools {
		scopes = append(scopes, t.Scopes...)
	}
	return access.Caller{Scopes: scopes}
}

// listTools asks the server for its tools, as a client of 2026-07-28 does, and
// returns the result as it was sent.
func (b *block) listTools(ctx context.Context, caller access.Caller) (json.RawMessage, error) {
	in, err := b.incoming(ctx, caller, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"`+modernVersion+`","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Accept":               "application/json, text/event-stream",
		"Content-Type":         "application/json",
		"Mcp-Protocol-Version": modernVersion,
		"Mcp-Method":           "tools/list",
	} {
		in.request.Header.Set(name, value)
	}
	w := &replyBuffer{header: make(http.Header)}
	b.serve(w, in.request, caller)
	var reply struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(w.Bytes(), &reply); err != nil || reply.Result == nil {
		return nil, errors.Join(fmt.Errorf("the server did not list its tools: %s", w), err)
	}
	return reply.Result, nil
}

// A replyBuffer keeps the body of a reply.
type replyBuffer struct {
	bytes.Buffer
	header http.Header
}

// Header implements http.ResponseWriter.
func (w *replyBuffer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *replyBuffer) WriteHeader(int) {}

// Interface guards
var _ http.ResponseWriter = (*replyBuffer)(nil)
