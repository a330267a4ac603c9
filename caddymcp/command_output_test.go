package caddymcp

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestTerminalShowsControlCharacters(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"plain text", "é\tb\r\n€\n", "é\tb\n€\n"},
		{"an escape sequence", "\x1b]0;owned\a", `\u001b]0;owned\u0007`},
		{"eight-bit controls", "a\u009b2Jb\x9b\x7f", `a\u009b2Jb` + "\ufffd" + `\u007f`},
		{"a line that is overwritten", "bad\rgood", `bad\u000dgood`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got bytes.Buffer
			out := &output{to: &got, terminal: true}
			if n, err := out.Write([]byte(tc.text)); n != len(tc.text) || err != nil || got.String() != tc.want {
				t.Errorf("it prints %q, %d, %v, want %q", &got, n, err, tc.want)
			}
			got.Reset()
			if newOutput(&got).Write([]byte(tc.text)); got.String() != tc.text {
				t.Errorf("what is no terminal gets %q", &got)
			}
		})
	}
}

func TestOutputKnowsTerminals(t *testing.T) {
	plain, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if newOutput(plain).terminal || !newOutput(device).terminal {
		t.Error("a file is taken for a terminal, or a device is not")
	}
}

// A fullDisk takes nothing. It notes what was left in a folder when a command
// began to print.
type fullDisk struct {
	folder string
	left   []os.DirEntry
}

func (d *fullDisk) Write([]byte) (int, error) {
	d.left, _ = os.ReadDir(d.folder)
	return 0, errFull
}

var errFull = errors.New("the disk is full")
