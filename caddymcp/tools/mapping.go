package tools

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/caddymcp/caddymcp/caddymcp/program"
)

// A request is a declared request, ready to be filled with arguments.
type request struct {
	method   string
	path     path
	when     string // the case it belongs to, for messages
	query    []placed
	headers  []placed
	members  []placed // of the body
	queries  []computed
	computed []computed // headers
	body     *program.Program
	encoding string
}

// A placed argument has a name and a form in the request.
type placed struct{ name, as, style string }

// A computed field is one whose value jq makes.
type computed struct {
	name  string
	value *program.Program
}

var bodyMethods = []string{http.MethodPost, http.MethodPut, http.MethodPatch}

// unsendable are headers that belong to the connection, to the body or to the
// upstream's own credentials.
var unsendable = []string{
	"Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Expect", "Host",
	"Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// request compiles a declared request. When is the case it stands in, if any.
func (c *compiler) request(r *Request, when string) *request {
	out := &request{method: r.Method, when: when, encoding: r.Encoding}
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, r.Method) {
		c.fail("method '%s' is unknown, use GET, HEAD, POST, PUT, PATCH or DELETE", r.Method)
		return out
	}
	var err error
	if out.path, err = parsePath(r.Path); err != nil {
		c.fail("%w", err)
		return out
	}
	c.pathNames(out.path, when)
	c.foreignNames(r.Path)
	noBody := r.Method == http.MethodGet || r.Method == http.MethodHead
	if noBody && r.Body != nil {
		c.fail("%s has no body, use 'query' or another method", r.Method)
	}
	switch r.Encoding {
	case "", "json":
		out.encoding = "json"
	case "form", "multipart":
		if noBody {
			c.fail("%s has no body, so '%s' means nothing with it", r.Method, r.Encoding)
		}
	default:
		c.fail("encoding '%s' is unknown, use json, form or multipart", r.Encoding)
	}
	for _, p := range c.params {
		c.place(out, p, noBody)
	}
	for _, f := range r.Query {
		c.unique(out.query, out.queries, f.Name, "query")
		out.queries = append(out.queries, computed{f.Name, c.program(f.Value, false)})
	}
	for _, f := range r.Headers {
		c.headerName(f.Name, "header '"+f.Name+"'")
		c.unique(out.headers, out.computed, f.Name, "header")
		out.computed = append(out.computed, computed{f.Name, c.program(f.Value, false)})
	}
	if r.Body != nil {
		out.body = c.program(*r.Body, false)
	}
	return out
}

// pathNames checks the arguments that a path names.
func (c *compiler) pathNames(p path, when string) {
	for _, name := range p.names() {
		i := slices.IndexFunc(c.params, func(p *Param) bool { return p.Name == name })
		if i < 0 {
			c.fail("path names '{%s}', which is no parameter: declare it or correct the name", name)
			continue
		}
		switch param := c.params[i]; {
		case param.Local:
			c.fail("parameter '%s' is in the path and 'local': remove one of them", name)
		case param.In != "" && param.In != "path":
			c.fail("parameter '%s' is in the path, but says 'in %s': remove one of them", name, param.In)
		case param.Type == "array" || param.Type == "object":
			c.fail("parameter '%s' is in the path and of type %s: a path takes single values", name, param.Type)
		case !param.Required && param.Default == nil && when == "":
			c.fail("parameter '%s' is in the path, so it must be 'required' or have a 'default'", name)
		}
	}
}

// foreignNames refuses the ways in which routers write an argument, which a
// path here takes as they stand.
func (c *compiler) foreignNames(template string) {
	for segment := range strings.SplitSeq(template, "/") {
		for _, p := range c.params {
			if segment == ":"+p.Name || segment == "<"+p.Name+">" {
				c.fail("path '%s' holds '%s' as plain text: write '{%s}'", template, segment, p.Name)
			}
		}
	}
}

// place decides where a parameter goes in a request.
func (c *compiler) place(r *request, p *Param, noBody bool) {
	if p.Local || p.In == "path" || slices.Contains(r.path.names(), p.Name) {
		return
	}
	where := p.In
	if where == "" {
		where = "query"
		if slices.Contains(bodyMethods, r.method) {
			where = "body"
		}
	}
	it := placed{name: p.Name, as: p.As, style: p.Style}
	if it.as == "" {
		it.as = p.Name
	}
	flat := false // the place takes text only
	switch where {
	case "query":
		flat = true
		c.unique(r.query, nil, it.as, where)
		r.query = append(r.query, it)
	case "header":
		flat = true
		c.headerName(it.as, "parameter '"+p.Name+"'")
		c.unique(r.headers, nil, it.as, where)
		r.headers = append(r.headers, it)
		if p.Type == "array" {
			c.fail("parameter '%s' is an array, which a header cannot hold: make it 'local' and write 'header %s <jq>'", p.Name, it.as)
		}
	case "body":
		if noBody {
			c.fail("parameter '%s' says 'in body', but %s has no body", p.Name, r.method)
		}
		flat = r.encoding != "json" && r.body == nil
		c.unique(r.members, nil, it.as, where)
		r.members = append(r.members, it)
		if p.Style != "" && r.encoding == "json" {
			c.fail("parameter '%s' has a 'style', which means nothing in JSON: remove it", p.Name)
		}
	}
	if !flat {
		return
	}
	switch {
	case p.Type == "object", p.Type == "array" && p.Items != nil && (p.Items.is("object") || p.Items.is("array")):
		c.fail("parameter '%s' goes to the %s, which cannot hold its type: make it 'local' and use '$args.%s' in jq", p.Name, where, p.Name)
	case p.Type == "" && r.encoding == "multipart":
		// An object could name a file.
		c.fail("parameter '%s' goes to a multipart body and has no single type: write 'body <jq>'", p.Name)
	case p.AllowNull:
		c.fail("parameter '%s' goes to the %s, which cannot hold the null of 'allow_null'", p.Name, where)
	}
}

// unique refuses a name that the same part of the request has already.
func (c *compiler) unique(arguments []placed, fields []computed, name, where string) {
	same := func(other string) bool {
		return other == name || where == "header" && strings.EqualFold(other, name)
	}
	if slices.ContainsFunc(arguments, func(p placed) bool { return same(p.as) }) ||
		slices.ContainsFunc(fields, func(f computed) bool { return same(f.name) }) {
		c.fail("'%s' stands twice in the %s: rename one with 'as', or remove it", name, where)
	}
}

// headerName refuses a header that a tool cannot or must not set.
func (c *compiler) headerName(name, what string) {
	if !httpguts.ValidHeaderFieldName(name) {
		c.fail("%s is no header name, use letters, digits and '-'", what)
	} else if slices.Contains(unsendable, textproto.CanonicalMIMEHeaderKey(name)) {
		c.fail("%s would be sent as the header '%s', which a tool may not set: credentials belong in the upstream", what, name)
	}
}
