package program

import (
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// A Library is jq definitions shared by programs.
type Library struct {
	scope *scope
	defs  []*definition
}

// NewLibrary parses and compiles sources alone, each seeing those before it.
// A source holds definitions only, and none may have the name of a function
// that this package adds to jq. The error is one or several [LoadError].
func NewLibrary(sources ...Source) (*Library, error) {
	l := &Library{}
	for _, src := range sources {
		u, err := parse(scan(src))
		if err != nil {
			return nil, err
		}
		errs := &mistakes{text: u.text}
		if u.query.Term != nil || u.query.Op != 0 {
			errs.at(firstOffset(u), "a jq library holds definitions only: 'def name: …;'")
			return nil, errs.err()
		}
		identity := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity}}
		_, scope, defs := resolve(u, l.scope, errs, false)
		if err := u.finish(errs); err != nil {
			return nil, err
		}
		l.scope = scope
		l.defs = append(l.defs, defs...)
		if _, err := compile(identity, slices.Concat(prelude().list, l.defs)); err != nil {
			errs.at(0, "%v", err)
			return nil, errs.err()
		}
	}
	return l, nil
}

// Options say how a program is compiled.
type Options struct {
	// Library is visible in the program. Nil is none.
	Library *Library

	// Requests allows the program to make requests.
	Requests bool

	// KeyOrders are orders of keys for objects of which the text of the
	// program does not tell another.
	KeyOrders [][]string
}

// A Program is compiled jq, safe for concurrent use.
type Program struct {
	code      *gojq.Code
	arguments []Argument
	effects   []Effect
	order     *order
}

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

// Compile compiles one program. The error is one or several [LoadError].
func Compile(src Source, opts Options) (*Program, error) { return build(scan(src), opts) }

// CompileText compiles the inside of a jq string: \( ) interpolates, a quote
// is an ordinary character, and the escapes are those of JSON. The program
// gives a string. The error is one or several [LoadError].
func CompileText(src Source, opts Options) (*Program, error) { return build(scanString(src), opts) }

func build(t *text, opts Options) (*Program, error) {
	u, err := parse(t)
	if err != nil {
		return nil, err
	}
	errs := &mistakes{text: t}
	if u.query.Term == nil && u.query.Op == 0 {
		errs.at(len(t.source.Text), "there is no expression here: write '.' for the input as it is")
		return nil, errs.err()
	}
	library := opts.Library
	if library == nil {
		library = &Library{}
	}
	main, _, defs := resolve(u, library.scope, errs, false)
	if !opts.Requests {
		refuseRequests(u, errs)
	}
	if err := u.finish(errs); err != nil {
		return nil, err
	}

	reached := main.definitions(slices.Concat(prelude().list, library.defs, defs))
	query := *u.query
	query.FuncDefs = nil
	code, err := compile(&query, reached)
	if err != nil {
		errs.at(0, "%v", err)
		return nil, errs.err()
	}
	p := &Program{code: code, arguments: u.arguments, order: newOrder(&query, reached)}
	for _, keys := range opts.KeyOrders {
		p.order.add(keys)
	}
	main.reach(func(b *body) {
		for _, c := range b.calls {
			for _, e := range c.effects {
				if !slices.Contains(p.effects, e) {
					p.effects = append(p.effects, e)
				}
			}
		}
	})
	slices.SortStableFunc(p.effects, func(a, b Effect) int {
		return strings.Compare(a.Method+" "+a.Path, b.Method+" "+b.Path)
	})
	return p, nil
}

// finish checks the effects of a unit whose names are known and rewrites it.
func (u *unit) finish(errs *mistakes) error {
	if len(errs.list) == 0 {
		checkEffects(u, errs)
	}
	if err := errs.err(); err != nil {
		return err
	}
	u.rewrite()
	return nil
}

// refuseRequests refuses what makes requests.
func refuseRequests(u *unit, errs *mistakes) {
	walk(u.query, func(node any) {
		t, ok := node.(*gojq.Term)
		if !ok || t.Func == nil {
			return
		}
		if n := u.names[t.Func]; n.kind == isVerb || n.kind == isDefinition && n.def.unit != u && n.def.sends() {
			errs.at(u.offsets[t.Func], "'%s' makes a request: requests are made in run", t.Func.Name)
		}
	})
}

// compile compiles a query with the definitions it needs, in their order.
func compile(q *gojq.Query, defs []*definition) (*gojq.Code, error) {
	all := *q
	all.FuncDefs = nil
	for _, d := range defs {
		all.FuncDefs = append(all.FuncDefs, d.fd)
	}
	return gojq.Compile(&all, functions()...)
}

// definitions returns those of list that b can reach: gojq would compile the
// others too, into every program.
func (b *body) definitions(list []*definition) (reached []*definition) {
	seen := make(map[*body]bool)
	b.reach(func(b *body) { seen[b] = true })
	for _, d := range list {
		if seen[&d.body] {
			reached = append(reached, d)
		}
	}
	return reached
}

// firstOffset is where a unit's expression begins, as far as its names tell.
func firstOffset(u *unit) int {
	rest := *u.query
	rest.FuncDefs = nil
	offset := -1
	walk(&rest, func(node any) {
		if t, ok := node.(*gojq.Term); ok && t.Func != nil && offset < 0 {
			offset = u.offsets[t.Func]
		}
	})
	return max(offset, 0)
}

// Effects are the requests the program can make, in the order of their
// methods and paths, each once.
func (p *Program) Effects() []Effect { return slices.Clone(p.effects) }
