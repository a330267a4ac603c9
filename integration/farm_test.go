package integration

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// farmLists is a call of each of the farm's tools whose rows are on several
// pages of two.
var farmLists = []struct {
	tool string
	args map[string]any
	path string // that the API is asked for
}{
	{listFlocks, map[string]any{}, "/api/flocks"},
	{readStock, map[string]any{}, "/api/stock"},
	{listLots, map[string]any{}, "/api/egg-lots"},
	{listMovements, map[string]any{"lotId": ledgerLot}, "/api/egg-lots/" + ledgerLot + "/movements"},
	{listEntries, map[string]any{}, "/api/daily-entries"},
}

// withArgs adds arguments to those of a list.
func withArgs(args, more map[string]any) map[string]any {
	args = maps.Clone(args)
	maps.Copy(args, more)
	return args
}

// Farm, 1: five tools that only read, page by page.
func TestFarmPages(t *testing.T) {
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		session := s.connect(t, ownerToken, version)
		t.Run("tools", func(t *testing.T) {
			var got []string
			for _, tool := range tools(t, session) {
				got = append(got, fmt.Sprintf("%s(%s)", tool.Name, strings.Join(parameters(t, tool.InputSchema), " ")))
				output := tool.OutputSchema.(map[string]any)
				same(t, "what "+tool.Name+" replies with", slices.Sorted(maps.Keys(output["properties"].(map[string]any))), []string{"complete", "items", "nextOffset"})
				same(t, "what is always there", output["required"], []string{"items", "complete"})
				if a := tool.Annotations; !a.ReadOnlyHint || !a.IdempotentHint || *a.DestructiveHint || *a.OpenWorldHint {
					t.Errorf("the hints of %s are %+v", tool.Name, a)
				}
			}
			same(t, "tools", got, []string{
				listFlocks + "(limit nameContains offset status)",
				readStock + "(limit offset)",
				listLots + "(flock from grade limit offset status to)",
				listMovements + "(limit lotId* offset)",
				listEntries + "(flock from limit offset status to)",
			})
		})
		for _, list := range farmLists {
			t.Run(list.tool, func(t *testing.T) {
				s.pages(t, session, list.tool, list.path, list.args)
			})
		}
		t.Run("the last offsets", func(t *testing.T) {
			for _, tt := range []struct {
				limit, offset int
				ok            bool
			}{
				{100, 2147483547, true},
				{100, 2147483548, false},
				{1, 2147483646, true},
				{1, 2147483647, false},
				{50, 2147483648, false},
				{50, 9007199254740993, false},
			} {
				s.served(t)
				args := map[string]any{"limit": tt.limit, "offset": tt.offset}
				if tt.ok {
					same(t, "rows", s.read(t, session, readStock, args), farmPage{Items: []map[string]any{}, Complete: true})
					same(t, "served", s.served(t), []served{{fmt.Sprintf("/api/stock?limit=%d&offset=%d", tt.limit+1, tt.offset), "owner", 0}})
					continue
				}
				for _, list := range farmLists {
					s.refuses(t, session, list.tool, withArgs(list.args, args), fmt.Sprintf("the rows after offset %d cannot be numbered: narrow the request", tt.offset))
				}
				same(t, "served", s.served(t), []served{})
			}
			s.refuses(t, session, readStock, map[string]any{"offset": -1}, "offset: * 0 *")
		})
	})
}

