package caddymcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func init() {
	autoexport.RegisterSpanExporter("caddymcp_test", func(context.Context) (sdktrace.SpanExporter, error) { return exported, nil })
}

// exported is where Caddy's tracing directive sends spans in tests.
var exported = make(spanExporter, 100)

type spanExporter chan sdktrace.ReadOnlySpan

func (e spanExporter) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, span := range spans {
		e <- span
	}
	return nil
}

func (spanExporter) Shutdown(context.Context) error { return nil }

// trace collects the spans of one trace by name, up to that of the HTTP
// request, which is the last to end.
func (e spanExporter) trace(t *testing.T, id string) map[string]sdktrace.ReadOnlySpan {
	t.Helper()
	found, patience := make(map[string]sdktrace.ReadOnlySpan), time.After(30*time.Second)
	for {
		select {
		case span := <-e:
			if span.SpanContext().TraceID().String() != id {
				continue
			}
			if found[span.Name()] != nil {
				t.Errorf("there are two spans '%s'", span.Name())
			}
			found[span.Name()] = span
			if span.Name() == "site" {
				return found
			}
		case <-patience:
			t.Fatal("the HTTP request has no span")
		}
	}
}

// tracedSite has a site around the tools that is traced.
func tracedSite(t *testing.T, a *api) *site {
	t.Helper()
	t.Setenv("OTEL_TRACES_EXPORTER", "caddymcp_test")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	return serveSite(t, fmt.Sprintf(`tracing {
		span site
	}
	mcp {
		auth none
		upstream %s {
			retry 0
			cache 1h /kept
		}
		tool read {
			description "Reads."
			param id string required
			get /items/{id}
		}
		tool kept {
			description "Reads what is kept."
			get /kept
		}
	}`, a.URL))
}

func traceparent(trace, span string) string { return "00-" + trace + "-" + span + "-01" }

const (
	firstTrace  = "11111111111111111111111111111111"
	secondTrace = "22222222222222222222222222222222"
	clientSpan  = "cccccccccccccccc"
)

// The client's trace goes on through the HTTP request, the call and the request
// to the API, also where a session has begun in another trace.
func TestTrace(t *testing.T) {
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/items/broken-salt" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		io.WriteString(w, "replied-salt")
	})
	s := tracedSite(t, a)
	opened, _ := post(t, s.URL+"/mcp", initialize, "Traceparent", traceparent(firstTrace, clientSpan))
	session := []string{"Mcp-Session-Id", opened.Header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version", "2025-11-25"}
	exported.trace(t, firstTrace)

	for i, tc := range []struct {
		name, id  string
		headers   []string
		call, api string // attributes and status of the spans
	}{
		{
			name: "a request that stands alone", id: "asked-salt",
			call: "mcp.tool=read mcp.outcome=ok Unset",
			api:  "http.request.method=GET mcp.upstream= http.response.status_code=200 Unset",
		},
		{
			name: "a session", id: "asked-salt", headers: session,
			call: "mcp.tool=read mcp.outcome=ok Unset",
			api:  "http.request.method=GET mcp.upstream= http.response.status_code=200 Unset",
		},
		{
			name: "an error of the API", id: "broken-salt",
			call: "mcp.tool=read mcp.outcome=upstream_error Error",
			api:  "http.request.method=GET mcp.upstream= http.response.status_code=500 Error",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a.taken()
			id := fmt.Sprintf("%032x", i+1)
			post(t, s.URL+"/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"id":%q}}}`, tc.id),
				append([]string{"Traceparent", traceparent(id, clientSpan)}, tc.headers...)...)
			spans := exported.trace(t, id)
			server, call, client := spans["site"], spans["tools/call read"], spans["GET"]
			if len(spans) != 3 || server == nil || call == nil || client == nil {
				t.Fatalf("the spans are %v", spans)
			}
			expectChild(t, server, clientSpan)
			expectChild(t, call, server.SpanContext().SpanID().String())
			expectChild(t, client, call.SpanContext().SpanID().String())
			if got := described(call); got != tc.call {
				t.Errorf("the span of the call has %s", got)
			}
			if got := described(client); got != tc.api {
				t.Errorf("the span of the request has %s", got)
			}
			if client.SpanKind() != trace.SpanKindClient {
				t.Errorf("the span of the request is of the kind %s", client.SpanKind())
			}
			requests := a.taken()
			want := traceparent(id, client.SpanContext().SpanID().String())
			if len(requests) != 1 || requests[0].Header.Get("Traceparent") != want {
				t.Errorf("the API got %v, want the traceparent %s", requests, want)
			}
			for name, span := range spans {
				if text := fmt.Sprintf("%s %v %v", described(span), span.Events(), span.Status()); strings.Contains(text, "salt") {
					t.Errorf("the span %s holds an argument or a reply: %s", name, text)
				}
			}
		})
	}
}

func expectChild(t *testing.T, span sdktrace.ReadOnlySpan, parent string) {
	t.Helper()
	if got := span.Parent().SpanID().String(); got != parent {
		t.Errorf("the parent of '%s' is %s, want %s", span.Name(), got, parent)
	}
}

// described is the attributes and the status of a span.
func described(span sdktrace.ReadOnlySpan) string {
	var text strings.Builder
	for _, a := range span.Attributes() {
		fmt.Fprintf(&text, "%s=%s ", a.Key, a.Value.String())
	}
	return text.String() + span.Status().Code.String()
}

// A trace does not keep calls from sharing a reply.
func TestTraceAndCache(t *testing.T) {
	a := serveAPI(t, nil)
	s := tracedSite(t, a)
	for _, id := range []string{firstTrace, secondTrace} {
		post(t, s.URL+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kept"}}`, "Traceparent", traceparent(id, clientSpan))
	}
	requests := a.taken()
	if len(requests) != 1 || !strings.Contains(requests[0].Header.Get("Traceparent"), firstTrace) {
		t.Errorf("the API got %v", requests)
	}
}

// Without the directive, the API hears nothing of the client's trace.
func TestNoTrace(t *testing.T) {
	a := serveAPI(t, nil)
	s := pantrySite(t, a, "")
	post(t, s.URL+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}`,
		"Traceparent", traceparent(firstTrace, clientSpan), "Tracestate", "client=1", "Baggage", "client=1")
	requests := a.taken()
	if len(requests) != 1 {
		t.Fatalf("the API got %v", requests)
	}
	for _, name := range []string{"Traceparent", "Tracestate", "Baggage"} {
		if value := requests[0].Header.Get(name); value != "" {
			t.Errorf("the API got %s: %s", name, value)
		}
	}
}
