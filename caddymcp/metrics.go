package caddymcp

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/caddymcp/caddymcp/caddymcp/tools"
)

const (
	metricsNamespace = "caddy"
	metricsSubsystem = "mcp"
)

// The metrics are those of the process, so that a reload does not reset them.
// Every label has few values, which come from the config or from a fixed list:
// nothing that a client sends is one.
var (
	callsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: metricsNamespace,
		Subsystem: metricsSubsystem,
		Name:      "calls_total",
		Help:      "Calls of declared tools, by how they ended.",
	}, []string{"server", "tool", "outcome"})

	callDuration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: metricsNamespace,
		Subsystem: metricsSubsystem,
		Name:      "call_duration_seconds",
		Help:      "How long calls of tools took.",
		Buckets:   slices.Concat(prometheus.DefBuckets, []float64{30, 60}),
	}, []string{"server", "tool"})

	replySize = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: metricsNamespace,
		Subsystem: metricsSubsystem,
		Name:      "reply_size_bytes",
		Help:      "Size of the content that tools gave to clients, errors included.",
		Buckets:   prometheus.ExponentialBuckets(256, 4, 8),
	}, []string{"server", "tool"})

	upstreamRequestsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: metricsNamespace,
		Subsystem: metricsSubsystem,
		Name:      "upstream_requests_total",
		Help:      "Requests sent to upstreams, by the class of the status, such as '2xx', or 'none' without a reply.",
	}, []string{"server", "upstream", "status"})

	authRefusalsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: metricsNamespace,
		Subsystem: metricsSubsystem,
		Name:      "auth_refusals_total",
		Help:      "Requests refused because of who made them, by HTTP status.",
	}, []string{"server", "status"})

	sessionsOpen = prometheus.NewDesc(
		prometheus.BuildFQName(metricsNamespace, metricsSubsystem, "sessions"),
		"Sessions that are open.",
		[]string{"server"}, nil)
)

// registerMetrics adds the metrics to the registry of a config. Other handlers
// of the config may have done so before.
func registerMetrics(registry *prometheus.Registry) error {
	for _, c := range []prometheus.Collector{
		callsTotal, callDuration, replySize, upstreamRequestsTotal, authRefusalsTotal, sessionCollector{},
	} {
		if err := registry.Register(c); err != nil {
			if _, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); !ok {
				return err
			}
		}
	}
	return nil
}

// A sessionCollector counts sessions when the metrics are read.
type sessionCollector struct{}

// Describe implements prometheus.Collector.
func (sessionCollector) Describe(out chan<- *prometheus.Desc) { out <- sessionsOpen }

// Collect implements prometheus.Collector. Servers of the same name are one.
func (sessionCollector) Collect(out chan<- prometheus.Metric) {
	counts := make(map[string]int)
	endpoints.Range(func(_, v any) bool {
		e := v.(*endpoint)
		counts[e.serverName()] += e.sessionCount()
		return true
	})
	for name, n := range counts {
		out <- prometheus.MustNewConstMetric(sessionsOpen, prometheus.GaugeValue, float64(n), name)
	}
}

// A tally is what a call has spent in upstreams. Requests can end at the same
// time, and after the call if another one waits for their reply.
type tally struct {
	requests atomic.Int64
	took     atomic.Int64 // nanoseconds
}

func (t *tally) add(took time.Duration) {
	t.requests.Add(1)
	t.took.Add(int64(took))
}

// countCall counts a call of a declared tool.
func (h *Handler) countCall(tool string, kind tools.Kind, took time.Duration, size int) {
	callsTotal.WithLabelValues(h.Name, tool, string(kind)).Inc()
	callDuration.WithLabelValues(h.Name, tool).Observe(took.Seconds())
	replySize.WithLabelValues(h.Name, tool).Observe(float64(size))
}

// countRequest counts a request to an upstream. It has the form of
// [upstream.Call.OnRequest].
func (h *Handler) countRequest(upstream, _ string, status int, _ time.Duration, _ int) {
	class := "none"
	if status != 0 {
		class = strconv.Itoa(status/100) + "xx"
	}
	upstreamRequestsTotal.WithLabelValues(h.Name, upstream, class).Inc()
}

// countRefusal counts a request that may not go on.
func (h *Handler) countRefusal(status int) {
	authRefusalsTotal.WithLabelValues(h.Name, strconv.Itoa(status)).Inc()
}

// contentSize is how many bytes a result gives the client to read: its text,
// and everything else as JSON.
func contentSize(result *mcp.CallToolResult) int {
	size := 0
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			size += len(text.Text)
		} else if block, err := c.MarshalJSON(); err == nil {
			size += len(block)
		}
	}
	structured, _ := result.StructuredContent.(json.RawMessage)
	return size + len(structured)
}

// Interface guards
var _ prometheus.Collector = sessionCollector{}
