package program

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A message is a request that a program makes.
type message struct {
	Request

	// texts are the program's own sentences for failures, by what they are
	// for, as in [ErrorText.On]. They are not given to the Sender, because
	// they are no templates: a program has put its data into them already.
	texts map[string]string
}

// send makes the request of a short form: method, whether the path is a
// literal, path, query or body, and options.
func send(r *run, _ any, args []any) any {
	method := args[0].(string)
	spec := make(map[string]any)
	if args[4] != nil {
		options, ok := args[4].(map[string]any)
		if !ok {
			return misuse("the options of a request are not an object")
		}
		for name := range options {
			if !slices.Contains(optionNames, name) {
				return unknownMember(name, optionNames)
			}
		}
		maps.Copy(spec, options)
	}
	spec["method"], spec["path"] = method, args[2]
	second := "query"
	if isWrite(method) && method != http.MethodDelete {
		second = "body"
	}
	if args[3] != nil {
		if spec[second] != nil {
			return misuse("the %s of a request is given twice", second)
		}
		spec[second] = args[3]
	}
	return r.body(spec, args[1] == true)
}

// request(spec) makes any request.
func request(r *run, _ any, args []any) any {
	spec, ok := args[1].(map[string]any)
	if !ok {
		return misuse("request: the argument is not an object")
	}
	return r.body(spec, args[0] == true)
}

// response(spec) makes any request and does not fail if the API does.
func response(r *run, _ any, args []any) any {
	spec, ok := args[1].(map[string]any)
	if !ok {
		return misuse("response: the argument is not an object")
	}
	m, err := r.message(spec, args[0] == true)
	if err != nil {
		return err
	}
	m.Raw = true
	resp, err := r.do(m)
	if err != nil {
		return err
	}
	body, err := DecodeBody(resp)
	if err != nil {
		body = strings.ToValidUTF8(string(resp.Body), "\ufffd")
	}
	headers := make(map[string]any, len(resp.Header))
	for name, values := range resp.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return map[string]any{"status": resp.Status, "headers": headers, "body": body}
}

// follow(link) reads what the API links to.
func follow(r *run, _ any, args []any) any {
	link, _ := args[0].(string)
	if link == "" {
		return misuse("follow: the link is not a string")
	}
	m := r.newMessage(http.MethodGet)
	m.Follow = link
	return r.bodyOf(m)
}

// body makes a request and returns the body of its reply.
func (r *run) body(spec map[string]any, literal bool) any {
	m, err := r.message(spec, literal)
	if err != nil {
		return err
	}
	return r.bodyOf(m)
}

func (r *run) bodyOf(m *message) any {
	resp, err := r.do(m)
	if err != nil {
		return err
	}
	body, err := DecodeBody(resp)
	if err != nil {
		return r.raise(err)
	}
	return body
}

func (r *run) newMessage(method string) *message {
	return &message{Request: Request{
		Upstream: r.call.Upstream,
		Method:   method,
		ReadOnly: r.call.ReadOnly,
		Errors:   r.call.Errors,
		Args:     r.call.Args,
	}}
}

// optionNames are the members of a short form's options.
var optionNames = []string{"errors", "query", "headers", "form", "multipart", "upstream", "timeout"}

// memberNames are the members of the object that describes a request.
var memberNames = append([]string{"method", "path", "url", "body", "head_only"}, optionNames...)

func unknownMember(name string, known []string) error {
	return misuse("'%s' is not an option of this request: there are %s", name, strings.Join(known, ", "))
}

// message reads the object that describes a request. Its path is a literal of
// the program, or an array of segments.
func (r *run) message(spec map[string]any, literal bool) (*message, error) {
	for name := range spec {
		if !slices.Contains(memberNames, name) {
			return nil, unknownMember(name, memberNames)
		}
	}
	method, _ := spec["method"].(string)
	method = strings.ToUpper(method)
	if !slices.Contains(methods, method) {
		return nil, misuse("the method of a request is one of %s", strings.Join(methods, ", "))
	}
	m := r.newMessage(method)
	var err error
	if err = m.setTarget(spec, literal); err != nil {
		return nil, err
	}
	if m.Query, err = EncodeQuery(spec["query"]); err != nil {
		return nil, err
	}
	if m.Header, err = EncodeHeader(spec["headers"]); err != nil {
		return nil, err
	}
	if err = m.setBody(spec, r.call.Files); err != nil {
		return nil, err
	}
	if err = m.setOptions(spec); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *message) setTarget(spec map[string]any, literal bool) (err error) {
	if spec["url"] != nil {
		link, ok := spec["url"].(string)
		if !ok || link == "" {
			return misuse("the url of a request is not a string")
		}
		if spec["path"] != nil {
			return misuse("a request has a path or a url, not both")
		}
		m.URL = link
		return nil
	}
	switch path := spec["path"].(type) {
	case []any:
		m.Path, err = segments(path)
	case string:
		if !literal {
			return misuse(`the path of a request is a string that was computed: write it as "/recipes/\(.slug)" where the request is made, or as an array of segments`)
		}
		m.Path = path
	case nil:
		err = misuse("a request has neither a path nor a url")
	default:
		err = misuse("the path of a request is neither a string nor an array")
	}
	return err
}

