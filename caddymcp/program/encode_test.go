package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEncodeJSON(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"scalars", []any{nil, true, 1, -1.5, json.Number("1.10"), huge}, `[null,true,1,-1.5,1.10,123456789012345678901234567890]`},
		{"floats", []any{1e21, 1e20, 1e-7, 0.1, math.Copysign(0, -1)}, `[1e+21,100000000000000000000,1e-07,0.1,-0]`},
		{"not numbers", []any{math.NaN(), math.Inf(1), math.Inf(-1)}, `[null,null,null]`},
		{"strings", "a\"\\\n\r\t\x01\x7f<>&é\u2028\xff", "\"a\\\"\\\\\\n\\r\\t\\u0001\\u007f<>&é\u2028\ufffd\""},
		{"objects", map[string]any{"b": 1, "a": map[string]any{}, "c": []any{}}, `{"a":{},"b":1,"c":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := EncodeJSON(tt.v)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
			if !json.Valid(got) {
				t.Error("invalid JSON")
			}
		})
	}
	if _, err := EncodeJSON([]any{struct{}{}}); err == nil {
		t.Error("a struct was encoded")
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1.10,9007199254740993,"é\u0001\ud800"]}`, `"\u2028"`, `-0`, `1e999`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := DecodeJSON([]byte(text))
		if err != nil {
			return
		}
		once, err := EncodeJSON(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeJSON(once)
		if err != nil {
			t.Fatalf("%s became %s: %v", text, once, err)
		}
		if twice, _ := EncodeJSON(again); !bytes.Equal(once, twice) {
			t.Errorf("%s became %s and %s", text, once, twice)
		}
	})
}

func TestEncodeQuery(t *testing.T) {
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"nothing", nil, ""},
		{"scalars", map[string]any{"s": "a b&c", "n": json.Number("9007199254740993"), "b": false, "z": nil, "f": 1.5}, "b=false&f=1.5&n=9007199254740993&s=a+b%26c"},
		{"arrays", map[string]any{"a": []any{"x", nil, 2}, "e": []any{}}, "a=x&a=2"},
		{"empty text", map[string]any{"a": ""}, "a="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := EncodeQuery(tt.v)
			if err != nil || got.Encode() != tt.want {
				t.Errorf("got %s, %v; want %s", got.Encode(), err, tt.want)
			}
			if form, err := EncodeForm(tt.v); err != nil || string(form) != tt.want {
				t.Errorf("as a form: %s, %v", form, err)
			}
		})
	}
	for name, v := range map[string]any{
		"object": map[string]any{"a": map[string]any{}}, "nested array": map[string]any{"a": []any{[]any{}}},
		"no object": "a=b",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := EncodeQuery(v); err == nil {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestEncodeHeader(t *testing.T) {
	got, err := EncodeHeader(map[string]any{"x-a": "b", "X-N": json.Number("7"), "X-Z": nil, "Accept": []any{"a", "b"}})
	if err != nil || got.Get("X-A") != "b" || got.Get("X-N") != "7" || len(got) != 3 || len(got["Accept"]) != 2 {
		t.Errorf("got %v, %v", got, err)
	}
	for name, v := range map[string]map[string]any{
		"line end": {"X-A": "a\r\nX-B: c"}, "bad name": {"a b": "c"}, "empty name": {"": "c"}, "object": {"X-A": map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := EncodeHeader(v)
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// fakeFiles is a folder in memory.
type fakeFiles map[string]string

func (f fakeFiles) ReadFile(name string) ([]byte, error) {
	if content, ok := f[name]; ok {
		return []byte(content), nil
	}
	return nil, errors.New("there is no file '" + name + "'")
}

func TestMultipart(t *testing.T) {
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || media != "multipart/form-data" {
			t.Errorf("content type %s, %v", media, err)
		}
		var got []any
		for reader := multipart.NewReader(r.Body, params["boundary"]); ; {
			part, err := reader.NextPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Error(err)
				return
			}
			content, err := io.ReadAll(part)
			if err != nil {
				t.Error(err)
			}
			got = append(got, []any{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), string(content)})
		}
		w.Header().Set("Content-Type", "application/json")
		reply, _ := EncodeJSON(got)
		w.Write(reply)
	})
	run := func(src string, files Files) (string, error) {
		call := a.newCall(nil)
		call.Files = files
		v, err := mustCompile(t, src).Run(t.Context(), call, nil)
		if err != nil {
			return "", err
		}
		b, err := EncodeJSON(v)
		return string(b), err
	}
	files := fakeFiles{`dir/a "b".png`: "PNG\x00", "x": "?"}
	got, err := run(`put("/image"; null; {multipart: {extension: "png", n: [1, 2], none: null,
		image: {file: "dir/a \"b\".png"}, other: [{file: "x"}]}})`, files)
	want := `[["extension","","","png"],["image","a \"b\".png","image/png","PNG\u0000"],["n","","","1"],["n","","","2"],["other","x","application/octet-stream","?"]]`
	if err != nil || got != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	for name, tt := range map[string]struct {
		src   string
		files Files
		want  string
	}{
		"missing file": {`post("/i"; null; {multipart: {f: {file: "zzz"}}})`, files, "there is no file 'zzz'"},
		"no folder":    {`post("/i"; null; {multipart: {f: {file: "x"}}})`, nil, "this server has no folder to read files from"},
		"an object":    {`post("/i"; null; {multipart: {f: {a: 1}}})`, files, "the field 'f' of a multipart body is an object: write {file: path} for a file"},
		"both":         {`post("/i"; null; {multipart: {f: {file: "x", a: 1}}})`, files, "the field 'f' of a multipart body is an object: write {file: path} for a file"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(a.asked())
			if _, err := run(tt.src, tt.files); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if len(a.asked()) != before {
				t.Error("a request was sent")
			}
		})
	}
}

