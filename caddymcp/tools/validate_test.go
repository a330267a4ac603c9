package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestValidationNamesEveryField(t *testing.T) {
	params := []*Param{
		{Name: "location", Type: "string", Required: true, Enum: []string{"fridge", "cupboard", "freezer"}},
		{Name: "count", Type: "integer", Min: ptr(1.0), Max: ptr(9.5)},
		{Name: "note", Type: "string", MinLength: ptr(2), MaxLength: ptr(5), Pattern: "^[a-z]*$"},
		{Name: "day", Type: "string", Format: "date"},
		{Name: "at", Type: "string", Format: "date-time"},
		{Name: "link", Type: "string", Format: "uri"},
		{Name: "mail", Type: "string", Format: "email"},
		{Name: "id", Type: "string", Format: "uuid"},
		{Name: "flag", Type: "boolean"},
		{Name: "ids", Type: "array", MinItems: ptr(1), MaxItems: ptr(2), Items: &Param{Type: "integer"}},
		{Name: "items", Type: "array", Items: &Param{Type: "object", Params: []*Param{
			{Name: "name", Type: "string", Required: true},
			{Name: "qty", Type: "number"},
		}}},
		{Name: "clear", Type: "string", AllowNull: true, MaxLength: ptr(3)},
		{Name: "lines", Type: "array", Items: &Param{Type: "string|object", Params: []*Param{{Name: "qty", Type: "number"}}}},
	}
	const all = "location, count, note, day, at, link, mail, id, flag, ids, items, clear, lines"
	tests := []struct{ name, in, want string }{
		{"missing", `{}`, `location: is required`},
		{"null is missing", `{"location":null}`, `location: is required`},
		{"enum", `{"location":"garage"}`, `location: must be one of fridge, cupboard, freezer (got "garage")`},
		{
			"several, in order of declaration",
			`{"flag":"maybe","foo":1,"count":"many","location":"garage"}`,
			`location: must be one of fridge, cupboard, freezer (got "garage"); count: must be an integer (got "many"); ` +
				`flag: must be a boolean (got "maybe"); foo: unknown argument (the arguments are ` + all + `)`,
		},
		{
			"unknown and near",
			`{"location":"fridge","Cuont":1,"zzzzzzzz":2}`,
			`Cuont: unknown argument, did you mean 'count'? (the arguments are ` + all + `); zzzzzzzz: unknown argument`,
		},
		{
			"unknown and short", `{"location":"fridge","if":1,"id2":2}`,
			`id2: unknown argument, did you mean 'id'? (the arguments are ` + all + `); if: unknown argument`,
		},
		{"bounds", `{"location":"fridge","count":0}`, `count: must be at least 1 (got 0)`},
		{"upper bound", `{"location":"fridge","count":10}`, `count: must be at most 9.5 (got 10)`},
		{"fraction", `{"location":"fridge","count":1.5}`, `count: must be an integer (got 1.5)`},
		{"length", `{"location":"fridge","note":"é"}`, `note: must have at least 2 characters (got "é"); note: must match the regular expression ^[a-z]*$ (got "é")`},
		{"long", `{"location":"fridge","note":"abcdef"}`, `note: must have at most 5 characters, it has 6`},
		{
			"formats", `{"location":"fridge","day":"2026-02-30","at":"now","link":"x/y","mail":"a","id":"1"}`,
			`day: must be a date such as 2026-01-31 (got "2026-02-30"); at: must be a date and time such as 2026-01-31T18:00:00Z (got "now"); ` +
				`link: must be an absolute URL such as https://example.com/page (got "x/y"); mail: must be an email address such as name@example.com (got "a"); ` +
				`id: must be a UUID such as 123e4567-e89b-12d3-a456-426614174000 (got "1")`,
		},
		{
			"items", `{"location":"fridge","ids":["a",2,"c"]}`,
			`ids: must have at most 2 items, it has 3; ids[0]: must be an integer (got "a"); ids[2]: must be an integer (got "c")`,
		},
		{"too few", `{"location":"fridge","ids":[]}`, `ids: must have at least 1 item, it has 0`},
		{"neither of two types", `{"location":"fridge","lines":["a",{},5]}`, `lines[2]: must be a string or an object (got 5)`},
		{"one of two types, wrong inside", `{"location":"fridge","lines":[{"qty":"many"}]}`, `lines[0].qty: must be a number (got "many")`},
		{
			"one of two types, unknown inside", `{"location":"fridge","lines":[{"qyt":1}]}`,
			`lines[0].qyt: unknown field, did you mean 'qty'? (the fields are qty)`,
		},
		{"null in an array", `{"location":"fridge","ids":[null]}`, `ids[0]: must be an integer (got null)`},
		{
			"nested", `{"location":"fridge","items":[{"qty":1},{"name":"x","qyt":2}]}`,
			`items[0].name: is required; items[1].qyt: unknown field, did you mean 'qty'? (the fields are name, qty)`,
		},
		{"nullable", `{"location":"fridge","clear":"long"}`, `clear: must have at most 3 characters, it has 4`},
		{"nullable of another type", `{"location":"fridge","clear":[]}`, `clear: must be a string or null (got [])`},
		{"not an object", `[1]`, `the arguments must be a JSON object, not an array`},
		{"not json", `{"location"`, `the arguments cannot be read: unexpected EOF`},
		{"twice", `{"location":"fridge","location":"freezer"}`, `the arguments cannot be read: 'location' stands twice`},
		{"two values", `{} {}`, `the arguments cannot be read: more than one JSON value`},
		{"absurd number", `{"location":"fridge","count":1e9999999}`, `the arguments cannot be read: a number is out of range`},
		{"absurd number in text", `{"location":"fridge","count":"1e9999999"}`, `count: must be an integer (got "1e9999999")`},
		{"deep", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), `the arguments cannot be read: nested more than 64 levels deep`},
		{
			"long values are cut", `{"location":"` + strings.Repeat("g", 500) + `"}`,
			`location: must be one of fridge, cupboard, freezer (got "` + strings.Repeat("g", 79) + `…)`,
		},
	}
	args, err := newArguments(params)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := args.read(t.Context(), json.RawMessage(tt.in))
			if err == nil {
				t.Fatal("accepted")
			}
			if err.Error() != tt.want {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
		})
	}
}

