// Package integration holds the tests of the examples: the real caddy binary,
// reference APIs, and real clients.
package integration
