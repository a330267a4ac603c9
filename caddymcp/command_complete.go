package caddymcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completes makes a completion of one that looks at the mcp blocks. A config
// that does not load completes nothing.
func completes(f func(blocks []*block, args []string, word string) []cobra.Completion) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if err := loadEnvFiles(cmd); err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		blocks, release, err := loadBlocks(cmd.Context(), cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer release()
		directive := cobra.ShellCompDirectiveNoFileComp
		found := slices.DeleteFunc(f(blocks, args, word), func(c cobra.Completion) bool { return !strings.HasPrefix(c, word) })
		if len(found) > 0 && strings.HasSuffix(found[0], "=") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return found, directive
	}
}

// completesIn makes a completion of one that looks at the chosen mcp block.
func completesIn(f func(b *block, args []string, word string) []cobra.Completion) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completes(func(blocks []*block, args []string, word string) []cobra.Completion {
			blocks, err := chooseBlocks(cmd, blocks)
			if err != nil || len(blocks) > 1 {
				return nil
			}
			return f(blocks[0], args, word)
		})(cmd, args, word)
	}
}

// completeCall completes a tool's name, then its arguments, and their values
// where the schema names them and they need no quotes.
func completeCall(b *block, args []string, word string) []cobra.Completion {
	var found []cobra.Completion
	if len(args) == 0 {
		for _, t := range b.set.List() {
			found = append(found, cobra.CompletionWithDesc(t.Name, t.Title))
		}
		return found
	}
	var schema struct {
		Properties map[string]struct {
			Type  any   `json:"type"`
			Enum  []any `json:"enum"`
			Items struct {
				Enum []any `json:"enum"`
			} `json:"items"`
		} `json:"properties"`
	}
	tool := b.set.Tool(args[0])
	if tool == nil {
		return nil
	}
	if text, ok := tool.InputSchema.(json.RawMessage); !ok || json.Unmarshal(text, &schema) != nil {
		return nil
	}
	name, _, valued := strings.Cut(word, "=")
	if !valued {
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			if plainWord.MatchString(name) {
				found = append(found, name+"=")
			}
		}
		return found
	}
	property := schema.Properties[name]
	values := slices.Concat(property.Enum, property.Items.Enum)
	if property.Type == "boolean" && len(values) == 0 {
		values = []any{true, false}
	}
	for _, v := range values {
		// The scripts quote nothing, and that of bash expands what it gets.
		if text := fmt.Sprint(v); plainWord.MatchString(text) {
			found = append(found, name+"="+text)
		}
	}
	return found
}

// plainWord matches what stands for itself in every shell.
var plainWord = regexp.MustCompile(`^[\p{L}\p{N}_.,:/@%+-]+$`)

// completeCaller completes --caller.
func completeCaller(b *block, _ []string, _ string) []cobra.Completion {
	var found []cobra.Completion
	for _, c := range b.Auth.Callers() {
		found = append(found, callerName(c))
	}
	return found
}

// completeServer completes --server: names, and where a block is if it shares its
// name.
func completeServer(blocks []*block, _ []string, _ string) []cobra.Completion {
	var found []cobra.Completion
	for _, b := range blocks {
		if b.sharesName(blocks) {
			found = append(found, cobra.CompletionWithDesc(b.place(), b.Name))
		} else {
			found = append(found, cobra.CompletionWithDesc(b.Name, b.place()))
		}
	}
	return found
}
