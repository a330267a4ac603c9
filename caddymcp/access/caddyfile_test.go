package access

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

func TestUnmarshalCaddyfile(t *testing.T) {
	sum := sha256.Sum256([]byte(phoneToken))
	shorthand := caddyfile.Segment{{Text: "{file.secret}"}}
	httpcaddyfile.NewShorthandReplacer().ApplyToSegment(&shorthand)
	if shorthand[0].Text == "{file.secret}" {
		t.Fatal("Caddy leaves {file.secret} alone")
	}
	hashed := "sha256:" + hex.EncodeToString(sum[:])
	for _, tc := range []struct{ name, input, want string }{
		{"none", `auth none`, `{"none":true}`},
		{"none in a block", "auth {\n none\n origins https://a.example\n}", `{"none":true,"origins":["https://a.example"]}`},
		{"none with origins", "auth none {\n origins https://a.example\n}", `{"none":true,"origins":["https://a.example"]}`},
		{"url_secret", "auth {\n url_secret {env.A}\n}", `{"url_secrets":["{env.A}"]}`},
		{"rotation", "auth {\n url_secret {env.A} {file./run/b} " + hashed + "\n}", `{"url_secrets":["{env.A}","{file./run/b}","` + hashed + `"]}`},
		{"shorthand undone", "auth {\n url_secret " + shorthand[0].Text + "\n}", `{"url_secrets":["{file.secret}"]}`},
		{"shorthand undone in bearer", "auth {\n bearer phone " + shorthand[0].Text + "\n}", `{"bearer_tokens":[{"name":"phone","token":"{file.secret}"}]}`},
		{"bearer", "auth {\n bearer phone {env.A}\n}", `{"bearer_tokens":[{"name":"phone","token":"{env.A}"}]}`},
		{
			"bearer in full", "auth {\n bearer phone {env.A} {\n  scopes read write\n  not_before 2027-01-01\n  expires 2027-01-31T12:00:00Z\n }\n bearer laptop {env.B}\n url_secret {env.C}\n}",
			`{"url_secrets":["{env.C}"],"bearer_tokens":[{"name":"phone","token":"{env.A}","scopes":["read","write"],"not_before":"2027-01-01","expires":"2027-01-31T12:00:00Z"},{"name":"laptop","token":"{env.B}"}]}`,
		},
		{"literal token", "auth {\n bearer phone " + phoneToken + "\n}", `{"bearer_tokens":[{"name":"phone","token":"` + hashed + `"}]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := new(Access)
			if err := a.UnmarshalCaddyfile(caddyfile.NewTestDispenser(tc.input)); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(a)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestUnmarshalCaddyfileErrors(t *testing.T) {
	for _, tc := range []struct {
		name, input, want string
		line              int // where the error must point, 0 for anywhere
	}{
		{"empty", "auth", "nobody may call: write 'auth none', or 'auth' with 'url_secret {env.NAME}'", 0},
		{"empty block", "auth {\n}", "nobody may call", 0},
		{"one-line method", "auth url_secret {env.A}", "unexpected 'url_secret' after 'auth'", 0},
		{"none and more", "auth none none", "unexpected 'none' after 'auth'", 0},
		{"none beside url_secret", "auth none {\n url_secret {env.A}\n}", "'none' lets anyone call", 0},
		{"none beside bearer", "auth {\n none\n bearer a {env.A}\n}", "'none' lets anyone call", 0},
		{"none with an argument", "auth {\n none x\n}", "argument", 0},
		{"unknown", "auth {\n oauth x\n}", "unrecognized 'oauth' in auth: it takes url_secret, bearer, origins and none", 2},
		{"url_secret twice", "auth {\n url_secret {env.A}\n url_secret {env.B}\n}", "'url_secret' is given twice", 3},
		{"url_secret without secret", "auth {\n url_secret\n}", "'url_secret' needs a secret", 2},
		{"literal url_secret", "auth {\n url_secret " + urlSecret + "\n}", "url_secret: a secret does not belong in the config: write {env.NAME}", 2},
		{"url_secret without env", "auth {\n url_secret {URL_SECRET}\n}", "url_secret: unknown placeholder: a secret is {env.NAME}", 2},
		{"empty url_secret", "auth {\n url_secret \"\"\n}", "a secret does not belong in the config", 0},
		{"bearer without token", "auth {\n bearer phone\n}", "write 'bearer <name> <token>'", 2},
		{"bearer with more", "auth {\n bearer phone {env.A} read\n}", "write 'bearer <name> <token>'", 2},
		{"weak token", "auth {\n bearer phone hunter2\n}", "bearer 'phone': the secret is too weak", 2},
		{"empty token", "auth {\n bearer phone \"\"\n}", "bearer 'phone': the token has characters", 0},
		{"half a placeholder", "auth {\n bearer phone x{env.A}\n}", "bearer 'phone': a secret does not belong in the config", 0},
		{"bad digest", "auth {\n bearer phone sha256:12\n}", "bearer 'phone': a secret does not belong in the config", 0},
		{"bearer twice", "auth {\n bearer a {env.A}\n bearer a {env.B}\n}", "'bearer a' is given twice", 3},
		{"bad name", "auth {\n bearer \"a b\" {env.A}\n}", "bearer 'a b': a name has", 0},
		{"scopes twice", "auth {\n bearer a {env.A} {\n  scopes x\n  scopes y\n }\n}", "'scopes' is given twice", 4},
		{"no scopes", "auth {\n bearer a {env.A} {\n  scopes\n }\n}", "'scopes' needs at least one scope", 3},
		{"bad scope", "auth {\n bearer a {env.A} {\n  scopes \"a b\"\n }\n}", "bearer 'a': 'a b' is not a scope", 0},
		{"bad date", "auth {\n bearer a {env.A} {\n  expires 31.1.2027\n }\n}", "bearer 'a': expires: '31.1.2027' is not a date: write it as 2027-01-31", 0},
		{"two dates", "auth {\n bearer a {env.A} {\n  not_before 2027-01-31 2027-02-01\n }\n}", "argument", 0},
		{"unknown in bearer", "auth {\n bearer a {env.A} {\n  scope x\n }\n}", "unrecognized 'scope' in bearer: did you mean 'scopes'?", 3},
		{"no origins", "auth {\n origins\n}", "'origins' needs at least one origin", 0},
		{"bad origin", "auth {\n origins *\n}", "'*' is not an origin: write it as https://app.example.com", 2},
		{"origins alone", "auth {\n origins https://a.example\n}", "nobody may call", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := new(Access).UnmarshalCaddyfile(caddyfile.NewTestDispenser(tc.input))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if at := fmt.Sprintf("at Testfile:%d", tc.line); tc.line > 0 && !strings.HasSuffix(err.Error(), at) {
				t.Errorf("got %v, want it %s", err, at)
			}
			if strings.Contains(err.Error(), urlSecret) || strings.Contains(err.Error(), "hunter2") {
				t.Error("the error holds the secret")
			}
		})
	}
}
