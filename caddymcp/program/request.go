package program

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// A Request is one HTTP request that a tool makes of an API. It is made from
// nothing: no part of the MCP request is copied into it.
type Request struct {
	// Upstream names the API. Empty is the tool's own.
	Upstream string

	// Method is an HTTP method in upper case.
	Method string

	// Path is the escaped path below the upstream's base path. It begins
	// with a slash, and every argument in it is encoded as one segment.
	Path string

	// URL is an absolute http or https URL, in place of Path, for upstreams
	// that take one (public_web).
	URL string

	// Follow is a link that the API gave, in place of Path. The upstream
	// refuses one that leaves its origin or its base path.
	Follow string

	// Query is what is appended to the path.
	Query url.Values

	// Header is what this request sends besides the upstream's own headers,
	// which win.
	Header http.Header

	// Body is the request body, nil for none, and ContentType its media type.
	Body        []byte
	ContentType string

	// Timeout bounds this request. Zero is the upstream's timeout.
	Timeout time.Duration

	// ReadOnly means that the call which makes this request is classed as
	// reading: the upstream refuses any method that can change something,
	// except where the author declared the request safe.
	ReadOnly bool

	// DiscardBody leaves the body of the reply unread.
	DiscardBody bool

	// Raw makes every status a Response. Otherwise a status of 400 or more,
	// or a redirect that was not followed, is an *Error.
	Raw bool

	// Errors are the sentences for this request's failures, looked up before
	// the upstream's own.
	Errors []ErrorText

	// Args are the checked arguments of the tool, for {arg.x} in sentences.
	Args map[string]any
}

// A Response is an API's reply, whole.
type Response struct {
	// Status is the HTTP status code.
	Status int

	// Header holds the reply's headers.
	Header http.Header

	// Body is the whole body, decoded from any content encoding.
	Body []byte
}

// An ErrorText is what a tool says when a request fails in one of the ways
// that On lists.
type ErrorText struct {
	// On lists status codes ("404"), classes of them ("4xx", "5xx"),
	// "unreachable" and "timeout".
	On []string `json:"on"`

	// Message is the sentence. It may hold {status}, {arg.name}, {url}, which
	// is the API's address, and {detail}: the API's own words, or why there
	// was no reply. One with {detail} is for failures that have such words.
	Message string `json:"message"`
}

// A Sender sends a program's requests. The upstream layer is one.
//
// An error is an *Error, unless the context has ended, when it is the
// context's own error, wrapped if a write may have arrived.
type Sender interface {
	Send(ctx context.Context, req *Request) (*Response, error)
}

// An Error is a failure that a tool may tell the model: an API's error reply,
// an unreachable API, a refusal by the author's program. It is what a
// program's catch receives, as {status, message, body, kind}.
type Error struct {
	// Status is the HTTP status, 0 when there was no reply or no request.
	Status int

	// Message is one plain sentence.
	Message string

	// Body is the reply's body: a JSON value (numbers as json.Number), a
	// string, or nil.
	Body any

	// Configured means that an author wrote Message, so it holds nothing of
	// the API's own words unless the author asked for them.
	Configured bool

	// Kind is why there was no reply, one of the kinds below, or empty.
	Kind string

	// Verbatim means that the program itself made Message, with error,
	// annotate or the errors of a request: nothing is to be added to it.
	Verbatim bool

	// MaybeSent means that a write may have been carried out although no
	// reply says so: none came, or one with a status of 500 or more.
	MaybeSent bool

	// write is the write that MaybeSent is about, as [Call.Done] names it.
	write string
}

// The kinds of failure without a reply.
const (
	KindUnreachable = "unreachable"
	KindUnresolved  = "unresolved" // the name of the host; for sentences it is unreachable as well
	KindTimeout     = "timeout"
	KindNotPublic   = "not_public" // an address that public_web does not ask
)

// Error returns the message.
func (e *Error) Error() string { return e.Message }
