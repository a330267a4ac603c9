package integration

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The example is short: the Caddyfile and its jq have less than 120 lines.
func TestShoppingLength(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, name := range []string{"Caddyfile", "shopping-list.jq"} {
		text, err := os.ReadFile(filepath.Join(root, filepath.Dir(shoppingExample), name))
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	if lines >= 120 {
		t.Errorf("it has %d lines", lines)
	}
}

func TestShoppingTools(t *testing.T) {
	t.Parallel()
	s := startShopping(t)
	byName := map[string]*mcp.Tool{}
	for _, tool := range tools(t, s.session) {
		byName[tool.Name] = tool
	}
	if len(byName) != 2 {
		t.Fatalf("there are %d tools", len(byName))
	}
	read, change := byName["read"], byName["change_shopping_list"]

	t.Run("READ.1", func(t *testing.T) {
		same(t, "parameters", parameters(t, read.InputSchema), []string{"target*"})
		if !read.Annotations.ReadOnlyHint {
			t.Error("read does not say that it only reads")
		}
	})
	t.Run("ACTIONS.1", func(t *testing.T) {
		same(t, "parameters", parameters(t, change.InputSchema),
			[]string{"action*", "aisle_id", "id", "ids", "import_draft_id", "ingredients", "name", "quantity", "recipe_id", "selected"})
		properties := change.InputSchema.(map[string]any)["properties"].(map[string]any)
		same(t, "actions", properties["action"].(map[string]any)["enum"],
			[]string{"add", "update_item", "replace_selection", "add_selection", "remove_selection", "remove", "clear"})
	})
	t.Run("SELECTION.6", func(t *testing.T) {
		for _, action := range []string{"replace_selection", "add_selection", "remove_selection"} {
			if !strings.Contains(change.Description, action) {
				t.Errorf("the description does not tell of %s", action)
			}
		}
	})
	t.Run("SAFETY.2", func(t *testing.T) {
		if a := change.Annotations; a.ReadOnlyHint || a.DestructiveHint == nil || !*a.DestructiveHint {
			t.Errorf("the hints are %+v", a)
		}
		if !strings.Contains(change.Description, "Nothing brings back what remove and clear delete") {
			t.Errorf("the description does not warn: %s", change.Description)
		}
	})
	t.Run("VERIFICATION.1", func(t *testing.T) {
		if _, isError := call(t, s.session, "read", `{"target":"shopping_list"}`); isError || s.received() != "GET /shopping-list" {
			t.Errorf("the fake Cooked has received %q", s.received())
		}
	})
	t.Run("VERIFICATION.2", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(root, shoppingExample))
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range regexp.MustCompile(`https?://[^\s}]+`).FindAllString(string(text), -1) {
			if url != "http://127.0.0.1:8080" {
				t.Errorf("the Caddyfile names %s", url)
			}
		}
	})
}

// The command that the example's README names runs it, with an API of its own.
func TestTryShoppingList(t *testing.T) {
	t.Parallel()
	p, site, url := startTry(t, "shopping-list")
	same(t, "endpoint", url, site+"/mcp")
	_, token, _ := strings.Cut(p.waitFor(t, "Authorization: "), "Authorization: Bearer ")
	session := connect(t, url, authorized(t, token), modern)
	if text, isError := call(t, session, "change_shopping_list", `{"action":"add","ingredients":"2 limes"}`); isError || text != `{"added":1}` {
		t.Errorf("got %v %s", isError, text)
	}
}
