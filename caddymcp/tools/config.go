package tools

import "github.com/caddymcp/caddymcp/caddymcp/program"

// A Tool is one MCP tool: what a model sees of it, and the request or the
// program behind it.
type Tool struct {
	// What the model calls: 1 to 64 characters of A-Z, a-z, 0-9, '_', '-', '.'.
	Name string `json:"name"`

	// A short name for people.
	Title string `json:"title,omitempty"`

	// What the tool does and when to call it. Required.
	Description string `json:"description,omitempty"`

	// The parameters, in the order in which clients show them.
	Params []*Param `json:"params,omitempty"`

	// A JSON Schema object, as text, in place of params. It reaches clients
	// word for word. A string in it that says minLength 0 keeps an empty
	// value, as allow_empty does for a parameter.
	Input string `json:"input,omitempty"`

	// A JSON Schema, as text, of the reply, which must be an object. Fields
	// and items it does not declare are removed, then the reply is checked.
	Output string `json:"output,omitempty"`

	// What the caller's token must hold. Default: nothing.
	Scopes []string `json:"scopes,omitempty"`

	// The upstream that requests go to. Default: the only one.
	Upstream string `json:"upstream,omitempty"`

	// The request or program, where no case applies.
	Action

	// What to do instead for some values of one parameter.
	Cases []*Case `json:"cases,omitempty"`

	// Sentences for failed requests, looked up before the upstream's.
	Errors []program.ErrorText `json:"errors,omitempty"`

	// How the result is sent: 'text', 'structured' or 'both'. The last two
	// need output. With 'text' the output schema is applied, and clients are
	// not told of it. Default: text, and both where output is given, since
	// many clients read only the text.
	Reply string `json:"reply,omitempty"`

	// Entries of the tool's _meta object.
	Meta []Meta `json:"meta,omitempty"`

	// What replaces the description and narrows the parameters in read-only
	// mode, for a tool whose cases read and write.
	ReadOnlyView *View `json:"read_only_view,omitempty"`
}

// An Action is what a tool does when it is called: either one request, or a
// program that makes its own requests and result.
type Action struct {
	// Conditions that must hold before anything is sent.
	Require []Require `json:"require,omitempty"`

	// The one request.
	Request *Request `json:"request,omitempty"`

	// The program.
	Run *program.Source `json:"run,omitempty"`

	// jq that makes the result from the body of the reply. Default: the body.
	Result *program.Source `json:"result,omitempty"`

	// The tool changes nothing. Default: derived from the HTTP methods used.
	ReadOnly *bool `json:"read_only,omitempty"`

	// The tool may overwrite or delete. Default: derived from the HTTP methods used.
	Destructive *bool `json:"destructive,omitempty"`

	// Calling twice does no more than calling once. Default: derived from
	// the HTTP methods used.
	Idempotent *bool `json:"idempotent,omitempty"`

	// The tool reaches beyond the author's own APIs. Default: whether it
	// uses a public_web upstream.
	OpenWorld *bool `json:"open_world,omitempty"`
}

// A Case is an action for some values of one parameter.
type Case struct {
	// The parameter: a string or integer with an enum, or a boolean. It is
	// sent like any other unless it is local.
	Param string `json:"param"`

	// The values, as written: a number or a boolean as its text.
	Values []string `json:"values"`

	Action
}

// A Require is a condition on the arguments.
type Require struct {
	// jq that must give neither false nor null.
	If program.Source `json:"if"`

	// What the tool says otherwise: the inside of a jq string, so it can
	// hold \($args.name).
	Message program.Source `json:"message"`
}

// A Request is one HTTP request, declared.
type Request struct {
	// GET, HEAD, POST, PUT, PATCH or DELETE.
	Method string `json:"method"`

	// The path below the upstream's base path. {name} is an argument,
	// encoded as one segment.
	Path string `json:"path"`

	// Query fields besides the arguments, computed by jq. null leaves one out.
	Query []Field `json:"query,omitempty"`

	// Header fields, computed by jq. null leaves one out.
	Headers []Field `json:"headers,omitempty"`

	// jq that makes the body from the mapped arguments. Default: the
	// arguments themselves, for POST, PUT and PATCH.
	Body *program.Source `json:"body,omitempty"`

	// How the body is encoded: 'json', 'form' or 'multipart'. Default: json.
	Encoding string `json:"encoding,omitempty"`
}

// A Field is a named value computed by jq.
type Field struct {
	Name  string         `json:"name"`
	Value program.Source `json:"value"`
}

// Meta is one entry of a tool's _meta object.
type Meta struct {
	Key string `json:"key"`

	// A JSON value, as text.
	Value string `json:"value"`
}

// A View is what a tool shows in read-only mode.
type View struct {
	// Replaces the tool's description.
	Description string `json:"description,omitempty"`

	// Replace the tool's parameters. They must be parameters of the tool.
	Params []*Param `json:"params,omitempty"`
}

// A Param is one parameter of a tool, or a member of one that is an object,
// or the items of one that is an array.
type Param struct {
	// The name the model uses. Items have none.
	Name string `json:"name,omitempty"`

	// string, integer, number, boolean, array or object. Items can have
	// several, such as 'string|object'.
	Type string `json:"type"`

	// The call is refused without it.
	Required bool `json:"required,omitempty"`

	// What the parameter means.
	Description string `json:"description,omitempty"`

	// The value of an absent argument: the text of a string, else JSON.
	Default *string `json:"default,omitempty"`

	// The only values allowed, as written: the text of a string, else JSON.
	Enum []string `json:"enum,omitempty"`

	// Bounds of a number.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`

	// Bounds into which a number is brought instead of being refused. The
	// description says them; the schema does not, so that no client refuses.
	Clamp *Clamp `json:"clamp,omitempty"`

	// Bounds of a string's length, in characters.
	MinLength *int `json:"min_length,omitempty"`
	MaxLength *int `json:"max_length,omitempty"`

	// A regular expression that a string must match.
	Pattern string `json:"pattern,omitempty"`

	// date, date-time, uri, email or uuid: what a string must be.
	Format string `json:"format,omitempty"`

	// What an array holds. An array must have it.
	Items *Param `json:"items,omitempty"`

	// Bounds of an array's length.
	MinItems *int `json:"min_items,omitempty"`
	MaxItems *int `json:"max_items,omitempty"`

	// The members of an object. Default: any.
	Params []*Param `json:"params,omitempty"`

	// How an array is written in a query or form: 'repeat' (a=1&a=2),
	// 'comma' (a=1,2) or 'brackets' (a[]=1&a[]=2). Default: repeat.
	Style string `json:"style,omitempty"`

	// The name the API uses. Default: the parameter's own.
	As string `json:"as,omitempty"`

	// Where the argument goes: 'path', 'query', 'header' or 'body'. Default: the
	// path if it is named there, else the query for GET, HEAD and DELETE
	// and the body for POST, PUT and PATCH.
	In string `json:"in,omitempty"`

	// The argument is not sent; programs see it.
	Local bool `json:"local,omitempty"`

	// An empty string is kept. Otherwise an empty optional counts as absent.
	AllowEmpty bool `json:"allow_empty,omitempty"`

	// null is kept, and sent in a body. Otherwise it counts as absent.
	AllowNull bool `json:"allow_null,omitempty"`
}

// Clamp is a closed range of numbers.
type Clamp struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}
