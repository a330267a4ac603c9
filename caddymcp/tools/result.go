package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// value answers with what a program has made: a string as text, anything else
// as compact JSON.
func (r *run) value(v any, made *program.Program) (*mcp.CallToolResult, error) {
	if r.tool.output != nil {
		return r.structured(v, made)
	}
	switch v := v.(type) {
	case string:
		if v == "" {
			// Some clients refuse a text without characters.
			return r.text(`""`)
		}
		return r.text(v)
	case nil:
		if !r.readOnly() {
			return r.text("done")
		}
	}
	text, err := made.Marshal(v)
	if err != nil {
		return nil, err
	}
	return r.text(string(text))
}

// structured answers with what the output schema lets through.
func (r *run) structured(v any, made *program.Program) (*mcp.CallToolResult, error) {
	v, err := r.tool.output.apply(v)
	if err != nil {
		return nil, err
	}
	text, err := made.Marshal(v)
	if err != nil {
		return nil, err
	}
	result, err := r.text(string(text))
	if err != nil {
		return nil, err
	}
	if r.tool.mode != "text" {
		result.StructuredContent = json.RawMessage(text)
	}
	if r.tool.mode == "structured" {
		result.Content = []mcp.Content{}
	}
	return result, nil
}

// text answers with text, unless it is too long.
func (r *run) text(text string) (*mcp.CallToolResult, error) {
	if len(text) > r.set.limit {
		if n := utf8.RuneCountInString(text); n > r.set.limit {
			return nil, r.tooLong(n)
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

// tooLong refuses a result over the limit and says how to get a smaller one.
func (r *run) tooLong(n int) error {
	text := fmt.Sprintf("the result has %d characters, the limit is %d", n, r.set.limit)
	if narrowing := r.tool.args.optional(); len(narrowing) > 0 {
		text += ": narrow the call with " + strings.Join(narrowing, ", ")
	} else {
		text += ", and no argument of this tool narrows it"
	}
	return refuse("%s%s", text, r.done())
}

// passThrough answers with the API's reply as it is.
func (r *run) passThrough(resp *program.Response) (*mcp.CallToolResult, error) {
	if len(resp.Body) == 0 {
		if r.readOnly() {
			return r.text(fmt.Sprintf("the API answered %d with nothing in it", resp.Status))
		}
		return r.text("done")
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	kind, _, _ := strings.Cut(media, "/")
	switch {
	case kind == "image" && media != "image/svg+xml":
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: resp.Body, MIMEType: media}}}, nil
	case kind == "audio":
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.AudioContent{Data: resp.Body, MIMEType: media}}}, nil
	case kind == "video", !utf8.Valid(resp.Body), bytes.IndexByte(resp.Body, 0) >= 0:
		if media == "" {
			media = http.DetectContentType(resp.Body)
		}
		return nil, refuse("the API answered with %s (%d bytes), which a tool cannot show%s", media, len(resp.Body), r.done())
	}
	return r.text(string(resp.Body))
}