func (m *message) setBody(spec map[string]any, files Files) (err error) {
	for _, encoding := range []string{"body", "form", "multipart"} {
		v := spec[encoding]
		switch {
		case v == nil:
			continue
		case m.ContentType != "":
			return misuse("a request has a body, a form or a multipart body, not several")
		case !isWrite(m.Method):
			return misuse("a %s request has no body", m.Method)
		}
		if m.Body, m.ContentType, err = encodeBody(encoding, v, files); err != nil {
			return err
		}
	}
	return nil
}

func (m *message) setOptions(spec map[string]any) error {
	if v := spec["upstream"]; v != nil {
		name, ok := v.(string)
		if !ok {
			return misuse("the upstream of a request is not a string")
		}
		m.Upstream = name
	}
	if v := spec["timeout"]; v != nil {
		text, _ := v.(string)
		timeout, err := time.ParseDuration(text)
		if err != nil || timeout <= 0 {
			return misuse(`the timeout of a request is not a duration such as "30s"`)
		}
		m.Timeout = timeout
	}
	if v := spec["head_only"]; v != nil {
		m.DiscardBody = v == true
	}
	if v := spec["errors"]; v != nil {
		texts, ok := v.(map[string]any)
		if !ok {
			return misuse("the errors of a request are not an object")
		}
		m.texts = make(map[string]string, len(texts))
		for on, text := range texts {
			if !isScalar(text) {
				return misuse("the sentence for '%s' in the errors of a request is not a text", on)
			}
			if text == nil {
				continue
			}
			var err error
			if m.texts[on], err = asText(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// do sends a request, and notes what it may have changed.
func (r *run) do(m *message) (*Response, error) {
	resp, err := r.call.Sender.Send(r.ctx, &m.Request)
	if isWrite(m.Method) && !m.ReadOnly {
		err = r.record(m, resp, err)
	}
	if err != nil {
		return nil, r.raise(m.failure(err))
	}
	return resp, nil
}

// record notes a write that has been made, or may have been. The error it
// returns is err, which then says so.
func (r *run) record(m *message, resp *Response, err error) error {
	name := m.Method + " " + m.target()
	var e *Error
	switch {
	case r.ctx.Err() != nil && err != nil:
		// The bare error of the context says that nothing was sent.
		if errors.As(err, &e) && e.MaybeSent || !errors.As(err, &e) && errors.Unwrap(err) != nil {
			r.lost = name
		}
	case err == nil:
		if resp.Status < 400 || resp.Status >= 500 {
			r.call.writes = append(r.call.writes, write{name, resp.Status >= 300})
		}
	case errors.As(err, &e) && (e.MaybeSent || e.Status >= 500):
		r.call.writes = append(r.call.writes, write{name, true})
		own := *e
		own.MaybeSent, own.write = true, name
		return &own
	}
	return err
}

// target is where the request goes, without its query.
func (m *message) target() string {
	target, _, _ := strings.Cut(m.Path+m.URL, "?")
	return target
}

// failure is err with the program's own sentence, if there is one for it.
func (m *message) failure(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	// Statuses come before classes of them: '404' sorts before '4xx'.
	for _, on := range slices.Sorted(maps.Keys(m.texts)) {
		if e.Matches(on) {
			own := *e
			own.Message, own.Configured, own.Verbatim = m.texts[on], true, true
			return &own
		}
	}
	return e
}

// raise remembers an error that the program is given.
func (r *run) raise(err error) error {
	var e *Error
	if errors.As(err, &e) {
		r.raised = append(r.raised, e)
	}
	return err
}
