package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/mealieapi/mealie"
)

// strictly runs a test with a Mealie that fails on keys that are read-only.
func strictly() mealieSetup { return mealieSetup{api: mealie.Options{Strict: true}} }

// bodies are the bodies of what was sent to a path, which ends so.
func (s *mealieStack) bodies(t *testing.T, method, end string) (bodies []map[string]any) {
	t.Helper()
	for _, r := range s.Traffic().Requests {
		if r.Method == method && strings.HasSuffix(r.Path, end) {
			var body map[string]any
			if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, body)
		}
	}
	return bodies
}

func TestMealieCreateRecipe(t *testing.T) {
	t.Parallel()
	s := strictly().start(t)
	s.addName(t, "/api/foods", "zflour")
	s.addName(t, "/api/units", "zcup")
	s.addName(t, "/api/organizers/tags", "Zesty")

	t.Run("in two calls", func(t *testing.T) {
		s.expect(t, "create_recipe", `{
			"name":"Zopf","description":"Bread","recipe_yield":"1 loaf","prep_time":"20 minutes","source_url":"https://example.com/zopf",
			"ingredients":["2 zcup zflour, sifted","500 g nosuchfood","3 nosuchfood",{"quantity":3,"food":"eggs","note":"large"}],
			"instructions":["Knead.","Bake."],"tags":["zESTY","Zippy"],"categories":["Zreads"]}`,
			`{"slug":"zopf","name":"Zopf","note":"created new categories: Zreads; created new tags: Zippy"}`)
		writes := s.Traffic().Requests
		var order []string
		for _, r := range writes {
			if r.Method != "GET" {
				order = append(order, r.Method+" "+r.Path)
			}
		}
		same(t, "order", order, []string{
			"POST /api/parser/ingredients", "POST /api/organizers/categories", "POST /api/organizers/tags", "POST /api/recipes", "PATCH /api/recipes/zopf", "PATCH /api/recipes/zopf",
		})
		same(t, "first", s.bodies(t, "POST", "/api/recipes"), []map[string]any{{"name": "Zopf"}})

		r := s.recipe(t, "zopf")
		same(t, "recipe", []any{r.Description, r.RecipeYield, r.PrepTime, r.OrgURL, r.Tags, r.RecipeCategory, r.RecipeInstructions},
			[]any{"Bread", "1 loaf", "20 minutes", "https://example.com/zopf", []any{map[string]any{"Name": "Zesty"}, map[string]any{"Name": "Zippy"}}, []any{map[string]any{"Name": "Zreads"}}, []any{map[string]any{"Text": "Knead."}, map[string]any{"Text": "Bake."}}})
		var lines []string
		for _, i := range r.RecipeIngredient {
			lines = append(lines, i.line())
		}
		same(t, "ingredients", lines, []string{"2 [zcup] [zflour] sifted", "500 [gram] nosuchfood", "0 3 nosuchfood", "3 eggs large"})
	})
	t.Run("only writable keys", func(t *testing.T) {
		patch := s.bodies(t, "PATCH", "/api/recipes/zopf")[0]
		for _, object := range []any{
			patch["recipeIngredient"].([]any)[0].(map[string]any)["food"], patch["recipeIngredient"].([]any)[0].(map[string]any)["unit"],
			patch["tags"].([]any)[0], patch["tags"].([]any)[1],
		} {
			for key := range object.(map[string]any) {
				if key != "id" && key != "name" && key != "slug" && key != "groupId" {
					t.Errorf("%v is sent", object)
				}
			}
		}
		s.Forget()
	})
	t.Run("amounts show, and other settings stay", func(t *testing.T) {
		r := s.recipe(t, "zopf")
		same(t, "displayed", r.RecipeIngredient[0].Display, "2 zcup zflour sifted")
		s.ask(t, "PATCH", "/api/recipes/zopf", `{"settings":{"public":true,"showAssets":true,"disableAmount":true}}`, nil)
		call(t, s.session, "update_recipe", `{"slug":"zopf","description":"Braided"}`)
		same(t, "of another change", s.recipe(t, "zopf").Settings, map[string]bool{"disableAmount": true, "disableComments": false, "landscapeView": false, "locked": false, "public": true, "showAssets": true, "showNutrition": false})
		s.Forget()
		call(t, s.session, "update_recipe", `{"slug":"zopf","ingredients":["1 zcup zflour"]}`)
		if patches := s.bodies(t, "PATCH", "/zopf"); len(patches) != 2 || len(patches[1]["settings"].(map[string]any)) != 7 {
			t.Errorf("sent %v", patches)
		}
		same(t, "of new ingredients", s.recipe(t, "zopf").Settings, map[string]bool{"disableAmount": false, "disableComments": false, "landscapeView": false, "locked": false, "public": true, "showAssets": true, "showNutrition": false})
	})
	t.Run("a name alone", func(t *testing.T) {
		s.expect(t, "create_recipe", `{"name":"Zwieback"}`, `{"slug":"zwieback","name":"Zwieback"}`)
		if r := s.recipe(t, "zwieback"); len(r.RecipeIngredient)+len(r.RecipeInstructions) != 0 {
			t.Errorf("Mealie's sample lines are left: %+v", r)
		}
	})
	t.Run("what parse_ingredients gave", func(t *testing.T) {
		parsed, _ := call(t, s.session, "parse_ingredients", `{"lines":["2 zcup zflour, sifted","500 g nosuchfood"]}`)
		var reply struct{ Items json.RawMessage }
		if err := json.Unmarshal([]byte(parsed), &reply); err != nil {
			t.Fatal(err)
		}
		call(t, s.session, "create_recipe", fmt.Sprintf(`{"name":"Zabaione","ingredients":%s}`, reply.Items))
		var lines []string
		for _, i := range s.recipe(t, "zabaione").RecipeIngredient {
			lines = append(lines, i.line())
		}
		if len(lines) != 2 || lines[0] != "2 [zcup] [zflour] sifted" {
			t.Errorf("got %q", lines)
		}
	})
	t.Run("a line that stands twice", func(t *testing.T) {
		call(t, s.session, "create_recipe", `{"name":"Zwiebelkuchen","ingredients":["1 zcup zflour","1 zcup zflour"]}`)
		lines := s.recipe(t, "zwiebelkuchen").RecipeIngredient
		if len(lines) != 2 || lines[0].ReferenceID == lines[1].ReferenceID {
			t.Errorf("got %+v", lines)
		}
	})
	t.Run("the parser leaves a line out", func(t *testing.T) {
		s.Forget()
		s.fails("POST", "/api/parser/ingredients", 200, 1, `[]`)
		s.refuses(t, "create_recipe", `{"name":"Zwetschgen","ingredients":["1 plum"]}`, "Mealie's parser did not answer for each line: nothing was written")
		same(t, "writes", s.writes(), []string(nil))
	})
	t.Run("the stub cannot be filled in", func(t *testing.T) {
		s.fails("PATCH", "/api/recipes/*", 422, 1, `{"detail":[{"loc":["body","orgURL"],"msg":"Input should be a URL","type":"url"}]}`)
		s.refuses(t, "create_recipe", `{"name":"Zelten","source_url":"x"}`,
			"recipe 'zelten' was created, but could not be filled in: orgURL: Input should be a URL. Complete it with update_recipe or remove it with delete_recipe")
		s.recipe(t, "zelten")
	})
	t.Run("the stub is not made", func(t *testing.T) {
		s.Forget()
		s.fails("POST", "/api/recipes", 500, 0, `{"detail":{"message":"disk full"}}`)
		if text, isError := call(t, s.session, "create_recipe", `{"name":"Zarte"}`); !isError || !strings.HasPrefix(text, "Mealie returned 500: disk full") {
			t.Errorf("got %v %s", isError, text)
		}
		same(t, "writes", s.writes(), []string{`POST /api/recipes {"name":"Zarte"}`})
	})
}

