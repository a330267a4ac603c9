package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/caddymcp/caddymcp/caddymcp/program"
	"github.com/caddymcp/caddymcp/integration/farmapi/farm"
)

// farmTexts are the texts that the farm's tools can reply with, after a review:
// names, and what the farm's code sets.
var farmTexts = []string{
	listFlocks + ": items[].id (a uuid)",
	listFlocks + ": items[].name (any text)",
	listFlocks + ": items[].placedOn (a date)",
	listFlocks + ": items[].status (Active or Depleted)",
	readStock + ": items[].gradeId (a uuid)",
	readStock + ": items[].gradeName (any text)",
	listLots + ": items[].collectedOn (a date)",
	listLots + ": items[].flockId (a uuid)",
	listLots + ": items[].flockName (any text)",
	listLots + ": items[].gradeId (a uuid)",
	listLots + ": items[].gradeName (any text)",
	listLots + ": items[].id (a uuid)",
	listLots + ": items[].status (Open or Empty)",
	listMovements + ": items[].id (a uuid)",
	listMovements + ": items[].occurredAt (a date-time)",
	listMovements + ": items[].referenceId (a uuid)",
	listMovements + ": items[].referenceType (DailyEntry or Sale)",
	listMovements + ": items[].type (Collected or Sold or Discarded)",
	listEntries + ": items[].date (a date)",
	listEntries + ": items[].eggs[].gradeName (any text)",
	listEntries + ": items[].flockId (a uuid)",
	listEntries + ": items[].flockName (any text)",
	listEntries + ": items[].id (a uuid)",
	listEntries + ": items[].status (Recorded or Adjusted or Voided)",
}

// textFields lists the texts that a schema lets through, by their path. What
// it cannot follow counts as text.
func textFields(path string, schema any) (fields []string) {
	s, ok := schema.(map[string]any)
	if !ok {
		return []string{path + " (anything)"}
	}
	known := []string{"type", "properties", "required", "items", "enum", "format", "title", "description", "minimum", "maximum"}
	if s["additionalProperties"] == false {
		known = append(known, "additionalProperties")
	}
	for _, keyword := range slices.Sorted(maps.Keys(s)) {
		if !slices.Contains(known, keyword) {
			fields = append(fields, fmt.Sprintf("%s (anything that %s lets through)", path, keyword))
		}
	}
	switch s["type"] {
	case "object":
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			fields = append(fields, textFields(strings.TrimPrefix(path+"."+name, "."), properties[name])...)
		}
	case "array":
		fields = append(fields, textFields(path+"[]", s["items"])...)
	case "string":
		what := "any text"
		if format, ok := s["format"].(string); ok {
			what = "a " + format
		} else if values, ok := s["enum"].([]any); ok {
			var texts []string
			for _, value := range values {
				texts = append(texts, fmt.Sprint(value))
			}
			what = strings.Join(texts, " or ")
		}
		fields = append(fields, path+" ("+what+")")
	case "integer", "number", "boolean":
	default:
		fields = append(fields, path+" (anything)")
	}
	return fields
}

// Farm, 3: replies hold only texts that were reviewed.
func TestFarmTextFields(t *testing.T) {
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		var got []string
		for _, tool := range tools(t, s.connect(t, ownerToken, version)) {
			for _, field := range textFields("", tool.OutputSchema) {
				got = append(got, tool.Name+": "+field)
			}
		}
		same(t, "text fields", got, farmTexts)
	})
}

// The command for reviewers lists the same, but for what the schemas fix, and
// what is said beside the schemas.
func TestFarmLint(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string][]string{"": nil, "--text-fields": farmTexts} {
		got := runMCP(t, farmEnv("http://127.0.0.1:8044"), strings.Fields("mcp lint --config "+farmExample+" "+flag)...)
		if got.exit != 0 {
			t.Errorf("caddy mcp lint %s ends with %d: %s", flag, got.exit, got.stderr)
		}
		var open []string
		for i, text := range want {
			field, what, _ := strings.Cut(text, " (")
			if format, ok := strings.CutPrefix(what, "a "); ok {
				open = append(open, field+" (format "+format)
			} else if !strings.Contains(what, " or ") {
				open = append(open, field)
			}
			// Each refuses an offset that is too large, in words of its own.
			tool, _, _ := strings.Cut(text, ":")
			if i == len(want)-1 || !strings.HasPrefix(want[i+1], tool+":") {
				open = append(open, tool+": an error, in words that its program makes")
			}
		}
		same(t, "lint "+flag, strings.TrimSuffix(got.stdout, "\n"), strings.Join(open, "\n"))
	}
}

