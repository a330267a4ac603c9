package caddymcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"
)

// One line says what a call did and cost, and nothing that was asked or
// replied.
func TestCallLog(t *testing.T) {
	s := observedSite(t, serveAPI(t, pantryItems))
	for _, tc := range []struct {
		name, authorization, tool, args string
		level                           zapcore.Level
		want                            map[string]any
	}{
		{
			name: "a program with two requests", authorization: cook, tool: "both", args: `{"id":"asked-salt"}`,
			want: map[string]any{
				"tool": "both", "caller": "bearer:cook", "outcome": "ok", "read_only": true,
				"upstream_requests": int64(2),
			},
		},
		{
			name: "a write", authorization: cook, tool: "write", args: `{}`,
			want: map[string]any{
				"tool": "write", "caller": "bearer:cook", "outcome": "ok", "read_only": false,
				"upstream_requests": int64(1),
			},
		},
		{
			name: "wrong arguments", authorization: guest, tool: "read", args: `{"id":["asked-salt","asked-salt"]}`,
			want: map[string]any{
				"tool": "read", "caller": "bearer:guest", "outcome": "refused",
				"upstream_requests": int64(0),
			},
		},
		{
			name: "a scope that the caller lacks", authorization: guest, tool: "write", args: `{}`,
			want: map[string]any{"caller": "bearer:guest", "status": int64(403), "reason": "insufficient scope: this takes pantry:write"},
		},
		{
			name: "a wrong token", authorization: "Bearer bogus-token", tool: "read", args: `{}`,
			want: map[string]any{"caller": "", "status": int64(401), "reason": "the bearer token is not valid"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s.logs.TakeAll()
			_, reply := post(t, s.URL+"/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tc.tool, tc.args),
				"Authorization", tc.authorization)
			entries := s.logs.TakeAll()
			for _, e := range entries {
				for _, word := range []string{"salt", "bogus-token"} {
					if text := fmt.Sprint(e.Message, e.ContextMap()); strings.Contains(text, word) {
						t.Errorf("the log holds '%s': %s", word, text)
					}
				}
			}
			if len(entries) != 1 || entries[0].Level != zapcore.InfoLevel {
				t.Fatalf("the log is %v, want one line at info", entries)
			}
			fields := entries[0].ContextMap()
			if entries[0].Message == "tool call" {
				expectCost(t, fields, reply)
			}
			if !maps.Equal(fields, tc.want) {
				t.Errorf("the fields are %v,\nwant %v", fields, tc.want)
			}
		})
	}
}

// expectCost checks the fields of a log line that say what the call cost, and
// takes them out, except for the number of requests.
func expectCost(t *testing.T, fields map[string]any, reply string) {
	t.Helper()
	var message struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(reply), &message); err != nil || len(message.Result.Content) != 1 {
		t.Fatalf("the reply is %s", reply)
	}
	if size := int64(len(message.Result.Content[0].Text)); fields["reply_bytes"] != size {
		t.Errorf("reply_bytes is %v, want %d", fields["reply_bytes"], size)
	}
	took, _ := fields["duration"].(time.Duration)
	spent, known := fields["upstream_duration"].(time.Duration)
	if took <= 0 || !known || (spent > 0) != (fields["upstream_requests"] != int64(0)) {
		t.Errorf("it took %v, of which %v in upstreams", fields["duration"], fields["upstream_duration"])
	}
	for _, name := range []string{"reply_bytes", "duration", "upstream_duration"} {
		delete(fields, name)
	}
}