func TestMealieUpdateRecipe(t *testing.T) {
	t.Parallel()
	s := strictly().start(t)
	zesty := s.addName(t, "/api/organizers/tags", "Zesty")
	s.addName(t, "/api/organizers/tags", "Zippy")
	tool := s.addName(t, "/api/organizers/tools", "Zester")
	s.add(t, "Zopf", fmt.Sprintf(`{"description":"Bread","tags":[%s],"tools":[%s],"notes":[{"title":"a","text":"b"}],
		"recipeIngredient":[{"note":"flour"}],"recipeInstructions":[{"text":"Bake.","ingredientReferences":[]}]}`, zesty, tool))
	tags := func() string {
		var names []string
		for _, tag := range s.recipe(t, "zopf").Tags {
			names = append(names, tag.Name)
		}
		return strings.Join(names, " ")
	}
	t.Run("tags are added", func(t *testing.T) {
		s.expect(t, "update_recipe", `{"slug":"zopf","tags":["zippy"]}`, `{"slug":"zopf","name":"Zopf"}`)
		if got := tags(); !strings.Contains(got, "Zesty") || !strings.Contains(got, "Zippy") {
			t.Errorf("the tags are %s", got)
		}
		if body := s.bodies(t, "PATCH", "/zopf"); len(body) != 1 || len(body[0]) != 1 {
			t.Errorf("sent %v", body)
		}
	})
	t.Run("tags are replaced", func(t *testing.T) {
		s.expect(t, "update_recipe", `{"slug":"zopf","tags":["Zippy","Zapped"],"replace_tags":true}`, `{"slug":"zopf","name":"Zopf","note":"created new tags: Zapped"}`)
		if got := tags(); strings.Contains(got, "Zesty") || !strings.Contains(got, "Zapped") {
			t.Errorf("the tags are %s", got)
		}
	})
	t.Run("tags are cleared", func(t *testing.T) {
		s.expect(t, "update_recipe", `{"slug":"zopf","tags":[],"replace_tags":true}`, `{"slug":"zopf","name":"Zopf"}`)
		same(t, "tags", tags(), "")
		if r := s.recipe(t, "zopf"); len(r.Tools) != 1 || r.Description != "Bread" {
			t.Errorf("what was not given has changed: %+v", r)
		}
	})
	t.Run("a change in between is kept", func(t *testing.T) {
		call(t, s.session, "library_stats", `{"resource":"foods"}`) // which keeps recipes
		s.ask(t, "PATCH", "/api/recipes/zopf", fmt.Sprintf(`{"tags":[%s]}`, zesty), nil)
		s.expect(t, "update_recipe", `{"slug":"zopf","tags":["Zippy"]}`, `{"slug":"zopf","name":"Zopf"}`)
		if got := tags(); !strings.Contains(got, "Zesty") {
			t.Errorf("the tags are %s", got)
		}
	})
	t.Run("bodies are replaced", func(t *testing.T) {
		s.expect(t, "update_recipe", `{"slug":"zopf","ingredients":["salt"],"instructions":["Rest."],"notes":[{"text":"n"}],"tools":["zester"]}`, `{"slug":"zopf","name":"Zopf"}`)
		r := s.recipe(t, "zopf")
		if len(r.RecipeIngredient) != 1 || len(r.RecipeInstructions) != 1 || r.RecipeInstructions[0].Text != "Rest." ||
			len(r.Notes) != 1 || r.Notes[0].Text != "n" || len(r.Tools) != 1 {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("renamed", func(t *testing.T) {
		s.expect(t, "update_recipe", `{"slug":"zopf","name":"Zopf with seeds"}`, `{"slug":"zopf-with-seeds","name":"Zopf with seeds","renamed_from":"zopf"}`)
		s.refuses(t, "get_recipe", `{"slug":"zopf"}`, "recipe 'zopf' not found")
	})
	t.Run("nothing to update", func(t *testing.T) {
		s.sent()
		s.refuses(t, "update_recipe", `{"slug":"zopf-with-seeds","replace_tags":true,"description":""}`, "nothing to update: give at least one field of the recipe")
		same(t, "sent", s.sent(), []string(nil))
	})
	t.Run("none", func(t *testing.T) {
		s.refuses(t, "update_recipe", `{"slug":"nosuch","tags":["Znew"]}`, "recipe 'nosuch' not found")
		same(t, "writes", s.writes(), []string(nil))
	})
}

func TestMealieRecipeImages(t *testing.T) {
	t.Parallel()
	config := copyExample(t, mealieExample)
	s := mealieSetup{config: config}.start(t)
	s.add(t, "Zopf", `{"description":"Bread"}`)
	picture := []byte("\x89PNG\r\n\x1a\npicture")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the token is sent to another site")
		}
		if strings.HasSuffix(r.URL.Path, ".png") {
			w.Header().Set("Content-Type", "image/png")
			w.Write(picture)
		}
	}))
	t.Cleanup(web.Close)
	t.Run("by URL", func(t *testing.T) {
		s.expect(t, "set_recipe_image", fmt.Sprintf(`{"slug":"zopf","url":"%s/a.png"}`, web.URL), `{"slug":"zopf","image":"set"}`)
		if s.recipe(t, "zopf").Image == nil {
			t.Error("there is no image")
		}
	})
	t.Run("no image at the URL", func(t *testing.T) {
		s.refuses(t, "set_recipe_image", fmt.Sprintf(`{"slug":"zopf","url":"%s/page"}`, web.URL), "Url is not an image")
	})
	t.Run("no URL", func(t *testing.T) {
		s.refuses(t, "set_recipe_image", `{"slug":"zopf","url":"a.png"}`, `url: must be an absolute URL such as https://example.com/page (got "a.png")`)
	})

	if err := os.WriteFile(filepath.Join(filepath.Dir(config), "images", "zopf.PNG"), picture, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("by file", func(t *testing.T) {
		s.sent()
		s.expect(t, "upload_recipe_image", `{"slug":"zopf","path":"zopf.PNG"}`, `{"slug":"zopf","image":"set"}`)
		sent := s.sent()
		if len(sent) != 1 || !strings.HasPrefix(sent[0], "PUT /api/recipes/zopf/image ") ||
			!strings.Contains(sent[0], `name="extension"`+"\r\n\r\npng\r\n") || !strings.Contains(sent[0], string(picture)) {
			t.Errorf("sent %q", sent)
		}
	})
	for _, tt := range []struct{ name, path, says string }{
		{"not a picture", "../mealie.jq", "its name must end in .jpg, .jpeg, .png, .webp, .gif"},
		{"outside of the folder", "../../pantry/a.png", "must lie in"},
		{"none", "none.png", "does not exist"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.sent()
			text, isError := call(t, s.session, "upload_recipe_image", fmt.Sprintf(`{"slug":"zopf","path":%q}`, tt.path))
			if !isError || !strings.Contains(text, tt.says) {
				t.Errorf("got %v %s", isError, text)
			}
			same(t, "sent", s.sent(), []string(nil))
		})
	}
	t.Run("no recipe", func(t *testing.T) {
		s.refuses(t, "set_recipe_image", fmt.Sprintf(`{"slug":"nosuch","url":"%s/a.png"}`, web.URL), "recipe 'nosuch' not found")
		s.refuses(t, "upload_recipe_image", `{"slug":"nosuch","path":"zopf.PNG"}`, "recipe 'nosuch' not found")
	})
}

