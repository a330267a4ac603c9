// Package tokens counts what a text costs a model to read.
package tokens

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// o200k is OpenAI's vocabulary o200k_base. It takes some megabytes and
// milliseconds, so it is made for the first text that is counted: a server
// never counts one.
var o200k = sync.OnceValue(codec.NewO200kBase)

// Count returns the number of tokens of text in o200k_base, the vocabulary of
// current models that is public. Those of other models differ from it by a few
// percent. It needs no network and is safe for concurrent use.
func Count(text string) int {
	n, err := o200k().Count(text)
	if err != nil {
		panic(err) // the vocabulary's own expression has failed
	}
	return n
}
