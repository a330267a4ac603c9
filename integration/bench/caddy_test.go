package main

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// What /proc says of a process is what the kernel says of it.
func TestProcess(t *testing.T) {
	self := &server{pid: os.Getpid()}
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	memory := make([]byte, 64<<20)
	for used() < 10*tick {
		for i := range memory {
			memory[i]++
		}
	}
	before := used()
	cpu, err := self.cpu()
	if after := used(); err != nil || cpu < before-2*tick || cpu > after {
		t.Errorf("it has used %s %v, want between %s and %s", cpu, err, before, after)
	}
	if peak, err := self.peak(); err != nil || peak < int64(len(memory)) {
		t.Errorf("its memory is %d %v, and a part of it %d", peak, err, len(memory))
	}
	gone := &server{pid: -1}
	if _, err := gone.cpu(); err == nil {
		t.Error("no process has a CPU time")
	}
	if _, err := gone.peak(); err == nil {
		t.Error("no process has a memory")
	}
}
