package upstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// A Set is the upstreams of one endpoint. It sends each request through the
// upstream that the request names.
type Set []*Upstream

// Provision provisions every upstream.
func (s Set) Provision(ctx caddy.Context) error {
	for _, u := range s {
		if err := u.Provision(ctx); err != nil {
			return fmt.Errorf("%s: %w", u.title(), err)
		}
	}
	return nil
}

// Validate checks every upstream, and that no two have the same name.
func (s Set) Validate() error {
	names := map[string]bool{}
	for _, u := range s {
		if names[u.Name] {
			if u.Name == "" {
				return errors.New("several upstreams have no name: write 'upstream <name> <url>'")
			}
			return fmt.Errorf("two upstreams are named '%s'", u.Name)
		}
		names[u.Name] = true
		if err := u.Validate(); err != nil {
			return fmt.Errorf("%s: %w", u.title(), err)
		}
	}
	return nil
}

// Cleanup cleans up every upstream.
func (s Set) Cleanup() error {
	var errs []error
	for _, u := range s {
		errs = append(errs, u.Cleanup())
	}
	return errors.Join(errs...)
}

// Get returns the upstream of that name, or nil. The empty name is the only
// upstream, whatever it is called, else the one without a name.
func (s Set) Get(name string) *Upstream {
	if name == "" && len(s) == 1 {
		return s[0]
	}
	for _, u := range s {
		if u.Name == name {
			return u
		}
	}
	return nil
}

// Send sends req through the upstream that it names. Errors are those of
// [program.Sender].
func (s Set) Send(ctx context.Context, req *program.Request) (*program.Response, error) {
	if u := s.Get(req.Upstream); u != nil {
		return u.Send(ctx, req)
	}
	if req.Upstream == "" {
		return nil, &program.Error{Message: "the tool does not say which upstream it uses"}
	}
	return nil, &program.Error{Message: fmt.Sprintf("there is no upstream named '%s'", req.Upstream)}
}

// Interface guards
var _ program.Sender = Set(nil)
