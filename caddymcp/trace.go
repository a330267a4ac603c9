package caddymcp

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/caddymcp/caddymcp/caddymcp/tools"
)

// startSpan begins the span of a tool call. Its parent is the span that Caddy's
// tracing directive gave the HTTP request; ctx may hold that of another request
// of the session. Without the directive the span records nothing.
func startSpan(ctx context.Context, r *http.Request, tool string) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(r.Context())
	tracer := parent.TracerProvider().Tracer("github.com/caddymcp/caddymcp/caddymcp")
	return tracer.Start(trace.ContextWithSpan(ctx, parent), "tools/call "+tool,
		trace.WithAttributes(attribute.String("mcp.tool", tool)))
}

// endSpan ends it. A refusal is no error, and neither is a caller that has
// gone. What is behind a failure may quote data, so it is not told.
func endSpan(span trace.Span, kind tools.Kind) {
	span.SetAttributes(attribute.String("mcp.outcome", string(kind)))
	switch kind {
	case tools.UpstreamError, tools.Bug, tools.Panicked, tools.Timeout:
		span.SetStatus(codes.Error, string(kind))
	}
	span.End()
}