// TestRequestFields checks what reaches the Sender besides the path.
func TestRequestFields(t *testing.T) {
	var got *Request
	sender := senderFunc(func(_ context.Context, req *Request) (*Response, error) {
		got = req
		return &Response{Status: 204}, nil
	})
	call := &Call{
		Args: map[string]any{"x": "y"}, Sender: sender, Upstream: "api", ReadOnly: true,
		Errors: []ErrorText{{On: []string{"404"}, Message: "no {arg.x}"}},
	}
	if _, err := mustCompile(t, `post("/a"; {b: 1}; {headers: {"X-A": "b"}, query: {q: 1}, upstream: "other", timeout: "3s"})`).Run(t.Context(), call, nil); err != nil {
		t.Fatal(err)
	}
	if got.Upstream != "other" || got.Method != "POST" || got.Path != "/a" || got.Query.Encode() != "q=1" || got.Header.Get("X-A") != "b" ||
		string(got.Body) != `{"b":1}` || got.ContentType != "application/json" || got.Timeout != 3*time.Second || !got.ReadOnly || got.Raw ||
		got.DiscardBody || len(got.Errors) != 1 || got.Args["x"] != "y" {
		t.Errorf("got %+v", got)
	}
	if _, err := mustCompile(t, `response({method: "GET", path: "/a"})`).Run(t.Context(), call, nil); err != nil {
		t.Fatal(err)
	}
	if got.Upstream != "api" || !got.Raw || got.Body != nil || got.ContentType != "" || got.Timeout != 0 {
		t.Errorf("got %+v", got)
	}
	if _, err := mustCompile(t, `follow("https://x/y")`).Run(t.Context(), call, nil); err != nil {
		t.Fatal(err)
	}
	if got.Follow != "https://x/y" || got.Path != "" || got.Method != "GET" {
		t.Errorf("got %+v", got)
	}
}

func TestNotifications(t *testing.T) {
	var got []any
	call := &Call{
		Progress: func(_ context.Context, done, total float64, message string) { got = append(got, done, total, message) },
		Log:      func(_ context.Context, level, message string) { got = append(got, level, message) },
	}
	v, err := mustCompile(t, `7 | progress(1; 2; "one") | progress(2; null; 3) | log("warning"; {a: 1})`).Run(t.Context(), call, nil)
	if err != nil || v != 7 {
		t.Fatalf("got %v, %v", v, err)
	}
	if b, _ := EncodeJSON(got); string(b) != `[1,2,"one",2,0,"3","warning","{\"a\":1}"]` {
		t.Errorf("got %s", b)
	}
}

func TestToday(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where it is 2000-01-01, 00:00 UTC
		for name, want := range map[string]string{"UTC": "2000-01-01", "America/New_York": "1999-12-31", "Asia/Tokyo": "2000-01-01"} {
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			v, err := mustCompile(t, `today`).Run(t.Context(), &Call{Location: zone}, nil)
			if err != nil || v != want {
				t.Errorf("%s: got %v, %v; want %s", name, v, err, want)
			}
		}
	})
}

