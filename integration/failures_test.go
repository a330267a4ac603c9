package integration

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// reply answers every request in the same way.
func reply(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

const errorPage = `<!DOCTYPE html><html><head><title>Server Error (500)</title></head>
<body><h1>Server Error (500)</h1><pre>File "/srv/food/views.py", line 12</pre></body></html>`

const traceback = "Traceback (most recent call last):\n  File \"/srv/food/views.py\", line 12, in get\nKeyError: 'state'\n"

// expectFailure calls a tool that reads and two that write, the last of them
// a program.
func expectFailure(t *testing.T, session *mcp.ClientSession, want, write, run string) {
	t.Helper()
	for _, tt := range []struct{ tool, args, want string }{
		{"get_pantry", `{}`, want},
		{"set_item_state", `{"ingredient":"tofu","state":"out"}`, want + write},
		{"create_meta_recipe", `{"name":"Toast","method":"","slots":[]}`, want + run},
	} {
		text, isError := call(t, session, tt.tool, tt.args)
		sentence(t, text, isError)
		if text != tt.want {
			t.Errorf("%s: got %q, want %q", tt.tool, text, tt.want)
		}
	}
}

func TestAPIErrors(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		var api atomic.Pointer[http.HandlerFunc]
		how.wrap = func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*api.Load())(w, r) })
		}
		session := how.start(t).connect(t)
		for _, tt := range []struct {
			name  string
			api   http.HandlerFunc
			want  string
			write string // what is added when the tool writes
			run   string // what is added when a program writes
		}{
			{"401", reply(401, "application/json", `{"detail":"Invalid token."}`), "the pantry API refused its token: check FOOD_API_TOKEN", "", ""},
			{"403", reply(403, "text/html", errorPage), "the pantry API refused its token: check FOOD_API_TOKEN", "", ""},
			{"a page", reply(500, "text/html", errorPage), "the API returned 500", "; the request may have been carried out", "; the request may have been carried out"},
			{"a page that says it is JSON", reply(500, "application/json", errorPage), "the API returned 500", "; the request may have been carried out", "; the request may have been carried out"},
			{"a page for a path", reply(404, "text/html", errorPage), "the API returned 404", "", ""},
			{"a stack trace", reply(500, "text/plain", traceback), "the API returned 500", "; the request may have been carried out", "; the request may have been carried out"},
			{"a stack trace in JSON", reply(500, "application/json", `{"detail":"Traceback (most recent call last): File \"/srv/food/views.py\""}`), "the API returned 500", "; the request may have been carried out", "; the request may have been carried out"},
			{"an internal address", reply(502, "application/json", `{"detail":"no route to 10.1.2.3:5432"}`), "no route to [address]", "; the request may have been carried out", "; the request may have been carried out"},
			{"nothing", reply(503, "", ""), "the API returned 503", "; the request may have been carried out", "; the request may have been carried out"},
			{"a login page", reply(200, "text/html", errorPage), "the tool could not read the API's reply", "; the request itself was carried out", "; already done: POST /create-meta-recipe/"},
			{"JSON of another shape", reply(200, "application/json", `"maintenance"`), "the tool could not read the API's reply", "; the request itself was carried out", "; already done: POST /create-meta-recipe/"},
			{"a redirect to a login", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://login.example.com/?next=/api/", http.StatusFound)
			}, "the API redirected to another place, which is not followed", "; the request may have been carried out", "; the request may have been carried out"},
			{"a connection that closes", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "the pantry API does not answer", "; the request may have been carried out", "; the request may have been carried out"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				api.Store(&tt.api)
				expectFailure(t, session, tt.want, tt.write, tt.run)
			})
		}
	})
}

func TestAPIAway(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		for _, tt := range []struct {
			name  string
			how   func(t *testing.T, how *setup)
			want  string
			write string
			run   string
		}{
			{"down", func(t *testing.T, how *setup) {
				how.env = []string{fmt.Sprintf("FOOD_API_BASE=http://127.0.0.1:%d/api", freePort(t))}
			}, "the pantry API does not answer", "", ""},
			{"silent", func(t *testing.T, how *setup) {
				how.edit = func(caddyfile string) string {
					return replace(t, caddyfile, "\t\t\terror unreachable", "\t\t\ttimeout 200ms\n\t\t\tretry 0\n\t\t\terror unreachable")
				}
				how.wrap = func(http.Handler) http.Handler {
					return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
						io.Copy(io.Discard, r.Body)
						<-r.Context().Done()
					})
				}
			}, "the pantry API does not answer", "; the request may have been carried out", "; the request may have been carried out"},
			{"another token", func(_ *testing.T, how *setup) {
				how.env = []string{"FOOD_API_TOKEN=not-the-token-of-the-pantry"}
			}, "the pantry API refused its token: check FOOD_API_TOKEN", "", ""},
		} {
			t.Run(tt.name, func(t *testing.T) {
				how := how
				tt.how(t, &how)
				session := how.start(t).connect(t)
				expectFailure(t, session, tt.want, tt.write, tt.run)
			})
		}
	})
}

// A tool goes on working when the API is back.
func TestAPIComesBack(t *testing.T) {
	overEach(t, func(t *testing.T, how setup) {
		var broken atomic.Bool
		how.wrap = func(api http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if broken.Load() {
					reply(500, "text/html", errorPage)(w, r)
					return
				}
				api.ServeHTTP(w, r)
			})
		}
		session := how.start(t).connect(t)
		for _, state := range []bool{false, true, false} {
			broken.Store(state)
			if text, isError := call(t, session, "get_pantry", `{}`); isError != state {
				t.Errorf("broken is %v: got %s", state, text)
			}
		}
	})
}
