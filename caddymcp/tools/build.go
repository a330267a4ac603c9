package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// build makes the request of one call. Its errors are refusals and those of
// the author's jq: nothing has been sent.
func (r *request) build(ctx context.Context, call *program.Call) (*program.Request, error) {
	for _, name := range r.path.names() {
		if _, given := call.Args[name]; !given {
			return nil, refuse("%s: is required with %s", name, r.when)
		}
	}
	path, err := r.path.expand(call.Args)
	if err != nil {
		return nil, err
	}
	query, members := pick(r.query, call.Args), pick(r.members, call.Args)
	mapped := query
	if slices.Contains(bodyMethods, r.method) {
		mapped = members
	}
	req := &program.Request{
		Upstream: call.Upstream,
		Method:   r.method,
		Path:     path,
		ReadOnly: call.ReadOnly,
		Errors:   call.Errors,
		Args:     call.Args,
	}
	header := pick(r.headers, call.Args)
	if err := compute(ctx, call, r.computed, mapped, header); err != nil {
		return nil, err
	}
	if req.Header, err = program.EncodeHeader(header); err != nil {
		return nil, err
	}
	fields := maps.Clone(query)
	if err := style(r.query, fields); err != nil {
		return nil, err
	}
	if err := compute(ctx, call, r.queries, mapped, fields); err != nil {
		return nil, err
	}
	if req.Query, err = program.EncodeQuery(fields); err != nil {
		return nil, err
	}
	req.Body, req.ContentType, err = r.encodeBody(ctx, call, members)
	return req, err
}

// pick takes the arguments that are present, under the names the API uses.
func pick(placed []placed, args map[string]any) map[string]any {
	picked := make(map[string]any, len(placed))
	for _, p := range placed {
		if v, given := args[p.name]; given {
			picked[p.as] = v
		}
	}
	return picked
}

// style writes the arrays in the way that each parameter says.
func style(placed []placed, values map[string]any) error {
	for _, p := range placed {
		array, ok := values[p.as].([]any)
		switch {
		case !ok:
		case len(array) == 0:
			delete(values, p.as)
		case p.style == "brackets":
			delete(values, p.as)
			values[p.as+"[]"] = array
		case p.style == "comma":
			texts := make([]string, len(array))
			for i, v := range array {
				if texts[i] = fmt.Sprint(v); strings.Contains(texts[i], ",") {
					return refuse("%s[%d]: must not contain a comma", p.name, i)
				}
			}
			values[p.as] = strings.Join(texts, ",")
		}
	}
	return nil
}

// compute adds the fields that jq makes, and leaves out those it makes null.
func compute(ctx context.Context, call *program.Call, fields []computed, mapped any, values map[string]any) error {
	for _, f := range fields {
		v, err := f.value.Run(ctx, call, mapped)
		if err != nil {
			return err
		}
		if v != nil {
			values[f.name] = v
		}
	}
	return nil
}

// encodeBody makes the body, if there is one.
func (r *request) encodeBody(ctx context.Context, call *program.Call, members map[string]any) ([]byte, string, error) {
	var body any
	switch {
	case r.body != nil:
		var err error
		if body, err = r.body.Run(ctx, call, members); err != nil {
			return nil, "", err
		}
	case len(r.members) == 0:
		return nil, "", nil
	default:
		if r.encoding != "json" {
			if err := style(r.members, members); err != nil {
				return nil, "", err
			}
		}
		body = members
	}
	if body == nil {
		return nil, "", nil
	}
	switch r.encoding {
	case "form":
		text, err := program.EncodeForm(body)
		return text, "application/x-www-form-urlencoded", err
	case "multipart":
		return program.EncodeMultipart(body, call.Files)
	}
	text, err := program.EncodeJSON(body)
	return text, "application/json", err
}