func TestMarshalKeepsTheOrder(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"literal", `{z: 1, a: 2, m: {y: 1, b: 2}}`, `{"z":1,"a":2,"m":{"y":1,"b":2}}`},
		{"subset", `{z: 1, a: null, m: 3} | clean`, `{"z":1,"m":3}`},
		{"assigned", `{name: 1, id: 2} | .note = 3 | .also = 4`, `{"name":1,"id":2,"note":3,"also":4}`},
		{"assigned alone", `null | .z = 1 | .a = 2`, `{"z":1,"a":2}`},
		{"the better of two", `[{z: 1, a: 2, c: 3}, {a: 1, z: 2, d: 3}]`, `[{"z":1,"a":2,"c":3},{"a":1,"z":2,"d":3}]`},
		{"variables and shorthands", `1 as $z | {y: 2} | {$z, y, "b": 3}`, `{"z":1,"y":2,"b":3}`},
		{"only", `{a: 1, b: 2, c: 3} | only(["c", "a"]) | del(.b)`, `{"c":3,"a":1}`},
		{"rename", `{a: 1, b: 2} | rename({a: "z", b: "y"})`, `{"z":1,"y":2}`},
		{"unknown keys are sorted", `{c: 1, a: 2} | with_entries(.key |= "k" + .)`, `{"ka":2,"kc":1}`},
		{"prelude", `page([1, 2]; 1; 0)`, `{"items":[1],"complete":false,"nextOffset":1}`},
		{"errors", `attempt(error({message: "x", status: 404}))`, `{"ok":false,"error":{"status":404,"message":"x","body":null,"kind":null}}`},
		{"definitions", `def f: {b: 1, a: 2}; f`, `{"b":1,"a":2}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := mustCompile(t, tt.src)
			v, err := p.Run(t.Context(), &Call{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time it is remembered
				if got, err := p.Marshal(v); err != nil || string(got) != tt.want {
					t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
				}
			}
		})
	}
}

// TestOrdersAreBounded checks that objects whose keys are data are not all
// remembered.
func TestOrdersAreBounded(t *testing.T) {
	p := mustCompile(t, `{b: 1, a: 2}`)
	for i := range 2 * rememberedOrders {
		key := strings.Repeat("k", i+1)
		got, err := p.Marshal(map[string]any{key: 1, "b": 2})
		if want := `{"b":2,"` + key + `":1}`; err != nil || string(got) != want {
			t.Fatalf("got %s, %v; want %s", got, err, want)
		}
	}
	if len(p.order.known) > rememberedOrders {
		t.Errorf("%d orders are remembered", len(p.order.known))
	}
}

// TestInputIsNotChanged checks that programs leave their input alone.
func TestInputIsNotChanged(t *testing.T) {
	input := map[string]any{"a": []any{map[string]any{"b": nil}}, "c": ""}
	before, _ := EncodeJSON(input)
	p := mustCompile(t, `clean | .a[0].b = 1 | .a += [2] | del(.c) | only(["a"]) | .a |= map(.)`)
	if _, err := p.Run(t.Context(), &Call{}, input); err != nil {
		t.Fatal(err)
	}
	if after, _ := EncodeJSON(input); !bytes.Equal(before, after) {
		t.Errorf("%s became %s", before, after)
	}
}

// TestDepth has values nested so deep that to walk through them could
// overflow the stack, which ends the process.
func TestDepth(t *testing.T) {
	const deep = `reduce range($args.n) as $i (0; [.]) | `
	p, err := Compile(Source{Text: deep + `{a: .}`}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{9_999: "", 10_000: "a value is nested more than 10000 levels deep"} {
		v, err := p.Run(t.Context(), &Call{Args: map[string]any{"n": n}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Marshal(v); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("Marshal with %d levels: got the error %v, want %q", n, err, want)
		}
		if _, err := EncodeJSON(v); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("EncodeJSON with %d levels: got the error %v, want %q", n, err, want)
		}
	}

	for _, src := range []string{
		`post("/x"; .)`,
		`{a: .} | index_by(.)`,
		`[.] | count_by(.)`,
		`progress(1; 2; .)`,
		`log("info"; .)`,
	} {
		t.Run(src, func(t *testing.T) {
			a := newAPI(t, nil)
			_, err := compileRun(t, a, deep+src, map[string]any{"n": 10_001})
			var bug *Bug
			if !errors.As(err, &bug) || err.Error() != "a value is nested more than 10000 levels deep" {
				t.Errorf("got the error %v", err)
			}
			expectAsked(t, a)
		})
	}
}
