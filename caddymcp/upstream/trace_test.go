package upstream

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// Each attempt has a span of its own, which the API is told of: over a
// connection, and through a chain of handlers.
func TestEveryAttemptIsTraced(t *testing.T) {
	for _, form := range []string{"url", "chain"} {
		t.Run(form, func(t *testing.T) {
			failed := false
			a := newAPI(t, func(w http.ResponseWriter, _ *http.Request) {
				if !failed {
					failed = true
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			})
			u := &Upstream{Name: "pantry", URL: a.URL}
			if form == "chain" {
				u.URL, u.Routes = "", handlers(proxyTo(a.URL))
			}
			u = ready(t, u)
			spans := tracetest.NewSpanRecorder()
			ctx, parent := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test").Start(t.Context(), "call")
			if _, err := u.Send(ctx, get("/a")); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, span := range spans.Ended() {
				if span.Parent().SpanID() != parent.SpanContext().SpanID() {
					t.Errorf("the parent of a span is %s", span.Parent().SpanID())
				}
				want = append(want, fmt.Sprintf("00-%s-%s-01", parent.SpanContext().TraceID(), span.SpanContext().SpanID()))
			}
			var got []string
			for _, r := range a.seen {
				got = append(got, r.Header.Get("Traceparent"))
			}
			if len(want) != 2 || !slices.Equal(got, want) {
				t.Errorf("the API was told of %v, want %v", got, want)
			}
		})
	}
}

func TestNoReplyIsTraced(t *testing.T) {
	a := newAPI(t, nil)
	a.Close()
	u := ready(t, &Upstream{URL: a.URL, Retries: new(int)})
	spans := tracetest.NewSpanRecorder()
	ctx, _ := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test").Start(t.Context(), "call")
	if _, err := u.Send(ctx, get("/a")); err == nil {
		t.Fatal("there is a reply")
	}
	ended := spans.Ended()
	if len(ended) != 1 || ended[0].Status() != (sdktrace.Status{Code: codes.Error, Description: "no reply"}) {
		t.Errorf("the spans are %v", ended)
	}
}

// The public web is not told of traces.
func TestPublicWebIsNotTraced(t *testing.T) {
	allowLoopback(t, "127.0.0.1")
	a := newAPI(t, nil)
	u := ready(t, &Upstream{PublicWeb: true})
	spans := tracetest.NewSpanRecorder()
	ctx, _ := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test").Start(t.Context(), "call")
	if _, err := u.Send(ctx, &program.Request{Method: "GET", URL: a.URL}); err != nil {
		t.Fatal(err)
	}
	if len(spans.Ended()) != 1 {
		t.Errorf("there are %d spans", len(spans.Ended()))
	}
	r, _ := a.last(t)
	for name := range r.Header {
		if strings.HasPrefix(name, "Trace") {
			t.Errorf("the site got the header %s", name)
		}
	}
}
