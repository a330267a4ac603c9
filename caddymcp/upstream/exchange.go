package upstream

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// An exchanger sends one request and reads its whole reply. Its error is an
// *exchangeError, or the context's.
type exchanger interface {
	exchange(ctx context.Context, out *outgoing) (*program.Response, error)
	close() error
}

// An exchangeError is why there is no whole reply.
type exchangeError struct {
	// kind is that of the [program.Error].
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

func (f *exchangeError) Error() string {
	if f.err != nil {
		return f.err.Error()
	}
	return f.text
}

func (f *exchangeError) Unwrap() error { return f.err }

// detail says in a few words why there is no reply: the last clause of the
// cause, such as 'connection refused'. It can hold internal addresses.
func (f *exchangeError) detail(timeout time.Duration) string {
	if f.kind == program.KindTimeout {
		return fmt.Sprintf("no answer within %s", timeout)
	}
	text := f.Error()
	return tidy(text[strings.LastIndex(text, ": ")+1:])
}

// asExchangeError finds one in err.
func asExchangeError(err error) (*exchangeError, bool) {
	f, ok := errors.AsType[*exchangeError](err)
	return f, ok
}

// tooLarge is the error of a reply beyond limit.
func tooLarge(limit int64) *exchangeError {
	return &exchangeError{text: fmt.Sprintf("sent a reply larger than %s", humanize.BigBytes(big.NewInt(limit))), sent: true}
}