func TestMealieBulkTagRecipes(t *testing.T) {
	t.Parallel()
	s := strictly().start(t)
	s.add(t, "Zopf", `{}`)
	s.add(t, "Zelten", `{}`)
	s.addName(t, "/api/organizers/tags", "Zesty")
	t.Run("tags and categories", func(t *testing.T) {
		s.expect(t, "bulk_tag_recipes", `{"slugs":["zopf","zelten"],"tags":["zesty","Znew"],"categories":["Zuppe"]}`,
			`{"recipes":["zopf","zelten"],"tags":["Zesty","Znew"],"categories":["Zuppe"],"note":"created new categories: Zuppe; created new tags: Znew"}`)
		for _, slug := range []string{"zopf", "zelten"} {
			if r := s.recipe(t, slug); len(r.Tags) != 2 || len(r.RecipeCategory) != 1 {
				t.Errorf("got %+v", r)
			}
		}
	})
	t.Run("nothing to add", func(t *testing.T) {
		s.sent()
		s.refuses(t, "bulk_tag_recipes", `{"slugs":["zopf"],"tags":[]}`, "give tags, categories or both")
		same(t, "sent", s.sent(), []string(nil))
	})
	t.Run("the second fails", func(t *testing.T) {
		s.fails("POST", "/api/recipes/bulk-actions/categorize", 422, 1, `{"detail":[{"loc":["body","categories"],"msg":"bad"}]}`)
		text, isError := call(t, s.session, "bulk_tag_recipes", `{"slugs":["zopf"],"tags":["Zesty"],"categories":["Zuppe"]}`)
		if !isError || !strings.HasPrefix(text, "categories: bad") || !strings.Contains(text, "POST /api/recipes/bulk-actions/tag") {
			t.Errorf("got %v %s", isError, text)
		}
	})
}

