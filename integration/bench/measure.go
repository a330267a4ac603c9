package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// A lane is one row while it is measured: a process of Caddy that serves
// nothing else, and its clients.
type lane struct {
	kind    kind
	server  *server
	dir     string // for the files of the process
	clients []*client
	api     *api
	calls   int
	rounds  []figures
}

// Figures are what is measured. In a ratio they are relative to another row.
type figures struct {
	CPU    float64 `json:"cpu_us_per_call"` // of the Caddy process
	Rate   float64 `json:"calls_per_second"`
	P50    float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
	Memory float64 `json:"peak_memory_mb"` // of the Caddy process
}

// round calls on all connections for some time.
func (l *lane) round(ctx context.Context, d time.Duration) (figures, error) {
	asked := l.api.requests.Load()
	cpu, err := l.server.cpu()
	if err != nil {
		return figures{}, err
	}
	start := time.Now()
	latencies, err := load(ctx, l.clients, start.Add(d))
	if err != nil {
		return figures{}, err
	}
	took := time.Since(start)
	cpuAfter, err := l.server.cpu()
	if err != nil {
		return figures{}, err
	}
	calls := len(latencies)
	if requests := l.api.requests.Load() - asked; requests != int64(calls) {
		return figures{}, fmt.Errorf("%d calls became %d requests to the API", calls, requests)
	}
	l.calls += calls
	slices.Sort(latencies)
	return figures{
		CPU:  float64((cpuAfter - cpu).Nanoseconds()) / 1e3 / float64(calls),
		Rate: float64(calls) / took.Seconds(),
		P50:  milliseconds(quantile(latencies, 0.50)),
		P99:  milliseconds(quantile(latencies, 0.99)),
	}, nil
}

// load makes calls until the time is over, at least one on each connection, and
// returns how long each took.
func load(ctx context.Context, clients []*client, until time.Time) ([]time.Duration, error) {
	took := make([][]time.Duration, len(clients))
	group, ctx := errgroup.WithContext(ctx)
	for i, c := range clients {
		group.Go(func() error {
			for {
				start := time.Now()
				resp, err := c.again(ctx)
				if err != nil {
					return fmt.Errorf("call %d of a connection: %w", c.calls, err)
				}
				end := time.Now()
				if err := c.check(resp); err != nil {
					return err
				}
				took[i] = append(took[i], end.Sub(start))
				if !end.Before(until) {
					return nil
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(took...), nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// quantile finds the value in a sorted list below which that share of it lies.
func quantile(sorted []time.Duration, share float64) time.Duration {
	return sorted[int(share*float64(len(sorted)-1))]
}

// close ends the clients and the process, and removes its files: the logs of
// all rows would be large.
func (l *lane) close() {
	for _, c := range l.clients {
		c.close()
	}
	l.server.close()
	_ = os.RemoveAll(l.dir) // what stays goes with the folder of the run
}
