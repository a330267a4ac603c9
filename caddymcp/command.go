package caddymcp

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "mcp",
		Usage: "<command>",
		Short: "Looks at the tools of a config, calls them, and checks its APIs",
		Long: `
Works with the mcp blocks of a config, without starting the server: nothing
listens, nothing is written to Caddy's storage or logs, and nothing reaches a
server that runs. Of Caddy's own modules, those that would do something before
the server starts do not: no health checks are sent, no ACME server opens its
database, and no certificates are read or made for listeners. But the trust pool
of an upstream is fetched if it is one of URLs, and modules of others are
provisioned as 'caddy validate' does it.

The config is found as by 'caddy validate': with --config and --adapter, or else
in the Caddyfile of the current folder. It must load, so the environment
variables that it names must be set; --envfile reads them from a file.

Results go to stdout, everything else to stderr. The exit code is

	0  if all is well
	1  if the command or the config is wrong, or the command was stopped or could
	   not print
	2  if the answer is no: a tool refused the call, a check failed, or lint
	   found something
	3  if a call failed: the API or the tool's program
`,
		CobraFunc: configureCommand,
	})
}

// The exit codes of the commands, besides Caddy's own 0 and 1.
const (
	exitNo     = 2
	exitFailed = 3
)

// configureCommand makes 'caddy mcp'.
func configureCommand(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringP("config", "c", "", "Configuration file")
	flags.StringP("adapter", "a", "", "Name of config adapter to apply")
	flags.StringSlice("envfile", nil, "Environment file(s) to load")
	flags.String("server", "", "The mcp block, by its name, its path or where it is, if there are several")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return loadEnvFiles(cmd) }
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(toolsCommand(), callCommand(), checkCommand(), lintCommand(), secretCommand())
	// Completion is a help: what cannot be completed is typed.
	_ = cmd.RegisterFlagCompletionFunc("server", completes(completeServer))
}

// addCallerFlag gives a command --caller.
func addCallerFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().String("caller", "", usage+": the name of a bearer token, or url_secret")
	_ = cmd.RegisterFlagCompletionFunc("caller", completesIn(completeCaller))
}

// runs makes the function of a command whose exit code says how it went. An
// interrupt ends its context.
func runs(f func(ctx context.Context, cmd *cobra.Command, args []string) (exit int, err error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		out := newOutput(cmd.OutOrStdout())
		cmd.SetOut(out)
		cmd.SetErr(newOutput(cmd.ErrOrStderr()))
		cmd.SilenceErrors = true // an exit code has been explained, and Caddy logs errors
		return caddycmd.WrapCommandFuncForCobra(func(caddycmd.Flags) (int, error) {
			exit, err := f(ctx, cmd, args)
			if err == nil && out.err != nil {
				return caddy.ExitCodeFailedStartup, out.err
			}
			return exit, err
		})(cmd, args)
	}
}

// await runs what takes no context, and leaves it alone when the context ends.
func await[T any](ctx context.Context, f func() (T, error)) (v T, err error) {
	done := make(chan struct{})
	var got T
	var failed error
	go func() {
		defer close(done)
		got, failed = f()
	}()
	select {
	case <-done:
		return got, failed
	case <-ctx.Done():
		return v, interrupted(ctx)
	}
}

// interrupted is the error of a command whose context has ended.
func interrupted(ctx context.Context) error {
	return fmt.Errorf("the command was stopped: %w", context.Cause(ctx))
}

// loadEnvFiles loads the files of --envfile as Caddy's own commands do. Their
// reader is not exported; 'caddy environ' uses it, and then prints the
// environment, which nobody must see.
func loadEnvFiles(cmd *cobra.Command) error {
	if files, err := cmd.Flags().GetStringSlice("envfile"); err != nil || len(files) == 0 {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	stdout := os.Stdout
	os.Stdout = null
	defer func() { os.Stdout = stdout }()
	environ := new(cobra.Command)
	caddycmd.Commands()["environ"].CobraFunc(environ)
	return environ.RunE(cmd, nil)
}
