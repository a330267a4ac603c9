package program

import (
	"fmt"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// A native is a function of the language that is written in Go. It is safe
// for concurrent use, keeps neither its input nor its arguments, and changes
// neither. What it returns is a value or an error: an *Error for the model, or
// another for a mistake in the program.
type native struct {
	// state means that the function needs the run.
	state bool
	fn    func(r *run, input any, args []any) any
}

// natives are the functions that programs can call, by "name/arity". They are
// compiled under their name with a '_' before it.
var natives = map[string]*native{
	"error/0": {fn: func(_ *run, in any, _ []any) any { return thrown(in) }},
	"error/1": {fn: func(_ *run, _ any, args []any) any { return thrown(args[0]) }},

	"clean/0":    {fn: clean},
	"only/1":     {fn: only},
	"rename/1":   {fn: rename},
	"closest/2":  {state: true, fn: closest},
	"casefold/0": {fn: casefold},
	"slug/0":     {fn: slug},
	"quoted/0":   {fn: quoted},
	"uuid/0":     {fn: newUUID},
	"today/0":    {state: true, fn: today},
	"days/2":     {fn: days},
	"add_days/1": {fn: addDays},
	"progress/3": {state: true, fn: progress},
	"log/2":      {state: true, fn: logMessage},
}

// internals are functions that only rewritten text and the prelude call.
var internals = map[string]*native{
	"send/5":      {state: true, fn: send},
	"request/2":   {state: true, fn: request},
	"response/2":  {state: true, fn: response},
	"follow/1":    {state: true, fn: follow},
	"fetch_all/4": {state: true, fn: fetchAll},
	"get_all/4":   {state: true, fn: getAll},
	"segment/0":   {fn: segment},
	"caught/0":    {fn: catchError},
	"bug/1":       {fn: func(_ *run, _ any, args []any) any { return misuse("%v", args[0]) }},
	"rows/0":      {fn: rows},
	"index_by/1":  {fn: indexBy},
	"count_by/1":  {fn: countBy},
}

// nativeNames are the names of natives.
var nativeNames = sync.OnceValue(func() map[string]bool {
	set := make(map[string]bool)
	for k := range natives {
		name, _, _ := strings.Cut(k, "/")
		set[name] = true
	}
	return set
})

// functions are the natives as gojq takes them, and the variables.
var functions = sync.OnceValue(func() []gojq.CompilerOption {
	options := []gojq.CompilerOption{gojq.WithVariables(variables)}
	for _, table := range []map[string]*native{natives, internals} {
		for k, n := range table {
			name, text, _ := strings.Cut(k, "/")
			var arity int
			if _, err := fmt.Sscan(text, &arity); err != nil {
				panic(err)
			}
			if n.state {
				arity++
			}
			options = append(options, gojq.WithFunction("_"+name, arity, arity, n.call))
		}
	}
	return options
})

// call runs the native for gojq.
func (n *native) call(input any, args []any) any {
	var r *run
	if n.state {
		r, args = args[0].(*run), args[1:]
	}
	return n.fn(r, input, args)
}

func segment(_ *run, in any, _ []any) any {
	s, err := Segment(in)
	if err != nil {
		return err
	}
	return s
}

func catchError(_ *run, in any, _ []any) any {
	v, err := caught(in)
	if err != nil {
		return err
	}
	return v
}
