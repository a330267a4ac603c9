package caddymcp

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

// An output is where a command prints. It keeps the first error, so that no
// print needs to look for it. What is for a terminal must not steer it: what
// APIs send is printed too.
type output struct {
	to       io.Writer
	terminal bool
	err      error
}

func newOutput(to io.Writer) *output {
	file, ok := to.(*os.File)
	if !ok {
		return &output{to: to}
	}
	info, err := file.Stat()
	return &output{to: to, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// Write implements io.Writer.
func (o *output) Write(text []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	shown := text
	if o.terminal {
		shown = []byte(tame(string(text)))
	}
	if _, o.err = o.to.Write(shown); o.err != nil {
		return 0, o.err
	}
	return len(text), nil
}

// tame writes control characters out, as JSON does, except for those of plain
// text.
func tame(text string) string {
	var tamed strings.Builder
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			fmt.Fprintf(&tamed, `\u%04x`, r)
		} else {
			tamed.WriteRune(r)
		}
	}
	return tamed.String()
}

// Interface guards
var _ io.Writer = (*output)(nil)
