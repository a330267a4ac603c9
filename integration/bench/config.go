package main

import (
	"strings"
	"text/template"
)

// A kind is a way to the list: a bare reverse_proxy, or a tool in one of the
// two eras of MCP, named by its revision.
type kind string

const (
	proxy  kind = "reverse_proxy"
	legacy kind = "2025-11-25" // with a session
	modern kind = "2026-07-28" // each request stands alone
)

var kinds = []kind{proxy, legacy, modern}

// schemes are those of the site: plain http is HTTP/1.1 here, and https HTTP/2.
var schemes = []string{"http", "https"}

const (
	toolName = "list_items"
	tokenEnv = "BENCH_MCP_TOKEN" // the environment variable with the client's token
)

// A site is what a Caddyfile is made of.
type site struct {
	Kind              kind
	Scheme            string
	Address           string // host:port
	API               string
	Cert, Key         string // files, for https
	AccessLog, OwnLog string // files
}

// URL is the address of the site.
func (s site) URL() string { return s.Scheme + "://" + s.Address }

// Tools says whether the site serves tools.
func (s site) Tools() bool { return s.Kind != proxy }

// Both configs are the same where they can be; with tools, everything is on
// that a careful operator turns on.
var configTemplate = template.Must(template.New("Caddyfile").Parse(`{
	admin off
	auto_https off
	persist_config off
{{- if .Tools}}
	metrics
	log {
		output file {{.OwnLog}}
	}
{{- end}}
}

{{.URL}} {
	bind 127.0.0.1
{{- if eq .Scheme "https"}}
	tls {{.Cert}} {{.Key}}
{{- end}}
{{- if .Tools}}
	log {
		output file {{.AccessLog}}
	}
	mcp {
		auth {
			bearer bench {env.` + tokenEnv + `}
		}
		upstream {{.API}}
		limits {
			rate 0
			calls 128
		}
		tool ` + toolName + ` {
			description "List what is in stock at a location."
			param location string required {
				enum fridge cupboard freezer
			}
			param limit integer required {
				min 1
				max 10000
			}
			get /items
			result ` + "`{ items: map({ name: .ingredient.name, state, location, quantity, unit }) }`" + `
		}
	}
{{- else}}
	reverse_proxy {{.API}}
{{- end}}
}
`))

// caddyfile is the config.
func (s site) caddyfile() (string, error) {
	var text strings.Builder
	err := configTemplate.Execute(&text, s)
	return text.String(), err
}
