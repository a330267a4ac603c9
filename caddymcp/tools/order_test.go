package tools

import (
	"fmt"
	"strings"
	"testing"
)

func TestPropertyOrders(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object"}`: `[]`,
		`{"type":"object","properties":{"b":{"type":"string"},"a":{}}}`:                                                           `[[b a]]`,
		`{"properties":{"rows":{"items":{"properties":{"z":true,"y":{"enum":["properties"]}}}}}}`:                                 `[[z y] [rows]]`,
		`{"properties":{"properties":{"properties":{"d":{},"c":{}}},"a":{"anyOf":[{"properties":{"f":{},"e":{}}},{"type":[]}]}}}`: `[[d c] [f e] [properties a]]`,
	} {
		if got := fmt.Sprint(propertyOrders(schema)); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}

// A schema that is no JSON is a mistake like any other.
func TestOutputIsNoJSON(t *testing.T) {
	for _, schema := range []string{`{"type": object}`, `{"a":[x]}`, `{"a"`, `[`} {
		tool := get("/x")
		tool.Output = schema
		if _, err := Compile([]*Tool{tool}, Env{Upstreams: oneAPI}); err == nil || !strings.Contains(err.Error(), "the 'output' schema") {
			t.Errorf("%s: got %v", schema, err)
		}
	}
}

// What an output schema lets through comes in its order, unless the program
// tells another.
func TestOutputOrder(t *testing.T) {
	for _, tt := range []struct{ result, want string }{
		{"", `{"name":"n","id":1,"day":"d"}`},
		{".id += 1", `{"name":"n","id":2,"day":"d"}`},
		{"{ day, id, name }", `{"day":"d","id":1,"name":"n"}`},
	} {
		t.Run(tt.result, func(t *testing.T) {
			tool := get("/x")
			tool.Output = `{"type":"object","properties":{"name":{"type":"string"},"id":{"type":"integer"},"day":{"type":"string"}}}`
			if tt.result != "" {
				tool.Result = jq(tt.result)
			}
			result, _ := invoke(t, compile(t, Env{}, tool), &recorder{body: `{"day":"d","id":1,"name":"n","x":1}`}, `{}`)
			if got := text(t, result); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
