package caddymcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// quietApps are the apps of a config as a command provisions them. Some of
// Caddy's own modules act before anything runs: they send requests, order
// certificates, and write outside of the storage that a command gives them. What
// makes them do so is left out, and so is what only listeners need.
func quietApps(apps caddy.ModuleMap) (caddy.ModuleMap, error) {
	quiet := make(caddy.ModuleMap)
	for _, name := range slices.Sorted(maps.Keys(apps)) {
		if _, err := caddy.GetModule(name); err != nil {
			return nil, fmt.Errorf("the app '%s': %w", name, err)
		}
		var app any
		decoder := json.NewDecoder(bytes.NewReader(apps[name]))
		decoder.UseNumber()
		if err := decoder.Decode(&app); err != nil {
			return nil, fmt.Errorf("the app '%s': %w", name, err)
		}
		switch name {
		case "tls":
			continue
		case "pki":
			for _, authority := range inner(app, "certificate_authorities") {
				remove(authority, "storage")
			}
		case "http":
			for _, server := range inner(app, "servers") {
				remove(server, "tls_connection_policies") // which can write the keys of connections to a file
			}
			quieten(app)
		}
		quiet[name] = mustJSON(app)
	}
	return quiet, nil
}

// quieten leaves it out of the handlers in a part of the HTTP app, those of
// upstreams included.
func quieten(part any) {
	switch part := part.(type) {
	case []any:
		for _, v := range part {
			quieten(v)
		}
	case map[string]any:
		switch part["handler"] {
		case "acme_server": // opens the database that a server which runs has locked
			clear(part)
			part["handler"] = "subroute"
		case "reverse_proxy":
			for _, checks := range named(part, "health_checks") {
				remove(checks, "active")
			}
		}
		remove(part, "client_certificate_automate") // of a transport
		for _, v := range part {
			quieten(v)
		}
	}
}

// named are the values under a name in an object. Case does not matter to
// encoding/json, so there can be several.
func named(object any, name string) []any {
	var found []any
	m, _ := object.(map[string]any)
	for key, v := range m {
		if strings.EqualFold(key, name) {
			found = append(found, v)
		}
	}
	return found
}

// inner are the values in the objects under a name in an object.
func inner(object any, name string) []any {
	var found []any
	for _, v := range named(object, name) {
		m, _ := v.(map[string]any)
		found = slices.AppendSeq(found, maps.Values(m))
	}
	return found
}

// remove takes a name out of an object.
func remove(object any, name string) {
	m, _ := object.(map[string]any)
	maps.DeleteFunc(m, func(key string, _ any) bool { return strings.EqualFold(key, name) })
}
