package integration

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An extent is what a process holds.
type extent struct {
	goroutines int
	heap       int // in use, in bytes, after a collection
}

// extent asks the admin endpoint.
func (r *reloadable) extent(t *testing.T) (e extent) {
	t.Helper()
	client := &http.Client{Transport: reloading{&http.Transport{DisableKeepAlives: true}}}
	for path, find := range map[string]func(line string){
		"goroutine?debug=1": func(line string) { _, _ = fmt.Sscanf(line, "goroutine profile: total %d", &e.goroutines) },
		"heap?debug=1&gc=1": func(line string) { _, _ = fmt.Sscanf(line, "# HeapInuse = %d", &e.heap) },
	} {
		resp, err := client.Get("http://" + r.admin + "/debug/pprof/" + path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			find(lines.Text())
		}
		resp.Body.Close()
	}
	if e.goroutines == 0 || e.heap == 0 {
		t.Fatalf("the profiles tell nothing: %+v", e)
	}
	return e
}

// settle waits until the process holds little more than before.
func (r *reloadable) settle(t *testing.T, before extent) {
	t.Helper()
	const goroutines, heap = 20, 4 << 20
	deadline := time.Now().Add(30 * time.Second)
	for {
		now := r.extent(t)
		if now.goroutines <= before.goroutines+goroutines && now.heap <= before.heap+heap {
			t.Logf("from %+v to %+v", before, now)
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("the process grew from %+v to %+v", before, now)
			return
		}
	}
}

// callAll makes calls from several clients of one revision at once, each in a
// session of its own if the revision has sessions.
func (r *reloadable) callAll(t *testing.T, version string, count int) {
	t.Helper()
	const clients = 8
	var running sync.WaitGroup
	for range clients {
		transport := plainTransport(t)
		session := connect(t, r.url+"/mcp", transport, version)
		running.Go(func() {
			defer transport.CloseIdleConnections()
			defer session.Close()
			for range count / clients {
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"})
				if err != nil || res.IsError {
					t.Errorf("a call answers %v: %v", res, err)
					return
				}
			}
		})
	}
	running.Wait()
}

// Nothing of ten thousand calls stays behind, and nothing of a thousand
// configs.
func TestNothingGrows(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"name": "flour"}`)
	}))
	t.Cleanup(api.Close)
	block := func(n int) string {
		return reloadBlock(api.URL, fmt.Sprintf("Waits, %d.", n%7), "limits {\nrate 0\n}",
			"tool program {\ndescription \"Runs.\"\nrun `get(\"/a\") | clean`\n}")
	}
	r := startReloadable(t, block(0))

	t.Run("calls", func(t *testing.T) {
		r.callAll(t, legacy, 400)
		r.callAll(t, modern, 400)
		before := r.extent(t)
		r.callAll(t, legacy, 5000)
		r.callAll(t, modern, 5000)
		r.settle(t, before)
	})
	t.Run("reloads", func(t *testing.T) {
		session := connect(t, r.url+"/mcp", reloading{plainTransport(t)}, legacy)
		reload := func(count int) {
			for n := range count {
				r.load(t, block(n))
				if n%10 == 0 {
					if text, isError := call(t, session, "wait", `{}`); isError || !strings.Contains(text, "flour") {
						t.Fatalf("after %d reloads a call answers %s", n, text)
					}
				}
			}
		}
		reload(50)
		before := r.extent(t)
		reload(1000)
		r.settle(t, before)
	})
}
