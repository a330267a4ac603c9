package upstream

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// A Check tells whether an API can be used.
type Check struct {
	// The jq program. Its string is logged; its error means that the API
	// cannot be used.
	Program program.Source `json:"program"`

	// Calls are refused with the check's error while it fails. Default: false.
	Required bool `json:"required,omitempty"`
}

// The check of an upstream is repeated after these times until it passes.
const (
	firstRecheck = time.Second
	lastRecheck  = time.Minute
)

// checkKey is the context key of the requests of a check.
type checkKey struct{}

// isCheck reports whether ctx is that of a check.
func isCheck(ctx context.Context) bool { return ctx.Value(checkKey{}) != nil }

// WithCheck returns a context whose requests are sent although the upstream is
// down. Checks use it.
func WithCheck(ctx context.Context) context.Context {
	return context.WithValue(ctx, checkKey{}, true)
}

// SetDown marks the upstream as down. If its check is required, requests are
// answered with err until [Upstream.SetUp].
func (u *Upstream) SetDown(err error) {
	if u.Check == nil || !u.Check.Required {
		return
	}
	failure := &program.Error{Message: "the check of " + u.name() + " failed"}
	if own, ok := errors.AsType[*program.Error](err); ok {
		*failure = *own
	}
	u.down.Store(failure)
}

// SetUp marks the upstream as usable again.
func (u *Upstream) SetUp() { u.down.Store(nil) }

// Watch runs the check, again and again until it passes or ctx ends. Each
// outcome is logged on one line. It returns when it is done.
func (u *Upstream) Watch(ctx context.Context, check func(context.Context) (string, error)) {
	for wait := firstRecheck; ; wait = min(2*wait, lastRecheck) {
		text, err := check(WithCheck(ctx))
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			u.SetUp()
			u.logger.Info("upstream checked", zap.String("upstream", u.Name), zap.String("result", text))
			return
		}
		u.SetDown(err)
		u.logger.Warn("upstream check failed",
			zap.String("upstream", u.Name), zap.Error(err), zap.Duration("again_in", wait))
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}
