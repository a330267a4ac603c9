package refapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// ReadJSON reads the JSON of a request, which has no fields but those of into,
// and nothing after it.
func ReadJSON(r *http.Request, into any) error {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after it")
	}
	return nil
}

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
