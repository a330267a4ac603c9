package upstream

import (
	"bytes"
	"compress/gzip"
	"strings"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// decode undoes gzip, for replies that were compressed unasked or came through
// a chain. The HTTP transport undoes what it asked for.
func decode(reply *program.Response, limit int64) error {
	encoding := strings.ToLower(strings.TrimSpace(reply.Header.Get("Content-Encoding")))
	if len(reply.Body) == 0 || encoding == "" || encoding == "identity" {
		return nil
	}
	if encoding != "gzip" && encoding != "x-gzip" {
		return &exchangeError{text: "sent its reply in an encoding that it was not asked for", sent: true}
	}
	plain, err := gzip.NewReader(bytes.NewReader(reply.Body))
	if err != nil {
		return &exchangeError{text: "broke off its reply", err: err, sent: true, passing: true}
	}
	if reply.Body, err = readReply(plain, limit); err != nil {
		return err
	}
	reply.Header.Del("Content-Encoding")
	reply.Header.Del("Content-Length")
	return nil
}