// pages checks how a tool answers page by page, and how many rows it reads.
func (s *farmStack) pages(t *testing.T, session *mcp.ClientSession, tool, path string, args map[string]any) {
	t.Helper()
	whole := s.all(t, session, tool, args)
	s.served(t)
	expectServed := func(limit, offset, rows int) {
		t.Helper()
		same(t, "served", s.served(t), []served{{fmt.Sprintf("%s?limit=%d&offset=%d", path, limit, offset), "owner", rows}})
	}

	// MovementsPage, and the same of the others: a page of 2 reads 2 + 1 rows.
	first := s.read(t, session, tool, withArgs(args, map[string]any{"limit": 2}))
	expectServed(3, 0, 3)
	same(t, "first page", first, farmPage{Items: whole[:2], NextOffset: 2})
	second := s.read(t, session, tool, withArgs(args, map[string]any{"limit": 2, "offset": first.NextOffset}))
	expectServed(3, 2, 3)
	same(t, "second page", second, farmPage{Items: whole[2:4], NextOffset: 4})

	// EveryReadTool: the pages of any size are together the whole.
	rest := first.Items
	for offset := 2; offset != 0; {
		page := s.read(t, session, tool, withArgs(args, map[string]any{"limit": 37, "offset": offset}))
		rest, offset = append(rest, page.Items...), page.NextOffset
	}
	same(t, "pages", rest, whole)
	s.served(t)

	// A page is the last one if there is no row after it.
	last := s.read(t, session, tool, withArgs(args, map[string]any{"limit": 2, "offset": len(whole) - 2}))
	expectServed(3, len(whole)-2, 2)
	same(t, "last page", last, farmPage{Items: whole[len(whole)-2:], Complete: true})

	for _, tt := range []struct {
		given any
		limit int
	}{{nil, 50}, {0, 1}, {-5, 1}, {"7", 7}, {100, 100}, {101, 100}, {10000, 100}} {
		page := s.read(t, session, tool, withArgs(args, map[string]any{"limit": tt.given}))
		expectServed(tt.limit+1, 0, min(tt.limit+1, len(whole)))
		same(t, fmt.Sprintf("rows with limit %v", tt.given), len(page.Items), min(tt.limit, len(whole)))
		if len(whole) > tt.limit && page.NextOffset != tt.limit {
			t.Errorf("limit %v: the next offset is %d", tt.given, page.NextOffset)
		}
	}
}

// What the filters let through.
func TestFarmFilters(t *testing.T) {
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		session := s.connect(t, ownerToken, version)
		for _, tt := range []struct {
			tool  string
			args  map[string]any
			rows  int
			query string // that the API is asked for, but limit and offset
		}{
			{listFlocks, map[string]any{"nameContains": "layer"}, 30, "nameContains=layer"},
			{listFlocks, map[string]any{"nameContains": "HOUSE", "status": "Depleted"}, 15, "nameContains=HOUSE&status=Depleted"},
			{listFlocks, map[string]any{"nameContains": "", "status": nil}, 34, ""},
			{listLots, map[string]any{"grade": "small"}, 2, "gradeId=96ade000-0000-4000-8000-000000000003"},
			{listLots, map[string]any{"grade": "Small", "flock": "north house"}, 1, "flockId=" + northFlock + "&gradeId=96ade000-0000-4000-8000-000000000003"},
			{listLots, map[string]any{"grade": crackedGrade}, 0, "gradeId=" + crackedGrade},
			{listLots, map[string]any{"status": "Empty"}, 0, "status=Empty"},
			{listLots, map[string]any{"from": "2026-11-19", "to": "2026-11-19"}, 4, "from=2026-11-19&to=2026-11-19"},
			{listEntries, map[string]any{"flock": "North House"}, 50, "flockId=" + northFlock},
			{listEntries, map[string]any{"flock": northFlock, "status": "Voided"}, 5, "flockId=" + northFlock + "&status=Voided"},
			{listEntries, map[string]any{"from": "2026-11-20"}, 2, "from=2026-11-20"},
			{listEntries, map[string]any{"to": "2026-09-30"}, 19, "to=2026-09-30"},
		} {
			t.Run(fmt.Sprint(tt.tool, tt.args), func(t *testing.T) {
				s.served(t)
				same(t, "rows", len(s.all(t, session, tt.tool, tt.args)), tt.rows)
				asked := s.served(t)
				_, query, _ := strings.Cut(asked[len(asked)-1].URI, "?")
				fields := slices.DeleteFunc(strings.Split(query, "&"), func(field string) bool {
					return strings.HasPrefix(field, "limit=") || strings.HasPrefix(field, "offset=")
				})
				same(t, "query", strings.Join(fields, "&"), tt.query)
			})
		}
		t.Run("flocks that take no more eggs", func(t *testing.T) {
			for _, flock := range s.all(t, session, listFlocks, nil) {
				same(t, flock["id"].(string), flock["acceptsProductionToday"], flock["status"] == "Active")
			}
		})
		for _, tt := range []struct {
			tool string
			args map[string]any
			want string
		}{
			{listFlocks, map[string]any{"status": "active"}, "status: *Active*Depleted*"},
			{listFlocks, map[string]any{"breed": "x"}, "breed: unknown argument*nameContains*"},
			{listEntries, map[string]any{"from": "yesterday"}, "from: *date*"},
			{listEntries, map[string]any{"flock": map[string]any{"id": 1}}, "flock: *"},
			{listMovements, map[string]any{}, "lotId: is required"},
			{listMovements, map[string]any{"lotId": "../flocks"}, "a part of the request's path *"},
		} {
			t.Run(fmt.Sprint(tt.tool, tt.args), func(t *testing.T) {
				s.served(t)
				s.refuses(t, session, tt.tool, tt.args, tt.want)
				same(t, "served", s.served(t), []served{})
			})
		}
	})
}

