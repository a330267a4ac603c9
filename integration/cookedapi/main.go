// Command cookedapi serves the Cooked shopping list's REST API, for trying
// caddymcp with something real behind it.
//
//	go run ./integration/cookedapi -listen 127.0.0.1:8043 -token T -data list.json
//
// It prints the API's base URL once it is listening, and stops on SIGINT and
// SIGTERM.
package main

import (
	"net/http"

	"github.com/caddymcp/caddymcp/integration/cookedapi/cooked"
	"github.com/caddymcp/caddymcp/integration/refapi"
)

func main() {
	refapi.Command{
		Name:     "cookedapi",
		Listen:   "127.0.0.1:8043",
		TokenEnv: "COOKED_API_TOKEN",
		Keeps:    "the list",
		New: func(token, file string) (http.Handler, error) {
			return cooked.New(cooked.Options{Token: token, File: file})
		},
	}.Main()
}
