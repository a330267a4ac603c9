package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/caddymcp/tokens"
)

// What tools a client sees, with their parameters and what they say of
// themselves: R reads, D is destructive, I is idempotent, O is open-world.
var mealieTools = []string{
	"search_recipes(categories fields foods limit page query require_all tags tools) R",
	"get_recipe(fields full slug*) R",
	"suggest_recipes(foods limit max_missing_foods tools) R",
	"create_recipe(categories cook_time description ingredients instructions name* prep_time recipe_yield source_url tags) ",
	"update_recipe(categories cook_time description ingredients instructions name notes prep_time recipe_yield replace_categories replace_tags replace_tools slug* source_url tags tools) D",
	"set_recipe_image(slug* url*) DIO",
	"upload_recipe_image(path* slug*) DI",
	"bulk_tag_recipes(categories slugs* tags) I",
	"delete_recipe(confirm_slug* slug*) DI",
	"import_recipe_from_url(include_categories include_tags url*) O",
	"get_meal_plan(end_date* start_date*) R",
	"get_todays_meals() R",
	"add_meal_plan_entry(date* entry_type note recipe_slug title) ",
	"delete_meal_plan_entry(entry_id*) DI",
	"random_meal_plan(end_date* entry_type start_date*) ",
	"list_cookbooks() R",
	"get_cookbook_recipes(cookbook* limit page) R",
	"create_cookbook(categories description name* public query_filter require_all tags tools) ",
	"update_cookbook(categories cookbook_id* description name public query_filter require_all tags tools) DI",
	"delete_cookbook(cookbook_id*) DI",
	"library_stats(include_unused max_recipes resource* top) R",
	"find_duplicate_recipes(max_recipes) R",
	"check_recipe_links(check_images check_sources max_recipes) RO",
	"parse_ingredients(lines*) R",
	"manage_taxonomy(action data item_id items merge_into name page resource* search) D",
}

// listed describes the tools of a server as mealieTools does.
func (s *mealieStack) listed(t *testing.T) (lines []string) {
	t.Helper()
	for _, tool := range tools(t, s.session) {
		a, marks := tool.Annotations, ""
		for mark, on := range map[string]bool{
			"1R": a.ReadOnlyHint, "2D": !a.ReadOnlyHint && *a.DestructiveHint, "3I": !a.ReadOnlyHint && a.IdempotentHint, "4O": *a.OpenWorldHint,
		} {
			if on {
				marks += mark
			}
		}
		pairs := regexp.MustCompile(`..`).FindAllString(marks, -1)
		slices.Sort(pairs)
		marks = regexp.MustCompile(`[0-9]`).ReplaceAllString(strings.Join(pairs, ""), "")
		lines = append(lines, fmt.Sprintf("%s(%s) %s", tool.Name, strings.Join(parameters(t, tool.InputSchema), " "), marks))
		if tool.Title == "" || tool.Description == "" {
			t.Errorf("%s has no title or no description", tool.Name)
		}
	}
	return lines
}

func TestMealieTools(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	same(t, "tools", s.listed(t), mealieTools)
	if got := s.session.InitializeResult(); got.ServerInfo.Name != "mealie" || got.Instructions == "" {
		t.Errorf("the server says %+v", got)
	}
	for _, tool := range tools(t, s.session) {
		if tool.OutputSchema != nil {
			t.Errorf("%s declares an output schema, so its replies are sent twice", tool.Name)
		}
		eachSchema(tool.InputSchema, func(schema map[string]any) {
			if _, several := schema["type"].([]any); several || schema["type"] == "array" && schema["items"] == nil {
				t.Errorf("%s has the schema %v", tool.Name, schema)
			}
		})
	}
}

// eachSchema visits the schemas in a schema.
func eachSchema(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, member := range v {
			eachSchema(member, visit)
		}
	case []any:
		for _, element := range v {
			eachSchema(element, visit)
		}
	}
}

