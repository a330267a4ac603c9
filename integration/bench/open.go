package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// open prepares the calls of a client, and opens a session where there is one.
func (c *client) open(ctx context.Context, k kind, url, token string, l list) error {
	if k == proxy {
		c.call = exchange{method: http.MethodGet, url: url + "/items?" + l.query(), header: make(http.Header)}
		return nil
	}

	url += "/mcp"
	header := http.Header{
		"Content-Type":  {"application/json"},
		"Accept":        {"application/json, text/event-stream"},
		"Authorization": {"Bearer " + token},
	}
	params := map[string]any{
		"name":      toolName,
		"arguments": map[string]any{"location": "fridge", "limit": len(l.items)},
	}
	if k == legacy {
		if err := c.initialize(ctx, url, header); err != nil {
			return fmt.Errorf("opening a session: %w", err)
		}
	} else {
		header.Set("Mcp-Protocol-Version", string(modern))
		header.Set("Mcp-Method", "tools/call")
		header.Set("Mcp-Name", toolName)
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    modern,
			"io.modelcontextprotocol/clientCapabilities": struct{}{},
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "bench", "version": "1"},
		}
	}
	body, err := message(0, "tools/call", params)
	if err != nil {
		return err
	}
	c.call = exchange{method: http.MethodPost, url: url, header: header}
	c.call.body, err = numberIn(body, 0)
	return err
}

// learn makes a call, and reads the reply in full. All replies of the row must
// be the same, byte for byte.
func (c *client) learn(ctx context.Context, k kind, l list) (numbered, error) {
	resp, err := c.again(ctx)
	if err != nil {
		return numbered{}, err
	}
	reply := bytes.Clone(c.reply.Bytes())
	if k == proxy {
		c.call.reply.before = l.body
		return c.call.reply, c.check(resp)
	}
	if err := l.readResult(resp, reply, c.calls); err != nil {
		return numbered{}, fmt.Errorf("the first reply is wrong, %s: %w: %.300s", resp.Status, err, reply)
	}
	return numberIn(reply, c.calls)
}

// initialize opens a session, and puts it into the header of the calls.
func (c *client) initialize(ctx context.Context, url string, header http.Header) error {
	c.calls++
	body, err := message(c.calls, "initialize", map[string]any{
		"protocolVersion": legacy,
		"capabilities":    struct{}{},
		"clientInfo":      map[string]string{"name": "bench", "version": "1"},
	})
	if err != nil {
		return err
	}
	resp, err := c.send(ctx, http.MethodPost, url, header, body)
	if err != nil {
		return err
	}
	session := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != http.StatusOK || session == "" {
		return fmt.Errorf("initialize got %s: %.300s", resp.Status, c.reply.Bytes())
	}
	header.Set("Mcp-Session-Id", session)
	header.Set("Mcp-Protocol-Version", string(legacy))
	resp, err = c.send(ctx, http.MethodPost, url, header, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err == nil && resp.StatusCode != http.StatusAccepted {
		err = fmt.Errorf("notifications/initialized got %s", resp.Status)
	}
	return err
}

// message is a request in JSON-RPC.
func message(id int, method string, params any) ([]byte, error) {
	return json.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", id, method, params})
}

// readResult says what is wrong with the result of a call, which comes as JSON
// or as the only event of a stream.
func (l list) readResult(resp *http.Response, body []byte, id int) error {
	if resp.StatusCode != http.StatusOK {
		return errors.New("the status is not 200")
	}
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		var ok bool
		if body, ok = bytes.CutPrefix(body, []byte("event: message\ndata: ")); !ok {
			return errors.New("there is no event")
		}
	}
	var reply struct {
		ID     int
		Result struct {
			IsError bool
			Content []struct{ Type, Text string }
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return err
	}
	if reply.ID != id || reply.Result.IsError || len(reply.Result.Content) != 1 {
		return errors.New("it is no result")
	}
	var text struct{ Items []shown }
	decoder := json.NewDecoder(bytes.NewBufferString(reply.Result.Content[0].Text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&text); err != nil {
		return err
	}
	if !slices.Equal(text.Items, l.items) {
		return fmt.Errorf("it holds %d items, not the %d of the API", len(text.Items), len(l.items))
	}
	return nil
}