// Farm, 2: names or ids.
func TestFarmNames(t *testing.T) {
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		session := s.connect(t, ownerToken, version)

		// SharedFlockName: bounded candidates, and bounded rows.
		t.Run("shared by thirty", func(t *testing.T) {
			for _, tool := range []string{listEntries, listLots} {
				s.served(t)
				var candidates []string
				for i, flock := range s.all(t, session, listFlocks, map[string]any{"nameContains": "layer house"})[:10] {
					candidates = append(candidates, fmt.Sprintf("%s (%s)", flock["id"], []string{"Active", "Depleted"}[i%2]))
				}
				s.served(t)
				text, isError := call(t, session, tool, `{"flock":"layer house"}`)
				if want := "'layer house' names more than one flock: " + strings.Join(candidates, ", ") + " and more: cluckwork_list_flocks lists them"; !isError || text != want {
					t.Errorf("got  %s\nwant %s", text, want)
				}
				same(t, "served", s.served(t), []served{{"/api/flocks?limit=11&name=layer+house", "owner", 11}})
			}
		})
		t.Run("shared by two", func(t *testing.T) {
			text, isError := call(t, session, listLots, `{"grade":"CRACKED"}`)
			want := "'CRACKED' names more than one egg grade: " + crackedGrade + " (Active), 96ade000-0000-4000-8000-000000000006 (Active): cluckwork_read_stock lists them"
			if !isError || text != want {
				t.Errorf("got  %s\nwant %s", text, want)
			}
		})
		t.Run("an id of those that share a name", func(t *testing.T) {
			s.served(t)
			same(t, "rows", s.read(t, session, listEntries, map[string]any{"flock": sharedFlock}).Items, []any{})
			same(t, "served", s.served(t), []served{
				{"/api/flocks?id=" + sharedFlock + "&limit=11", "owner", 1},
				{"/api/daily-entries?flockId=" + sharedFlock + "&limit=51&offset=0", "owner", 0},
			})
		})

		// CrossFarm: what is another's is not there, by id or by name.
		for _, tt := range []struct {
			name, token, tool, parameter, value string
			want                                string
		}{
			{"no flock has the name", ownerToken, listEntries, "flock", "Moon House", "flock 'Moon House' not found: cluckwork_list_flocks lists them"},
			{"another farm's flock, by name", ownerToken, listEntries, "flock", "Neighbour's House", "flock 'Neighbour's House' not found: cluckwork_list_flocks lists them"},
			{"another worker's flock, by name", workerToken, listEntries, "flock", "South House", "flock 'South House' not found: cluckwork_list_flocks lists them"},
			{"no flock has the id", ownerToken, listEntries, "flock", missingFlock, "flock '" + missingFlock + "' not found: cluckwork_list_flocks lists them"},
			{"another farm's flock", ownerToken, listEntries, "flock", foreignFlock, "flock '" + foreignFlock + "' not found: cluckwork_list_flocks lists them"},
			{"another worker's flock", workerToken, listLots, "flock", southFlock, "flock '" + southFlock + "' not found: cluckwork_list_flocks lists them"},
			{"no grade has the name", ownerToken, listLots, "grade", "Goose", "egg grade 'Goose' not found: cluckwork_read_stock lists them"},
			{"another farm's grade, by name", ownerToken, listLots, "grade", "Duck", "egg grade 'Duck' not found: cluckwork_read_stock lists them"},
			{"no grade has the id", ownerToken, listLots, "grade", missingGrade, "egg grade '" + missingGrade + "' not found: cluckwork_read_stock lists them"},
			{"another farm's grade", ownerToken, listLots, "grade", foreignGrade, "egg grade '" + foreignGrade + "' not found: cluckwork_read_stock lists them"},
			{"no lot has the id", ownerToken, listMovements, "lotId", missingLot, "egg lot '" + missingLot + "' not found: cluckwork_list_egg_lots lists them"},
			{"another farm's lot", ownerToken, listMovements, "lotId", foreignLot, "egg lot '" + foreignLot + "' not found: cluckwork_list_egg_lots lists them"},
			{"another worker's lot", workerToken, listMovements, "lotId", southLot, "egg lot '" + southLot + "' not found: cluckwork_list_egg_lots lists them"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				s.refuses(t, s.connect(t, tt.token, version), tt.tool, map[string]any{tt.parameter: tt.value}, tt.want)
			})
		}
		t.Run("another farm's flock by a part of its name", func(t *testing.T) {
			same(t, "rows", s.all(t, session, listFlocks, map[string]any{"nameContains": "neighbour"}), []any{})
		})
	})
}