func TestMealieDeleteRecipe(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	for _, name := range []string{"Zopf", "Zelten", "Zuppa"} {
		s.add(t, name, `{}`)
	}
	t.Run("the slugs differ", func(t *testing.T) {
		s.refuses(t, "delete_recipe", `{"slug":"zopf","confirm_slug":"zelten"}`, "confirm_slug 'zelten' is not slug 'zopf': nothing was deleted")
		same(t, "sent", s.sent(), []string(nil))
	})
	t.Run("deleted", func(t *testing.T) {
		s.expect(t, "delete_recipe", `{"slug":"zopf","confirm_slug":"zopf"}`, `{"deleted":"zopf"}`)
		same(t, "writes", s.writes(), []string{"DELETE /api/recipes/zopf"})
	})
	t.Run("none", func(t *testing.T) {
		s.refuses(t, "delete_recipe", `{"slug":"zopf","confirm_slug":"zopf"}`, "recipe 'zopf' not found")
		same(t, "writes", s.writes(), []string(nil))
	})
	t.Run("gone in between", func(t *testing.T) {
		s.fails("DELETE", "/api/recipes/*", 404, 1, `{"detail":{"message":"No Entry Found"}}`)
		s.refuses(t, "delete_recipe", `{"slug":"zelten","confirm_slug":"zelten"}`, "recipe 'zelten' not found")
		same(t, "writes", s.writes(), []string{"DELETE /api/recipes/zelten"})
	})
	t.Run("by the bulk action", func(t *testing.T) {
		id := s.recipe(t, "zelten").ID
		s.Forget()
		s.fails("DELETE", "/api/recipes/*", 500, 0, `{"detail":{"message":"Unknown Error"}}`)
		s.expect(t, "delete_recipe", `{"slug":"zelten","confirm_slug":"zelten"}`,
			`{"deleted":"zelten","note":"the plain delete failed (Mealie returned 500: Unknown Error), so the bulk delete was used"}`)
		same(t, "writes", s.writes(), []string{"DELETE /api/recipes/zelten", fmt.Sprintf(`POST /api/recipes/bulk-actions/delete {"recipes":["%s"]}`, id)})
		s.refuses(t, "get_recipe", `{"slug":"zelten"}`, "recipe 'zelten' not found")
	})
	t.Run("both fail", func(t *testing.T) {
		s.fails("DELETE", "/api/recipes/*", 503, 0, ``)
		s.fails("POST", "/api/recipes/bulk-actions/delete", 500, 0, ``)
		text, isError := call(t, s.session, "delete_recipe", `{"slug":"zuppa","confirm_slug":"zuppa"}`)
		if !isError || !strings.HasPrefix(text, "Mealie returned 500 — the server is unhealthy") {
			t.Errorf("got %v %s", isError, text)
		}
		if sent := s.writes(); len(sent) != 2 {
			t.Errorf("sent %q", sent)
		}
	})
}

