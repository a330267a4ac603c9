package program

// A Source is jq text and where it was written.
type Source struct {
	// Text is the program.
	Text string `json:"text"`

	// File is the file the text came from, for error messages.
	File string `json:"file,omitempty"`

	// Line is the line of File on which the text begins. Default: 1.
	Line int `json:"line,omitempty"`
}
