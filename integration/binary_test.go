package integration

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// root is the repository.
const root = ".."

var (
	builds   sync.Map // of func() (string, error), by package
	binaries string   // the folder that they go to
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "caddymcp")
	if err != nil {
		panic(err)
	}
	binaries = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// build builds a command of the repository, once.
func build(t *testing.T, pkg string) string {
	t.Helper()
	one, _ := builds.LoadOrStore(pkg, sync.OnceValues(func() (string, error) {
		binary := filepath.Join(binaries, filepath.Base(pkg))
		cmd := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-o", binary, pkg)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("building %s: %w\n%s", pkg, err, out)
		}
		return binary, nil
	}))
	binary, err := one.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// A process is a running command of the repository.
type process struct {
	cmd   *exec.Cmd
	home  string // where it keeps its data
	ended chan struct{}

	mu     sync.Mutex
	output bytes.Buffer
	grown  chan struct{} // closed when there is more output
}

// start runs a binary, from the root of the repository, until the test ends.
// Its environment is that of the test and env; its data goes to a folder of
// its own.
func start(t *testing.T, binary string, env []string, args ...string) *process {
	t.Helper()
	p := &process{
		cmd:   exec.Command(binary, args...),
		home:  t.TempDir(),
		ended: make(chan struct{}),
		grown: make(chan struct{}),
	}
	p.cmd.Dir = root
	p.cmd.Env = append(os.Environ(), "HOME="+p.home, "XDG_DATA_HOME="+p.home, "XDG_CONFIG_HOME="+p.home,
		"GORACE=atexit_sleep_ms=0") // the race detector waits a second by default
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the test looks at cmd.ProcessState
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.stop(t, 20*time.Second)
		if t.Failed() {
			t.Logf("the output of %s:\n%s", filepath.Base(binary), p.text())
		}
	})
	return p
}

// startCaddy runs Caddy with a config until the test ends, and returns when it
// serves.
func startCaddy(t *testing.T, config string, env ...string) *process {
	t.Helper()
	p := start(t, build(t, "./caddymcp/cmd/caddy"), env, "run", "--config", config)
	p.waitFor(t, "serving initial configuration")
	return p
}

// Write takes what the process prints.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.grown)
	p.grown = make(chan struct{})
	return p.output.Write(text)
}

// text is what the process has printed.
func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// waitFor returns the first line that holds text, of those that the process
// has printed or will print.
func (p *process) waitFor(t *testing.T, text string) string {
	t.Helper()
	deadline := time.After(time.Minute)
	ended := p.ended
	for {
		p.mu.Lock()
		printed, grown := p.output.String(), p.grown
		p.mu.Unlock()
		for line := range strings.Lines(printed) {
			if strings.Contains(line, text) && strings.HasSuffix(line, "\n") {
				return strings.TrimSuffix(line, "\n")
			}
		}
		if ended == nil {
			t.Fatalf("the process ended before it printed '%s':\n%s", text, printed)
		}
		select {
		case <-grown:
		case <-ended:
			ended = nil // what it printed last is still to be read
		case <-deadline:
			t.Fatalf("the process has not printed '%s':\n%s", text, printed)
		}
	}
}

// stop asks the process to end, and waits until it has, but not longer than
// patience.
func (p *process) stop(t *testing.T, patience time.Duration) {
	t.Helper()
	select {
	case <-p.ended:
		return
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Errorf("the process has not ended after %s", patience)
		_ = p.cmd.Process.Signal(syscall.SIGABRT) // it prints what its goroutines do
		<-p.ended
	}
}

var (
	portsMu sync.Mutex
	ports   = map[int]bool{}
)

// freePort finds a port of 127.0.0.1 that is free, and that no other test has
// been given.
func freePort(t *testing.T) int {
	t.Helper()
	portsMu.Lock()
	defer portsMu.Unlock()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		if !ports[port] {
			ports[port] = true
			return port
		}
	}
}