// Farm, 3: the first row of each tool, which has no field but those reviewed.
func TestFarmRows(t *testing.T) {
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		session := s.connect(t, ownerToken, version)
		for i, want := range []string{
			`{"id":"` + northFlock + `","name":"North House","status":"Active","placedOn":"2026-05-04","birdsAlive":488,"acceptsProductionToday":true}`,
			`{"gradeId":"` + largeGrade + `","gradeName":"Large","quantity":1200,"lots":51}`,
			`{"id":"` + ledgerLot + `","flockId":"` + northFlock + `","flockName":"North House","gradeId":"` + largeGrade + `","gradeName":"Large",` +
				`"collectedOn":"2026-11-20","quantity":400,"remaining":200,"status":"Open"}`,
			`{"id":"30e00000-0000-4000-8000-000000000001","occurredAt":"2026-11-20T06:01:00Z","type":"Collected","quantity":400,` +
				`"referenceType":"DailyEntry","referenceId":"4ef00000-0000-4000-8000-000000000001"}`,
			`{"id":"` + firstEntry + `","flockId":"` + southFlock + `","flockName":"South House","date":"2026-11-20","status":"Recorded",` +
				`"eggs":[{"gradeName":"Large","count":300},{"gradeName":"Medium","count":100}],"mortality":0,"feedKg":52.5}`,
		} {
			var row map[string]any
			if err := json.Unmarshal([]byte(want), &row); err != nil {
				t.Fatal(err)
			}
			list := farmLists[i]
			same(t, list.tool, s.read(t, session, list.tool, list.args).Items[0], row)
		}
	})
}

// The walk through schemas reaches what it must.
func TestTextFields(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string][]string{
		`{"type":"object","properties":{"n":{"type":"integer"},"b":{"type":"boolean"}},"additionalProperties":false}`:        nil,
		`{"type":"object","properties":{"entry":{"type":"object","properties":{"adjustReason":{"type":"string"}}}}}`:         {"entry.adjustReason (any text)"},
		`{"type":"object","properties":{"notes":{"type":"array","items":{"type":"string"}}}}`:                                {"notes[] (any text)"},
		`{"type":"object","properties":{"pairs":{"type":"array","items":{"type":"array","items":{"type":"string"}}}}}`:       {"pairs[][] (any text)"},
		`{"type":"object","properties":{"list":{"type":"array"}}}`:                                                           {"list[] (anything)"},
		`{"type":"object","properties":{"x":{}}}`:                                                                            {"x (anything)"},
		`{"type":"object","properties":{"x":true}}`:                                                                          {"x (anything)"},
		`{"type":"object","properties":{"x":{"type":["string","null"]}}}`:                                                    {"x (anything)"},
		`{"type":"object","properties":{"x":{"type":"object","additionalProperties":{"type":"string"}}}}`:                    {"x (anything that additionalProperties lets through)"},
		`{"type":"object","properties":{"x":{"type":"integer","anyOf":[{"type":"string"}]}}}`:                                {"x (anything that anyOf lets through)"},
		`{"type":"object","patternProperties":{".":{"type":"string"}},"properties":{"d":{"type":"string","format":"date"}}}`: {" (anything that patternProperties lets through)", "d (a date)"},
	} {
		t.Run(schema, func(t *testing.T) {
			var decoded any
			if err := json.Unmarshal([]byte(schema), &decoded); err != nil {
				t.Fatal(err)
			}
			same(t, "fields", textFields("", decoded), want)
		})
	}
}

// A word that somebody writes into the farm while the test runs.
const writtenWord = "MARIGOLDCANARY"

// farmPrivate is what never leaves the farm: free text, who wrote it, and the
// ids of farms and houses.
var farmPrivate = []string{farm.Canary, writtenWord, "@farm.example", "Lohmann", "fa200000", "40050000"}

// expectPublic looks for what never leaves the farm.
func expectPublic(t *testing.T, where, text string) {
	t.Helper()
	for _, private := range farmPrivate {
		if i := strings.Index(text, private); i >= 0 {
			t.Errorf("%s holds '%s': …%s…", where, private, text[max(0, i-100):min(len(text), i+100)])
		}
	}
}

