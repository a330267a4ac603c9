package upstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// maxCache is how many bytes one cache may hold.
const maxCache = 32 << 20

// A Cache keeps replies with status 200 to GET and to safe requests in memory.
// What a reply says by Cache-Control (no-store, no-cache, private), Vary (*)
// and Set-Cookie is respected. Every header that is sent is part of the key,
// and before a chain of handlers everything by which it can tell callers
// apart, so no caller sees what was meant for another. A request that says
// no-cache or no-store passes the cache by. A cache holds 32 MiB;
// what is used least goes first.
type Cache struct {
	// How long a reply is kept.
	For caddy.Duration `json:"for"`

	// The paths, below the base path, whose replies are kept. A segment that
	// is '*' stands for any one segment.
	Paths []string `json:"paths"`

	// The paths at and below which a write drops what is kept.
	// Default: every write does.
	DropOn []string `json:"drop_on,omitempty"`
}

func (c Cache) validate() error {
	if c.For <= 0 {
		return errors.New("cache needs a duration above zero")
	}
	if len(c.Paths) == 0 {
		return errors.New("cache needs at least one path")
	}
	for _, path := range slices.Concat(c.Paths, c.DropOn) {
		if err := validatePath(path); err != nil {
			return err
		}
	}
	return nil
}

// cache is a Cache at work.
type cache struct {
	Cache
	kept    *otter.Cache[cacheKey, *program.Response]
	flights singleflight.Group

	mu     sync.Mutex
	writes int    // in flight
	epoch  uint64 // counts the ends of writes
}

// A cacheKey is the digest of all that a reply depends on.
type cacheKey [sha256.Size]byte

func newCache(config Cache) (*cache, error) {
	kept, err := otter.New(&otter.Options[cacheKey, *program.Response]{
		MaximumWeight: maxCache,
		Weigher: func(_ cacheKey, resp *program.Response) uint32 {
			return uint32(weight(resp)) //nolint:gosec // a reply beyond maxCache is not kept
		},
		ExpiryCalculator: otter.ExpiryWriting[cacheKey, *program.Response](time.Duration(config.For)),
	})
	if err != nil {
		return nil, fmt.Errorf("making the cache: %w", err)
	}
	return &cache{Cache: config, kept: kept}, nil
}

// weight is about how many bytes of memory a reply takes.
func weight(resp *program.Response) int {
	n := 256 + len(resp.Body)
	for name, values := range resp.Header {
		n += len(name)
		for _, v := range values {
			n += 32 + len(v)
		}
	}
	return n
}

// cached sends out, or answers it from a cache. A write drops what it may have
// made wrong, whether or not it succeeded.
func (u *Upstream) cached(ctx context.Context, out *outgoing) (*program.Response, error) {
	if !out.reading {
		for _, c := range u.caches {
			if c.drops(out.path) {
				defer c.beginWrite()()
			}
		}
		return u.fetch(ctx, out)
	}
	if out.method != http.MethodHead && !out.discard && !refusesKept(out.header) {
		for _, c := range u.caches {
			if slices.ContainsFunc(c.Paths, func(p string) bool { return matchPath(p, out.path) }) {
				return c.get(ctx, u, out)
			}
		}
	}
	return u.fetch(ctx, out)
}

// drops reports whether a write to path drops what c keeps.
func (c *cache) drops(path string) bool {
	return len(c.DropOn) == 0 || slices.ContainsFunc(c.DropOn, func(p string) bool { return underPath(p, path) })
}

// beginWrite notes a write. The function it returns ends it.
func (c *cache) beginWrite() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.writes--
		c.epoch++
		c.kept.InvalidateAll()
	}
}

// now is the current epoch.
func (c *cache) now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// keep stores the reply to a read that began in an epoch, unless a write
// overlapped it: one that has ended made another epoch.
func (c *cache) keep(key cacheKey, resp *program.Response, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writes == 0 && c.epoch == epoch {
		c.kept.Set(key, resp)
	}
}

// get answers out from the cache, else by a request that simultaneous equal
// calls share. It goes on when one of them leaves, so it has a deadline of its
// own.
func (c *cache) get(ctx context.Context, u *Upstream, out *outgoing) (*program.Response, error) {
	key := u.cacheKey(ctx, out)
	if resp, ok := c.kept.GetIfPresent(key); ok {
		return copyOf(resp), nil
	}
	epoch := c.now()
	// A read that begins after a write does not share one from before it.
	flight := c.flights.DoChan(fmt.Sprintf("%x %d %s", key, epoch, out.timeout), func() (any, error) {
		shared, cancel := context.WithTimeout(context.WithoutCancel(ctx), u.longest(out))
		defer cancel()
		resp, err := u.fetchSafely(shared, out)
		if err == nil && keepable(resp) {
			c.keep(key, resp, epoch)
		}
		return resp, err
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-flight:
		if p, ok := result.Err.(*panicError); ok { //nolint:errorlint // never wrapped
			panic(p)
		}
		if result.Err != nil {
			return nil, result.Err
		}
		return copyOf(result.Val.(*program.Response)), nil
	}
}

// fetchSafely is fetch for a goroutine of its own, where a panic of a handler
// would end the process.
func (u *Upstream) fetchSafely(ctx context.Context, out *outgoing) (resp *program.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: debug.Stack()}
		}
	}()
	return u.fetch(ctx, out)
}

// panicError carries a panic to the goroutines of those who wait.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("%v\n%s", p.value, p.stack) }

// longest is how long out can take with all its repetitions.
func (u *Upstream) longest(out *outgoing) time.Duration {
	n := time.Duration(u.retries)
	return (n+1)*(maxRedirects+1)*out.timeout + n*(n+1)/2*u.backoff
}

// cacheKey is a digest of all that the reply to out can depend on.
func (u *Upstream) cacheKey(ctx context.Context, out *outgoing) cacheKey {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q", out.method, out.url.String(), out.host, out.body)
	for _, name := range slices.Sorted(maps.Keys(out.header)) {
		fmt.Fprintf(h, " %q %q", name, out.header[name])
	}
	if len(u.Routes) > 0 {
		fmt.Fprintf(h, " %q", callOf(ctx).identity())
	}
	return cacheKey(h.Sum(nil))
}

// keepable reports whether a reply may be kept.
func keepable(resp *program.Response) bool {
	if resp.Status != http.StatusOK || len(resp.Header["Set-Cookie"]) > 0 || weight(resp) > maxCache ||
		says(resp.Header, "no-store", "no-cache", "private") {
		return false
	}
	return !slices.ContainsFunc(resp.Header["Vary"], func(v string) bool { return strings.Contains(v, "*") })
}

// refusesKept reports whether a request wants a reply of its own.
func refusesKept(header http.Header) bool { return says(header, "no-cache", "no-store") }

// says reports whether Cache-Control has one of the words.
func says(header http.Header, words ...string) bool {
	for _, control := range header["Cache-Control"] {
		for word := range strings.SplitSeq(strings.ToLower(control), ",") {
			word, _, _ = strings.Cut(strings.TrimSpace(word), "=")
			if slices.Contains(words, word) {
				return true
			}
		}
	}
	return false
}

// copyOf is a reply that its receiver may change.
func copyOf(resp *program.Response) *program.Response {
	return &program.Response{Status: resp.Status, Header: resp.Header.Clone(), Body: bytes.Clone(resp.Body)}
}