// Farm, 4: roles and farms are the API's affair, which is told who is calling.
func TestFarmPeople(t *testing.T) {
	const salesToken = "farm-sales-token-7f1d3b5a9c2e4806"
	overEras(t, func(t *testing.T, s *farmStack, version string) {
		owner, worker := s.connect(t, ownerToken, version), s.connect(t, workerToken, version)

		t.Run("AssignedWorker reads only their flocks", func(t *testing.T) {
			s.served(t)
			var names []any
			for _, flock := range s.all(t, worker, listFlocks, nil) {
				names = append(names, flock["name"])
			}
			same(t, "flocks", names, []string{"North House", "Orchard"})
			for _, entry := range s.all(t, worker, listEntries, nil) {
				if !slices.Contains(names, entry["flockName"]) {
					t.Errorf("the worker reads an entry of %s", entry["flockName"])
				}
			}
			for _, asked := range s.served(t) {
				if asked.User != "worker" {
					t.Errorf("the API is asked for %s", asked.User)
				}
			}
			if all := len(s.all(t, owner, listFlocks, nil)); all != 34 {
				t.Errorf("the owner reads %d flocks", all)
			}
		})
		t.Run("AssignedWorker reads only their flocks' eggs", func(t *testing.T) {
			for _, tt := range []struct {
				who      string
				session  *mcp.ClientSession
				quantity int
				flocks   []string
			}{
				{"owner", owner, 100, []string{"North House", "South House"}},
				{"worker", worker, 30, []string{"North House"}},
			} {
				for _, row := range s.all(t, tt.session, readStock, nil) {
					if row["gradeName"] == "Small" {
						same(t, tt.who+"'s stock", row["quantity"], tt.quantity)
					}
				}
				var flocks []any
				for _, lot := range s.all(t, tt.session, listLots, map[string]any{"grade": "Small"}) {
					flocks = append(flocks, lot["flockName"])
				}
				same(t, tt.who+"'s lots", flocks, tt.flocks)
			}
		})
		t.Run("a role that may read the eggs alone", func(t *testing.T) {
			sales := s.connect(t, salesToken, version)
			same(t, "stock", s.all(t, sales, readStock, nil), s.all(t, owner, readStock, nil))
			for _, tool := range []string{listFlocks, listEntries} {
				s.refuses(t, sales, tool, nil, "your role on the farm may not read this")
			}
		})
	}, putBefore(t, "\t\t\tbearer worker", "\t\t\tbearer sales "+salesToken+" {\n\t\t\t\tscopes farm:read\n\t\t\t}\n"))
}

// The programs can be read at once.
func TestFarmLength(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, filepath.Dir(farmExample), "farm.jq"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 30 {
		t.Errorf("farm.jq has %d lines", lines)
	}
}
