package caddymcp

import (
	"fmt"
	"slices"
	"testing"
)

func TestCompletion(t *testing.T) {
	a := serveAPI(t, nil)
	tool := "tool look {\ntitle \"Have a look\"\ndescription D\nparam state string {\nenum in low out \"run low\" \"$(reboot)\" größer/12\n}\nparam all boolean\nparam tags array {\nitems string {\nenum a b\n}\n}\nparam note string\nget /x\n}\n"
	config := commandSite(t, fmt.Sprintf(`:80 {
	mcp {
		name pantry
		auth {
			url_secret {env.CADDYMCP_TEST_SECRET}
			bearer cook {env.CADDYMCP_TEST_TOKEN}
		}
		upstream %s
		%s
	}
	mcp {
		path /other
		name other
		auth none
		upstream %[1]s
		tool only {
			description D
			get /x
		}
	}
}
`, a.URL, tool))
	for _, tc := range []struct {
		name string
		args []string
		want string // ':6' asks for no space and no files, ':4' for no files
	}{
		{"commands", []string{"mcp", "s"}, "secret\tMakes a new URL secret\n:4\n"},
		{"tools", []string{"mcp", "call", "--server", "pantry", ""}, "look\tHave a look\n:4\n"},
		{"tools of none", []string{"mcp", "call", ""}, ":4\n"},
		{"arguments", []string{"mcp", "call", "--server", "pantry", "look", ""}, "all=\nnote=\nstate=\ntags=\n:6\n"},
		{"some arguments", []string{"mcp", "call", "--server", "pantry", "look", "note=x", "st"}, "state=\n:6\n"},
		{"values", []string{"mcp", "call", "--server", "pantry", "look", "state=l"}, "state=low\n:4\n"},
		{"values that need no quotes", []string{"mcp", "call", "--server", "pantry", "look", "state="}, "state=in\nstate=low\nstate=out\nstate=größer/12\n:4\n"},
		{"values of an array", []string{"mcp", "call", "--server", "pantry", "look", "tags="}, "tags=a\ntags=b\n:4\n"},
		{"a boolean", []string{"mcp", "call", "--server", "pantry", "look", "all="}, "all=true\nall=false\n:4\n"},
		{"any text", []string{"mcp", "call", "--server", "pantry", "look", "note="}, ":4\n"},
		{"no such tool", []string{"mcp", "call", "--server", "pantry", "nope", ""}, ":4\n"},
		{"callers", []string{"mcp", "tools", "--server", "pantry", "--caller", ""}, "url_secret\ncook\n:4\n"},
		{"servers", []string{"mcp", "check", "--server", ""}, "other\tlocalhost:80/other\npantry\tlocalhost:80/mcp\n:4\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			args := slices.Concat([]string{"__complete"}, tc.args[:1], []string{"--config", config}, tc.args[1:])
			if got := runCommand(t.Context(), args...).stdout; got != tc.want {
				t.Errorf("it offers\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
	if n := len(a.taken()); n != 0 {
		t.Errorf("completing sends %d requests", n)
	}
}

// Blocks of the same name are told apart by where they are.
func TestSharedNames(t *testing.T) {
	config := commandSite(t, "http://127.0.0.1:8081, http://127.0.0.1:8082 {\n\tmcp {\n\t\tname dup\n\t\tauth none\n\t\tupstream http://127.0.0.1:9\n\t}\n}\n")
	want := "127.0.0.1:8081/mcp\tdup\n127.0.0.1:8082/mcp\tdup\n:4\n"
	if got := runCommand(t.Context(), "__complete", "mcp", "tools", "--config", config, "--server", "").stdout; got != want {
		t.Errorf("it offers\n%s\nwant\n%s", got, want)
	}
	want = "dup at 127.0.0.1:8081/mcp: has no check\ndup at 127.0.0.1:8082/mcp: has no check\n"
	if got := runCommand(t.Context(), "mcp", "check", "--config", config).stdout; got != want {
		t.Errorf("check prints\n%s\nwant\n%s", got, want)
	}
}
