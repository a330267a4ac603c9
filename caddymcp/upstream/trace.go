package upstream

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// startSpan begins the span of one request, below the span of ctx if there is
// one. It follows OpenTelemetry's conventions for HTTP clients, without the
// URL, since that holds arguments.
func (u *Upstream) startSpan(ctx context.Context, out *outgoing) (context.Context, trace.Span) {
	tracer := trace.SpanFromContext(ctx).TracerProvider().Tracer("github.com/caddymcp/caddymcp/caddymcp/upstream")
	return tracer.Start(ctx, out.method, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("http.request.method", out.method),
		attribute.String("mcp.upstream", u.Name),
	))
}

// endSpan ends it. Without a reply resp is nil.
func endSpan(span trace.Span, resp *program.Response) {
	switch {
	case resp == nil:
		span.SetStatus(codes.Error, "no reply")
	case resp.Status >= 400:
		span.SetStatus(codes.Error, "")
		fallthrough
	default:
		span.SetAttributes(attribute.Int("http.response.status_code", resp.Status))
	}
	span.End()
}

// withTrace is out with the trace context of ctx (W3C Trace Context), if there
// is one. The public web is not told.
func (u *Upstream) withTrace(ctx context.Context, out *outgoing) *outgoing {
	if u.PublicWeb || !trace.SpanContextFromContext(ctx).IsValid() {
		return out
	}
	traced := *out
	traced.header = out.header.Clone()
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(traced.header))
	return &traced
}
