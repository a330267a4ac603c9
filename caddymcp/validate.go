package caddymcp

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/caddymcp/caddymcp/caddymcp/tools"
)

// Validate checks what Provision has not: the form of the config.
func (h *Handler) Validate() error {
	if err := validatePath(h.Path); err != nil {
		return err
	}
	if h.URL != "" {
		if err := validateURL(h.URL); err != nil {
			return err
		}
	}
	if err := h.checkScopes(); err != nil {
		return err
	}
	return h.upstreams.Validate()
}

// checkScopes refuses a scope that no caller can hold.
func (h *Handler) checkScopes() error {
	held := make(map[string]bool)
	for _, token := range h.Auth.BearerTokens {
		for _, scope := range token.Scopes {
			held[scope] = true
		}
	}
	for _, t := range h.Tools {
		for _, scope := range t.Scopes {
			if !held[scope] {
				return &tools.ConfigError{Tool: t.Name, Err: fmt.Errorf("nobody holds the scope '%s': add it to the 'scopes' of a bearer token", scope)}
			}
		}
	}
	return nil
}

// validatePath checks the endpoint's path.
func validatePath(p string) error {
	switch {
	case !strings.HasPrefix(p, "/"), p == "/", p != path.Clean(p), strings.ContainsAny(p, "?#%*{};\\"):
		return fmt.Errorf("bad path '%s': write a path such as '/mcp', without a slash at the end", p)
	case strings.HasPrefix(p, "/.well-known"):
		return fmt.Errorf("bad path '%s': clients look for OAuth metadata there", p)
	}
	return nil
}

// validateURL checks the endpoint's public URL.
func validateURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("bad url '%s': write the endpoint's public URL, such as 'https://food.example.com/mcp'", text)
	}
	return nil
}
