package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A server is a process of Caddy.
type server struct {
	pid   int
	stop  context.CancelFunc
	ended chan struct{}
}

// buildCaddy builds the binary of this module.
func buildCaddy(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "caddy")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/caddymcp/caddymcp/caddymcp/cmd/caddy")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building caddy: %w\n%s", err, out)
	}
	return binary, nil
}

// version is what a binary says that it is.
func version(ctx context.Context, binary string) (string, error) {
	out, err := exec.CommandContext(ctx, binary, "version").Output()
	if err != nil {
		return "", fmt.Errorf("asking caddy for its version: %w", err)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version, nil
}

// startCaddy runs a config in a folder of its own, and returns when it serves.
func startCaddy(ctx context.Context, binary, dir, config string, env ...string) (*server, error) {
	file := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	// Caddy connects to this address, and repeats its standard input, once it serves.
	started, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer started.Close()

	ctx, stop := context.WithCancel(ctx)
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, "run", "--config", file, "--pingback", started.Addr().String())
	cmd.Env = append(append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("serving"), &output, &output
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		stop()
		return nil, err
	}
	s := &server{pid: cmd.Process.Pid, stop: stop, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // calls fail if it ends early
		close(s.ended)
		started.Close()
	}()
	conn, err := started.Accept()
	if err != nil {
		<-s.ended
		stop()
		return nil, fmt.Errorf("caddy does not start:\n%s", output.String())
	}
	conn.Close()
	return s, nil
}

// close ends the process.
func (s *server) close() {
	s.stop()
	<-s.ended
}

// tick is the unit of the times in /proc.
const tick = time.Second / 100

// cpu is the time that the process has spent so far, in user and system mode.
func (s *server) cpu() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, which may hold anything, ends with the last parenthesis.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("/proc has no CPU time for caddy")
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick, errors.Join(err1, err2)
}

// peak is the most memory that the process has had resident, in bytes.
func (s *server) peak() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kB, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kB * 1024, err
		}
	}
	return 0, errors.New("/proc has no peak memory for caddy")
}
