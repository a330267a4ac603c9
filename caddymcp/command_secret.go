package caddymcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/spf13/cobra"
)

// secretCommand makes 'caddy mcp secret'.
func secretCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "secret",
		Short: "Makes a new URL secret",
		Long: `
Makes a new URL secret, and prints what to put where the config reads it, and
the URL for the client. Nothing is changed.

The first is the line for the environment file, the text of a file, or for a
hash the line with the new hash, as the config has it, which need not load yet.
The URL is that of 'url' in the mcp block, or else of the site's address.
`,
		Example: `  caddy mcp secret --config Caddyfile`,
		Args:    cobra.NoArgs,
		RunE:    runs(runSecret),
	}
}

func runSecret(ctx context.Context, cmd *cobra.Command, _ []string) (int, error) {
	config, err := readConfig(ctx, cmd)
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	place, err := chooseSecretPlace(cmd, config)
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	var random [32]byte
	_, _ = rand.Read(random[:]) // it never fails
	secret := hex.EncodeToString(random[:])
	line, where := place.keep(secret)
	if where != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "the first line belongs into %s\n", where)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s/%s\n", line, place.address(), secret)
	return caddy.ExitCodeSuccess, nil
}

// A secretPlace is an mcp block with a URL secret, before it is provisioned:
// the secret may not be set yet.
type secretPlace struct {
	*Handler
	server *unprovisioned
	host   string // that the site answers to, empty for any
}

// unprovisioned is what is read of a server's config.
type unprovisioned struct {
	Listen         []string                  `json:"listen"`
	Routes         any                       `json:"routes"`
	NamedRoutes    map[string]any            `json:"named_routes"`
	TLS            []any                     `json:"tls_connection_policies"`
	AutomaticHTTPS caddyhttp.AutoHTTPSConfig `json:"automatic_https"`
}

// chooseSecretPlace is the one block with a URL secret that --server names, or
// the only one.
func chooseSecretPlace(cmd *cobra.Command, config []byte) (*secretPlace, error) {
	var parsed struct {
		Apps struct {
			HTTP struct {
				Servers map[string]*unprovisioned `json:"servers"`
			} `json:"http"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(config, &parsed); err != nil {
		return nil, err
	}
	choice, _ := cmd.Flags().GetString("server")
	var chosen *secretPlace
	var names []string
	several := false
	for _, key := range slices.Sorted(maps.Keys(parsed.Apps.HTTP.Servers)) {
		server := parsed.Apps.HTTP.Servers[key]
		for _, p := range server.secretPlaces(server.Routes, "") {
			names = append(names, fmt.Sprintf("'%s' at %s", p.Name, p.address()))
			_, place, _ := strings.Cut(p.address(), "://")
			if choice == "" || slices.Contains([]string{p.Name, p.Path, p.address(), place}, choice) {
				chosen, several = p, chosen != nil
			}
		}
	}
	switch {
	case names == nil:
		return nil, errors.New("no mcp block has a URL secret: write 'url_secret {env.MCP_URL_SECRET}' into its 'auth'")
	case chosen == nil || several:
		return nil, fmt.Errorf("choose an mcp block with --server, by its name or where it is: there are %s", strings.Join(names, ", "))
	}
	return chosen, nil
}

// secretPlaces finds the blocks with a URL secret in a part of the config that
// serves a host.
func (s *unprovisioned) secretPlaces(part any, host string) []*secretPlace {
	var found []*secretPlace
	switch part := part.(type) {
	case []any:
		for _, v := range part {
			found = append(found, s.secretPlaces(v, host)...)
		}
	case map[string]any:
		switch part["handler"] {
		case "invoke":
			name, _ := part["name"].(string)
			route := s.NamedRoutes[name]
			delete(s.NamedRoutes, name) // for as long as it is looked at: it may invoke itself
			found = s.secretPlaces(route, host)
			s.NamedRoutes[name] = route
			return found
		case "mcp":
			h := new(Handler)
			if err := json.Unmarshal(mustJSON(part), h); err != nil || h.Auth == nil || len(h.Auth.URLSecrets) == 0 {
				return nil
			}
			h.setDefaults()
			return []*secretPlace{{h, s, host}}
		}
		var match []struct {
			Host []string `json:"host"`
		}
		if err := json.Unmarshal(mustJSON(part["match"]), &match); err == nil && len(match) > 0 && len(match[0].Host) > 0 {
			host = match[0].Host[0]
		}
		for _, key := range slices.Sorted(maps.Keys(part)) {
			found = append(found, s.secretPlaces(part[key], host)...)
		}
	}
	return found
}

// keep is what to put where the config reads the secret, and where that is if
// not the environment.
func (p *secretPlace) keep(secret string) (line, where string) {
	reference := strings.TrimSuffix(p.Auth.URLSecrets[0], "}")
	if name, ok := strings.CutPrefix(reference, "{env."); ok {
		return name + "=" + secret, ""
	}
	if name, ok := strings.CutPrefix(reference, "{file."); ok {
		return secret, "the file " + name
	}
	hash := sha256.Sum256([]byte(secret))
	return "url_secret sha256:" + hex.EncodeToString(hash[:]), "the config"
}

// address is the endpoint's URL, without the secret.
func (p *secretPlace) address() string {
	if p.URL != "" {
		return strings.TrimSuffix(p.URL, "/")
	}
	host, port := cmp.Or(p.host, "localhost"), "443"
	if len(p.server.Listen) > 0 {
		if _, listen, err := net.SplitHostPort(p.server.Listen[0]); err == nil {
			port = listen
		}
	}
	plain := len(p.server.TLS) == 0 && (p.host == "" || port == "80" || p.server.AutomaticHTTPS.Disabled ||
		slices.Contains(p.server.AutomaticHTTPS.Skip, p.host))
	switch {
	case port == "80" && plain, port == "443" && !plain:
	default:
		host = net.JoinHostPort(host, port)
	}
	if plain {
		return "http://" + host + p.Path
	}
	return "https://" + host + p.Path
}
