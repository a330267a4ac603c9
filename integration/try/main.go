// Command try runs one of the example surfaces and its reference API in one
// process, so that it can be tried with an MCP client:
//
//	go run ./integration/try pantry
//
// It runs from the root of the repository, prints the URL for the client, and
// stops on an interrupt. Environment variables of the surface that are set are
// kept, so MCP_SITE chooses another address.
package main

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/caddymcp/caddymcp/caddymcp"
	"github.com/caddymcp/caddymcp/integration/cookedapi/cooked"
	"github.com/caddymcp/caddymcp/integration/farmapi/farm"
	"github.com/caddymcp/caddymcp/integration/mealieapi/mealie"
	"github.com/caddymcp/caddymcp/integration/pantryapi/pantry"
)

// A surface is an example and what it needs.
type surface struct {
	api  func(token string) (http.Handler, error) // its reference API, kept in memory
	path string                                   // the path of the API's base URL

	// Names of environment variables of the Caddyfile: the API's base URL and
	// token, and the secrets of clients.
	url, token string
	secrets    []string

	// inURL says that the client's secret, which is the only one, stands in the
	// endpoint's path. Else they are bearer tokens.
	inURL bool
}

var surfaces = map[string]surface{
	"farm": {
		api:     func(token string) (http.Handler, error) { return farm.New(farm.Options{Token: token}) },
		url:     "FARM_URL",
		token:   "FARM_API_TOKEN",
		secrets: []string{"FARM_OWNER_TOKEN", "FARM_WORKER_TOKEN", "FARM_NOSCOPE_TOKEN"},
	},
	"pantry": {
		api:     func(token string) (http.Handler, error) { return pantry.New(pantry.Options{Token: token}) },
		path:    "/api",
		url:     "FOOD_API_BASE",
		token:   "FOOD_API_TOKEN",
		secrets: []string{"FOOD_MCP_URL_SECRET"},
		inURL:   true,
	},
	"mealie": {
		api:     func(token string) (http.Handler, error) { return mealie.New(mealie.Options{Token: token}) },
		url:     "MEALIE_URL",
		token:   "MEALIE_API_TOKEN",
		secrets: []string{"MCP_TOKEN"},
	},
	"shopping-list": {
		api:     func(token string) (http.Handler, error) { return cooked.New(cooked.Options{Token: token}) },
		url:     "COOKED_URL",
		token:   "COOKED_API_TOKEN",
		secrets: []string{"MCP_TOKEN"},
	},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "try:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	names := make([]string, 0, len(surfaces))
	for name := range surfaces {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(args) != 1 || !slices.Contains(names, args[0]) {
		return fmt.Errorf("name an example: %s", strings.Join(names, ", "))
	}
	s := surfaces[args[0]]
	config := filepath.Join("caddyfile-examples", args[0], "Caddyfile")
	if _, err := os.Stat(config); err != nil {
		return fmt.Errorf("run it from the root of the repository: %w", err)
	}

	if err := s.start(); err != nil {
		return err
	}
	if err := unused(os.Getenv("MCP_SITE")); err != nil {
		return err
	}
	endpoint := os.Getenv("MCP_SITE") + "/mcp"
	if s.inURL {
		fmt.Printf("MCP endpoint: %s/%s\n", endpoint, os.Getenv(s.secrets[0]))
	} else {
		fmt.Printf("MCP endpoint: %s\n", endpoint)
		for _, name := range s.secrets {
			fmt.Printf("with the header of %s: Authorization: Bearer %s\n", name, os.Getenv(name))
		}
	}
	fmt.Println("For 'caddy mcp --config " + config + "' in another terminal:")
	for _, name := range append([]string{s.url, s.token}, s.secrets...) {
		fmt.Printf("export %s=%s\n", name, os.Getenv(name))
	}

	caddy.ConfigAutosavePath = os.DevNull // what 'caddy run --resume' takes up is another config
	os.Args = []string{"caddy", "run", "--config", config}
	caddycmd.Main()
	return nil
}

// start runs the API, whose data are gone when the process ends, and sets the
// environment variables of the Caddyfile that are not set.
func (s surface) start() error {
	token := cmp.Or(os.Getenv(s.token), rand.Text())
	api, err := s.api(token)
	if err != nil {
		return err
	}
	base, err := serve(api)
	if err != nil {
		return err
	}
	values := map[string]string{
		"MCP_SITE":  "http://127.0.0.1:8080",
		"MCP_ADMIN": "off",
		s.url:       base + s.path,
		s.token:     token,
	}
	for _, name := range s.secrets {
		values[name] = rand.Text() + rand.Text()
	}
	for name, value := range values {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// unused checks that nothing listens where the site will be. Caddy shares a port
// with another Caddy without a word, and each would get some of the requests.
func unused(site string) error {
	u, err := url.Parse(site)
	if err != nil || u.Port() == "" {
		return err
	}
	if conn, err := net.Dial("tcp", u.Host); err == nil {
		conn.Close()
		return fmt.Errorf("something listens at %s: stop it, or set MCP_SITE to another address", u.Host)
	}
	return nil
}

// serve serves an API on a free port until the process ends, and returns its
// URL.
func serve(api http.Handler) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		fmt.Fprintln(os.Stderr, "try:", http.Serve(listener, api))
		os.Exit(1)
	}()
	return "http://" + listener.Addr().String(), nil
}
