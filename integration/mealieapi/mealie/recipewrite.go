package mealie

import (
	"net/http"
	"slices"
)

// updateRecipe is PATCH and PUT of a recipe. PATCH changes the fields that are
// given, lists as a whole; PUT replaces the row. A new name is a new slug.
func (a *API) updateRecipe(r *http.Request, in *input, whole bool) (reply, error) {
	return a.change(http.StatusOK, func(d *data) (any, error) {
		rec := d.recipe(r.PathValue("slug"))
		w := &recipeWriter{data: d, strict: a.strict}
		if rec == nil {
			w.read(in, d.blankRecipe(a.now()))
			if err := in.failed(); err != nil {
				return nil, err
			}
			return nil, errNoEntry
		}
		changed := *rec
		if whole {
			changed = *d.blankRecipe(a.now())
			changed.ID, changed.CreatedAt, changed.DateAdded, changed.Stuck = rec.ID, rec.CreatedAt, rec.DateAdded, rec.Stuck
			changed.Comments = rec.Comments
		}
		w.read(in, &changed)
		if err := in.failed(); err != nil {
			return nil, err
		}
		if w.err != nil {
			return nil, w.err
		}
		if changed.Name == "" {
			return nil, errUnknown
		}
		if _, named := in.in["name"]; named {
			changed.Slug = slugOf(changed.Name)
		}
		if other := d.recipe(changed.Slug); other != nil && other != rec {
			return nil, errExists
		}
		if changed.Slug == "" {
			return nil, refuse(http.StatusInternalServerError, "Unknown Error", "ValueError")
		}
		changed.UpdatedAt, changed.DateUpdated = a.now().UTC(), a.now().UTC()
		*rec = changed
		return d.full(rec), nil
	})
}

// A recipeWriter reads a recipe from a request.
type recipeWriter struct {
	*data
	strict bool
	err    error // what a valid body fails with
}

func (w *recipeWriter) read(in *input, r *recipe) {
	var name *string
	if in.optional("name", &name); name != nil {
		r.Name = *name
	}
	in.optional("recipeYield", &r.Yield)
	in.optional("totalTime", &r.TotalTime)
	in.optional("prepTime", &r.PrepTime)
	in.optional("cookTime", &r.CookTime)
	in.optional("performTime", &r.PerformTime)
	in.optional("description", &r.Description)
	in.optional("orgURL", &r.OrgURL)
	in.number("rating", &r.Rating)
	servings, quantity := &r.Servings, &r.YieldQuantity
	in.number("recipeServings", &servings)
	in.number("recipeYieldQuantity", &quantity)
	r.Servings, r.YieldQuantity = orZero(servings), orZero(quantity)
	w.organizers(in, "recipeCategory", w.Categories, &r.Categories, "name", "slug")
	w.organizers(in, "tags", w.Tags, &r.Tags, "name", "slug")
	w.organizers(in, "tools", w.Tools, &r.Tools, "id", "name", "slug")
	w.ingredients(in, r)
	w.steps(in, r)
	w.rest(in, r)
}

// organizers takes a list of tags, categories or tools.
func (w *recipeWriter) organizers(in *input, key string, rows []*organizer, into *[]string, required ...string) {
	ids := []string{}
	given := in.list(key, func(o *input) {
		o.need(required...)
		var id, name, slug string
		o.id("id", true, &id)
		o.text("name", &name)
		o.text("slug", &slug)
		w.writable(o)
		for _, row := range rows {
			if row.ID == id || id == "" && slugOf(row.Name) == slug {
				if !slices.Contains(ids, row.ID) {
					ids = append(ids, row.ID)
				}
				return
			}
		}
		w.err = errUnknown // such a row would have to be made, and has no group
	})
	if given {
		*into = ids
	}
}

// readOnly are the keys that a read of a taxonomy gives and that some versions
// fail on when they come back.
var readOnly = []string{
	"createdAt", "updatedAt", "householdsWithIngredientFood", "householdsWithTool", "label", "aliases", "extras", "recipes",
}

// writable fails on read-only keys, if the API is strict.
func (w *recipeWriter) writable(in *input) {
	for _, key := range readOnly {
		if _, given := in.in[key]; given && w.strict {
			w.err = refuse(http.StatusInternalServerError, "Unknown Error", "TypeError")
		}
	}
}

