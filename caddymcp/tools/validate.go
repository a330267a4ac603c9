package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// arguments is what a tool accepts.
type arguments struct {
	text   json.RawMessage // the schema, as clients see it
	schema *jsonschema.Schema
	shape  *shape
	names  []string // in the order of declaration
}

// newArguments compiles the schema of declared parameters.
func newArguments(params []*Param) (*arguments, error) {
	text := paramsSchema(params)
	schema, err := compileSchema(text)
	if err != nil {
		return nil, err
	}
	a := &arguments{text: text, schema: schema, shape: shapeOfParams(params)}
	for _, p := range params {
		a.names = append(a.names, p.Name)
	}
	return a, nil
}

// rawArguments compiles a schema that the author wrote.
func rawArguments(text string) (*arguments, error) {
	schema, err := compileSchema([]byte(text))
	if err != nil {
		return nil, err
	}
	if typ, nullable := onlyType(schema); typ != "object" || nullable {
		return nil, errors.New("must have \"type\": \"object\"")
	}
	return &arguments{
		text:   json.RawMessage(text),
		schema: schema,
		shape:  shapeOfSchema(schema, map[*jsonschema.Schema]*shape{}),
		names:  slices.Sorted(maps.Keys(schema.Properties)),
	}, nil
}

// read decodes, mends and checks what a model sent. Its error is a refusal
// that names every field that is wrong, or the context's.
func (a *arguments) read(ctx context.Context, raw json.RawMessage) (map[string]any, error) {
	b := newBudget(ctx)
	var v any = map[string]any{}
	if text := bytes.TrimSpace(raw); len(text) > 0 && !bytes.Equal(text, []byte("null")) {
		var err error
		if v, err = b.decodeJSON(text); err != nil && b.err == nil {
			return nil, refuse("the arguments cannot be read: %s", err)
		}
	}
	args, ok := a.shape.mend(v, b).(map[string]any)
	if b.err != nil {
		return nil, b.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !ok {
		return nil, refuse("the arguments must be a JSON object, not %s", kindOf(v))
	}
	if err := a.schema.Validate(args); err != nil {
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			return nil, err
		}
		return nil, refuse("%s", a.explain(invalid, args))
	}
	return args, nil
}

// optional lists arguments that need not be given.
func (a *arguments) optional() []string {
	var names []string
	for _, name := range a.names {
		if member := a.shape.members[name]; member != nil && !slices.Contains(a.shape.required, name) && len(names) < maxProblems {
			names = append(names, name)
		}
	}
	return names
}

// at lists the members that the object at a location may have.
func (s *shape) at(location []string) []string {
	for _, step := range location {
		switch {
		case s == nil:
			return nil
		case s.members[step] != nil:
			s = s.members[step]
		default:
			s = s.items
		}
	}
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.members))
}