func TestMealieReadOnly(t *testing.T) {
	t.Parallel()
	s := mealieSetup{env: []string{"MEALIE_READ_ONLY=Yes"}}.start(t)
	s.waitFor(t, "connected to Mealie")
	var want []string
	for _, line := range mealieTools {
		if strings.Contains(line, ") R") {
			want = append(want, line)
		}
	}
	want = append(want, "manage_taxonomy(action page resource* search) R")
	same(t, "tools", s.listed(t), want)
	same(t, "how many", len(want), 12)
	for _, tool := range tools(t, s.session) {
		if tool.Name == "manage_taxonomy" {
			same(t, "its words", tool.Description, "List foods, units, labels, tags, categories or tools, 50 per page. Call it for their names and ids.")
		}
	}
	s.Forget()
	for tool, args := range map[string]string{
		"delete_recipe":    `{"slug":"x","confirm_slug":"x"}`,
		"random_meal_plan": `{}`,
		"manage_taxonomy":  `{"resource":"tags","action":"create","name":"Zesty"}`,
	} {
		s.refuses(t, tool, args, "server is in read-only mode")
	}
	same(t, "sent", s.sent(), []string(nil))
	for tool, args := range map[string]string{
		"parse_ingredients": `{"lines":["1 egg"]}`,
		"manage_taxonomy":   `{"resource":"tags"}`,
		"search_recipes":    `{}`,
		"library_stats":     `{"resource":"foods"}`,
	} {
		if text, isError := call(t, s.session, tool, args); isError {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// A safety switch that is neither on nor off does not load.
func TestMealieSwitches(t *testing.T) {
	t.Parallel()
	for env, says := range map[string]string{
		"MEALIE_READ_ONLY=maybe":        "read_only: 'maybe' is not a boolean",
		"MEALIE_VERIFY_SSL=2":           "verify_tls: '2' is not a boolean",
		"MEALIE_URL=mealie.example.com": "is not an http or https URL",
		"MEALIE_API_TOKEN=":             "MEALIE_API_TOKEN",
		"MCP_TOKEN=":                    "MCP_TOKEN",
	} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			p := start(t, build(t, "./caddymcp/cmd/caddy"), []string{
				fmt.Sprintf("MCP_SITE=http://127.0.0.1:%d", freePort(t)), "MCP_ADMIN=off",
				"MCP_TOKEN=" + mealieMCPToken, "MEALIE_URL=http://127.0.0.1:1", "MEALIE_API_TOKEN=x", env,
			}, "run", "--config", mealieExample)
			p.waitFor(t, says)
			<-p.ended
			if p.cmd.ProcessState.Success() {
				t.Error("it ends without an error")
			}
		})
	}
}

// The command that the example's README names runs it, with an API of its own.
func TestTryMealie(t *testing.T) {
	t.Parallel()
	p, site, url := startTry(t, "mealie")
	same(t, "endpoint", url, site+"/mcp")
	_, token, _ := strings.Cut(p.waitFor(t, "Authorization: "), "Authorization: Bearer ")
	session := connect(t, url, authorized(t, token), modern)
	if text, isError := call(t, session, "search_recipes", `{"query":"carbonara","fields":["slug"]}`); isError || text != `{"items":[{"slug":"spaghetti-carbonara"}]}` {
		t.Errorf("got %v %s", isError, text)
	}
}

// The programs are short enough to be read.
func TestMealieLengths(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(root, filepath.Dir(mealieExample))
	for pattern, limit := range map[string]int{"mealie.jq": 199, "tools/*.jq": 30, "*/*.caddy": 250, "*.caddy": 100} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no file is %s", pattern)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(text, []byte("\n")); n > limit {
				t.Errorf("%s has %d lines", file, n)
			}
			if filepath.Ext(file) == ".caddy" {
				expectFormatted(t, text)
			}
		}
	}
}

