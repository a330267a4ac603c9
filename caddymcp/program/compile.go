package program

import "context"

// A Library is jq definitions shared by programs.
type Library struct{}

// NewLibrary parses and compiles sources alone, each seeing those before it.
func NewLibrary(sources ...Source) (*Library, error) { return &Library{}, nil }

// Options say how a program is compiled.
type Options struct {
	// Library is visible in the program. Nil is none.
	Library *Library

	// Requests allows the program to make requests.
	Requests bool
}

// A Program is compiled jq, safe for concurrent use.
type Program struct{}

// An Effect is a request that a program can make, as far as its text tells.
type Effect struct {
	// Method is in upper case, or empty if it is not a literal.
	Method string

	// Path has a '*' for each computed segment. It is empty if nothing of
	// it is literal.
	Path string

	// Upstream is the upstream named in the request's options, or empty.
	Upstream string
}

// Compile compiles one program.
func Compile(src Source, opts Options) (*Program, error) { return &Program{}, nil }

// CompileText compiles the inside of a jq string, with \( ) interpolations.
func CompileText(src Source, opts Options) (*Program, error) { return &Program{}, nil }

// Effects are the requests the program can make.
func (p *Program) Effects() []Effect { return nil }

// Run runs the program on input and returns its one value. An error is an
// *[Error], a *[Bug], or the context's.
func (p *Program) Run(ctx context.Context, call *Call, input any) (any, error) { return nil, nil }

// Marshal encodes a value of the program as compact JSON, objects in the key
// order in which the program writes them where that can be told.
func (p *Program) Marshal(v any) ([]byte, error) { return nil, nil }

// A Bug is an error of the program itself, such as a jq type error. Its text
// quotes data and is not for the model.
type Bug struct{ Err error }

func (b *Bug) Error() string { return b.Err.Error() }
func (b *Bug) Unwrap() error { return b.Err }
