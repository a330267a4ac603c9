// Command caddy is Caddy with the mcp directive: the standard modules and this
// one. It takes the same arguments as the stock binary.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/itchyny/gojq"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	caddycmd.Main()
}