func TestValidationNamesNotMoreThanEnough(t *testing.T) {
	args, err := newArguments([]*Param{{Name: "ids", Type: "array", Items: &Param{Type: "integer"}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = args.read(t.Context(), json.RawMessage(`{"ids":["x"`+strings.Repeat(`,"x"`, 9999)+`]}`))
	if err == nil || !strings.HasSuffix(err.Error(), "; and 9980 more") {
		t.Errorf("got %v", err)
	}
	many := map[string]int{}
	for i := range 50_000 {
		many["a"+strings.Repeat("b", i%50)+string(rune('a'+i%26))+json.Number(rune('0'+i%10)).String()] = i
	}
	raw, _ := json.Marshal(many)
	if _, err = args.read(t.Context(), raw); err == nil || len(err.Error()) > 4000 {
		t.Errorf("got a message of %d bytes", len(err.Error()))
	}
}

func TestValidationOfAlternatives(t *testing.T) {
	args, err := rawArguments(`{"type":"object","properties":{
		"v":{"oneOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"string","maxLength":2}]},
		"w":{"oneOf":[{"type":"number"},{"type":"integer"}]},
		"z":{"anyOf":[{"type":"string"},{"type":"object","properties":{"name":{"type":"string"}},"additionalProperties":false}]},
		"k":{"const":"x"},"m":{"type":"number","multipleOf":2},"u":{"type":"array","uniqueItems":true},
		"n":{"not":{"type":"string"}},"f":{"type":"string","format":"ipv4"},"p":{"type":"array","contains":{"type":"string"}}},
		"dependentRequired":{"k":["m"]},"minProperties":1}`)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, in, want string }{
		{"meant the object", `{"v":{"a":"x"}}`, `v.a: must be an integer (got "x")`},
		{"meant the object, with another field", `{"z":{"nam":1}}`, `z.nam: unknown field, did you mean 'name'? (the fields are name)`},
		{"meant the string", `{"v":"abc"}`, `v: must have at most 2 characters, it has 3`},
		{"meant none", `{"v":1}`, `v: must be an object or a string (got 1)`},
		{"meant both", `{"w":1}`, `w: fits more than one of the forms allowed here (got 1)`},
		{"const and dependent", `{"k":"y"}`, `k: must be x (got "y"); 'k' needs m as well`},
		{"multiple", `{"m":3}`, `m: must be a multiple of 2 (got 3)`},
		{"unique", `{"u":[1,1.0]}`, `u: items 0 and 1 are equal, each may stand once`},
		{"not", `{"n":"s"}`, `n: has a form that is not allowed here (got "s")`},
		{"another keyword", `{"p":[1]}`, `p: breaks the rule 'contains' of the schema (got [1])`},
		{"other format", `{"f":"s"}`, `f: must be in the format ipv4 (got "s")`},
		{"empty", `{}`, `must have at least 1 field, it has 0`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := args.read(t.Context(), json.RawMessage(tt.in)); err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
