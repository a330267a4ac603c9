package access

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"go.uber.org/zap/zapcore"
)

func init() {
	caddy.RegisterModule(new(guarded))
	httpcaddyfile.RegisterHandlerDirective("guarded", func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		g := &guarded{Auth: new(Access)}
		return g, g.Auth.UnmarshalCaddyfile(h.Dispenser)
	})
	httpcaddyfile.RegisterDirectiveOrder("guarded", httpcaddyfile.After, "encode")
}

// guarded is a handler that tells callers who they are.
type guarded struct {
	Auth *Access `json:"auth,omitempty"`
}

func (*guarded) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.guarded", New: func() caddy.Module { return new(guarded) }}
}

func (g *guarded) Provision(ctx caddy.Context) error { return g.Auth.Provision(ctx, "/mcp", "") }

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if !g.Auth.Match(r) {
		return next.ServeHTTP(w, r)
	}
	w, done := g.Auth.Conceal(w, r)
	defer done()
	caller, refusal := g.Auth.Check(r)
	if refusal != nil {
		refusal.Write(w)
		return nil
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return err
	}
	_, err := io.WriteString(w, "caller "+caller.ID)
	return err
}

func (g *guarded) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	return enc.AddObject("auth", g.Auth)
}

// A world is a running Caddy. There can be one at a time.
type world struct {
	t           *testing.T
	dir         string
	http, https string // addresses
}

// start runs a Caddy with the sites, and returns when it has certificates for
// the names. Its logs, at DEBUG, go to all.log, and %[1]s in the sites is the
// folder for others. Events are not logged, as Caddy's TLS app races with its
// own start when they are.
func start(t *testing.T, servers, sites string, names ...string) *world {
	t.Helper()
	t.Setenv("URL_SECRET", urlSecret)
	t.Setenv("PHONE_TOKEN", phoneToken)
	w := &world{t: t, dir: t.TempDir(), http: freeAddress(t), https: freeAddress(t)}
	port := func(addr string) string { _, p, _ := net.SplitHostPort(addr); return p }
	config := fmt.Sprintf(`{
	admin off
	persist_config off
	local_certs
	skip_install_trust
	default_bind 127.0.0.1
	http_port `+port(w.http)+`
	https_port `+port(w.https)+`
	storage file_system %[1]s/storage
	log {
		output file %[1]s/all.log
		level DEBUG
		exclude events
	}
	servers {
		protocols h1 h2
		`+servers+`
	}
}
`+sites, w.dir)
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(config), map[string]any{"filename": "Caddyfile"})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{urlSecret, phoneToken} {
		if bytes.Contains(adapted, []byte(secret)) {
			t.Error("the adapted config holds a secret")
		}
	}
	if err := caddy.Load(adapted, true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.stop)
	for _, name := range names {
		w.await(name)
	}
	return w
}

// await returns when a TLS handshake for the name succeeds: Caddy obtains
// certificates in the background.
func (w *world) await(name string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	dialer := tls.Dialer{Config: &tls.Config{ServerName: name, InsecureSkipVerify: true}}
	for {
		conn, err := dialer.DialContext(ctx, "tcp", w.https)
		if err == nil {
			_ = conn.Close()
			return
		}
		if ctx.Err() != nil {
			w.t.Fatalf("no certificate for %s: %v", name, err)
		}
	}
}

