//go:build race

package integration

// buildFlags are those of this test, so that the build cache serves both.
var buildFlags = []string{"-race"}
