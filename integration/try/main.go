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
	"os"
	"path/filepath"
	"slices"
	"strings"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/caddymcp/caddymcp/caddymcp"
	"github.com/caddymcp/caddymcp/integration/cookedapi/cooked"
	"github.com/caddymcp/caddymcp/integration/pantryapi/pantry"
)

// A surface is an example and what it needs.
type surface struct {
	// start runs the reference API and returns the environment of the Caddyfile.
	start func() (map[string]string, error)

	// endpoint is the path for the client, given the environment.
	endpoint func() string

	// token is the variable with the client's bearer token, if it needs one.
	token string
}

var surfaces = map[string]surface{
	"pantry": {
		start: startPantry,
		endpoint: func() string {
			return "/mcp/" + os.Getenv("FOOD_MCP_URL_SECRET")
		},
	},
	"shopping-list": {
		start:    startShoppingList,
		endpoint: func() string { return "/mcp" },
		token:    "MCP_TOKEN",
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
		return fmt.Errorf("name a surface: %s", strings.Join(names, ", "))
	}
	s := surfaces[args[0]]
	config := filepath.Join("caddyfile-examples", args[0], "Caddyfile")
	if _, err := os.Stat(config); err != nil {
		return fmt.Errorf("run it from the root of the repository: %w", err)
	}

	env, err := s.start()
	if err != nil {
		return err
	}
	env["MCP_SITE"] = "http://127.0.0.1:8080"
	env["MCP_ADMIN"] = "off"
	for name, value := range env {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	fmt.Printf("MCP endpoint: %s%s\n", os.Getenv("MCP_SITE"), s.endpoint())
	if s.token != "" {
		fmt.Printf("Authorization: Bearer %s\n", os.Getenv(s.token))
	}

	os.Args = []string{"caddy", "run", "--config", config}
	caddycmd.Main()
	return nil
}

// startPantry runs the pantry's API with a pantry of its own, which is gone
// when the process ends.
func startPantry() (map[string]string, error) {
	token := cmp.Or(os.Getenv("FOOD_API_TOKEN"), rand.Text())
	api, err := pantry.New(pantry.Options{Token: token})
	if err != nil {
		return nil, err
	}
	base, err := serve(api)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"FOOD_API_BASE":       base + "/api",
		"FOOD_API_TOKEN":      token,
		"FOOD_MCP_URL_SECRET": rand.Text() + rand.Text(),
	}, nil
}

// startShoppingList runs the Cooked API with a list of its own, which is gone
// when the process ends.
func startShoppingList() (map[string]string, error) {
	token := cmp.Or(os.Getenv("COOKED_API_TOKEN"), rand.Text())
	api, err := cooked.New(cooked.Options{Token: token})
	if err != nil {
		return nil, err
	}
	base, err := serve(api)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"COOKED_URL":       base,
		"COOKED_API_TOKEN": token,
		"MCP_TOKEN":        rand.Text(),
	}, nil
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
