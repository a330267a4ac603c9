package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Bounds of JSON that a stranger sent. Exact arithmetic is done on numbers.
const (
	maxDepth    = 64   // levels of arrays and objects
	maxDigits   = 1000 // of a number as it is written
	maxExponent = 1000 // of a number
	maxExpanded = 40   // of the exponent of an integer, whose digits are written out
)

var numberSyntax = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE]([+-]?[0-9]+))?$`)

// decodeJSON decodes one JSON value that an author wrote. See
// [budget.decodeJSON].
func decodeJSON(text []byte) (any, error) { return unlimited().decodeJSON(text) }

// decodeJSON decodes one JSON value, with numbers as json.Number. It refuses
// what encoding/json lets pass and a stranger could use: a name that stands
// twice in an object, nesting without end, numbers of absurd size, and more
// values than the budget has.
func (b *budget) decodeJSON(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	v, err := b.decodeValue(dec, 0)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func (b *budget) decodeValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", maxDepth)
	}
	if err := b.spend(); err != nil {
		return nil, err
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Number:
		if !boundedNumber(string(token)) {
			return nil, errors.New("a number is out of range")
		}
		return token, nil
	case json.Delim:
		if token == '[' {
			return b.decodeArray(dec, depth)
		}
		return b.decodeObject(dec, depth)
	}
	return token, nil
}

func (b *budget) decodeArray(dec *json.Decoder, depth int) (any, error) {
	array := []any{}
	for dec.More() {
		v, err := b.decodeValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := dec.Token()
	return array, err
}

func (b *budget) decodeObject(dec *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("'%s' stands twice", shorten(name))
		}
		if object[name], err = b.decodeValue(dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return object, err
}

// boundedNumber reports whether a number, in JSON's syntax, is small enough
// for exact arithmetic.
func boundedNumber(number string) bool {
	return len(number) <= maxDigits && exponentWithin(number, maxExponent)
}

// exponentWithin reports whether the exponent of a number, if it has one, is
// at most limit, and at least -limit.
func exponentWithin(number string, limit int) bool {
	i := strings.IndexAny(number, "eE")
	if i < 0 {
		return true
	}
	exponent, err := strconv.Atoi(number[i+1:])
	return err == nil && -limit <= exponent && exponent <= limit
}

// parseNumber reads text as a JSON number.
func parseNumber(text string) (json.Number, bool) {
	if !boundedNumber(text) || !numberSyntax.MatchString(text) {
		return "", false
	}
	return json.Number(text), true
}

// integer returns a whole number in plain digits, and anything else as it is:
// 1.0 and 1e2 are integers to JSON Schema, but not to most APIs. A number with
// a large exponent stays as it is.
func integer(number json.Number) json.Number {
	if !strings.ContainsAny(string(number), ".eE") || !exponentWithin(string(number), maxExpanded) {
		return number
	}
	rat, ok := new(big.Rat).SetString(string(number))
	if !ok || !rat.IsInt() {
		return number
	}
	return json.Number(rat.Num().String())
}

// encodeJSON encodes a value as compact JSON with <, > and & as they are. The
// value is one of ours, so it cannot fail.
func encodeJSON(v any) json.RawMessage {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// An object is the text of a JSON object under construction, its members in
// the order in which they are set.
type object []byte

func (o *object) set(name string, value any) {
	separator := byte(',')
	if len(*o) == 0 {
		separator = '{'
	}
	*o = append(*o, separator)
	*o = append(*o, encodeJSON(name)...)
	*o = append(*o, ':')
	*o = append(*o, encodeJSON(value)...)
}

func (o object) text() json.RawMessage {
	if len(o) == 0 {
		return json.RawMessage("{}")
	}
	return json.RawMessage(append(o, '}'))
}

// quotable is how many characters of a value a message quotes.
const quotable = 80

// shorten cuts text to what a message may quote.
func shorten(text string) string {
	n := 0
	for i := range text {
		if n++; n > quotable {
			return text[:i] + "…"
		}
	}
	return text
}
