package integration

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A streamWatch closes opened when a GET is answered with a stream.
type streamWatch struct {
	http.RoundTripper
	once   sync.Once
	opened chan struct{}
}

func (w *streamWatch) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.RoundTripper.RoundTrip(r)
	if err == nil && r.Method == http.MethodGet && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		w.once.Do(func() { close(w.opened) })
	}
	return resp, err
}

// startTry runs the command with a surface, and returns the site it is told
// and the endpoint it prints.
func startTry(t *testing.T, surface string) (p *process, site, url string) {
	t.Helper()
	site = fmt.Sprintf("http://127.0.0.1:%d", freePort(t))
	p = start(t, build(t, "./integration/try"), []string{"MCP_SITE=" + site}, surface)
	_, url, _ = strings.Cut(p.waitFor(t, "MCP endpoint: "), "MCP endpoint: ")
	p.waitFor(t, "serving initial configuration")
	return p, site, url
}

func TestTry(t *testing.T) {
	t.Parallel()
	p, site, url := startTry(t, "pantry")
	if !strings.HasPrefix(url, site+"/mcp/") {
		t.Fatalf("the endpoint is %s, want one of %s", url, site)
	}
	watch := &streamWatch{RoundTripper: plainTransport(t), opened: make(chan struct{})}
	session := connect(t, url, watch, legacy)
	same(t, "change", decode[item](t, session, "set_item_state", `{"ingredient":"butter","state":"out"}`),
		item{"name": "Butter", "state": "out", "location": "fridge", "is_staple": true})
	if text, isError := call(t, session, "get_pantry", `{"location":"fridge"}`); isError || strings.Contains(text, "Butter") || !strings.Contains(text, "Eggs") {
		t.Errorf("after the change: %s", text)
	}

	select {
	case <-watch.opened:
	case <-time.After(time.Minute):
		t.Fatal("the session has no stream")
	}
	p.stop(t, 5*time.Second) // that the stream is open must not keep it
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it exits with %d", code)
	}
	if _, err := os.Stat(filepath.Join(p.home, "caddy/autosave.json")); err == nil {
		t.Error("it leaves a config for 'caddy run --resume'")
	}
}

// A port is not shared with what runs there.
func TestTryWherePortIsUsed(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	p := start(t, build(t, "./integration/try"), []string{"MCP_SITE=" + other.URL}, "pantry")
	p.waitFor(t, "try: something listens at "+strings.TrimPrefix(other.URL, "http://"))
	<-p.ended
}

// The command says what it can run when it is not told, and where.
func TestTryUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"nothing"}, {"pantry", "pantry"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			p := start(t, build(t, "./integration/try"), nil, args...)
			p.waitFor(t, "try: name an example: farm, mealie, pantry, shopping-list")
			<-p.ended
			if code := p.cmd.ProcessState.ExitCode(); code != 1 {
				t.Errorf("it exits with %d", code)
			}
		})
	}
}
