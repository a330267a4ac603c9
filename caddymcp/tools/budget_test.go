package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestNumbersThatGrow has short numbers with very many digits.
func TestNumbersThatGrow(t *testing.T) {
	args, err := newArguments([]*Param{
		{Name: "i", Type: "integer"},
		{Name: "f", Type: "number"},
		{Name: "s", Type: "string"},
		{Name: "list", Type: "array", Items: &Param{Type: "integer"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, in, want string }{
		{"at the limit", `{"i":1e40}`, `{"i":1` + strings.Repeat("0", 40) + `}`},
		{"at the limit, below", `{"i":10e-1}`, `{"i":1}`},
		{"over the limit", `{"i":1e41}`, `i: must be an integer (got "1e41")`},
		{"over the limit, below", `{"i":0e-41}`, `i: must be an integer (got "0e-41")`},
		{"over the limit, in a string", `{"i":"1E999"}`, `i: must be an integer (got "1E999")`},
		{"in a list", `{"list":[1,1e999]}`, `list[1]: must be an integer (got "1e999")`},
		{"in a list, as text", `{"list":"[1,1e999]"}`, `list[1]: must be an integer (got "1e999")`},
		{"alone for a list", `{"list":1e999}`, `list[0]: must be an integer (got "1e999")`},
		{"not an integer", `{"f":1e999,"s":1e999}`, `{"f":1e999,"s":"1e999"}`},
		{"all digits written out", `{"i":` + strings.Repeat("7", 1000) + `}`, `{"i":` + strings.Repeat("7", 1000) + `}`},
		{"too many digits", `{"i":` + strings.Repeat("7", 1001) + `}`, "the arguments cannot be read: a number is out of range"},
		{"a number beyond all", `{"f":1e1001}`, "the arguments cannot be read: a number is out of range"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := args.read(t.Context(), json.RawMessage(tt.in))
			text := string(encodeJSON(got))
			if err != nil {
				text = err.Error()
			}
			if text != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
}

func TestNumberOfValues(t *testing.T) {
	args, err := newArguments([]*Param{
		{Name: "n", Type: "array", Items: &Param{Type: "array", Items: &Param{Type: "integer"}}},
		{Name: "o", Type: "array", Items: &Param{Type: "object", Params: []*Param{
			{Name: "d", Type: "array", Items: &Param{Type: "integer"}, Default: ptr(`[1,2,3,4,5,6,7,8,9]`)},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	list := func(value string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + "]"
	}
	tests := []struct {
		name, in string
		refused  bool
	}{
		{"at the limit", `{"n":[` + list("1", 99_997) + `]}`, false},
		{"over the limit", `{"n":[` + list("1", 99_998) + `]}`, true},
		{"in texts, at the limit", `{"n":["` + list("1", 50_000) + `","` + list("1", 49_994) + `"]}`, false},
		{"in texts, over the limit", `{"n":["` + list("1", 50_000) + `","` + list("1", 49_995) + `"]}`, true},
		{"in defaults, at the limit", `{"o":` + list("{}", 9090) + `}`, false},
		{"in defaults, over the limit", `{"o":` + list("{}", 9091) + `}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := args.read(t.Context(), json.RawMessage(tt.in))
			switch want := "the arguments hold more than 100000 values: send fewer at once"; {
			case tt.refused && (err == nil || err.Error() != want):
				t.Errorf("got the error %v", err)
			case !tt.refused && err != nil:
				t.Error(err)
			}
		})
	}
}

// TestReadingEndsWithTheCall has calls that end while their arguments are read.
func TestReadingEndsWithTheCall(t *testing.T) {
	args, err := newArguments([]*Param{{Name: "n", Type: "array", Items: &Param{Type: "integer"}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, in := range []string{
		`{"n":[` + strings.Repeat("1,", 5000) + `1]}`,
		`{"n":"[` + strings.Repeat("1,", 5000) + `1]"}`,
		`{}`,
	} {
		if _, err := args.read(ctx, json.RawMessage(in)); !errors.Is(err, context.Canceled) {
			t.Errorf("%.10s…: got the error %v", in, err)
		}
	}
	shape := &shape{typ: "array", items: &shape{typ: "string"}}
	b := newBudget(ctx)
	list := make([]any, 5000)
	for i := range list {
		list[i] = json.Number("1")
	}
	if shape.mend(list, b); b.err == nil || list[len(list)-1] != any(json.Number("1")) {
		t.Errorf("all is mended, with the error %v", b.err)
	}
}
