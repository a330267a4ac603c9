package program

import (
	"context"
	"strings"
	"time"
)

// A Caller is who calls, as programs see it in $caller.
type Caller struct {
	// ID tells callers apart. Empty is nobody in particular.
	ID string

	// Name is for people.
	Name string

	// Scopes are what the caller's token holds.
	Scopes []string
}

// A Call is what one run of a program needs. It is not shared between calls.
type Call struct {
	// Args are the checked arguments: $args. Numbers are json.Number.
	Args map[string]any

	// Caller is $caller, and Tool is $tool.
	Caller Caller
	Tool   string

	// Sender sends the program's requests.
	Sender Sender

	// Upstream is where requests go that name no upstream.
	Upstream string

	// ReadOnly is set on every request.
	ReadOnly bool

	// Errors are the tool's own sentences for failed requests.
	Errors []ErrorText

	// Files is where {file: path} reads from. Nil means nowhere.
	Files Files

	// Location is the time zone of today. Nil is the host's.
	Location *time.Location

	// Progress and Log send notifications to the client. Nil drops them.
	Progress func(ctx context.Context, done, total float64, message string)
	Log      func(ctx context.Context, level, message string)

	// writes are the requests made that have changed something, or may have.
	writes []write
}

// A write is a request that can change something.
type write struct {
	name string // such as "POST /recipes"

	// unsure means that no reply says that it was carried out: none came, or
	// a redirect, or a status of 500 or more.
	unsure bool
}

// Done names, for the end of a sentence, the requests that the program has made
// and that have changed something, or may have: "; already done: POST /recipes".
// Those that the API refused (a status of 400 to 499) are not among them, nor
// is the one that the run ended with, if its error says MaybeSent. It is for
// after the run.
func (c *Call) Done() string {
	var sure, unsure []string
	for _, w := range c.writes {
		if w.unsure {
			unsure = append(unsure, w.name)
		} else {
			sure = append(sure, w.name)
		}
	}
	text := ""
	if sure != nil {
		text += "; already done: " + strings.Join(sure, ", ")
	}
	if unsure != nil {
		text += "; perhaps done: " + strings.Join(unsure, ", ")
	}
	return text
}

// Files reads the files that a program may upload.
type Files interface {
	// ReadFile returns a file's content. Its error is a plain sentence.
	ReadFile(name string) ([]byte, error)
}
