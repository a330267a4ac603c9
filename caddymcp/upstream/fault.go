package upstream

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
)

// The kinds of failure without a reply that sentences can be written for.
const (
	kindUnreachable = "unreachable"
	kindTimeout     = "timeout"
)

// A fault is a failed exchange: there is no whole reply.
type fault struct {
	// kind is kindUnreachable, kindTimeout or empty.
	kind string

	// text completes the sentence that begins with the API's name, where
	// kind does not.
	text string

	// err is the cause, for the log. It can hold internal addresses.
	err error

	// sent means that the request may have reached the API.
	sent bool

	// passing means that the same request may fare better later.
	passing bool
}

func (f *fault) Error() string {
	if f.err != nil {
		return f.err.Error()
	}
	return f.text
}

func (f *fault) Unwrap() error { return f.err }

// asFault finds a fault in err.
func asFault(err error) (*fault, bool) {
	f, ok := errors.AsType[*fault](err)
	return f, ok
}

// tooLarge is the fault of a reply beyond limit.
func tooLarge(limit int64) *fault {
	return &fault{text: fmt.Sprintf("sent a reply larger than %s", humanize.Bytes(uint64(limit))), sent: true}
}
