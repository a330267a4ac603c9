package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is how many arrays and objects may stand in one another where a
// value is walked through, as in encoding/json: a stack that overflows ends
// the process.
const maxDepth = 10_000

// EncodeJSON encodes a value of a program as compact JSON: numbers keep their
// digits, NaN and infinities are null, nothing is escaped for HTML, and the
// keys of objects are sorted. A value of a type that programs do not have is
// an error, and so is one that is nested more than 10,000 levels deep.
func EncodeJSON(v any) ([]byte, error) { return appendValue(nil, v, nil, 0) }

// appendValue appends the JSON of v, which stands in depth others. Keys come
// in the order that keys gives, or sorted.
func appendValue(b []byte, v any, keys func(map[string]any) []string, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a value is nested more than %d levels deep", maxDepth)
	}
	var err error
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool, int, float64, *big.Int, json.Number:
		return append(b, scalar(v)...), nil
	case string:
		return appendString(b, v), nil
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendValue(b, e, keys, depth+1); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case map[string]any:
		var list []string
		if keys != nil {
			list = keys(v)
		} else {
			list = slices.Sorted(maps.Keys(v))
		}
		b = append(b, '{')
		for i, k := range list {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, k), ':')
			if b, err = appendValue(b, v[k], keys, depth+1); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	return nil, fmt.Errorf("a program has no values of type %T", v)
}

// scalar is the JSON text of a boolean or number.
func scalar(v any) string {
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "null"
		}
		format := byte('f')
		if x := math.Abs(v); x != 0 && (x < 1e-6 || x >= 1e21) {
			format = 'e'
		}
		return strconv.FormatFloat(v, format, -1, 64)
	}
	return fmt.Sprint(v)
}

// appendString appends a JSON string. Invalid UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	plain := 0 // where the text begins that is to be copied as it is
	for i := 0; i < len(s); {
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(s[i:])
		}
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f && (c != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		b = append(b, s[plain:i]...)
		switch c {
		case utf8.RuneError:
			b = append(b, "\ufffd"...)
		case '"', '\\':
			b = append(b, '\\', byte(c))
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = fmt.Appendf(b, `\u%04x`, c)
		}
		i += size
		plain = i
	}
	b = append(b, s[plain:]...)
	return append(b, '"')
}

// DecodeJSON decodes one JSON value, its numbers as json.Number.
func DecodeJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// DecodeBody returns the body of a reply as a program sees it: nil if it is
// empty, a JSON value (numbers as json.Number) if its content type says so,
// and a string otherwise. Without a content type, a text that is a JSON array
// or object is one. A body that claims to be JSON and is not, because it was
// cut off, say, is an *[Error].
func DecodeBody(resp *Response) (any, error) {
	body := bytes.TrimPrefix(resp.Body, []byte("\ufeff"))
	if resp.Status == http.StatusNoContent || len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	given := resp.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(given)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		media = ""
	}
	switch {
	case media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json"):
		v, err := DecodeJSON(body)
		if err != nil {
			return nil, &Error{Status: resp.Status, Message: "the API's reply was not valid JSON", Configured: true}
		}
		return v, nil
	case given == "" && bytes.ContainsAny(bytes.TrimSpace(body)[:1], "{["):
		if v, err := DecodeJSON(body); err == nil {
			return v, nil
		}
	}
	return strings.ToValidUTF8(string(body), "\ufffd"), nil
}
