package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A report is what one run has measured.
type report struct {
	Go       string `json:"go"`
	Caddy    string `json:"caddy"`
	CPUs     int    `json:"cpus"`
	Env      string `json:"env"`      // what sets Go's runtime, in Caddy and here
	Duration string `json:"duration"` // of a round
	Rounds   int    `json:"rounds"`
	Rows     []row  `json:"rows"`
}

// runtimeEnv are the variables of the environment that change the figures.
func runtimeEnv() string {
	var set []string
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG"} {
		if value, ok := os.LookupEnv(name); ok {
			set = append(set, name+"="+value)
		}
	}
	return strings.Join(set, " ")
}

// A row is one kind in one group.
type row struct {
	Scheme      string  `json:"scheme"`
	APIBytes    int     `json:"api_reply_bytes"`
	ReplyBytes  int     `json:"reply_bytes"` // what the client reads
	Connections int     `json:"connections"`
	Kind        kind    `json:"kind"`
	Calls       int     `json:"calls"`
	Figures     figures `json:"figures"` // medians of the rounds
	Ratios      figures `json:"ratios"`  // to the bare reverse_proxy of the group
}

// newRow sums up the rounds of a lane. The ratios are medians too, each of a
// round to the same round of the base.
func newRow(g group, l, base *lane) row {
	ratios := make([]figures, len(l.rounds))
	for i, f := range l.rounds {
		ratios[i] = f.over(base.rounds[i])
	}
	return row{
		Scheme:      g.scheme,
		APIBytes:    len(g.list.body),
		ReplyBytes:  l.clients[0].reply.Len(),
		Connections: g.connections,
		Kind:        l.kind,
		Calls:       l.calls,
		Figures:     median(l.rounds),
		Ratios:      median(ratios),
	}
}

// each combines the figures of several measurements, one by one.
func each(all []figures, combine func([]float64) float64) (f figures) {
	of := func(one func(figures) float64) float64 {
		values := make([]float64, len(all))
		for i := range all {
			values[i] = one(all[i])
		}
		return combine(values)
	}
	return figures{
		CPU:    of(func(f figures) float64 { return f.CPU }),
		Rate:   of(func(f figures) float64 { return f.Rate }),
		P50:    of(func(f figures) float64 { return f.P50 }),
		P99:    of(func(f figures) float64 { return f.P99 }),
		Memory: of(func(f figures) float64 { return f.Memory }),
	}
}

// median is that of each figure.
func median(all []figures) figures {
	return each(all, func(values []float64) float64 {
		slices.Sort(values)
		half := len(values) / 2
		if len(values)%2 == 0 {
			return (values[half-1] + values[half]) / 2
		}
		return values[half]
	})
}

// over is the ratio to other figures. It is 0 where those are: a round can be
// too short to see any CPU time.
func (f figures) over(base figures) figures {
	return each([]figures{f, base}, func(values []float64) float64 {
		if values[1] == 0 {
			return 0
		}
		return values[0] / values[1]
	})
}

// printHead prints what the figures mean, and the head of the table.
func (r report) printHead(w io.Writer) {
	fmt.Fprintf(w, `caddy %s, %s, %d CPUs shared by Caddy, the API and the clients.
Medians of %d rounds of %s.

The rows named by a revision of MCP are tool calls with everything on. 'API' is the reply of the API,
'reply' what the client reads. 'CPU µs/call' is of the Caddy process alone, and the figure to compare;
calls/s and latencies are of the whole machine under closed load. 'x' is the ratio to the bare
reverse_proxy of the same list, in the same round. http is HTTP/1.1, https is HTTP/2.

`, r.Caddy, strings.TrimSpace(r.Go+" "+r.Env), r.CPUs, r.Rounds, r.Duration)
	fmt.Fprintf(w, "%-5s %7s %5s  %-13s %7s", "", "API", "conns", "", "reply")
	for _, name := range []string{"CPU µs/call", "calls/s", "p50 ms", "p99 ms", "peak MB"} {
		fmt.Fprintf(w, " %11s %6s", name, "x")
	}
	fmt.Fprintln(w)
}

// printRows prints the rows of a group.
func printRows(w io.Writer, rows []row) {
	for _, r := range rows {
		fmt.Fprintf(w, "%-5s %7s %5d  %-13s %7s", r.Scheme, kB(r.APIBytes), r.Connections, r.Kind, kB(r.ReplyBytes))
		f, x := r.Figures, r.Ratios
		fmt.Fprintf(w, " %11.0f %6.2f %11.0f %6.2f %11.2f %6.2f %11.2f %6.2f %11.0f %6.2f\n",
			f.CPU, x.CPU, f.Rate, x.Rate, f.P50, x.P50, f.P99, x.P99, f.Memory, x.Memory)
	}
	fmt.Fprintln(w)
}

func kB(bytes int) string { return fmt.Sprintf("%.0f kB", float64(bytes)/1e3) }

// write writes the report as JSON.
func (r report) write(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}
