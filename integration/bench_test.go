package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The benchmark runs, and has a row for everything it promises. What it
// measures here says nothing.
func TestBench(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bench.json")
	cmd := exec.CommandContext(t.Context(), build(t, "./integration/bench"),
		"-smoke", "-caddy", build(t, "./caddymcp/cmd/caddy"), "-json", file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	type figures struct {
		CPU    float64 `json:"cpu_us_per_call"`
		Rate   float64 `json:"calls_per_second"`
		P50    float64 `json:"p50_ms"`
		P99    float64 `json:"p99_ms"`
		Memory float64 `json:"peak_memory_mb"`
	}
	var report struct {
		Go       string `json:"go"`
		Caddy    string `json:"caddy"`
		CPUs     int    `json:"cpus"`
		Env      string `json:"env"`
		Duration string `json:"duration"`
		Rounds   int    `json:"rounds"`
		Rows     []struct {
			Scheme      string  `json:"scheme"`
			APIBytes    int     `json:"api_reply_bytes"`
			ReplyBytes  int     `json:"reply_bytes"`
			Connections int     `json:"connections"`
			Kind        string  `json:"kind"`
			Calls       int     `json:"calls"`
			Figures     figures `json:"figures"`
			Ratios      figures `json:"ratios"`
		} `json:"rows"`
	}
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	decodeStrictly(t, text, &report)

	got := make(map[string]bool)
	for _, r := range report.Rows {
		name := fmt.Sprintf("%s %d kB %d %s", r.Scheme, r.APIBytes/1000, r.Connections, r.Kind)
		if got[name] {
			t.Errorf("%s is there twice", name)
		}
		got[name] = true
		if r.Calls < r.Connections || r.ReplyBytes == 0 || r.Figures.Rate <= 0 || r.Figures.P50 <= 0 || r.Figures.P99 < r.Figures.P50 || r.Figures.Memory <= 0 {
			t.Errorf("%s cannot be: %+v", name, r)
		}
		if isProxy := r.Kind == "reverse_proxy"; isProxy && (r.Ratios.Rate != 1 || r.Ratios.P99 != 1 || r.Ratios.Memory != 1) || isProxy != (r.APIBytes == r.ReplyBytes) {
			t.Errorf("%s is not measured as it should be: %+v", name, r)
		}
	}
	for _, scheme := range []string{"http", "https"} {
		for _, size := range []int{4, 200} {
			for _, connections := range []int{1, 16, 64} {
				for _, kind := range []string{"reverse_proxy", legacy, modern} {
					name := fmt.Sprintf("%s %d kB %d %s", scheme, size, connections, kind)
					if !got[name] {
						t.Errorf("there is no %s", name)
					}
					delete(got, name)
				}
			}
		}
	}
	for name := range got {
		t.Errorf("nobody asked for %s", name)
	}
	if lines := strings.Count(string(out), "\nhttp"); lines != len(report.Rows) {
		t.Errorf("the table has %d lines for %d rows:\n%s", lines, len(report.Rows), out)
	}
}
