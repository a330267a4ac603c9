//go:build unix

package caddymcp

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe that nobody writes to does not hold a call.
func TestFilesPipe(t *testing.T) {
	t.Parallel()
	f := &Files{Dir: t.TempDir()}
	if err := f.provision(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(f.Dir, "pipe.png"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadFile("pipe.png"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}
