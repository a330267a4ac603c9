// Package tools turns declared tools into MCP tools: parameters into JSON
// Schema, arguments into requests, values into results. It knows nothing of
// Caddy.
//
// [Compile] checks what can be checked and makes a [Set]; [Set.Call] runs a
// call. A call goes through these files:
//
//	json.go      decodes what the model sent, within bounds
//	mend.go      turns values into those that were meant
//	validate.go  checks them, and explain.go says what is wrong
//	cases.go     chooses the action
//	action.go    checks its conditions
//	build.go     makes the one request, its path with path.go
//	result.go    makes the result, within the limit
//	output.go    removes what the output schema does not declare
package tools
