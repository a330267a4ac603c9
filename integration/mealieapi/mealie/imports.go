package mealie

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// maxFetched bounds what is read of a page or an image, in bytes.
const maxFetched = 4 << 20

// serveImports serves what fetches from other sites, and images.
func (a *API) serveImports() {
	a.handleInput("POST /api/recipes/create/url", a.importRecipe)
	a.handleInput("POST /api/recipes/{slug}/image", a.fetchImage)
	a.handle("PUT /api/recipes/{slug}/image", a.uploadImage)
}

// fetch gets a page or an image. The caller's token does not go with it.
func (a *API) fetch(ctx context.Context, url string) (body []byte, contentType string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, "", err
	}
	res, err := a.client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	if res.StatusCode >= 400 {
		return nil, "", fmt.Errorf("the page answers %d", res.StatusCode)
	}
	body, err = io.ReadAll(io.LimitReader(res.Body, maxFetched))
	return body, res.Header.Get("Content-Type"), err
}

// importRecipe is POST /api/recipes/create/url.
func (a *API) importRecipe(r *http.Request, in *input) (reply, error) {
	var url string
	var tags, categories bool
	in.need("url")
	in.text("url", &url)
	in.flag("includeTags", &tags)
	in.flag("includeCategories", &categories)
	if err := in.failed(); err != nil {
		return reply{}, err
	}
	html, _, err := a.fetch(r.Context(), url)
	if err != nil {
		return reply{}, detail(http.StatusBadRequest, map[string]any{"details": "CONNECTION_ERROR"})
	}
	page := scrape(html)
	if page == nil {
		return reply{}, detail(http.StatusBadRequest, map[string]any{"details": "BAD_RECIPE_DATA"})
	}
	return a.change(http.StatusCreated, func(d *data) (any, error) {
		rec, err := d.addRecipe(page.name, a.now())
		if err != nil {
			return nil, err
		}
		page.fill(d, rec)
		rec.OrgURL = &url
		if tags {
			rec.Tags = d.organizersCalled(&d.Tags, page.tags, a.now())
		}
		if categories {
			rec.Categories = d.organizersCalled(&d.Categories, page.categories, a.now())
		}
		return rec.Slug, nil
	})
}

// setImage gives a recipe a new image.
func (a *API) setImage(slug string, show func(key string) any) (reply, error) {
	return a.change(http.StatusOK, func(d *data) (any, error) {
		rec := d.recipe(slug)
		if rec == nil {
			return nil, errNotFound
		}
		key := fmt.Sprintf("%04d", d.newNumber())
		rec.Image, rec.UpdatedAt = &key, a.now().UTC()
		return show(key), nil
	})
}

// fetchImage is POST of an image: its URL.
func (a *API) fetchImage(r *http.Request, in *input) (reply, error) {
	var url string
	in.need("url")
	in.text("url", &url)
	if err := in.failed(); err != nil {
		return reply{}, err
	}
	slug := r.PathValue("slug")
	if a.store.Read().recipe(slug) == nil {
		return reply{}, errNotFound
	}
	body, contentType, err := a.fetch(r.Context(), url)
	if err != nil || len(body) == 0 || !strings.HasPrefix(contentType, "image/") {
		return reply{}, refuse(http.StatusBadRequest, "Url is not an image", "")
	}
	return a.setImage(slug, func(string) any { return nil })
}

// uploadImage is PUT of an image: a form with the file and its extension.
func (a *API) uploadImage(r *http.Request) (reply, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && media == "multipart/form-data" {
		if err := r.ParseMultipartForm(maxBody); err != nil {
			return reply{}, detail(http.StatusBadRequest, "There was an error parsing the body")
		}
		defer r.MultipartForm.RemoveAll()
	}
	var missing problems
	if _, _, err := r.FormFile("image"); err != nil {
		missing = append(missing, problem{"missing", []any{"body", "image"}, "Field required", nil, nil})
	}
	if r.PostFormValue("extension") == "" {
		missing = append(missing, problem{"missing", []any{"body", "extension"}, "Field required", nil, nil})
	}
	if missing != nil {
		return reply{}, missing.failure()
	}
	return a.setImage(r.PathValue("slug"), func(key string) any { return map[string]any{"image": key} })
}
