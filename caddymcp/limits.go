package caddymcp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"golang.org/x/time/rate"
)

// Limits bound what one call, and one caller, can cost.
type Limits struct {
	// The largest request body, in bytes. Default: 4 MiB.
	Request int64 `json:"request,omitempty"`

	// The longest reply, in characters. A longer one is an error that says
	// how to narrow the call. Default: 100000.
	Reply int `json:"reply,omitempty"`

	// Calls that run at once; others wait. Default: 64.
	Calls int `json:"calls,omitempty"`

	// Calls per caller: a number and s, m or h, as in '600/m'. '0' is no
	// limit. Default: 600/m.
	Rate string `json:"rate,omitempty"`

	// How long a call may take. Default: 60s.
	Time caddy.Duration `json:"time,omitempty"`
}

// withDefaults fills in what is not given.
func (l Limits) withDefaults() Limits {
	if l.Request == 0 {
		l.Request = 4 << 20
	}
	if l.Reply == 0 {
		l.Reply = 100_000
	}
	if l.Calls == 0 {
		l.Calls = 64
	}
	if l.Rate == "" {
		l.Rate = "600/m"
	}
	if l.Time == 0 {
		l.Time = caddy.Duration(time.Minute)
	}
	return l
}

// validate reports the first bound that makes no sense.
func (l Limits) validate() error {
	switch {
	case l.Request < 0:
		return errors.New("limits: request must be a size such as '4MiB'")
	case l.Reply < 0:
		return errors.New("limits: reply must be a number of characters such as '100000'")
	case l.Calls < 0:
		return errors.New("limits: calls must be a number such as '64'")
	case l.Time < 0:
		return errors.New("limits: time must be a duration such as '60s'")
	}
	_, err := newLimiter(l.Rate)
	return err
}

// newLimiter reads a rate such as '600/m'. The limiter of '0' is nil.
func newLimiter(text string) (*limiter, error) {
	if text == "" || text == "0" {
		return nil, nil
	}
	count, unit, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	per, ok := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[unit]
	if err != nil || n <= 0 || !ok {
		return nil, fmt.Errorf("limits: bad rate '%s': write a number and s, m or h, such as '600/m', or '0' for none", text)
	}
	return &limiter{limit: rate.Every(per / time.Duration(n)), burst: n}, nil
}
