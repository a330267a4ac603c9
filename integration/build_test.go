package integration

import (
	"bytes"
	"cmp"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A manifest is xcaddy.json: what of xcaddy's Builder the command line can say.
type manifest struct {
	CaddyVersion string `json:"caddy_version"`
	Plugins      []struct {
		ModulePath string `json:"module_path"`
		Version    string `json:"version"`
	} `json:"plugins"`
	Replacements []struct {
		Old string `json:"old"`
		New string `json:"new"`
	} `json:"replacements"`
	BuildFlags string `json:"build_flags"`
}

func readManifest(t *testing.T) (m manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "xcaddy.json"))
	if err != nil {
		t.Fatal(err)
	}
	decodeStrictly(t, bytes.NewReader(text), &m)
	return m
}

// goTool runs the go command in the root and returns what it prints.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

func TestManifest(t *testing.T) {
	t.Parallel()
	m := readManifest(t)
	if want := goTool(t, "list", "-m", "-f", "{{.Version}}", "github.com/caddyserver/caddy/v2"); m.CaddyVersion != want {
		t.Errorf("caddy_version is %s, go.mod has %s", m.CaddyVersion, want)
	}
	for _, p := range m.Plugins {
		goTool(t, "list", p.ModulePath)
	}
	module := goTool(t, "list", "-m")
	for _, r := range m.Replacements {
		if r.Old != module || r.New != "." {
			t.Errorf("%s is replaced by %s, want %s by .", r.Old, r.New, module)
		}
	}
}

func TestXcaddy(t *testing.T) {
	if testing.Short() {
		t.Skip("building with xcaddy takes long")
	}
	t.Parallel()
	m := readManifest(t)
	binary := filepath.Join(t.TempDir(), "caddy")
	args := []string{"run", "github.com/caddyserver/xcaddy/cmd/xcaddy@v0.4.5", "build", m.CaddyVersion, "--output", binary}
	for _, p := range m.Plugins {
		args = append(args, "--with", strings.TrimSuffix(p.ModulePath+"@"+p.Version, "@"))
	}
	for _, r := range m.Replacements {
		args = append(args, "--replace", r.Old+"="+r.New)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "XCADDY_GO_BUILD_FLAGS="+m.BuildFlags, "GOPROXY="+withoutModule(t))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(binary, "list-modules").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Fields(string(out)), "http.handlers.mcp") {
		t.Errorf("http.handlers.mcp is not among the modules:\n%s", out)
	}
	if out, err := exec.Command(binary, "version").Output(); err != nil || !strings.HasPrefix(string(out), m.CaddyVersion) {
		t.Errorf("the version is %s %v, want %s", out, err, m.CaddyVersion)
	}
}

// withoutModule is a module proxy in front of the usual one. It does not know
// this module, so that only the checkout can be built, also where a proxy
// refuses what it does not have, on which the go command would give up.
func withoutModule(t *testing.T) string {
	t.Helper()
	usual := strings.FieldsFunc(goTool(t, "env", "GOPROXY"), func(r rune) bool { return r == ',' || r == '|' })
	usual = slices.DeleteFunc(usual, func(proxy string) bool { return proxy == "direct" || proxy == "off" })
	base := cmp.Or(append(usual, "https://proxy.golang.org")...)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/github.com/caddymcp/") {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, strings.TrimSuffix(base, "/")+r.URL.EscapedPath(), http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
