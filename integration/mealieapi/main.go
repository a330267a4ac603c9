// Command mealieapi serves Mealie's REST API, as far as the tools of the Mealie
// example need it, for trying caddymcp with something real behind it.
//
//	go run ./integration/mealieapi -listen 127.0.0.1:9000 -token T -data mealie.json
//
// It prints the API's base URL once it is listening, and stops on SIGINT and
// SIGTERM. MEALIE_API_RECIPES=2000 makes a larger library, and
// MEALIE_API_STRICT=1 an API as touchy as some versions of Mealie.
package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"

	"github.com/caddymcp/caddymcp/integration/mealieapi/mealie"
	"github.com/caddymcp/caddymcp/integration/refapi"
)

func main() {
	refapi.Command{
		Name:     "mealieapi",
		Listen:   "127.0.0.1:9000",
		TokenEnv: "MEALIE_API_TOKEN",
		Keeps:    "the library",
		New: func(token, file string) (http.Handler, error) {
			opts := mealie.Options{Token: token, File: file, Strict: os.Getenv("MEALIE_API_STRICT") == "1"}
			if n := os.Getenv("MEALIE_API_RECIPES"); n != "" {
				var err error
				if opts.Recipes, err = strconv.Atoi(n); err != nil {
					return nil, fmt.Errorf("MEALIE_API_RECIPES is '%s': write a number of recipes", n)
				}
			}
			return mealie.New(opts)
		},
	}.Main()
}
