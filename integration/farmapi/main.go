// Command farmapi serves an egg farm's REST API, for trying caddymcp with
// something real behind it.
//
//	go run ./integration/farmapi -listen 127.0.0.1:8044 -token T -data farm.json
//
// It prints the API's base URL once it is listening, and stops on SIGINT and
// SIGTERM.
package main

import (
	"net/http"

	"github.com/caddymcp/caddymcp/integration/farmapi/farm"
	"github.com/caddymcp/caddymcp/integration/refapi"
)

func main() {
	refapi.Command{
		Name:     "farmapi",
		Listen:   "127.0.0.1:8044",
		TokenEnv: "FARM_API_TOKEN",
		Keeps:    "the farm",
		New: func(token, file string) (http.Handler, error) {
			return farm.New(farm.Options{Token: token, File: file})
		},
	}.Main()
}
