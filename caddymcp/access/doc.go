// Package access decides who may call an MCP endpoint. It finds the [Caller]
// behind a request, or the [Refusal] that answers it, and keeps the secret
// part of the request's URL out of every log that Caddy writes.
package access
