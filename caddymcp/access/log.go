package access

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Conceal keeps a request of the endpoint out of Caddy's logs if its URL may
// hold a secret, and writes an access log entry of its own in place of
// Caddy's. The response goes to the writer that Conceal returns, and the
// entry is written by the function it returns, which is to be deferred. The
// handler must return no error, since Caddy would log the URL with it. The
// response tells browsers not to send its URL as a Referer.
//
// The entry goes to the same loggers, at the same level and in the same form
// as Caddy's. Its uri holds neither a secret nor a query, and of the headers
// only those that cannot hold a credential, a URL or an argument are there.
// Fields of the log_append directive are lost.
func (a *Access) Conceal(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, func()) {
	if !a.hides(r) {
		return w, func() {}
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	loggers := a.loggers(r)
	silence(r)
	if len(loggers) == 0 {
		return w, func() {}
	}
	start := time.Now()
	request := a.loggable(r)
	body := &countingBody{ReadCloser: r.Body}
	if r.Body != nil {
		r.Body = body
	}
	rec := caddyhttp.NewResponseRecorder(w, nil, nil)
	return rec, func() {
		level := entryLevel(r.Context(), rec.Status())
		userID := ""
		if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
			userID, _ = repl.GetString("http.auth.user.id")
		}
		for _, logger := range loggers {
			if c := logger.Check(level, "handled request"); c != nil {
				c.Write(
					zap.Object("request", request),
					zap.Int("bytes_read", body.n),
					zap.String("user_id", userID),
					zap.Duration("duration", time.Since(start)),
					zap.Int("size", rec.Size()),
					zap.Int("status", rec.Status()),
					zap.Object("resp_headers", caddyhttp.LoggableHTTPHeader{Header: harmless(rec.Header())}),
				)
			}
		}
	}
}

// entryLevel is the level of an access log entry: an error for a status of
// 500 or more, unless the log_level directive has set another.
func entryLevel(ctx context.Context, status int) zapcore.Level {
	if name, ok := caddyhttp.GetVar(ctx, caddyhttp.LogLevelVar).(string); ok {
		level, err := zapcore.ParseLevel(name)
		if err == nil && level >= zapcore.DebugLevel && level <= zapcore.ErrorLevel {
			return level
		}
	}
	if status >= http.StatusInternalServerError {
		return zapcore.ErrorLevel
	}
	return zapcore.InfoLevel
}

// loggable is the request as the log shows it.
func (a *Access) loggable(r *http.Request) caddyhttp.LoggableHTTPRequest {
	c := &http.Request{
		RemoteAddr:       r.RemoteAddr,
		Proto:            r.Proto,
		Method:           r.Method,
		Host:             r.Host,
		RequestURI:       a.shown(r),
		Header:           harmless(r.Header),
		TransferEncoding: r.TransferEncoding,
		TLS:              r.TLS,
	}
	return caddyhttp.LoggableHTTPRequest{Request: c.WithContext(r.Context())}
}

// harmlessHeaders are what the log shows of requests and responses.
var harmlessHeaders = []string{
	"Accept", "Accept-Encoding", "Allow", "Alt-Svc", "Cache-Control", "Content-Encoding",
	"Content-Length", "Content-Type", "Mcp-Method", "Mcp-Protocol-Version", "Origin",
	"Retry-After", "Server", "User-Agent", "Vary", "Www-Authenticate",
	"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
}

// harmless returns a copy of the headers that the log may show.
func harmless(headers http.Header) http.Header {
	shown := http.Header{}
	for _, name := range harmlessHeaders {
		if values, ok := headers[name]; ok {
			shown[name] = values
		}
	}
	return shown
}

// loggers are those that Caddy would write the request's access log to.
func (a *Access) loggers(r *http.Request) []*zap.Logger {
	server, _ := r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if a.accessLog == nil || server == nil || server.Logs == nil {
		return nil
	}
	if skip, _ := caddyhttp.GetVar(r.Context(), caddyhttp.LogSkipVar).(bool); skip {
		return nil
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if !logsHost(server.Logs, host) {
		return nil
	}
	names := loggerNames(server.Logs, host)
	if chosen, ok := caddyhttp.GetVar(r.Context(), caddyhttp.AccessLoggerNameVarKey).([]any); ok && len(chosen) > 0 {
		names = nil
		for _, name := range chosen {
			if name, ok := name.(string); ok {
				names = append(names, name)
			}
		}
	}
	loggers := make([]*zap.Logger, 0, len(names))
	for _, name := range names {
		loggers = append(loggers, a.accessLog.Named(name))
	}
	return loggers
}

// logsHost tells whether the server logs requests for a host.
func logsHost(logs *caddyhttp.ServerLogConfig, host string) bool {
	for pattern := range logs.LoggerNames {
		if certmagic.MatchWildcard(host, pattern) {
			return true
		}
	}
	if slices.ContainsFunc(logs.SkipHosts, func(pattern string) bool { return certmagic.MatchWildcard(host, pattern) }) {
		return false
	}
	return !logs.SkipUnmappedHosts
}

// loggerNames are the names of the loggers for a host: those of the exact
// host, else of the first pattern that stars its labels from the left, else
// the default.
func loggerNames(logs *caddyhttp.ServerLogConfig, host string) []string {
	host = strings.ToLower(host)
	if names, ok := logs.LoggerNames[host]; ok {
		return names
	}
	labels := strings.Split(host, ".")
	for i := range labels {
		if labels[i] == "" {
			continue
		}
		labels[i] = "*"
		if names, ok := logs.LoggerNames[strings.Join(labels, ".")]; ok {
			return names
		}
	}
	return []string{logs.DefaultLoggerName}
}

// countingBody counts what is read of a request body.
type countingBody struct {
	io.ReadCloser
	n int
}

// Read reads from the body.
func (b *countingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n += n
	return n, err
}