// stop ends the Caddy, which also completes its logs.
func (w *world) stop() {
	if err := caddy.Stop(); err != nil {
		w.t.Error(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// send makes one request to a site. headers are names and values.
func (w *world) send(url string, headers ...string) (*http.Response, string) {
	w.t.Helper()
	transport := &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			to := w.http
			if strings.HasSuffix(addr, ":443") {
				to = w.https
			}
			return new(net.Dialer).DialContext(ctx, "tcp", to)
		},
	}
	req, err := http.NewRequest("POST", url, strings.NewReader("0123456789"))
	if err != nil {
		w.t.Fatal(err)
	}
	for pair := range slices.Chunk(headers, 2) {
		req.Header.Set(pair[0], pair[1])
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host // beside the name in the TLS handshake
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp, bodyOf(w.t, resp)
}

// expect checks a status and, unless it is empty, a body.
func (w *world) expect(status int, body, url string, headers ...string) {
	w.t.Helper()
	resp, got := w.send(url, headers...)
	if resp.StatusCode != status || body != "" && got != body {
		w.t.Errorf("%s: got %d %q, want %d %q", strings.ReplaceAll(url, urlSecret, "<secret>"), resp.StatusCode, got, status, body)
	}
}

// log returns the entries of a log file, after the Caddy has been stopped.
func (w *world) log(name string) (entries []map[string]any) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var entry map[string]any
		if err := json.Unmarshal(line, &entry); err != nil {
			w.t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	return entries
}

// leaks looks for a secret in every file that the Caddy has written.
func (w *world) leaks(secret string) {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range bytes.Lines(text) {
			if bytes.Contains(bytes.ToLower(line), []byte(strings.ToLower(secret))) {
				w.t.Errorf("%s: %s", filepath.Base(path), line)
			}
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

// access returns the access log entries, as logger, status and URI.
func access(entries []map[string]any) (lines []string) {
	for _, e := range entries {
		if e["msg"] == "handled request" && !strings.Contains(fmt.Sprint(e["request"]), "seen") {
			lines = append(lines, fmt.Sprintf("%v %v %v", e["logger"], e["status"], e["request"].(map[string]any)["uri"]))
		}
	}
	return lines
}

func TestSecretIsLoggedNowhere(t *testing.T) {
	// Caddy provisions servers in random order.
	for i := range 6 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			w := start(t, "trace", `
food.test {
	log {
		output file %[1]s/food.log
		level DEBUG
	}
	@failing header X-Fail 1
	@rewritten header X-Rewrite 1
	route {
		error @failing 503
		header X-Seen {http.request.uri}
		rewrite @rewritten /index.php?was={uri}
		guarded {
			url_secret {env.URL_SECRET}
			bearer phone `+phoneToken+`
		}
		respond "the rest"
	}
}
other.test {
	log {
		output file %[1]s/other.log
	}
	respond "other"
}
`, "food.test", "other.test")
			w.expect(200, "caller url_secret", "https://food.test/mcp/"+urlSecret, "Referer", "https://food.test/mcp/"+urlSecret,
				"X-Original-Uri", "/mcp/"+urlSecret, "Cookie", "s="+urlSecret, "Mcp-Param-City", urlSecret)
			w.expect(404, "not found\n", "https://food.test/mcp/x"+urlSecret)
			w.expect(404, "not found\n", "https://food.test/mcp/"+urlSecret+"/x?q="+urlSecret)
			w.expect(404, "not found\n", "https://food.test//mcp/"+urlSecret)
			w.expect(404, "not found\n", "https://food.test/.well-known/oauth-protected-resource/mcp/"+urlSecret)
			w.expect(503, "", "https://food.test/mcp/"+urlSecret, "X-Fail", "1")
			w.expect(200, "caller url_secret", "https://food.test/mcp/"+urlSecret, "X-Rewrite", "1", "Referer", "https://food.test/mcp/"+urlSecret)
			for path, want := range map[string]string{"/mcp/" + urlSecret: "/mcp/REDACTED", "/mcp?x": "/mcp", "/menu?x": "/menu?x"} {
				if resp, _ := w.send("https://food.test"+path, "User-Agent", "seen"); resp.Header.Get("X-Seen") != want {
					t.Errorf("other handlers see %q, want %q", resp.Header.Get("X-Seen"), want)
				}
			}
			w.expect(200, "caller bearer:phone", "https://food.test/mcp?key="+urlSecret, "Authorization", "Bearer "+phoneToken)
			w.expect(401, "", "https://food.test/mcp?access_token="+phoneToken)
			w.expect(200, "the rest", "https://food.test/menu")
			w.expect(200, "the rest", "https://food.test/favicon.ico", "Referer", "https://food.test/mcp/"+urlSecret)
			w.expect(308, "", "http://food.test/favicon.ico", "Referer", "http://food.test/mcp/"+urlSecret)
			if resp, _ := w.send("https://food.test/mcp/"+urlSecret, "User-Agent", "seen"); resp.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("got Referrer-Policy %q", resp.Header.Get("Referrer-Policy"))
			}
			for _, path := range []string{"/mcp/" + urlSecret, "/mcp/x" + urlSecret, "//mcp/" + urlSecret, "/.well-known/oauth-authorization-server/mcp/" + urlSecret} {
				resp, body := w.send("http://food.test"+path, "Referer", "http://food.test/mcp/"+urlSecret)
				if resp.StatusCode != 404 || resp.Header.Get("Location") != "" || body != "" {
					t.Errorf("plain http: got %d %q %q", resp.StatusCode, resp.Header, body)
				}
			}
			for _, url := range []string{"food.test/menu", "other.test/mcp/here", "other.test/"} {
				resp, _ := w.send("http://" + url)
				if got := resp.Header.Get("Location"); resp.StatusCode != 308 || got != "https://"+url {
					t.Errorf("redirect of %s: got %d %q", url, resp.StatusCode, got)
				}
			}
			w.expect(200, "other", "https://other.test/mcp/here")
			w.stop()
			w.leaks(urlSecret)
			w.leaks(phoneToken)
			if t.Failed() {
				return
			}

			want := []string{
				"http.log.access.log0 200 /mcp/REDACTED",
				"http.log.access.log0 404 /mcp/REDACTED",
				"http.log.access.log0 404 /mcp/REDACTED",
				"http.log.access.log0 404 /mcp/REDACTED",
				"http.log.access.log0 404 /.well-known/oauth-protected-resource/REDACTED",
				"http.log.access.log0 200 /mcp/REDACTED",
				"http.log.access.log0 200 /mcp",
				"http.log.access.log0 401 /mcp",
				"http.log.access.log0 200 /menu",
				"http.log.access.log0 308 /menu",
			}
			entries := w.log("food.log")
			if got := access(entries); !slices.Equal(got, want) {
				t.Errorf("food.log: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if got := access(w.log("other.log")); !slices.Contains(got, "http.log.access.log1 200 /mcp/here") || !slices.Contains(got, "http.log.access.log1 308 /mcp/here") {
				t.Errorf("other.log: got %q", got)
			}
			var traced, rewritten bool
			for _, e := range w.log("all.log") {
				rewritten = rewritten || e["msg"] == "rewrote request"
				traced = traced || e["logger"] == "http.log.trace" && e["msg"] == "guarded"
			}
			if !traced || !rewritten {
				t.Error("other handlers have logged nothing, so nothing is known of what they log")
			}
			sameForm(t, entries)
		})
	}
}

// sameForm compares the entry for a secret URL with Caddy's own for /menu.
func sameForm(t *testing.T, entries []map[string]any) {
	t.Helper()
	var ours, caddys map[string]any
	for _, e := range entries {
		if e["msg"] != "handled request" || e["status"] != 200.0 {
			continue
		}
		switch e["request"].(map[string]any)["uri"] {
		case "/mcp/REDACTED":
			ours = e
		case "/menu":
			caddys = e
		}
	}
	keys := func(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
	if got, want := keys(ours), keys(caddys); !slices.Equal(got, want) {
		t.Errorf("the entry has %q, Caddy's %q", got, want)
	}
	request, caddysRequest := ours["request"].(map[string]any), caddys["request"].(map[string]any)
	if got, want := keys(request), keys(caddysRequest); !slices.Equal(got, want) {
		t.Errorf("the request has %q, Caddy's %q", got, want)
	}
	for _, key := range []string{"level", "logger", "status", "user_id", "bytes_read", "size"} {
		want := caddys[key]
		switch key {
		case "user_id":
			want = "url_secret"
		case "bytes_read":
			want = 10.0 // the other handler does not read
		case "size":
			want = float64(len("caller url_secret"))
		}
		if ours[key] != want {
			t.Errorf("%s: got %v, want %v", key, ours[key], want)
		}
	}
	for _, key := range []string{"client_ip", "remote_ip", "proto", "method", "host"} {
		if request[key] != caddysRequest[key] {
			t.Errorf("request %s: got %v, want %v", key, request[key], caddysRequest[key])
		}
	}
	headers := request["headers"].(map[string]any)
	if got, want := keys(headers), []string{"Accept-Encoding", "Content-Length", "User-Agent"}; !slices.Equal(got, want) {
		t.Errorf("request headers: got %q, want %q", got, want)
	}
}

// TestSecretAtTheWrongPlace sends the secret where the endpoint is not: to
// another host, to another path of the site, in a query. Nobody logs it, and
// whoever answers otherwise answers still.
func TestSecretAtTheWrongPlace(t *testing.T) {
	escaped := "%30f1e2d%33c" + urlSecret[8:]
	// Caddy provisions servers in random order.
	for i := range 4 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			w := start(t, "trace", `
(site) {
	log {
		output file %[1]s/{args[0]}.log
		level DEBUG
	}
	route {
		header X-Seen {http.request.uri}
		rewrite * /index.php?was={uri}
		respond {args[0]}
	}
}
food.test {
	log {
		output file %[1]s/food.log
		level DEBUG
	}
	route {
		header X-Seen {http.request.uri}
		guarded {
			url_secret {env.URL_SECRET}
			bearer phone {env.PHONE_TOKEN}
		}
		respond food
	}
}
other.test {
	import site other
}
twin.test {
	log {
		output file %[1]s/twin.log
	}
	guarded {
		url_secret {env.URL_SECRET}
	}
}
named.test {
	log chosen {
		output file %[1]s/chosen.log
		level DEBUG
		no_hostname
	}
	log_name chosen
	respond named
}
http://drink.test {
	import site drink
}
`, "food.test", "other.test", "twin.test", "named.test")
			for _, tc := range []struct {
				url, host    string
				status       int
				answer, seen string
			}{
				{"https://food.test/mcp/%s", "evil.test", 200, "", ""},
				{"https://food.test/x/%s?y=%s&z", "evil.test", 200, "", ""},
				{"https://food.test/mcp/%s", "other.test", 200, "other", "/mcp/REDACTED"},
				{"https://other.test/a%%2F%s/b?q=%s&r=x%%20y", "", 200, "other", "/a%2FREDACTED/b?q=REDACTED&r=x%20y"},
				{"https://food.test/MCP/%s", "", 200, "food", "/MCP/REDACTED"},
				{"https://food.test/mcp;%s", "", 200, "food", "/mcp;REDACTED"},
				{"https://food.test/?%s", "", 200, "food", "/?REDACTED"},
				{"https://food.test/", "", 200, "food", "/"},
				{"https://named.test/%s", "", 200, "named", ""},
				{"https://twin.test/mcp/%s", "", 200, "caller url_secret", ""},
				{"http://drink.test/mcp/%s", "", 200, "drink", "/mcp/REDACTED"},
				{"http://drink.test/%s/%s", "", 200, "drink", "/REDACTED/REDACTED"},
				{"http://evil.test/mcp/%s", "", 404, "", ""},
				{"http://food.test/MCP/%s", "", 404, "", ""},
				{"http://other.test/?q=%s", "", 404, "", ""},
			} {
				for _, secret := range []string{urlSecret, escaped, phoneToken} {
					if strings.Contains(tc.url, "twin") && secret != urlSecret {
						continue
					}
					url := strings.ReplaceAll(strings.ReplaceAll(tc.url, "%s", secret), "%%", "%")
					resp, body := w.send(url, "Host", tc.host)
					if resp.StatusCode != tc.status || body != tc.answer || resp.Header.Get("X-Seen") != tc.seen || resp.Header.Get("Location") != "" {
						t.Errorf("%s to %q: got %d %q, seen %q, to %q", tc.url, tc.host, resp.StatusCode, body, resp.Header.Get("X-Seen"), resp.Header.Get("Location"))
					}
				}
			}
			w.expect(200, "other", "https://other.test/page", "Referer", "https://other.test/?"+urlSecret)
			w.expect(200, "", "https://food.test/stray", "Host", "evil.test")
			w.expect(200, "other", "https://other.test/menu?x="+urlSecret[1:])
			w.stop()
			for _, secret := range []string{urlSecret, escaped, phoneToken} {
				w.leaks(secret)
			}
			if t.Failed() {
				return
			}
			var nops []any
			rewritten := 0
			for _, e := range w.log("all.log") {
				switch e["msg"] {
				case "NOP":
					nops = append(nops, e["request"].(map[string]any)["uri"])
				case "rewrote request":
					rewritten++
				}
			}
			if len(nops) != 1 || nops[0] != "/stray" || rewritten == 0 {
				t.Errorf("got NOP entries %v, %d entries of rewrites", nops, rewritten)
			}
			for name, want := range map[string]string{
				"food.log":  "http.log.access.log0 200 /,http.log.access.log0 200 /,http.log.access.log0 200 /",
				"other.log": "http.log.access.log1 200 /menu?x=" + urlSecret[1:],
				"twin.log":  "http.log.access.log2 200 /mcp/REDACTED",
			} {
				if got := strings.Join(access(w.log(name)), ","); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestLogRouting(t *testing.T) {
	w := start(t, "", `
(site) {
	guarded {
		url_secret {env.URL_SECRET}
	}
}
plain.test {
	import site
}
skipped.test {
	log {
		output file %[1]s/skipped.log
	}
	log_skip /mcp/*
	import site
}
named.test {
	log {
		output file %[1]s/default.log
	}
	log chosen {
		output file %[1]s/chosen.log
		level DEBUG
		no_hostname
	}
	log_name chosen
	log_level DEBUG
	import site
}
*.wild.test {
	log {
		output file %[1]s/wild.log
	}
	import site
}
`, "plain.test", "skipped.test", "named.test", "a.wild.test")
	for _, host := range []string{"plain.test", "skipped.test", "named.test", "a.wild.test"} {
		w.expect(200, "caller url_secret", "https://"+host+"/mcp/"+urlSecret)
		w.expect(404, "", "http://"+host+"/mcp/"+urlSecret)
	}
	w.stop()
	w.leaks(urlSecret)
	for name, want := range map[string]int{"skipped.log": 0, "default.log": 0, "chosen.log": 1, "wild.log": 1} {
		entries := []string{}
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			entries = access(w.log(name))
		}
		if len(entries) != want {
			t.Errorf("%s: got %q, want %d", name, entries, want)
		}
	}
	if entries := w.log("chosen.log"); len(entries) != 1 || entries[0]["level"] != "debug" {
		t.Errorf("log_level: got %v", entries)
	}
}

func TestNoAccessLog(t *testing.T) {
	w := start(t, "", `
food.test {
	@failing header X-Fail 1
	route {
		error @failing 503
		guarded {
			url_secret {env.URL_SECRET}
		}
	}
}
`, "food.test")
	w.expect(200, "", "https://food.test/mcp/"+urlSecret)
	w.expect(503, "", "https://food.test/mcp/"+urlSecret, "X-Fail", "1")
	w.expect(404, "", "http://food.test/mcp/"+urlSecret)
	w.expect(503, "", "https://food.test/menu", "X-Fail", "1")
	w.stop()
	w.leaks(urlSecret)
	if got := access(w.log("all.log")); len(got) != 0 {
		t.Errorf("an access log has appeared: %q", got)
	}
	logged := slices.ContainsFunc(w.log("all.log"), func(e map[string]any) bool { return e["logger"] == "http.log.error" && e["status"] == 503.0 })
	if !logged {
		t.Error("the error of another path was not logged")
	}
}

func TestSharedServers(t *testing.T) {
	w := start(t, "", `
http://drink.test {
	log {
		output file %[1]s/plain.log
		level DEBUG
	}
	respond "drink"
	handle_errors {
		respond "error page {err.status_code}"
	}
}
food.test, *.food.test {
	log {
		output file %[1]s/food.log
	}
	guarded {
		url_secret {env.URL_SECRET}
	}
}
`, "food.test", "a.food.test")
	for _, host := range []string{"food.test", "a.food.test"} {
		w.expect(200, "caller url_secret", "https://"+host+"/mcp/"+urlSecret)
		w.expect(404, "", "http://"+host+"/mcp/"+urlSecret)
		w.expect(308, "", "http://"+host+"/")
	}
	w.expect(200, "drink", "http://drink.test/mcp/x")
	w.stop()
	w.leaks(urlSecret)
}

func TestTokenInQuery(t *testing.T) {
	w := start(t, "", `
food.test {
	log {
		output file %[1]s/food.log
	}
	guarded {
		bearer phone {env.PHONE_TOKEN}
	}
}
`, "food.test")
	w.expect(401, "", "https://food.test/mcp?access_token="+phoneToken)
	w.expect(404, "", "http://food.test/mcp?access_token="+phoneToken)
	w.expect(200, "caller bearer:phone", "https://food.test/mcp", "Authorization", "Bearer "+phoneToken, "X-Other", "1")
	w.expect(308, "", "http://food.test/mcp")
	w.stop()
	w.leaks(phoneToken)
	entries := w.log("food.log")
	want := []string{"http.log.access.log0 401 /mcp", "http.log.access.log0 200 /mcp", "http.log.access.log0 308 /mcp"}
	if got := access(entries); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	if headers := entries[1]["request"].(map[string]any)["headers"].(map[string]any); headers["X-Other"] == nil {
		t.Error("a call that holds no secret was not left to Caddy's log")
	}
}

func TestCatchAllSite(t *testing.T) {
	w := start(t, "", `
http:// {
	log {
		output file %[1]s/access.log
		level DEBUG
	}
	@failing header X-Fail 1
	route {
		error @failing 503
		guarded {
			url_secret {env.URL_SECRET}
		}
	}
}
`)
	w.expect(200, "caller url_secret", "http://food.test/mcp/"+urlSecret)
	w.expect(503, "", "http://food.test/mcp/"+urlSecret, "X-Fail", "1")
	w.stop()
	w.leaks(urlSecret)
	if got, want := access(w.log("access.log")), []string{"http.log.access.log0 200 /mcp/REDACTED"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSiteHosts(t *testing.T) {
	for _, tc := range []struct {
		name, site, url string
		want            int
	}{
		{"named site behind a tunnel", "http://public.test", "http://public.test/mcp", 200},
		{"catch-all, loopback name", "http://", "http://localhost/mcp", 200},
		{"catch-all, foreign name", "http://", "http://evil.test/mcp", 403},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := start(t, "", tc.site+" {\n\tguarded none\n}\n")
			w.expect(tc.want, "", tc.url)
		})
	}
}