// ingredients takes the list of ingredients, whose foods and units have to
// exist.
func (w *recipeWriter) ingredients(in *input, r *recipe) {
	lines := []ingredient{}
	given := in.list("recipeIngredient", func(i *input) {
		line := ingredient{Quantity: new(1.0), Note: new(""), ReferenceID: w.newID()}
		i.number("quantity", &line.Quantity)
		i.optional("note", &line.Note)
		i.optional("title", &line.Title)
		i.optional("originalText", &line.OriginalText)
		i.id("referenceId", false, &line.ReferenceID)
		line.UnitID = w.reference(i.object("unit", "IngredientUnit"))
		if line.UnitID != "" && byID(w.Units, line.UnitID) == nil {
			w.err = errUnknown
		}
		line.FoodID = w.reference(i.object("food", "IngredientFood"))
		if line.FoodID != "" && byID(w.Foods, line.FoodID) == nil {
			w.err = errUnknown
		}
		lines = append(lines, line)
	})
	if given {
		r.Ingredients = lines
	}
}

// reference is the id of a food or a unit, which needs a name too.
func (w *recipeWriter) reference(in *input) string {
	if in == nil {
		return ""
	}
	var id, name string
	in.need("id", "name")
	in.id("id", false, &id)
	in.text("name", &name)
	w.writable(in)
	return id
}

func (w *recipeWriter) steps(in *input, r *recipe) {
	steps := []step{}
	given := in.list("recipeInstructions", func(i *input) {
		s := step{ID: w.newID(), Title: new(""), References: []stepReference{}}
		i.need("text", "ingredientReferences")
		i.id("id", true, &s.ID)
		i.optional("title", &s.Title)
		i.optional("summary", &s.Summary)
		i.text("text", &s.Text)
		i.list("ingredientReferences", func(ref *input) {
			var id string
			if ref.id("referenceId", true, &id); id == "" {
				s.References = append(s.References, stepReference{})
				return
			}
			s.References = append(s.References, stepReference{&id})
		})
		if s.ID == "" {
			s.ID = w.newID()
		}
		steps = append(steps, s)
	})
	if given {
		r.Steps = steps
	}
}

// rest takes what only the web interface edits.
func (w *recipeWriter) rest(in *input, r *recipe) {
	if n := in.object("nutrition"); n != nil {
		to := &r.Nutrition
		n.optional("calories", &to.Calories)
		n.optional("carbohydrateContent", &to.Carbohydrate)
		n.optional("cholesterolContent", &to.Cholesterol)
		n.optional("fatContent", &to.Fat)
		n.optional("fiberContent", &to.Fiber)
		n.optional("proteinContent", &to.Protein)
		n.optional("saturatedFatContent", &to.SaturatedFat)
		n.optional("sodiumContent", &to.Sodium)
		n.optional("sugarContent", &to.Sugar)
		n.optional("transFatContent", &to.TransFat)
		n.optional("unsaturatedFatContent", &to.UnsaturatedFat)
	}
	if s := in.object("settings"); s != nil {
		to := &r.Settings
		s.flag("public", &to.Public)
		s.flag("showNutrition", &to.ShowNutrition)
		s.flag("showAssets", &to.ShowAssets)
		s.flag("landscapeView", &to.LandscapeView)
		s.flag("disableComments", &to.DisableComments)
		s.flag("disableAmount", &to.DisableAmount)
		s.flag("locked", &to.Locked)
	}
	assets := []asset{}
	if in.list("assets", func(i *input) {
		var a asset
		i.need("name", "icon")
		i.text("name", &a.Name)
		i.text("icon", &a.Icon)
		i.optional("fileName", &a.FileName)
		assets = append(assets, a)
	}) {
		r.Assets = assets
	}
	notes := []note{}
	if in.list("notes", func(i *input) {
		var n note
		i.need("title", "text")
		i.text("title", &n.Title)
		i.text("text", &n.Text)
		notes = append(notes, n)
	}) {
		r.Notes = notes
	}
	if e := in.object("extras"); e != nil {
		r.Extras = e.in
	}
}

func orZero(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}
