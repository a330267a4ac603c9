package caddymcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/caddymcp/upstream"
)

// A witness sees every request of a call where it leaves, and keeps those that
// write from leaving if the run is dry.
type witness struct {
	log    io.Writer
	dry    bool
	unsafe bool // what reads may write as well
	trace  bool
	stop   func() // ends the call, which no program can catch

	mu    sync.Mutex
	write *upstream.Attempt // that was not sent
}

// stopped is the write at which a dry run has stopped, or nil.
func (w *witness) stopped() *upstream.Attempt {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.write
}

// intercept is an [upstream.Interceptor].
func (w *witness) intercept(a *upstream.Attempt, send func() (*program.Response, error)) (*program.Response, error) {
	if w.dry && (w.unsafe || !a.Reading) {
		w.halt(a)
		return nil, context.Canceled
	}
	start := time.Now()
	resp, err := send()
	if w.trace {
		w.say("%s %s %s, %s", a.Method, a.URL, summary(resp, err), time.Since(start).Round(time.Millisecond))
	}
	return resp, err
}

// halt ends a dry run at a write.
func (w *witness) halt(a *upstream.Attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.write == nil {
		w.write = a
	}
	w.stop()
}

// summary is what came of a request, in a few words.
func summary(resp *program.Response, err error) string {
	if err != nil {
		return fmt.Sprintf("no reply (%v)", err)
	}
	return fmt.Sprintf("%d, %d bytes", resp.Status, len(resp.Body))
}

// progress shows a progress notification.
func (w *witness) progress(_ context.Context, done, total float64, message string) {
	of := ""
	if total > 0 {
		of = fmt.Sprintf(" of %v", total)
	}
	w.say("%s", strings.TrimSpace(fmt.Sprintf("progress: %v%s %s", done, of, message)))
}

// message shows a log message.
func (w *witness) message(_ context.Context, level, message string) {
	w.say("%s: %s", level, message)
}

func (w *witness) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(w.log, format+"\n", args...)
}

// printRequest prints a request as it would have been sent.
func printRequest(out io.Writer, a *upstream.Attempt) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s %s\n", a.Method, a.URL)
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		for _, value := range a.Header[name] {
			fmt.Fprintf(&text, "%s: %s\n", name, value)
		}
	}
	if len(a.Body) > 0 {
		fmt.Fprintf(&text, "\n%s\n", printable(a.Header, a.Body))
	}
	_, err := text.WriteTo(out)
	return err
}

// printable is a body as text. Of bytes that are none it tells the number.
func printable(header http.Header, body []byte) string {
	media, params, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if media == "multipart/form-data" && !utf8.Valid(body) {
		if text, err := printableParts(params["boundary"], body); err == nil {
			return text
		}
	}
	if !utf8.Valid(body) {
		return fmt.Sprintf("(%d bytes)", len(body))
	}
	return strings.TrimSuffix(string(body), "\r\n")
}

// printableParts is a multipart body whose files may be no text.
func printableParts(boundary string, body []byte) (string, error) {
	var text strings.Builder
	for parts := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			fmt.Fprintf(&text, "--%s--", boundary)
			return text.String(), nil
		}
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "--%s\n", boundary)
		for _, name := range slices.Sorted(maps.Keys(part.Header)) {
			fmt.Fprintf(&text, "%s: %s\n", name, part.Header.Get(name))
		}
		fmt.Fprintf(&text, "\n%s\n", printable(nil, data))
	}
}