func TestMealieImportRecipe(t *testing.T) {
	t.Parallel()
	s := startMealie(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/recipe":
			fmt.Fprint(w, `<html><script type="application/ld+json">{"@type":"Recipe","name":"Zopf","recipeIngredient":["flour"],"recipeInstructions":["Bake."],"keywords":"Zesty","recipeCategory":"Zuppe"}</script></html>`)
		case "/rendered":
			fmt.Fprint(w, `<html><head><meta property="og:title" content="Zelten"></head><body><div id="app"></div></body></html>`)
		case "/blog":
			fmt.Fprint(w, `<html><body>words</body></html>`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(web.Close)
	args := func(path, more string) string { return fmt.Sprintf(`{"url":"%s%s"%s}`, web.URL, path, more) }

	s.expect(t, "import_recipe_from_url", args("/recipe", ""), `{"slug":"zopf","name":"Zopf"}`)
	if r := s.recipe(t, "zopf"); len(r.Tags) != 1 || len(r.RecipeCategory) != 1 || len(r.RecipeIngredient) != 1 {
		t.Errorf("got %+v", r)
	}
	s.expect(t, "import_recipe_from_url", args("/recipe", `,"include_tags":false,"include_categories":"false"`), `{"slug":"zopf-1","name":"Zopf (1)"}`)
	if r := s.recipe(t, "zopf-1"); len(r.Tags) != 0 || len(r.RecipeCategory) != 0 {
		t.Errorf("got %+v", r)
	}
	s.expect(t, "import_recipe_from_url", args("/rendered", ""), `{"slug":"zelten","name":"Zelten","note":"the page could not be read as a recipe, `+
		`so ingredients or instructions are missing or placeholders: complete it with update_recipe or remove it with delete_recipe"}`)
	for _, path := range []string{"/blog", "/gone"} {
		s.refuses(t, "import_recipe_from_url", args(path, ""), "Mealie could not import that page: it cannot be reached, or holds no recipe")
	}
	s.fails("GET", "/api/recipes/*", 500, 0, ``)
	text, isError := call(t, s.session, "import_recipe_from_url", args("/recipe", ""))
	if !isError || !strings.HasPrefix(text, "recipe 'zopf-2' was imported, but could not be read: Mealie returned 500") {
		t.Errorf("got %v %s", isError, text)
	}
}
