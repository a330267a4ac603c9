package access

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/caddymcp/caddymcp/caddymcp/internal/directive"
)

// UnmarshalCaddyfile sets up a from Caddyfile tokens. Syntax:
//
//	auth none
//
//	auth {
//	    url_secret <secret>...
//	    bearer <name> <token> {
//	        scopes     <scope>...
//	        not_before <date>
//	        expires    <date>
//	    }
//	    origins <origin>...
//	    none
//	}
//
// A secret is {env.NAME}, {file./path} or sha256:<hex>. A token may be written
// out as well: only its hash goes into the config. Each bearer has a name of
// its own; everything else is written once. None stands without url_secret
// and bearer.
func (a *Access) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // consume the subdirective's name
	switch args := d.RemainingArgs(); {
	case len(args) == 1 && args[0] == "none":
		a.None = true
	case len(args) > 0:
		return d.Errf("unexpected '%s' after 'auth': write 'auth none', or the methods in a block", args[0])
	}
	var once directive.Once
	for d.NextBlock(0) {
		word := d.Val()
		if word != "bearer" {
			if err := once.Check(d, word); err != nil {
				return err
			}
		}
		switch word {
		case "url_secret":
			if err := a.unmarshalURLSecrets(d); err != nil {
				return err
			}

		case "bearer":
			if err := a.unmarshalBearer(d, &once); err != nil {
				return err
			}

		case "origins":
			a.Origins = d.RemainingArgs()
			if len(a.Origins) == 0 {
				return d.Err("'origins' needs at least one origin, such as https://app.example.com")
			}
			for _, origin := range a.Origins {
				if _, err := parseOrigin(origin); err != nil {
					return d.WrapErr(err)
				}
			}

		case "none":
			if d.NextArg() {
				return d.ArgErr()
			}
			a.None = true

		default:
			return directive.Unrecognized(d, word, "auth", "url_secret", "bearer", "origins", "none")
		}
	}
	if err := a.Validate(); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// unmarshalURLSecrets reads the arguments of url_secret.
func (a *Access) unmarshalURLSecrets(d *caddyfile.Dispenser) error {
	for d.NextArg() {
		secret := directive.Plain(d.Val())
		if err := checkReference(secret); err != nil {
			return d.Errf("url_secret: %w", err)
		}
		a.URLSecrets = append(a.URLSecrets, secret)
	}
	if len(a.URLSecrets) == 0 {
		return d.Err("'url_secret' needs a secret, such as {env.MCP_URL_SECRET}")
	}
	return nil
}

// unmarshalBearer reads one bearer and its block. A token that is written out
// is hashed, after a look at its strength.
func (a *Access) unmarshalBearer(d *caddyfile.Dispenser, names *directive.Once) error {
	t := new(BearerToken)
	if !d.AllArgs(&t.Name, &t.Token) {
		return d.Err("write 'bearer <name> <token>', the token as {env.NAME}, {file./path} or sha256:<hex>")
	}
	if err := names.Check(d, "bearer "+t.Name); err != nil {
		return err
	}
	t.Token = directive.Plain(t.Token)
	if !strings.ContainsAny(t.Token, "{}:") {
		if err := checkToken(t.Token); err != nil {
			return d.Errf("bearer '%s': %w", t.Name, err)
		}
		sum := sha256.Sum256([]byte(t.Token))
		t.Token = digestPrefix + hex.EncodeToString(sum[:])
	}
	var once directive.Once
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		word := d.Val()
		if err := once.Check(d, word); err != nil {
			return err
		}
		switch word {
		case "scopes":
			if t.Scopes = d.RemainingArgs(); len(t.Scopes) == 0 {
				return d.Err("'scopes' needs at least one scope")
			}

		case "not_before":
			if !d.AllArgs(&t.NotBefore) {
				return d.ArgErr()
			}

		case "expires":
			if !d.AllArgs(&t.Expires) {
				return d.ArgErr()
			}

		default:
			return directive.Unrecognized(d, word, "bearer", "scopes", "not_before", "expires")
		}
	}
	if err := t.validate(); err != nil {
		return d.WrapErr(err)
	}
	a.BearerTokens = append(a.BearerTokens, t)
	return nil
}

// Interface guards
var _ caddyfile.Unmarshaler = (*Access)(nil)
