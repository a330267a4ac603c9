package program

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// EncodeQuery makes query fields of an object: null is left out, an array
// repeats its name, and numbers and booleans are their text. Anything else is
// an *[Error]. A nil object has no fields.
func EncodeQuery(v any) (url.Values, error) {
	fields := make(url.Values)
	err := eachField(v, "query", func(name string, v any) error {
		text, err := fieldText(v, "query field", name)
		if err == nil {
			fields.Add(name, text)
		}
		return err
	})
	return fields, err
}

// EncodeForm makes an application/x-www-form-urlencoded body of an object, by
// the rules of [EncodeQuery].
func EncodeForm(v any) ([]byte, error) {
	fields, err := EncodeQuery(v)
	return []byte(fields.Encode()), err
}

// EncodeHeader makes header fields of an object, by the rules of
// [EncodeQuery]. A name or value that no header field can hold (RFC 9110) is
// an *[Error].
func EncodeHeader(v any) (http.Header, error) {
	header := make(http.Header)
	err := eachField(v, "headers", func(name string, v any) error {
		text, err := fieldText(v, "header field", name)
		switch {
		case err != nil:
			return err
		case !httpguts.ValidHeaderFieldName(name):
			return refusal("'%s' is not the name of a header field", name)
		case !httpguts.ValidHeaderFieldValue(text):
			return refusal("the header field '%s' holds a character that it cannot hold", name)
		}
		header.Add(name, text)
		return nil
	})
	return header, err
}

// EncodeMultipart makes a multipart/form-data body (RFC 7578) of an object, by
// the rules of [EncodeQuery], and returns it with its content type. A value
// {file: path} is a file, read through files, with its base name and the media
// type of its extension. A file that cannot be read is an *[Error].
func EncodeMultipart(v any, files Files) (body []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	err = eachField(v, "multipart body", func(name string, v any) error {
		if object, ok := v.(map[string]any); ok {
			return addFile(w, name, object, files)
		}
		text, err := fieldText(v, "field", name)
		if err != nil {
			return err
		}
		return w.WriteField(name, text)
	})
	if err != nil {
		return nil, "", err
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

func addFile(w *multipart.Writer, field string, object map[string]any, files Files) error {
	name, ok := object["file"].(string)
	if !ok || len(object) != 1 {
		return misuse("the field '%s' of a multipart body is an object: write {file: path} for a file", field)
	}
	if files == nil {
		return refusal("this server has no folder to read files from")
	}
	content, err := files.ReadFile(name)
	if err != nil {
		return refusal("%s", err)
	}
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	header := make(textproto.MIMEHeader)
	header.Set("Content-Disposition", multipart.FileContentDisposition(field, base))
	header.Set("Content-Type", cmp.Or(mime.TypeByExtension(path.Ext(base)), "application/octet-stream"))
	part, err := w.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	return err
}

// eachField calls add for the fields of an object in the order of their
// names, once for each element of an array, leaving out null.
func eachField(v any, what string, add func(name string, v any) error) error {
	object, ok := v.(map[string]any)
	if !ok && v != nil {
		return misuse("the %s is not an object", what)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		list, ok := object[name].([]any)
		if !ok {
			list = []any{object[name]}
		}
		for _, v := range list {
			if v == nil {
				continue
			}
			if err := add(name, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldText is the text of a field's value.
func fieldText(v any, what, name string) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool, int, float64, *big.Int, json.Number:
		return scalar(v), nil
	}
	return "", refusal("the %s '%s' can hold neither an object nor an array in an array", what, name)
}

// encodeBody encodes a body as its member of a request's object says.
func encodeBody(encoding string, v any, files Files) (body []byte, contentType string, err error) {
	switch encoding {
	case "body":
		body, err = EncodeJSON(v)
		return body, "application/json", err
	case "form":
		body, err = EncodeForm(v)
		return body, "application/x-www-form-urlencoded", err
	case "multipart":
		return EncodeMultipart(v, files)
	}
	return nil, "", fmt.Errorf("there is no encoding '%s'", encoding)
}
