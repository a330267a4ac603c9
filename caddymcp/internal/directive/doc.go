// Package directive reads the arguments of Caddyfile subdirectives: jq, strict
// booleans, durations, sizes, and text in which Caddy has replaced its
// placeholder shorthands.
package directive
