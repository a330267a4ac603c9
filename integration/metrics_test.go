package integration

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The admin endpoint tells what was counted, also before the last reload.
func TestMetricsOutliveReloads(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "whole")
	}))
	t.Cleanup(api.Close)
	block := func(more string) string { // the token is 'test'
		return strings.Replace(reloadBlock(api.URL, "Waits.", more), "auth none", "auth {\nbearer cook sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n}", 1)
	}
	r := startReloadable(t, block(""))
	session := connect(t, r.url+"/mcp", bearer{reloading{plainTransport(t)}, "test"}, legacy)
	for _, more := range []string{"name \"caddymcp\"", "version 2", "version 3"} {
		if text, isError := call(t, session, "wait", `{}`); isError || text != "whole" {
			t.Fatalf("the call answers %s", text)
		}
		resp := send(t, http.MethodPost, r.url+"/mcp", `{}`, "Authorization", "Bearer wrong")
		resp.Body.Close()
		if err := r.reload(t, block(more)); err != nil {
			t.Fatal(err)
		}
	}
	metrics := get(t, "http://"+r.admin+"/metrics")
	for _, line := range []string{
		`caddy_mcp_calls_total{outcome="ok",server="caddymcp",tool="wait"} 3`,
		`caddy_mcp_call_duration_seconds_count{server="caddymcp",tool="wait"} 3`,
		`caddy_mcp_reply_size_bytes_sum{server="caddymcp",tool="wait"} 15`,
		`caddy_mcp_upstream_requests_total{server="caddymcp",status="2xx",upstream=""} 3`,
		`caddy_mcp_auth_refusals_total{server="caddymcp",status="401"} 3`,
		`caddy_mcp_sessions{server="caddymcp"} 1`,
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("the metrics do not say %s", line)
		}
	}
	if t.Failed() {
		for line := range strings.Lines(metrics) {
			if strings.Contains(line, "caddy_mcp") {
				t.Log(line)
			}
		}
	}
}
