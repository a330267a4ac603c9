package integration

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The commands of the reference APIs run as their READMEs say.
func TestReferenceAPIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		token         string // the environment variable
		base          string // the path of the base URL
		path          string // something to read, below it
		authorization string // the scheme
		help          string // of -data
		listen        string // the default
		flags         []string
		reply         string // stands in what was read
	}{
		{"pantryapi", "FOOD_API_TOKEN", "/api", "/pantry/", "Token ", "the JSON file that keeps the pantry", "127.0.0.1:8042", nil, `"location":`},
		{"cookedapi", "COOKED_API_TOKEN", "", "/shopping-list", "Bearer ", "the JSON file that keeps the list", "127.0.0.1:8043", nil, `"groups":`},
		{"farmapi", "FARM_API_TOKEN", "", "/control/served", "Bearer ", "the JSON file that keeps the farm", "127.0.0.1:8044", nil, "[]"},
		{"mealieapi", "MEALIE_API_TOKEN", "", "/api/recipes?perPage=1", "Bearer ", "the JSON file that keeps the library", "127.0.0.1:9000", []string{"-recipes", "70"}, `"total":70,`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			binary := build(t, "./integration/"+tt.name)
			file := filepath.Join(t.TempDir(), "data.json")
			p := start(t, binary, []string{tt.token + "=T"}, append(tt.flags, "-listen", "127.0.0.1:0", "-data", file)...)
			base := p.waitFor(t, "http://127.0.0.1:")
			if !strings.HasSuffix(base, tt.base) {
				t.Errorf("the base URL is %s, want one that ends in '%s'", base, tt.base)
			}
			url := base + tt.path
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", tt.authorization+"T")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if reply := readBody(t, resp); resp.StatusCode != http.StatusOK || !strings.Contains(reply, tt.reply) {
				t.Errorf("GET %s: got %s %s", url, resp.Status, reply)
			}
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
			p.stop(t, 20*time.Second)
			if code := p.cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("it exits with %d", code)
			}
			same(t, "output", p.text(), base+"\n")

			help := start(t, binary, nil, "-h")
			help.waitFor(t, "Usage of "+tt.name+":")
			help.waitFor(t, tt.token)
			help.waitFor(t, tt.help)
			help.waitFor(t, tt.listen)
			<-help.ended
			if code := help.cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("with -h it exits with %d", code)
			}

			refused := start(t, binary, []string{tt.token + "="}, "-listen", "127.0.0.1:0")
			refused.waitFor(t, tt.name+": a token is required")
			<-refused.ended
			if code := refused.cmd.ProcessState.ExitCode(); code != 1 {
				t.Errorf("without a token it exits with %d", code)
			}
		})
	}
}
