// Command mealieapi serves Mealie's REST API, as far as the tools of the Mealie
// example need it, for trying caddymcp with something real behind it.
//
//	go run ./integration/mealieapi -listen 127.0.0.1:9000 -token T -data mealie.json
//
// It prints the API's base URL once it is listening, and stops on SIGINT and
// SIGTERM. -recipes 2000 makes a larger library, and -strict an API as touchy as
// some versions of Mealie.
package main

import (
	"flag"
	"net/http"

	"github.com/caddymcp/caddymcp/integration/mealieapi/mealie"
	"github.com/caddymcp/caddymcp/integration/refapi"
)

func main() {
	var opts mealie.Options
	refapi.Command{
		Name:     "mealieapi",
		Listen:   "127.0.0.1:9000",
		TokenEnv: "MEALIE_API_TOKEN",
		Keeps:    "the library",
		Flags: func(flags *flag.FlagSet) {
			flags.IntVar(&opts.Recipes, "recipes", 0, "the `number` of recipes of a new library (default: those of the seed)")
			flags.BoolVar(&opts.Strict, "strict", false, "refuse read-only keys in writes, as some versions of Mealie do")
		},
		New: func(token, file string) (http.Handler, error) {
			opts.Token, opts.File = token, file
			return mealie.New(opts)
		},
	}.Main()
}
