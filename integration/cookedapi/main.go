// Command cookedapi serves the Cooked shopping list's REST API, for trying
// caddymcp with something real behind it.
//
//	go run ./integration/cookedapi -listen 127.0.0.1:8043 -token T -data list.json
//
// It prints the API's base URL once it is listening, and stops on SIGINT and
// SIGTERM.
package main

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

	"github.com/caddymcp/caddymcp/integration/cookedapi/cooked"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "cookedapi:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, and then lets requests in flight finish.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("cookedapi", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:8043", "the `address` to listen on; port 0 takes a free one")
	token := flags.String("token", "", "the API `token` (default: the environment's COOKED_API_TOKEN)")
	file := flags.String("data", "", "the JSON `file` that keeps the list (default: kept in memory)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument '%s': use the flags -listen, -token and -data", flags.Arg(0))
	}

	api, err := cooked.New(cooked.Options{Token: cmp.Or(*token, os.Getenv("COOKED_API_TOKEN")), File: *file})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: api, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	fmt.Fprintf(stdout, "http://%s\n", ln.Addr())

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
