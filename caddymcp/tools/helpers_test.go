package tools

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// apis is a list of upstreams; the first is the default.
type apis struct {
	names     []string
	noDefault bool
	web       string
	safe      []string // "POST /parse"
}

func (a apis) Names() []string { return a.names }

func (a apis) Default() (string, bool) {
	if a.noDefault || len(a.names) == 0 {
		return "", false
	}
	return a.names[0], true
}

func (a apis) PublicWeb(name string) bool { return name != "" && name == a.web }

func (a apis) Safe(_, method, path string) bool {
	return slices.Contains(a.safe, method+" "+path)
}

var oneAPI = apis{names: []string{"api"}}

// recorder is a Sender that keeps the requests and answers with a fixed reply.
type recorder struct {
	mu       sync.Mutex
	requests []*program.Request
	status   int
	header   http.Header
	body     string
	err      error
}

func (r *recorder) Send(_ context.Context, req *program.Request) (*program.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, req)
	if r.err != nil {
		return nil, r.err
	}
	header := r.header
	if header == nil {
		header = http.Header{"Content-Type": {"application/json"}}
	}
	status := r.status
	if status == 0 {
		status = 200
	}
	return &program.Response{Status: status, Header: header, Body: []byte(r.body)}, nil
}

// lines are the recorded requests in one line each.
func (r *recorder) lines() string {
	var lines []string
	for _, req := range r.requests {
		var line strings.Builder
		line.WriteString(req.Method + " " + req.Path)
		if len(req.Query) > 0 {
			line.WriteString("?" + req.Query.Encode())
		}
		for name, values := range req.Header {
			line.WriteString(" " + name + ": " + strings.Join(values, ","))
		}
		if req.Body != nil {
			line.WriteString(" " + string(req.Body))
		}
		lines = append(lines, line.String())
	}
	return strings.Join(lines, "\n")
}

func ptr[T any](v T) *T { return &v }

func jq(text string) *program.Source { return &program.Source{Text: text} }

// get is a tool that makes a GET request.
func get(path string, params ...*Param) *Tool { return verb("GET", path, params...) }

func verb(method, path string, params ...*Param) *Tool {
	return &Tool{
		Name:        "t",
		Description: "Does it.",
		Params:      params,
		Action:      Action{Request: &Request{Method: method, Path: path}},
	}
}

func compile(t *testing.T, env Env, config ...*Tool) *Set {
	t.Helper()
	if env.Upstreams == nil {
		env.Upstreams = oneAPI
	}
	set, err := Compile(config, env)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// invoke calls the tool t with arguments.
func invoke(t *testing.T, set *Set, sender program.Sender, args string) (*mcp.CallToolResult, Outcome) {
	t.Helper()
	return set.Call(t.Context(), &Call{Name: "t", Arguments: json.RawMessage(args), Sender: sender})
}

// text is the one text of a result, with "error: " in front of a failure.
func text(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("got %d content blocks, want 1", len(result.Content))
	}
	block, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("got content %T, want text", result.Content[0])
	}
	if result.IsError {
		return "error: " + block.Text
	}
	return block.Text
}

// configErrors are the messages of a failed Compile, one a line.
func configErrors(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("got the error %T, want joined errors", err)
	}
	var lines []string
	for _, e := range joined.Unwrap() {
		var config *ConfigError
		if !errors.As(e, &config) {
			t.Fatalf("got the error %T, want *ConfigError", e)
		}
		lines = append(lines, config.Error())
	}
	return strings.Join(lines, "\n")
}
