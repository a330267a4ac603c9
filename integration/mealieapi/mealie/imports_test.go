package mealie

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddymcp/caddymcp/integration/refapi/refapitest"
)

// site serves pages of other people, and checks that nobody shows them a token.
func site(t *testing.T) string {
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("another site was shown the token")
		}
		switch r.URL.Path {
		case "/recipe":
			io.WriteString(w, `<html><head><script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"@type":["Recipe"],"name":"Plum Cake","description":"Old.",
				"recipeYield":["12","12 slices"],"prepTime":"PT15M","cookTime":"PT1H","totalTime":"PT1H15M","keywords":"autumn, Vegetarian","recipeCategory":["Baking","Cake"],
				"recipeIngredient":["200 g plums","3 eggs"],"recipeInstructions":[{"@type":"HowToStep","text":"Mix."},{"@type":"HowToSection","itemListElement":[{"text":"Bake."}]}]}]}</script></head></html>`)
		case "/rendered": // by a browser, from a script
			io.WriteString(w, `<html><head><meta property="og:title" content="Secret Brownies"/><meta property="og:description" content="The best."></head><body><div id="app"></div></body></html>`)
		case "/nothing":
			io.WriteString(w, `<html><script type="application/ld+json">{"@type":"Recipe","name":"No steps"}</script><script type="application/ld+json">{</script></html>`)
		case "/image":
			w.Header().Set("Content-Type", "image/png")
			io.WriteString(w, "\x89PNG")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(ts.Close)
	return ts.URL
}

func TestImport(t *testing.T) {
	s, other := serve(t, Options{}), site(t)
	read := func(path, more string) *refapitest.Reply {
		return s.do("POST", "/api/recipes/create/url", fmt.Sprintf(`{"url":%q%s}`, other+path, more))
	}
	read("/recipe", `,"includeTags":true,"includeCategories":true`).Holds(201, `"plum-cake"`)
	s.get("/api/recipes/plum-cake").Holds(200, `"recipeYield":"12"`, `"prepTime":"15 Minutes"`, `"performTime":"1 Hour"`, `"totalTime":"1 Hour 15 Minutes"`,
		`"name":"autumn"`, `"name":"Vegetarian"`, `"name":"Baking"`, `"name":"Cake"`, `"orgURL":"`+other+`/recipe"`, `"display":"200 g plums"`, `"text":"Mix."`, `"text":"Bake."`)
	if n := s.get("/api/organizers/tags?search=vegetarian"); strings.Count(n.Body, `"slug":"vegetarian"`) != 1 {
		t.Errorf("got %s", n.Body)
	}
	read("/recipe", "").Holds(201, `"plum-cake-1"`)
	s.get("/api/recipes/plum-cake-1").Holds(200, `"tags":[]`, `"recipeCategory":[]`)

	// A page that a browser renders is imported with placeholders.
	read("/rendered", "").Holds(201, `"secret-brownies"`)
	s.get("/api/recipes/secret-brownies").Holds(200, `"description":"The best."`, `"note":"Could not detect ingredients"`, `"text":"Could not detect instructions"`)

	for _, tt := range []struct{ name, path, want string }{
		{"no recipe", "/nothing", `{"detail":{"details":"BAD_RECIPE_DATA"}}`},
		{"no page", "/gone", `{"detail":{"details":"CONNECTION_ERROR"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) { read(tt.path, "").Holds(400, tt.want) })
	}
	s.do("POST", "/api/recipes/create/url", `{"url":"http://127.0.0.1:1/"}`).Holds(400, "CONNECTION_ERROR")
	s.do("POST", "/api/recipes/create/url", `{"url":"no url"}`).Holds(400, "CONNECTION_ERROR")
	s.do("POST", "/api/recipes/create/url", `{}`).Holds(422, `"loc":["body","url"]`)
}

func TestImages(t *testing.T) {
	s, other := serve(t, Options{}), site(t)
	s.get("/api/recipes/spaghetti-carbonara").Holds(200, `"image":null`)
	const path = "/api/recipes/spaghetti-carbonara/image"
	if a := s.do("POST", path, `{"url":"`+other+`/image"}`); a.Status != 200 || a.Body != "null" {
		t.Errorf("got %d %s", a.Status, a.Body)
	}
	first := refapitest.Decode[struct{ Image string }](s.get("/api/recipes/spaghetti-carbonara"), 200).Image
	if first == "" {
		t.Error("there is no image")
	}
	for _, page := range []string{"/rendered", "/gone"} {
		s.do("POST", path, `{"url":"`+other+page+`"}`).Holds(400, `{"detail":{"message":"Url is not an image","error":true,"exception":null}}`)
	}
	s.do("POST", "/api/recipes/none/image", `{"url":"`+other+`/image"}`).Holds(404, `"message":"Not found."`)
	s.do("POST", path, `{}`).Holds(422, `"loc":["body","url"]`)

	form := func(fields map[string]string) (contentType, body string) {
		var buf bytes.Buffer
		w := multipart.NewWriter(&buf)
		for name, value := range fields {
			if name == "image" {
				part, _ := w.CreateFormFile(name, "a.png")
				io.WriteString(part, value)
			} else {
				w.WriteField(name, value)
			}
		}
		w.Close()
		return w.FormDataContentType(), buf.String()
	}
	put := func(path string, fields map[string]string) *refapitest.Reply {
		contentType, body := form(fields)
		return s.as("Bearer "+testToken, "PUT", path, contentType, body)
	}
	second := refapitest.Decode[struct{ Image string }](put(path, map[string]string{"image": "\x89PNG", "extension": "png"}), 200).Image
	if second == "" || second == first {
		t.Errorf("the image was %s and is %s", first, second)
	}
	s.get("/api/recipes/spaghetti-carbonara").Holds(200, `"image":"`+second+`"`)
	put(path, map[string]string{"image": "x"}).Holds(422, `{"detail":[{"type":"missing","loc":["body","extension"],"msg":"Field required","input":null}]}`)
	put(path, map[string]string{"extension": "png"}).Holds(422, `"loc":["body","image"]`)
	put("/api/recipes/none/image", map[string]string{"image": "x", "extension": "png"}).Holds(404)
	s.do("PUT", path, `{"image":"x"}`).Holds(422, `["body","image"]`, `["body","extension"]`)
	s.as("Bearer "+testToken, "PUT", path, "multipart/form-data; boundary=x", "--y").Holds(400, "There was an error parsing the body")
}

func TestSpell(t *testing.T) {
	for in, want := range map[string]string{
		"PT15M": "15 Minutes", "PT1H": "1 Hour", "PT2H1M": "2 Hours 1 Minute", "PT0M": "", "": "", "20 min": "20 min", "P1D": "P1D",
	} {
		if got := spell(in); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
}

// Whatever a page holds, it is read or it is not.
func FuzzScrape(f *testing.F) {
	f.Add([]byte(`<script type="application/ld+json">{"@type":"Recipe","name":"x","recipeIngredient":["a"],"keywords":["b"]}</script>`))
	f.Add([]byte(`<meta property="og:title" content="x"><script type="application/ld+json">[[{"@graph":{"@type":["Recipe"]}}]]`))
	f.Fuzz(func(t *testing.T, page []byte) {
		s := scrape(page)
		if s == nil {
			return
		}
		if s.name == "" || len(s.ingredients)+len(s.steps) == 0 {
			t.Fatalf("%q gives %+v", page, s)
		}
		d := seed(testDay, 0)
		s.fill(d, d.blankRecipe(testDay))
	})
}
