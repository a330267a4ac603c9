package caddymcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// What the modules of Caddy do when they are provisioned is taken out of the
// config, and nothing else.
func TestQuietApps(t *testing.T) {
	route := func(handler string) string { return `{"servers":{"a":{"routes":[{"handle":[` + handler + `]}]}}}` }
	for _, tc := range []struct{ name, app, config, want string }{
		{
			"a health check", "http",
			route(`{"handler":"reverse_proxy","health_checks":{"active":{"uri":"/x","method":"DELETE"},"passive":{"max_fails":1}}}`),
			route(`{"handler":"reverse_proxy","health_checks":{"passive":{"max_fails":1}}}`),
		},
		{
			"a health check in other letters", "http",
			route(`{"handler":"reverse_proxy","Health_Checks":{"ACTIVE":{"uri":"/x"}}}`),
			route(`{"Health_Checks":{},"handler":"reverse_proxy"}`),
		},
		{
			"a health check of an upstream", "http",
			route(`{"handler":"mcp","upstreams":[{"routes":[{"handle":[{"handler":"reverse_proxy","health_checks":{"active":{"uri":"/x"}}}]}]}]}`),
			route(`{"handler":"mcp","upstreams":[{"routes":[{"handle":[{"handler":"reverse_proxy","health_checks":{}}]}]}]}`),
		},
		{
			"a certificate for a client", "http",
			route(`{"handler":"reverse_proxy","transport":{"protocol":"http","tls":{"client_certificate_automate":"a.example.com"}}}`),
			route(`{"handler":"reverse_proxy","transport":{"protocol":"http","tls":{}}}`),
		},
		{"an ACME server", "http", route(`{"handler":"acme_server","ca":"local"}`), route(`{"handler":"subroute"}`)},
		{"TLS of a server", "http", `{"servers":{"a":{"listen":[":1"],"tls_connection_policies":[{"insecure_secrets_log":"/x"}]}}}`, `{"servers":{"a":{"listen":[":1"]}}}`},
		{"certificates", "tls", `{"certificates":{"load_files":[]}}`, ``},
		{
			"storage of an authority", "pki",
			`{"certificate_authorities":{"a":{"name":"A","storage":{"module":"file_system"}}}}`,
			`{"certificate_authorities":{"a":{"name":"A"}}}`,
		},
		{"a large number", "http", `{"grace_period":9007199254740993}`, `{"grace_period":9007199254740993}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			apps, err := quietApps(caddy.ModuleMap{tc.app: json.RawMessage(tc.config)})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(apps[tc.app]); got != tc.want {
				t.Errorf("it is\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
	if _, err := quietApps(caddy.ModuleMap{"http": []byte("{}"), "nope": []byte("{}")}); err == nil || !strings.Contains(err.Error(), "the app 'nope'") {
		t.Errorf("the error of an unknown app is %v", err)
	}
}
