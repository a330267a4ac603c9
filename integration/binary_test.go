package integration

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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

var (
	builds   sync.Map
	binaries string
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

// A process is a running command of the repository.
type process struct {
	cmd    *exec.Cmd
	mu     sync.Mutex
	output bytes.Buffer
	lines  chan string
	ended  chan struct{}
	err    error
}

// start runs a binary until the test ends. Its environment is that of the test
// and env; its data goes to a folder of its own.
func start(t *testing.T, binary string, env []string, args ...string) *process {
	t.Helper()
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(binary, args...), lines: make(chan string, 10_000), ended: make(chan struct{})}
	p.cmd.Dir = dir
	home := t.TempDir()
	p.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	p.cmd.Env = append(p.cmd.Env, env...)
	reader, writer := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = writer, writer
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		scanner := bufio.NewScanner(reader)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			p.mu.Lock()
			p.output.WriteString(scanner.Text() + "\n")
			p.mu.Unlock()
			select {
			case p.lines <- scanner.Text():
			default: // nobody waits for this line any more
			}
		}
		close(p.lines)
	}()
	go func() {
		p.err = p.cmd.Wait()
		writer.Close()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.stop(t)
		if t.Failed() {
			t.Logf("the output of %s:\n%s", filepath.Base(binary), p.text())
		}
	})
	return p
}

// text is what the process has printed.
func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// waitFor returns the first line to come that holds text.
func (p *process) waitFor(t *testing.T, text string) string {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				t.Fatalf("the process ended before it printed '%s':\n%s", text, p.text())
			}
			if strings.Contains(line, text) {
				return line
			}
		case <-deadline:
			t.Fatalf("the process has not printed '%s':\n%s", text, p.text())
		}
	}
}

// stop asks the process to end, and waits until it has.
func (p *process) stop(t *testing.T) {
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
	case <-time.After(20 * time.Second):
		t.Errorf("the process does not end:\n%s", p.text())
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// freePort finds a port of 127.0.0.1 that is free.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
