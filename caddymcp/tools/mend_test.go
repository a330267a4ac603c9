package tools

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestMend(t *testing.T) {
	params := []*Param{
		{Name: "s", Type: "string"},
		{Name: "req", Type: "string", Required: true},
		{Name: "e", Type: "string", AllowEmpty: true},
		{Name: "n", Type: "string", AllowNull: true},
		{Name: "opt", Type: "string", Enum: []string{"", "x"}},
		{Name: "i", Type: "integer"},
		{Name: "f", Type: "number"},
		{Name: "b", Type: "boolean"},
		{Name: "limit", Type: "integer", Clamp: &Clamp{1, 100}},
		{Name: "ids", Type: "array", Items: &Param{Type: "string"}},
		{Name: "nums", Type: "array", Items: &Param{Type: "integer"}},
		{Name: "o", Type: "object", Params: []*Param{
			{Name: "q", Type: "integer"},
			{Name: "note", Type: "string"},
			{Name: "unit", Type: "string", Default: ptr("g")},
		}},
		{Name: "lines", Type: "array", Items: &Param{Type: "string|object"}},
		{Name: "items", Type: "array", Items: &Param{Type: "object", Params: []*Param{
			{Name: "name", Type: "string", Required: true},
			{Name: "qty", Type: "number"},
		}}},
	}
	tests := []struct{ name, in, want string }{
		{"nothing", `{"req":"r"}`, `{"req":"r"}`},
		{"null is dropped", `{"req":"r","s":null,"i":null,"ids":null,"o":null}`, `{"req":"r"}`},
		{"null is kept", `{"req":"r","n":null}`, `{"req":"r","n":null}`},
		{"empty is dropped", `{"req":"r","s":"","i":"","b":"","ids":""}`, `{"req":"r"}`},
		{"empty is kept if required", `{"req":""}`, `{"req":""}`},
		{"empty is kept if allowed", `{"req":"r","e":"","opt":""}`, `{"req":"r","e":"","opt":""}`},
		{"nested empty and null", `{"req":"r","o":{"q":null,"note":""}}`, `{"req":"r","o":{"unit":"g"}}`},
		{"number for a string", `{"req":9007199254740993}`, `{"req":"9007199254740993"}`},
		{"string for an integer", `{"req":"r","i":"9007199254740993"}`, `{"req":"r","i":9007199254740993}`},
		{"spaces around a number", `{"req":"r","i":" 5 "}`, `{"req":"r","i":5}`},
		{"whole number for an integer", `{"req":"r","i":1.0}`, `{"req":"r","i":1}`},
		{"exponent for an integer", `{"req":"r","i":"1e2"}`, `{"req":"r","i":100}`},
		{"string for a number", `{"req":"r","f":"1.50"}`, `{"req":"r","f":1.50}`},
		{"string for a boolean", `{"req":"r","b":"True"}`, `{"req":"r","b":true}`},
		{"clamp below", `{"req":"r","limit":0}`, `{"req":"r","limit":1}`},
		{"clamp above", `{"req":"r","limit":"500"}`, `{"req":"r","limit":100}`},
		{"clamp far above", `{"req":"r","limit":1e400}`, `{"req":"r","limit":100}`},
		{"clamp within", `{"req":"r","limit":50}`, `{"req":"r","limit":50}`},
		{"json text for an array", `{"req":"r","ids":"[\"a\",\"b\"]"}`, `{"req":"r","ids":["a","b"]}`},
		{"a lone value for an array", `{"req":"r","ids":"a, b"}`, `{"req":"r","ids":["a, b"]}`},
		{"a lone bracket", `{"req":"r","ids":"[draft]"}`, `{"req":"r","ids":["[draft]"]}`},
		{"a lone number, as a string", `{"req":"r","nums":"7"}`, `{"req":"r","nums":[7]}`},
		{"items are mended", `{"req":"r","nums":["1",2.0,"3"]}`, `{"req":"r","nums":[1,2,3]}`},
		{"json text for an object", `{"req":"r","o":"{\"q\":\"5\"}"}`, `{"req":"r","o":{"q":5,"unit":"g"}}`},
		{"a lone object", `{"req":"r","items":{"name":1,"qty":"2"}}`, `{"req":"r","items":[{"name":"1","qty":2}]}`},
		{"items of several types", `{"req":"r","lines":"[\"a\",{\"b\":null},\"{}\"]"}`, `{"req":"r","lines":["a",{"b":null},"{}"]}`},
		{"deep", `{"req":"r","items":"[{\"name\":\"x\",\"qty\":null}]"}`, `{"req":"r","items":[{"name":"x"}]}`},
		{"arguments as text", `"{\"req\":\"r\"}"`, `{"req":"r"}`},
		{"a sentence in braces stays a string", `{"req":"{\"a\":1}"}`, `{"req":"{\"a\":1}"}`},
	}
	args, err := newArguments(params)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := args.read(t.Context(), json.RawMessage(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			want, err := decodeJSON([]byte(tt.want))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(any(got), want) {
				t.Errorf("got %s, want %s", encodeJSON(got), tt.want)
			}
		})
	}
}

func TestMendRawSchema(t *testing.T) {
	args, err := rawArguments(`{
		"type": "object",
		"$defs": {"node": {"type":"object","properties":{"n":{"type":"integer"},"next":{"$ref":"#/$defs/node"}}}},
		"properties": {
			"i": {"type":"integer","default":3},
			"u": {"type":["integer","string"]},
			"null": {"type":["string","null"]},
			"opt": {"anyOf":[{"type":"array","items":{"type":"number"}},{"type":"null"}]},
			"e": {"enum":["a","b"]},
			"keep": {"type":"string","minLength":0},
			"s": {"type":"string"},
			"node": {"$ref":"#/$defs/node"}
		}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, in, want string }{
		{"default", `{}`, `{"i":3}`},
		{"one type", `{"i":"4"}`, `{"i":4}`},
		{"two types", `{"u":"4"}`, `{"i":3,"u":"4"}`},
		{"null allowed", `{"null":null,"opt":null}`, `{"i":3,"null":null,"opt":null}`},
		{"null not allowed", `{"e":null,"s":null,"u":null}`, `{"i":3}`},
		{"the one alternative", `{"opt":"[\"1\"]"}`, `{"i":3,"opt":[1]}`},
		{"empty", `{"s":"","keep":"","e":""}`, `{"i":3,"keep":""}`},
		{"recursive", `{"node":{"n":"1","next":{"n":"2","next":null}}}`, `{"i":3,"node":{"n":1,"next":{"n":2}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := args.read(t.Context(), json.RawMessage(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(encodeJSON(got)) != tt.want {
				t.Errorf("got %s, want %s", encodeJSON(got), tt.want)
			}
		})
	}
}

func TestDefaultsAreNotShared(t *testing.T) {
	args, err := newArguments([]*Param{{Name: "ids", Type: "array", Items: &Param{Type: "string"}, Default: ptr(`["a"]`)}})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := args.read(t.Context(), nil)
	first["ids"].([]any)[0] = "changed"
	second, _ := args.read(t.Context(), nil)
	if got := second["ids"].([]any)[0]; got != "a" {
		t.Errorf("got the default %v, want a", got)
	}
}
