// Command pantryapi serves the pantry's REST API, for trying caddymcp with
// something real behind it.
//
//	go run ./integration/pantryapi -listen 127.0.0.1:8042 -token T -data pantry.json
//
// It prints the API's base URL once it is listening, and stops on SIGINT and
// SIGTERM.
package main

import (
	"net/http"

	"github.com/caddymcp/caddymcp/integration/pantryapi/pantry"
	"github.com/caddymcp/caddymcp/integration/refapi"
)

func main() {
	refapi.Command{
		Name:     "pantryapi",
		Listen:   "127.0.0.1:8042",
		TokenEnv: "FOOD_API_TOKEN",
		Keeps:    "the pantry",
		Path:     "/api",
		New: func(token, file string) (http.Handler, error) {
			return pantry.New(pantry.Options{Token: token, File: file})
		},
	}.Main()
}
