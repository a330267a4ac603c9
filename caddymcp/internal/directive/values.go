package directive

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"
)

// Bool reads a strict boolean: 1, true, yes, on, 0, false, no or off, in any
// case. Empty text is false.
func Bool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "1", "true", "yes", "on":
		return true, nil
	case "", "0", "false", "no", "off":
		return false, nil
	}
	return false, fmt.Errorf("'%s' is not a boolean: write one of 1, true, yes, on, 0, false, no, off", text)
}

// Duration reads a duration above zero, such as 500ms, 15s or 1d.
func Duration(text string) (time.Duration, error) {
	d, err := caddy.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("'%s' is not a duration: write a number with a unit, such as 500ms, 15s or 5m", text)
	}
	return d, nil
}

// Size reads a number of bytes above zero, such as 4096, 64KB or 10MiB.
func Size(text string) (int64, error) {
	n, err := humanize.ParseBytes(text)
	if err != nil || n == 0 || n > math.MaxInt64 {
		return 0, fmt.Errorf("'%s' is not a size: write a number of bytes, with a unit if you like, such as 64KB or 10MB", text)
	}
	return int64(n), nil
}

// Once refuses what may be written once only. The zero value is ready to use.
type Once struct{ seen map[string]bool }

// Check returns an error if word was checked before. The error is at the
// current token of d.
func (o *Once) Check(d *caddyfile.Dispenser, word string) error {
	if o.seen[word] {
		return d.Errf("'%s' is given twice: write it once", word)
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[word] = true
	return nil
}
