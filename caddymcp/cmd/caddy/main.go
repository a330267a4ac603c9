// Command caddy is Caddy with the mcp directive: the standard modules and this
// one. It takes the arguments of the stock binary.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/caddymcp/caddymcp/caddymcp"
)

func main() {
	caddycmd.Main()
}
