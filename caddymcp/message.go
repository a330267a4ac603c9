package caddymcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
)

// A body is a decoded POST body: one JSON-RPC 2.0 message, or a batch of them
// (MCP 2025-03-26).
type body struct {
	raw      []byte
	batch    bool
	messages []message
}

// A message is what the handler needs to know of a JSON-RPC message before the
// SDK decodes it.
type message struct {
	raw    json.RawMessage
	id     json.RawMessage
	method string
	params json.RawMessage
	call   callParams
}

// callParams are the params that decide how a message is served.
type callParams struct {
	Name string `json:"name"`
	Meta struct {
		ProgressToken json.RawMessage `json:"progressToken"`
		LogLevel      string          `json:"io.modelcontextprotocol/logLevel"`
	} `json:"_meta"`
}

var errEmptyBatch = errors.New("the batch holds no message")

// parseBody reads the messages of a POST body.
func parseBody(raw []byte) (*body, error) {
	b := &body{raw: raw}
	parts := []json.RawMessage{raw}
	if trimmed := bytes.TrimLeft(raw, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '[' {
		b.batch = true
		if err := json.Unmarshal(raw, &parts); err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			return nil, errEmptyBatch
		}
	}
	for _, part := range parts {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(part, &m); err != nil {
			return nil, err
		}
		one := message{raw: part, id: m.ID, method: m.Method, params: m.Params}
		// What does not decode here is for the SDK to report.
		_ = json.Unmarshal(m.Params, &one.call)
		b.messages = append(b.messages, one)
	}
	return b, nil
}

// initializes says whether the body opens a session.
func (b *body) initializes() bool {
	for _, m := range b.messages {
		if m.method == "initialize" {
			return true
		}
	}
	return false
}

// listens says whether the reply is a stream that stays open.
func (b *body) listens() bool {
	return b.messages[0].method == "subscriptions/listen"
}

// notifies says whether the client asked for progress or log notifications,
// which travel on the stream of their request.
func (b *body) notifies() bool {
	for _, m := range b.messages {
		if len(m.call.Meta.ProgressToken) > 0 || m.call.Meta.LogLevel != "" {
			return true
		}
	}
	return false
}

// tools are the names of the tools that the body calls.
func (b *body) tools() []string {
	var names []string
	for _, m := range b.messages {
		if m.method == "tools/call" {
			names = append(names, m.call.Name)
		}
	}
	return names
}

// decodeHeader decodes a header value that a client had to wrap in base64
// because it is not plain ASCII (MCP 2026-07-28, standard request headers).
func decodeHeader(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value, true
	}
	encoded, ok = strings.CutSuffix(encoded, "?=")
	if !ok {
		return "", false
	}
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	return string(decoded), err == nil
}
