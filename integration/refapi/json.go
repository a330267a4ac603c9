package refapi

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// WriteJSON answers with a value on one line, without escapes for HTML. Unless
// the header says what kind of JSON it is, it is application/json. WriteJSON
// panics if v has a type that JSON does not know.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // replies are made of an API's own types, which all encode
	}
	if header := w.Header(); header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	w.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}
