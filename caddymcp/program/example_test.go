package program_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// recipes is an API that has one recipe.
type recipes struct{}

func (recipes) Send(_ context.Context, req *program.Request) (*program.Response, error) {
	if req.Path != "/recipes/pea-soup" {
		return nil, &program.Error{Status: 404, Message: "the API returned 404"}
	}
	return &program.Response{
		Status: 200,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   []byte(`{"id": 9007199254740993, "name": "Pea soup", "tags": []}`),
	}, nil
}

func Example() {
	p, err := program.Compile(program.Source{Text: `
		get("/recipes/\($args.slug)"; null; {errors: {"404": "recipe \($args.slug | quoted) not found"}})
		| {name, id, tags}
		| clean`}, program.Options{Requests: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, slug := range []string{"pea-soup", "no/such"} {
		call := &program.Call{Args: map[string]any{"slug": slug}, Sender: recipes{}}
		value, err := p.Run(context.Background(), call, nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		text, err := p.Marshal(value)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(string(text))
	}
	fmt.Println(p.Effects())

	// Output:
	// {"name":"Pea soup","id":9007199254740993}
	// recipe 'no/such' not found
	// [{GET /recipes/* }]
}
