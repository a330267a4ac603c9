package caddymcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
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
	params members
	meta   members // _meta of params

	tool     string // that tools/call names
	notifies bool   // the client wants progress or log notifications
}

// members are those of a JSON object. Names are compared exactly, as the SDK
// does: encoding/json would take "NAME" for "name" in a struct.
type members map[string]json.RawMessage

// object decodes a JSON object. What is none has no members.
func object(raw json.RawMessage) members {
	var m members
	_ = json.Unmarshal(raw, &m)
	return m
}

// text is a member that is a string, or empty.
func (m members) text(name string) string {
	var s string
	_ = json.Unmarshal(m[name], &s)
	return s
}

// maxBatch bounds how many messages one request can bring.
const maxBatch = 100

var (
	errBatch     = fmt.Errorf("a batch holds 1 to %d messages", maxBatch)
	errNoMessage = errors.New("the body is not a JSON object")
)

// parseBody reads the messages of a POST body.
func parseBody(raw []byte) (*body, error) {
	b := &body{raw: raw}
	parts := []json.RawMessage{raw}
	if trimmed := bytes.TrimLeft(raw, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '[' {
		b.batch, parts = true, nil
		if err := json.Unmarshal(raw, &parts); err != nil {
			return nil, err
		}
		if len(parts) == 0 || len(parts) > maxBatch {
			return nil, errBatch
		}
	}
	for _, part := range parts {
		m := object(part)
		if m == nil {
			return nil, errNoMessage
		}
		params := object(m["params"])
		meta := object(params["_meta"])
		b.messages = append(b.messages, message{
			raw:      part,
			id:       m["id"],
			method:   m.text("method"),
			params:   params,
			meta:     meta,
			tool:     params.text("name"),
			notifies: meta["progressToken"] != nil || meta.text("io.modelcontextprotocol/logLevel") != "",
		})
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
	for _, m := range b.messages {
		if m.method == "subscriptions/listen" {
			return true
		}
	}
	return false
}

// notifies says whether the client asked for progress or log notifications,
// which travel on the stream of their request.
func (b *body) notifies() bool {
	for _, m := range b.messages {
		if m.notifies {
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
			names = append(names, m.tool)
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
