package caddymcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A transcript is a site and what is said to it: the file 'site' is the mcp
// block, in which API stands for the API's address; 'request' is a method, a
// path, headers and a body, as in HTTP, and the 'response' after it what comes
// back. A session's id is written SESSION, and the headers that are shown are
// those that MCP, RFC 6750 and caches read.
func TestTranscripts(t *testing.T) {
	t.Setenv("CADDYMCP_TEST_TOKEN", "transcript-token-5f0e1d2c3b4a")
	for _, file := range goldens(t, "testdata/transcripts/*.txtar") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := serveAPI(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"method":%q,"uri":%q}`, r.Method, r.RequestURI)
			})
			var s *site
			var session, response string
			for i, f := range archive.Files {
				switch f.Name {
				case "site":
					s = serveSite(t, strings.ReplaceAll(string(f.Data), "API", a.URL))
				case "request":
					response = say(t, s.URL, strings.ReplaceAll(string(f.Data), "SESSION", session), &session)
				case "response":
					if *update {
						archive.Files[i].Data = []byte(response)
					} else if response != string(f.Data) {
						t.Errorf("response %d is\n%s\nwant\n%s", i, response, f.Data)
					}
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// say sends a request and returns the response as transcripts show it.
func say(t *testing.T, url, text string, session *string) string {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	req, err := http.NewRequest(method, url+path, strings.NewReader(strings.TrimSpace(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		*session = id
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, resp.Status)
	for _, name := range []string{"Allow", "Cache-Control", "Content-Type", "Mcp-Session-Id", "Www-Authenticate", "X-Accel-Buffering"} {
		if value := resp.Header.Get(name); value != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, value)
		}
	}
	fmt.Fprintln(&out)
	// A line at a time, so that a stream is shown as it is written.
	for scanner := bufio.NewScanner(io.LimitReader(resp.Body, 1<<20)); scanner.Scan(); {
		fmt.Fprintln(&out, scanner.Text())
	}
	if *session == "" {
		return out.String()
	}
	return strings.ReplaceAll(out.String(), *session, "SESSION")
}