// Farm, 3: a refusal that lists rows shows no text that it does not know.
func TestFarmCandidates(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, filepath.Dir(farmExample), "farm.jq"))
	if err != nil {
		t.Fatal(err)
	}
	library, err := program.NewLibrary(program.Source{Text: string(text), File: "farm.jq", Line: 1})
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(`[{"id":"` + northFlock + `","name":"Same","status":"` + farm.Canary + `"},{"id":"` + farm.Canary + `","name":"Same","status":"Active"},{"name":"Same"}]`)
	for function, what := range map[string]string{"flock_id": "flock: ", "grade_id": "egg grade: "} {
		p, err := program.Compile(program.Source{Text: `"same" | ` + function}, program.Options{Library: library, Requests: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Run(t.Context(), &program.Call{Sender: rows, ReadOnly: true}, nil)
		if err == nil || !strings.Contains(err.Error(), what+northFlock+" (?), ? (Active), ? (?): ") {
			t.Errorf("%s: %v", function, err)
		}
	}
}

// rowsOf is an API that has these rows.
type rowsOf string

func (rows rowsOf) Send(context.Context, *program.Request) (*program.Response, error) {
	return &program.Response{Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(rows)}, nil
}

// Farm, 3: what people write is in no reply, no error and no log.
func TestFarmFreeText(t *testing.T) {
	quick := putBefore(t, "\t\t\terror 401", "\t\t\tretry 0\n")
	logged := func(caddyfile string) string {
		return replace(t, replace(t, caddyfile, "{\n", "{\n\tdebug\n"), "\n\tmcp {", "\n\tlog\n\n\tmcp {")
	}
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		s.do(t, "manager", "POST", "/api/egg-lots/"+ledgerLot+"/discard", `{"quantity":3,"reason":"`+writtenWord+`"}`)
		s.do(t, "owner", "POST", "/api/daily-entries/"+firstEntry+"/void", `{"reason":"`+writtenWord+`"}`)

		session := s.connect(t, ownerToken, version)
		var replies strings.Builder
		for _, tool := range tools(t, session) {
			text, err := json.Marshal(tool)
			if err != nil {
				t.Fatal(err)
			}
			expectPublic(t, "tools/list", string(text))
			for _, word := range []string{"reason", "note", "breed"} {
				if strings.Contains(strings.ToLower(string(text)), word) {
					t.Errorf("%s speaks of a %s", tool.Name, word)
				}
			}
		}
		for _, list := range farmLists {
			rows, err := json.Marshal(s.all(t, session, list.tool, list.args))
			if err != nil {
				t.Fatal(err)
			}
			// The API itself gives what the tool does not.
			if raw := s.do(t, "owner", "GET", list.path+"?limit=1000", ""); !strings.Contains(raw, farm.Canary) {
				t.Errorf("%s holds no free text, so nothing is known of it", list.path)
			}
			replies.Write(rows)
		}
		if replies.Len() < 45_000 {
			t.Errorf("the replies have only %d bytes", replies.Len())
		}
		expectPublic(t, "a reply", replies.String())
		for _, want := range []string{`"type":"Discarded"`, `"status":"Voided"`} {
			if !strings.Contains(replies.String(), want) {
				t.Errorf("no reply holds %s, so nothing is known of it", want)
			}
		}

		for _, fault := range []string{"page", "detail", "down"} {
			s.fail(t, fault)
			for _, list := range farmLists {
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: list.tool, Arguments: list.args})
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(result)
				if err != nil {
					t.Fatal(err)
				}
				expectPublic(t, "an error", string(text))
			}
		}
		s.fail(t, "")
		session.Close()
		s.stop(t, 20*time.Second)
		log := s.text()
		expectPublic(t, "the log", log)
		for _, want := range []string{`"level":"debug"`, `"msg":"tool call"`, `"msg":"tool call failed"`, `"logger":"http.log.access`} {
			if !strings.Contains(log, want) {
				t.Errorf("the log does not hold %s, so nothing is known of it", want)
			}
		}
		for name, secret := range map[string]string{"API": farmAPIToken, "owner": ownerToken, "worker": workerToken} {
			if strings.Contains(log, secret) {
				t.Errorf("the log holds the token of the %s", name)
			}
		}
	}, quick, logged)
}
