package access

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap/zapcore"
)

func TestLoggerNames(t *testing.T) {
	logs := &caddyhttp.ServerLogConfig{
		DefaultLoggerName: "default",
		LoggerNames: map[string]caddyhttp.StringArray{
			"a.test":   {"a", "also"},
			"*.a.test": {"wild"},
			"off.test": {},
		},
		SkipHosts: []string{"*.quiet.test"},
	}
	only := &caddyhttp.ServerLogConfig{LoggerNames: logs.LoggerNames, SkipUnmappedHosts: true}
	for _, tc := range []struct {
		host   string
		want   []string // nil for no log
		mapped bool
	}{
		{"a.test", []string{"a", "also"}, true},
		{"A.TEST", []string{"a", "also"}, true},
		{"x.a.test", []string{"wild"}, true},
		{"x.y.a.test", []string{"default"}, false},
		{"off.test", []string{}, true},
		{"b.test", []string{"default"}, false},
		{"x.quiet.test", nil, false},
	} {
		t.Run(tc.host, func(t *testing.T) {
			if got := logsHost(logs, tc.host); got != (tc.want != nil) {
				t.Errorf("logged: got %v", got)
			}
			if got := logsHost(only, tc.host); got != tc.mapped {
				t.Errorf("logged where only mapped hosts are: got %v", got)
			}
			if tc.want != nil && !slices.Equal(loggerNames(logs, tc.host), tc.want) {
				t.Errorf("got %q, want %q", loggerNames(logs, tc.host), tc.want)
			}
		})
	}
}

func TestEntryLevel(t *testing.T) {
	for _, tc := range []struct {
		status int
		chosen any
		want   zapcore.Level
	}{
		{200, nil, zapcore.InfoLevel},
		{404, nil, zapcore.InfoLevel},
		{500, nil, zapcore.ErrorLevel},
		{500, "warn", zapcore.WarnLevel},
		{200, "DEBUG", zapcore.DebugLevel},
		{200, "panic", zapcore.InfoLevel},
		{200, "loud", zapcore.InfoLevel},
	} {
		vars := map[string]any{caddyhttp.LogLevelVar: tc.chosen}
		ctx := context.WithValue(t.Context(), caddyhttp.VarsCtxKey, vars)
		if got := entryLevel(ctx, tc.status); got != tc.want {
			t.Errorf("%d, %v: got %v, want %v", tc.status, tc.chosen, got, tc.want)
		}
	}
}

func TestHarmless(t *testing.T) {
	headers := http.Header{
		"Accept": {"a", "b"}, "User-Agent": {"x"},
		"Authorization": {"x"}, "Cookie": {"x"}, "Mcp-Param-City": {"x"}, "Mcp-Name": {"x"}, "Mcp-Session-Id": {"x"},
		"Referer": {"x"}, "X-Original-Uri": {"x"}, "Location": {"x"}, "Set-Cookie": {"x"},
	}
	got := harmless(headers)
	if len(got) != 2 || !slices.Equal(got["Accept"], []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
}
