package program

import (
	"errors"
	"fmt"
)

// A Source is jq text and where it was written.
type Source struct {
	// Text is the program.
	Text string `json:"text"`

	// File is the file the text came from, for error messages.
	File string `json:"file,omitempty"`

	// Line is the line of File on which the text begins. Default: 1.
	Line int `json:"line,omitempty"`
}

// A LoadError is a mistake in jq text, found when it is compiled. Several of
// them come joined with [errors.Join].
type LoadError struct {
	// File is the file of the [Source], or empty.
	File string

	// Line is the line in that file, from 1.
	Line int

	// Column is the character in that line of the text, from 1.
	Column int

	// Message says what is wrong, and what to write instead.
	Message string
}

// Error returns the position and the message.
func (e *LoadError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// mistakes collects the errors of one text.
type mistakes struct {
	text *text
	list []error
}

// at adds a mistake at an offset of the text as it was written.
func (m *mistakes) at(offset int, format string, args ...any) {
	line, column := m.text.position(offset)
	m.list = append(m.list, &LoadError{
		File:    m.text.source.File,
		Line:    line,
		Column:  column,
		Message: fmt.Sprintf(format, args...),
	})
}

// err joins the mistakes. It is nil if there are none.
func (m *mistakes) err() error { return errors.Join(m.list...) }
