// Package tools turns declared tools into MCP tools: parameters into JSON
// Schema, arguments into requests, values into results. It knows nothing of
// Caddy.
package tools
