package upstream

import (
	"context"
	"net/http"
	"time"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// maxRedirects is how many redirects a request follows.
const maxRedirects = 3

// Send sends req and returns the reply. Errors are those of [program.Sender].
func (u *Upstream) Send(ctx context.Context, req *program.Request) (*program.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if down := u.down.Load(); down != nil && !isCheck(ctx) {
		failure := *down
		return nil, &failure
	}
	out, err := u.outgoing(ctx, req)
	if err != nil {
		return nil, err
	}
	resp, err := u.cached(ctx, out)
	if err != nil {
		return nil, u.failed(ctx, req, out, err)
	}
	if !req.Raw && (resp.Status >= 400 || isRedirect(resp)) {
		return nil, u.refused(req, out, resp)
	}
	return resp, nil
}

// fetch sends out and follows its redirects.
func (u *Upstream) fetch(ctx context.Context, out *outgoing) (*program.Response, error) {
	for hops := 0; ; hops++ {
		resp, err := u.attempt(ctx, out)
		if err != nil || !isRedirect(resp) || hops == maxRedirects {
			return resp, err
		}
		next := u.redirected(ctx, out, resp)
		if next == nil {
			return resp, nil
		}
		out = next
	}
}

// attempt sends out, and again if it is a read and fails in a way that may
// pass.
func (u *Upstream) attempt(ctx context.Context, out *outgoing) (*program.Response, error) {
	for n := 1; ; n++ {
		resp, err := u.once(ctx, out)
		if !out.reading || n > u.retries || !mayPass(resp, err) {
			return resp, err
		}
		timer := time.NewTimer(time.Duration(n) * u.backoff)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// mayPass reports whether the same request may fare better later.
func mayPass(resp *program.Response, err error) bool {
	if f, ok := asExchangeError(err); ok {
		return f.passing
	}
	return err == nil && resp.Status >= 500
}

// once sends out one time, within the limits of concurrency and time.
func (u *Upstream) once(ctx context.Context, out *outgoing) (*program.Response, error) {
	if u.slots != nil {
		select {
		case u.slots <- struct{}{}:
			defer func() { <-u.slots }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	limited, cancel := context.WithTimeout(ctx, out.timeout)
	defer cancel()
	limited, span := u.startSpan(limited, out)
	var resp *program.Response
	defer func() { endSpan(span, resp) }()
	start := time.Now()
	resp, err := u.via.exchange(limited, u.withTrace(limited, out))
	if err != nil && limited.Err() != nil {
		sent := true
		if f, ok := asExchangeError(err); ok {
			sent = f.sent
		}
		if ctx.Err() != nil {
			err = &exchangeError{err: ctx.Err(), sent: sent}
		} else {
			err = &exchangeError{kind: program.KindTimeout, err: err, sent: sent}
		}
	}
	u.observe(ctx, out, resp, time.Since(start))
	return resp, err
}

// observe tells the call of a request that was sent.
func (u *Upstream) observe(ctx context.Context, out *outgoing, resp *program.Response, took time.Duration) {
	call := callOf(ctx)
	if call.OnRequest == nil {
		return
	}
	status, size := 0, 0
	if resp != nil {
		status, size = resp.Status, len(resp.Body)
	}
	call.OnRequest(u.Name, out.method, status, took, size)
}

// isRedirect reports whether resp sends the client elsewhere.
func isRedirect(resp *program.Response) bool {
	switch resp.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirected returns the request that follows a redirect, or nil if it is not
// to be followed. GET and HEAD go anywhere within the upstream. Other methods
// keep method and body, so they follow 307 and 308 only, and only over a
// trailing slash: such a reply says that nothing was done yet.
func (u *Upstream) redirected(ctx context.Context, out *outgoing, resp *program.Response) *outgoing {
	target, err := out.url.Parse(resp.Header.Get("Location"))
	if err != nil || resp.Header.Get("Location") == "" {
		return nil
	}
	target.Fragment, target.RawFragment = "", ""
	u.rehost(target, out.host)
	path, ok := u.within(u.origin(ctx), target)
	if !ok {
		return nil
	}
	if out.method != http.MethodGet && out.method != http.MethodHead {
		kept := resp.Status == http.StatusTemporaryRedirect || resp.Status == http.StatusPermanentRedirect
		if !kept || !slashApart(out.path, path) || target.RawQuery != out.url.RawQuery {
			return nil
		}
	}
	next := *out
	next.url, next.path = target, path
	if u.PublicWeb {
		next.host = target.Host
	}
	return &next
}

// slashApart reports whether two paths differ by a trailing slash alone.
func slashApart(a, b string) bool { return a+"/" == b || b+"/" == a }
