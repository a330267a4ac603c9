package upstream

import (
	"testing"
	"testing/synctest"

	"github.com/caddyserver/caddy/v2"
)

// TestCleanupEndsGoroutines provisions and cleans up again and again. A bubble
// ends only when all goroutines in it have.
func TestCleanupEndsGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := caddy.NewContext(caddy.Context{Context: t.Context()})
		defer cancel()
		for range 100 {
			u := &Upstream{URL: "http://127.0.0.1:1", Caches: append(hour("/a"), hour("/b")...)}
			if err := u.Provision(ctx); err != nil {
				t.Fatal(err)
			}
			if err := u.Cleanup(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
