package caddymcp

import (
	"context"
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/caddymcp/caddymcp/caddymcp/upstream"
)

// checkCommand makes 'caddy mcp check'.
func checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Runs the check of every upstream",
		Long: `
Runs the 'check' of every upstream once, and prints a line for each: its string,
or why it failed.
`,
		Example: `  caddy mcp check --config Caddyfile --envfile /etc/caddy/env`,
		Args:    cobra.NoArgs,
		RunE:    onBlocks(runChecks),
	}
}

func runChecks(ctx context.Context, cmd *cobra.Command, _ []string, blocks []*block) (int, error) {
	exit := caddy.ExitCodeSuccess
	for _, b := range blocks {
		for i, u := range b.Upstreams {
			said, failed := b.check(ctx, i)
			if ctx.Err() != nil {
				return caddy.ExitCodeFailedStartup, interrupted(ctx)
			}
			if failed {
				exit = exitNo
			}
			name := b.Name
			if b.sharesName(blocks) {
				name = b.String()
			}
			if u.Name != "" {
				name += ", upstream " + u.Name
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", name, said)
		}
	}
	return exit, nil
}

// check runs the check of one upstream, and says what came of it.
func (b *block) check(ctx context.Context, i int) (said string, failed bool) {
	check := b.checks[i]
	if check == nil {
		return "has no check", false
	}
	said, err := runCheck(upstream.WithCheck(ctx), check, b.Handler, b.Upstreams[i].Name)
	if err != nil {
		return fmt.Sprintf("failed: %v", err), true
	}
	return said, false
}
