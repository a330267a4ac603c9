// Package caddymcp is the mcp directive: a Caddy handler that serves MCP tools
// over REST APIs. See [Handler] for the config and parseCaddyfile for the
// Caddyfile.
//
// A request goes through three layers. The handler finds out who calls
// (package access) and hands the message to the MCP SDK; the tool checks the
// arguments and makes the request or runs the program (packages tools and
// program); the upstream sends it (package upstream).
package caddymcp
