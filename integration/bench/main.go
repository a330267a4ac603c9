// Command bench measures what a tool call costs, next to a bare reverse_proxy
// of the same request to the same API:
//
//	go run ./integration/bench
//
// That takes five minutes. It runs Caddy as it would run for real, with a
// bearer token, checked arguments, a jq result, Caddy's metrics, an access log
// and the log of calls, and calls the tool in both eras of MCP: 2025-11-25, one
// session on each connection, and 2026-07-28. It needs Linux, for /proc.
//
// What to know of the figures:
//
//   - Caddy, the API and the clients share the machine, so calls per second and
//     latencies are of all of them together. The CPU time is Caddy's alone.
//   - Each row has a process of Caddy for itself. The three that are compared
//     take turns, and a ratio is one to the proxy in the same turn.
//   - Load is closed: a connection asks again when it has its reply. So a row
//     with many connections shows a full machine, not a queue of arrivals.
//   - http is HTTP/1.1 and https is HTTP/2, with one request at a time on each
//     connection. Connections, handshakes and sessions are made before; one that
//     is made again ends the run.
//   - Every reply is checked, byte for byte, against one that was read in full,
//     and each call must be one request to the API: nothing is cached, repeated
//     or compressed.
//   - The proxy passes the API's reply on, the tool what it makes of it, which
//     is smaller. That is the work that is compared.
//   - Peak memory is of the process from its start on, its mapped files included.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// A bench is one run.
type bench struct {
	duration time.Duration
	rounds   int
	warmUps  int    // rounds before those that count
	caddy    string // the binary
	dir      string // for files that go when the run is over
	token    string
	cert     certificate
	api      *api
}

func main() {
	// Also when the reader of the table goes: processes of Caddy must not stay.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	b := &bench{warmUps: 1, token: rand.Text() + rand.Text()}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.DurationVar(&b.duration, "duration", 2*time.Second, "how long a round of a row takes")
	flags.IntVar(&b.rounds, "rounds", 3, "how many `rounds` a row has after the one that warms up")
	flags.StringVar(&b.caddy, "caddy", "", "the `binary` to measure (default: built from this module)")
	file := flags.String("json", "", "the `file` to write the figures to")
	smoke := flags.Bool("smoke", false, "one very short round of every row, cold: it shows that all works, and its figures mean nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument '%s'", flags.Arg(0))
	}
	if *smoke {
		b.duration, b.rounds, b.warmUps = 5*time.Millisecond, 1, 0
	}
	if b.duration <= 0 || b.rounds < 1 {
		return errors.New("-duration and -rounds must be more than 0")
	}

	var err error
	if b.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.cert, err = newCertificate(b.dir); err != nil {
		return err
	}
	if b.api, err = startAPI(); err != nil {
		return err
	}
	defer b.api.server.Close()
	if b.caddy == "" {
		if b.caddy, err = buildCaddy(ctx, b.dir); err != nil {
			return err
		}
	}
	r := report{
		Go:       runtime.Version(),
		CPUs:     runtime.NumCPU(),
		Duration: b.duration.String(),
		Rounds:   b.rounds,
		Env:      runtimeEnv(),
	}
	if r.Caddy, err = version(ctx, b.caddy); err != nil {
		return err
	}
	r.printHead(out)
	for _, scheme := range schemes {
		for _, l := range b.api.lists {
			for _, n := range []int{1, 16, 64} {
				rows, err := b.measure(ctx, group{scheme, l, n})
				if err != nil {
					return fmt.Errorf("%s, %s, %d connections: %w", scheme, kB(l.size), n, err)
				}
				printRows(out, rows)
				r.Rows = append(r.Rows, rows...)
			}
		}
	}
	if *file != "" {
		return r.write(*file)
	}
	return nil
}
