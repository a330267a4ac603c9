package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	t.Setenv("COOKED_API_TOKEN", "T") // for want of a flag
	file := filepath.Join(t.TempDir(), "list.json")
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-listen", "127.0.0.1:0", "-data", file}, in, io.Discard)
	}()

	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSpace(line)
	if !strings.HasPrefix(base, "http://127.0.0.1:") {
		t.Fatalf("the first line is %q", line)
	}
	req, err := http.NewRequest("GET", base+"/shopping-list", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer T")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("got %s", res.Status)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}

	stop()
	if err := <-ended; err != nil {
		t.Errorf("it stopped with %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	t.Setenv("COOKED_API_TOKEN", "")
	for name, args := range map[string][]string{
		"no token":     {"-listen", "127.0.0.1:0"},
		"an argument":  {"-token", "T", "-listen", "127.0.0.1:0", "serve"},
		"bad address":  {"-token", "T", "-listen", "127.0.0.1:none"},
		"bad file":     {"-token", "T", "-listen", "127.0.0.1:0", "-data", t.TempDir()},
		"unknown flag": {"-tokn", "T"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
				t.Error("it ran")
			}
		})
	}
}
