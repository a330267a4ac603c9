package integration

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A collector keeps what is exported to it (OTLP over HTTP), as it came: texts
// stand in protobuf as they are.
type collector struct {
	mu    sync.Mutex
	got   strings.Builder
	grown chan struct{}
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got.Write(body)
	c.got.WriteByte('\n')
	select {
	case c.grown <- struct{}{}:
	default:
	}
}

// text is what has come so far.
func (c *collector) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.String()
}

// Spans tell of calls, and of no secret.
func TestSpansHoldNoSecrets(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		c := &collector{grown: make(chan struct{}, 1)}
		server := httptest.NewServer(c)
		t.Cleanup(server.Close)
		how.env = []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL,
			"OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
			"OTEL_BSP_SCHEDULE_DELAY=1",
		}
		how.edit = func(caddyfile string) string {
			return replace(t, caddyfile, "\n\tmcp {", "\n\ttracing {\n\t\tspan site\n\t}\n\tmcp {")
		}
		s := how.start(t)
		if _, isError := call(t, s.connect(t), "get_pantry", `{}`); isError {
			t.Error("the call fails")
		}
		s.raw(t, http.MethodPost, "/mcp/"+wrongSecret, listTools, "User-Agent: wrong", "Referer: "+s.endpoint())
		s.raw(t, http.MethodGet, "/.well-known/oauth-protected-resource/mcp/"+pantrySecret, "", "User-Agent: metadata")

		patience := time.After(30 * time.Second)
		for _, span := range []string{"tools/call get_pantry", "wrong", "metadata", "url.path"} {
			for !strings.Contains(c.text(), span) {
				select {
				case <-c.grown:
				case <-patience:
					t.Fatalf("there is no span with '%s'", span)
				}
			}
		}
		expectNone(t, "a span", c.text())
	})
}
