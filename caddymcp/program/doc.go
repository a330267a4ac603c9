// Package program runs jq programs that can make HTTP requests. It knows
// neither Caddy nor MCP: requests leave through a [Sender].
//
// The language is jq as github.com/itchyny/gojq runs it, with a few
// functions more (get, post, attempt, clean, …) and a few fewer (env, input,
// halt, import, …). What a program may not do is refused when it is compiled,
// with the line and the column; see [Compile].
//
// A program goes through these steps, each of them one file:
//
//	scan.go     gives every name in the text a mark, so that it has a position
//	parse.go    parses the text and takes the marks off again
//	names.go    finds what each name means, and refuses those that are not allowed
//	effects.go  refuses a write where jq may run it twice, never or out of order
//	paths.go    makes each \( ) in a path literal one encoded segment
//	verbs.go    turns requests and other functions into calls of Go functions
//	compile.go  compiles it, without the definitions that it cannot reach
package program
