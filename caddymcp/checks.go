package caddymcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/caddymcp/upstream"
)

// compileCheck compiles the check of an upstream, which only reads: it runs by
// itself, again and again.
func (h *Handler) compileCheck(u *upstream.Upstream, library *program.Library) (*program.Program, error) {
	p, err := program.Compile(u.Check.Program, program.Options{Library: library, Requests: true})
	if err != nil {
		return nil, err
	}
	for _, e := range p.Effects() {
		switch e.Method {
		case "", http.MethodGet, http.MethodHead: // one that is computed is refused when it is sent
			continue
		}
		if !upstream.Set(h.Upstreams).Safe(cmp.Or(e.Upstream, u.Name), e.Method, e.Path) {
			return nil, fmt.Errorf("a check only reads, and this one can send %s: "+
				"declare that request 'safe' in the upstream, or use GET", strings.TrimSpace(e.Method+" "+e.Path))
		}
	}
	return p, nil
}

// startChecks runs the checks of upstreams, which end with the config.
func (h *Handler) startChecks(ctx context.Context) {
	for i, u := range h.Upstreams {
		if check := h.checks[i]; check != nil {
			go u.Watch(ctx, func(ctx context.Context) (string, error) {
				return runCheck(ctx, check, h, u.Name)
			})
		}
	}
}

// runCheck runs the check of one upstream. Its value must be a string.
func runCheck(ctx context.Context, check *program.Program, h *Handler, name string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(h.limits.Time))
	defer cancel()
	ctx = upstream.WithCall(ctx, &upstream.Call{OnRequest: h.countRequest})
	v, err := check.Run(ctx, &program.Call{
		Sender:   h.upstreams,
		Upstream: name,
		ReadOnly: true,
		Location: h.location,
	}, nil)
	if err != nil {
		return "", err
	}
	text, ok := v.(string)
	if !ok {
		return "", errors.New("the check must give a string, such as \"connected to \\(.version)\"")
	}
	return text, nil
}
