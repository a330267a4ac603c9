package pantry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// maxBody is Django's bound on a request body, in bytes.
const maxBody = 2_621_440

// A request is what handlers see of an HTTP request.
type request struct {
	id    int // the number in the path
	query url.Values
	body  *fields // for methods that have a body
	today time.Time
}

// A failure is a reply that reports an error.
type failure struct {
	status int
	body   any
}

func (f *failure) Error() string { return fmt.Sprintf("%d: %v", f.status, f.body) }

func (f *failure) write(w http.ResponseWriter) {
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Token")
	}
	refapi.WriteJSON(w, f.status, f.body)
}

// detail is a failure with one sentence.
func detail(status int, format string, args ...any) error {
	return &failure{status, map[string]any{"detail": fmt.Sprintf(format, args...)}}
}

var errNotFound = detail(http.StatusNotFound, "Not found.")

// parseBody reads the JSON object of a request. An empty body is an empty
// object, of any media type.
func parseBody(w http.ResponseWriter, r *http.Request) (*fields, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, detail(http.StatusRequestEntityTooLarge, "The request body is larger than %d bytes.", maxBody)
		}
		return nil, detail(http.StatusBadRequest, "The request body could not be read.")
	}
	if len(raw) == 0 {
		return newFields(map[string]any{}), nil
	}
	given := r.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(given); err != nil || media != "application/json" {
		return nil, detail(http.StatusUnsupportedMediaType, `Unsupported media type "%s" in request.`, given)
	}
	v, err := decodeJSON(raw)
	if err != nil {
		return nil, detail(http.StatusBadRequest, "JSON parse error - %v", err)
	}
	f := newFields(v)
	return f, f.failed()
}

// decodeJSON decodes exactly one JSON value, numbers as json.Number. Its
// error says where in raw it was found.
func decodeJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	if err == nil {
		rest := bytes.TrimLeft(raw[dec.InputOffset():], " \t\r\n")
		if len(rest) == 0 {
			return v, nil
		}
		return nil, parseError("extra data", raw, len(raw)-len(rest))
	}
	at := len(raw)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = min(at, max(0, int(syntax.Offset)-1))
	}
	return nil, parseError(err.Error(), raw, at)
}

// parseError adds line, column and offset to a message.
func parseError(message string, raw []byte, at int) error {
	line := 1 + bytes.Count(raw[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(raw[:at], '\n')
	return fmt.Errorf("%s: line %d column %d (char %d)", message, line, column, at)
}

// writePage sends the HTML page that Django answers with outside its REST
// framework.
func writePage(w http.ResponseWriter, status int, title, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\"><head><title>%[1]s</title></head>"+
		"<body><h1>%[1]s</h1><p>%[2]s</p></body></html>\n", html.EscapeString(title), html.EscapeString(text))
}
