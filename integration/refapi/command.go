// Package refapi is what the reference APIs have in common: a command line, a
// file that keeps their data, and a check of tokens. How an API looks to its
// callers is its own affair.
package refapi

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// A Command serves one API, with the flags -listen, -token and -data, and those
// of the API.
type Command struct {
	Name     string // of the program
	Listen   string // where it listens if it is not told, host:port
	TokenEnv string // the environment variable with the token, for want of -token
	Keeps    string // what -data keeps, such as "the pantry"
	Path     string // the path of the base URL, if it has one

	// Flags defines the flags that only this API has, if it has any. They are
	// parsed before New is called.
	Flags func(*flag.FlagSet)

	// New makes the API for callers with the token, which it refuses if it is
	// empty. The API keeps its data in the file, or in memory without one.
	New func(token, file string) (http.Handler, error)
}

// Main runs the command with the arguments of the process until SIGINT or
// SIGTERM. It ends the process with status 1 if that fails.
func (c Command) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := c.run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", c.Name, err)
		os.Exit(1)
	}
}

// run serves until ctx ends, and then lets requests in flight finish. It
// prints the base URL once it is listening.
func (c Command) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", c.Listen, "the `address` to listen on; port 0 takes a free one")
	token := flags.String("token", "", fmt.Sprintf("the API `token` (default: the environment's %s)", c.TokenEnv))
	file := flags.String("data", "", fmt.Sprintf("the JSON `file` that keeps %s (default: kept in memory)", c.Keeps))
	if c.Flags != nil {
		c.Flags(flags)
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument '%s': use the flags that -h lists", flags.Arg(0))
	}

	api, err := c.New(cmp.Or(*token, os.Getenv(c.TokenEnv)), *file)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: api, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	fmt.Fprintf(stdout, "http://%s%s\n", ln.Addr(), c.Path)

	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		stopped <- server.Shutdown(grace)
	}()
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