// What surfaces cost is told in the README, and measured here.
func TestMealieSizes(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	list := runMCP(t, mealieEnv(s.api.URL), "mcp", "tools", "--json", "--config", mealieExample).stdout
	var page struct{ Items []struct{ Slug string } }
	s.ask(t, "GET", "/api/recipes?perPage=-1", "", &page)
	var recipes []string
	for _, r := range page.Items {
		text, _ := call(t, s.session, "get_recipe", fmt.Sprintf(`{"slug":%q}`, r.Slug))
		recipes = append(recipes, text)
	}
	slices.SortFunc(recipes, func(a, b string) int { return tokens.Count(b) - tokens.Count(a) })
	full, _ := call(t, s.session, "get_recipe", `{"slug":"sourdough-country-loaf","full":true}`)
	search, _ := call(t, s.session, "search_recipes", `{}`)
	taxonomy, _ := call(t, s.session, "manage_taxonomy", `{"resource":"foods"}`)
	readme, err := os.ReadFile(filepath.Join(root, filepath.Dir(mealieExample), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		what  string
		text  string
		limit int
	}{
		{"`tools/list`, 25 tools", strings.TrimSpace(list), 9000},
		{"`get_recipe`, the longest: a bread over two days", recipes[0], 500},
		{"the same with `full`, as Mealie has it", full, 100_000},
		{"`search_recipes`, 20 results", search, 1500},
		{"`manage_taxonomy`, 50 foods", taxonomy, 4000},
	} {
		n := tokens.Count(row.text)
		if n > row.limit {
			t.Errorf("%s: %d tokens, at most %d are wanted", row.what, n, row.limit)
		}
		if want := fmt.Sprintf("| %s | %d |\n", row.what, n); !strings.Contains(string(readme), want) {
			t.Errorf("the README does not say %s", want)
		}
	}
}

// What check_recipe_links says of servers of the public web, which no test can
// reach, by what they answer to HEAD and to GET.
func TestMealieLinkVerdicts(t *testing.T) {
	t.Parallel()
	read := func(name string) program.Source {
		file := filepath.Join(root, filepath.Dir(mealieExample), name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return program.Source{Text: string(text), File: file, Line: 1}
	}
	library, err := program.NewLibrary(read("mealie.jq"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := program.Compile(read("tools/check_recipe_links.jq"), program.Options{Library: library, Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	web := webOf{
		"https://a/fine":       {200, 200},
		"https://a/moved":      {204, 200},
		"https://a/no-head":    {405, 200},
		"https://a/no-head-2":  {404, 200},
		"https://a/mute-head":  {0, 200},
		"https://a/gone":       {404, 404},
		"https://a/broken":     {500, 500},
		"https://a/down":       {0, 0},
		"https://a/inner":      {-1, -1},
		"https://a/no-dns":     {-2, -2},
		"https://a/login":      {401, 401},
		"https://a/forbidden":  {403, 403},
		"https://a/neither":    {405, 405},
		"https://a/busy":       {429, 429},
		"https://a/unwilling":  {501, 501},
		"https://a/down-later": {200, 0},
	}
	got, err := p.Run(t.Context(), &program.Call{
		Args:   map[string]any{"max_recipes": 200, "check_sources": true, "check_images": false},
		Sender: web, ReadOnly: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := program.EncodeJSON(got)
	if err != nil {
		t.Fatal(err)
	}
	var reply mealieLinks
	decodeStrictly(t, bytes.NewReader(text), &reply)
	verdicts := func(links []mealieLink) (lines []string) {
		for _, link := range links {
			lines = append(lines, strings.TrimPrefix(link.URL, "https://a/")+": "+link.Reason)
		}
		slices.Sort(lines)
		return lines
	}
	same(t, "broken", verdicts(reply.Broken), []string{"broken: status 500", "down: unreachable", "gone: status 404"})
	same(t, "unverified", verdicts(reply.Unverified), []string{"busy: status 429", "forbidden: status 403", "inner: not_public", "login: status 401", "neither: status 405", "no-dns: unresolved", "unwilling: status 501"})
	same(t, "checked", reply.SourcesChecked, len(web))
}

// webOf is what each URL answers to HEAD and to GET: a status, or 0 and less for
// none.
// It is also a Mealie with a recipe for each.
type webOf map[string][2]int

func (web webOf) Send(_ context.Context, req *program.Request) (*program.Response, error) {
	if req.Path == "/api/recipes" {
		items := []map[string]string{}
		for url := range web {
			items = append(items, map[string]string{"slug": "s", "orgURL": url})
		}
		body, err := json.Marshal(map[string]any{"items": items, "page": 1, "total_pages": 1, "total": len(items)})
		return &program.Response{Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: body}, err
	}
	if req.Upstream != "site" || !req.DiscardBody {
		return nil, fmt.Errorf("%s %s is sent to '%s', body and all", req.Method, req.URL, req.Upstream)
	}
	status := web[req.URL][0]
	if req.Method == "GET" {
		status = web[req.URL][1]
	}
	switch {
	case status <= 0:
		kind := []string{program.KindUnreachable, program.KindNotPublic, program.KindUnresolved}[-status]
		return nil, &program.Error{Kind: kind, Message: kind}
	case status >= 400:
		return nil, &program.Error{Status: status, Message: fmt.Sprintf("status %d", status)}
	}
	return &program.Response{Status: status}, nil
}
