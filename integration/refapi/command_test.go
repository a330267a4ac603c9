package refapi

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// times is how often the greeter says what it says.
var times int

// greeter is a command whose API answers with the path those who send the
// token.
var greeter = Command{
	Name:     "greeter",
	Listen:   "127.0.0.1:0",
	TokenEnv: "GREETER_TOKEN",
	Keeps:    "nothing",
	Path:     "/api",
	Flags:    func(flags *flag.FlagSet) { flags.IntVar(&times, "times", 1, "how often it says so") },
	New: func(text, file string) (http.Handler, error) {
		token, err := NewToken(text)
		if err != nil {
			return nil, err
		}
		if _, err := Open(file, "nothing", func(*struct{}) error { return nil }, func() *struct{} { return new(struct{}) }); err != nil {
			return nil, err
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !token.Is(r.Header.Get("Authorization")) {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			WriteJSON(w, http.StatusOK, strings.Repeat(r.URL.Path, times))
		}), nil
	},
}

func TestRun(t *testing.T) {
	for name, tt := range map[string]struct{ env, flag, token string }{
		"token by flag":                    {"", "T", "T"},
		"token by environment":             {"T", "", "T"},
		"the flag goes before environment": {"E", "T", "T"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GREETER_TOKEN", tt.env)
			file := filepath.Join(t.TempDir(), "greeter.json")
			ctx, stop := context.WithCancel(t.Context())
			out, in := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				err := greeter.run(ctx, []string{"-listen", "127.0.0.1:0", "-token", tt.flag, "-data", file, "-times", "2"}, in, io.Discard)
				in.CloseWithError(err)
				ended <- err
			}()

			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			base := strings.TrimSuffix(line, "\n")
			if !strings.HasPrefix(base, "http://127.0.0.1:") || !strings.HasSuffix(base, "/api") {
				t.Fatalf("the first line is %q", line)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/x", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", tt.token)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK || string(body) != `"/api/x/api/x"` {
				t.Errorf("got %s %s %v", resp.Status, body, err)
			}
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}

			stop()
			if err := <-ended; err != nil {
				t.Errorf("it stopped with %v", err)
			}
		})
	}
}

// A request in flight is answered before the command ends.
func TestRunLetsRequestsFinish(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	var answered atomic.Bool
	slow := greeter
	slow.New = func(string, string) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(arrived)
			<-release
			io.WriteString(w, "all of it")
			answered.Store(true)
		}), nil
	}
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := slow.run(ctx, nil, in, io.Discard)
		if !answered.Load() {
			t.Error("it stopped before the request was answered")
		}
		in.CloseWithError(err)
		ended <- err
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSuffix(strings.TrimPrefix(line, "http://"), "/api\n")
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Get(strings.TrimSpace(line))
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answer <- string(body)
	}()
	<-arrived
	stop()
	for { // until it does not listen any more
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		conn.Close()
	}
	close(release)
	if got := <-answer; got != "all of it" {
		t.Errorf("the request in flight got '%s'", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("it stopped with %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	t.Setenv("GREETER_TOKEN", "")
	ctx, stop := context.WithCancel(t.Context())
	stop() // what is not refused ends at once
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no token":     {nil, "a token is required"},
		"an argument":  {[]string{"-token", "T", "serve"}, "unexpected argument 'serve': use the flags that -h lists"},
		"bad address":  {[]string{"-token", "T", "-listen", "127.0.0.1:none"}, "none"},
		"bad file":     {[]string{"-token", "T", "-data", t.TempDir()}, "is a directory"},
		"bad count":    {[]string{"-token", "T", "-times", "two"}, "invalid value \"two\" for flag -times"},
		"unknown flag": {[]string{"-tokn", "T"}, "flag provided but not defined: -tokn"},
	} {
		t.Run(name, func(t *testing.T) {
			err := greeter.run(ctx, tt.args, io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want '%s'", err, tt.want)
			}
		})
	}
}

// The help says what there is, and does not show the environment's token.
func TestHelp(t *testing.T) {
	t.Setenv("GREETER_TOKEN", "hush")
	var help strings.Builder
	if err := greeter.run(t.Context(), []string{"-h"}, io.Discard, &help); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got %v", err)
	}
	for _, want := range []string{"Usage of greeter:", "-listen address", "-token token", "GREETER_TOKEN", "-data file", "keeps nothing", "-times int"} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("it does not hold '%s': %s", want, help.String())
		}
	}
	if strings.Contains(help.String(), "hush") {
		t.Errorf("it shows the token: %s", help.String())
	}
}

func TestToken(t *testing.T) {
	token, err := NewToken("a-token")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"a-token": true, "": false, "a-tokem": false, "a-token ": false, "A-TOKEN": false, "a-toke": false} {
		if got := token.Is(text); got != want {
			t.Errorf("'%s': got %v", text, got)
		}
	}
	for authorization, want := range map[string]bool{"Bearer a-token": true, "Bearer ": false, "bearer a-token": false, "a-token": false, "": false} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Authorization", authorization)
		if got := token.IsIn(r); got != want {
			t.Errorf("with '%s': got %v", authorization, got)
		}
	}
	if _, err := NewToken(""); err == nil {
		t.Error("an empty token was taken")
	}
}

func TestReadJSON(t *testing.T) {
	for body, want := range map[string]string{
		`{"jars":["jam"]} `: "",
		``:                  "EOF",
		`{"jars":["jam"]`:   "unexpected EOF",
		`{"lids":1}`:        `json: unknown field "lids"`,
		`{"jars":[]}{}`:     "there is something after it",
		`{"jars":[]}]`:      "there is something after it",
	} {
		var into shelf
		got := ""
		if err := ReadJSON(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)), &into); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got '%s', want '%s'", body, got, want)
		}
	}
}

func TestWriteJSON(t *testing.T) {
	for _, kind := range []string{"", "application/problem+json"} {
		w := httptest.NewRecorder()
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		WriteJSON(w, http.StatusTeapot, map[string]any{"b": "<é>&\n", "a": nil})
		if got, want := w.Body.String(), `{"a":null,"b":"<é>&\n"}`; got != want || w.Code != http.StatusTeapot {
			t.Errorf("got %d %s, want %s", w.Code, got, want)
		}
		if got, want := w.Header().Get("Content-Type"), cmp.Or(kind, "application/json"); got != want {
			t.Errorf("it is %s, want %s", got, want)
		}
	}
}
