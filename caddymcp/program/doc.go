// Package program runs jq programs that can make HTTP requests. It knows
// neither Caddy nor MCP: requests leave through a [Sender].
package program
