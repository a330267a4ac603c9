package refapi

import (
	"bytes"
	"encoding/json"
)

// JSON encodes a reply on one line, without escapes for HTML. It panics if v
// has a type that JSON does not know.
func JSON(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // replies are made of an API's own types, which all encode
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
