package caddymcp

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestSecret(t *testing.T) {
	block := func(more string) string {
		return "\tmcp {\n\t\tauth {\n\t\t\turl_secret {env.CADDYMCP_TEST_NOT_SET}\n\t\t}\n" + more + "\t}\n"
	}
	for _, tc := range []struct {
		name, config string
		args         []string
		want         string // SECRET is the secret
	}{
		{"https", "food.example.com {\n" + block("") + "}\n", nil, "CADDYMCP_TEST_NOT_SET=SECRET\nhttps://food.example.com/mcp/SECRET\n"},
		{"a port", "food.example.com:8443 {\n" + block("") + "}\n", nil, "CADDYMCP_TEST_NOT_SET=SECRET\nhttps://food.example.com:8443/mcp/SECRET\n"},
		{"plain http on loopback", "http://127.0.0.1:8080 {\n" + block("") + "}\n", nil, "CADDYMCP_TEST_NOT_SET=SECRET\nhttp://127.0.0.1:8080/mcp/SECRET\n"},
		{"any host", ":8080 {\n" + block("") + "}\n", nil, "CADDYMCP_TEST_NOT_SET=SECRET\nhttp://localhost:8080/mcp/SECRET\n"},
		{"a path", "food.example.com {\n" + block("\t\tpath /tools\n") + "}\n", nil, "CADDYMCP_TEST_NOT_SET=SECRET\nhttps://food.example.com/tools/SECRET\n"},
		{"a public URL", "http://127.0.0.1:8080 {\n" + block("\t\turl https://mcp.example.com/mcp/\n") + "}\n", nil, "CADDYMCP_TEST_NOT_SET=SECRET\nhttps://mcp.example.com/mcp/SECRET\n"},
		{
			"a new one beside the old", "food.example.com {\n\tmcp {\n\t\tauth {\n\t\t\turl_secret {env.NEW_SECRET} {env.CADDYMCP_TEST_SECRET}\n\t\t}\n\t}\n}\n",
			nil, "NEW_SECRET=SECRET\nhttps://food.example.com/mcp/SECRET\n",
		},
		{
			"a file", "food.example.com {\n\tmcp {\n\t\tauth {\n\t\t\turl_secret {file./run/secrets/mcp}\n\t\t}\n\t}\n}\n",
			nil, "SECRET\nhttps://food.example.com/mcp/SECRET\nthe first line belongs into the file /run/secrets/mcp\n",
		},
		{
			"a hash", "food.example.com {\n\tmcp {\n\t\tauth {\n\t\t\turl_secret sha256:" + strings.Repeat("0a", 32) + "\n\t\t}\n\t}\n}\n",
			nil, "url_secret sha256:HASH\nhttps://food.example.com/mcp/SECRET\nthe first line belongs into the config\n",
		},
		{"TLS on any host", ":8443 {\n\ttls internal\n" + block("") + "}\n", nil, "CADDYMCP_TEST_NOT_SET=SECRET\nhttps://localhost:8443/mcp/SECRET\n"},
		{
			"a named route", "&(tools) {\n" + block("") + "}\nfood.example.com {\n\tinvoke tools\n}\n",
			nil, "CADDYMCP_TEST_NOT_SET=SECRET\nhttps://food.example.com/mcp/SECRET\n",
		},
		{
			"one of two sites", "a.example.com {\n" + block("") + "}\nb.example.com {\n" + block("") + "}\n",
			[]string{"--server", "b.example.com/mcp"},
			"CADDYMCP_TEST_NOT_SET=SECRET\nhttps://b.example.com/mcp/SECRET\n",
		},
		{
			"one of several", "food.example.com {\n" + block("\t\tname food\n") + block("\t\tname books\n\t\tpath /books\n") + "}\n",
			[]string{"--server", "books"},
			"CADDYMCP_TEST_NOT_SET=SECRET\nhttps://food.example.com/books/SECRET\n",
		},
		{
			"several", "food.example.com {\n" + block("\t\tname food\n") + block("\t\tname books\n\t\tpath /books\n") + "}\n", nil,
			"choose an mcp block with --server, by its name or where it is: there are 'food' at https://food.example.com/mcp, 'books' at https://food.example.com/books\n",
		},
		{
			"none of several", "food.example.com {\n" + block("\t\tname food\n") + "}\n",
			[]string{"--server", "books"},
			"choose an mcp block with --server, by its name or where it is: there are 'food' at https://food.example.com/mcp\n",
		},
		{
			"no secret", "food.example.com {\n\tmcp {\n\t\tauth none\n\t}\n}\n", nil,
			"no mcp block has a URL secret: write 'url_secret {env.MCP_URL_SECRET}' into its 'auth'\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := commandSite(t, tc.config)
			p := runCommand(t.Context(), append([]string{"mcp", "secret", "--config", config}, tc.args...)...)
			secret := regexp.MustCompile(`(?m)/([0-9a-f]{64})$`).FindStringSubmatch(p.stdout)
			got := p.stdout + p.stderr
			if secret != nil {
				hash := fmt.Sprintf("%x", sha256.Sum256([]byte(secret[1])))
				got = strings.NewReplacer(secret[1], "SECRET", hash, "HASH").Replace(got)
			}
			if got != tc.want {
				t.Errorf("it prints\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// Every secret is another one.
func TestSecretsDiffer(t *testing.T) {
	config := commandSite(t, "food.example.com {\n\tmcp {\n\t\tauth {\n\t\t\turl_secret {env.X}\n\t\t}\n\t}\n}\n")
	first := runCommand(t.Context(), "mcp", "secret", "--config", config)
	if second := runCommand(t.Context(), "mcp", "secret", "--config", config); first.exit != 0 || first.stdout == second.stdout {
		t.Errorf("both are %s%s", first.stdout, first.stderr)
	}
}
