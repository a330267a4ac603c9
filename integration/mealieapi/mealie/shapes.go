package mealie

import (
	"time"
)

// A recipeSummary is a recipe in a list.
type recipeSummary struct {
	ID             string      `json:"id"`
	UserID         string      `json:"userId"`
	HouseholdID    string      `json:"householdId"`
	GroupID        string      `json:"groupId"`
	Name           string      `json:"name"`
	Slug           string      `json:"slug"`
	Image          *string     `json:"image"`
	Servings       float64     `json:"recipeServings"`
	YieldQuantity  float64     `json:"recipeYieldQuantity"`
	RecipeYield    *string     `json:"recipeYield"`
	TotalTime      *string     `json:"totalTime"`
	PrepTime       *string     `json:"prepTime"`
	CookTime       *string     `json:"cookTime"`
	PerformTime    *string     `json:"performTime"`
	Description    *string     `json:"description"`
	RecipeCategory []tagInfo   `json:"recipeCategory"`
	Tags           []tagInfo   `json:"tags"`
	Tools          []*toolInfo `json:"tools"`
	Rating         *float64    `json:"rating"`
	OrgURL         *string     `json:"orgURL"`
	DateAdded      string      `json:"dateAdded"`
	DateUpdated    time.Time   `json:"dateUpdated"`
	CreatedAt      time.Time   `json:"createdAt"`
	UpdatedAt      time.Time   `json:"updatedAt"`
	LastMade       *time.Time  `json:"lastMade"`
}

// A recipeInfo is a recipe in full.
type recipeInfo struct {
	recipeSummary
	Ingredients  []ingredientInfo `json:"recipeIngredient"`
	Instructions []step           `json:"recipeInstructions"`
	Nutrition    nutrition        `json:"nutrition"`
	Settings     settings         `json:"settings"`
	Assets       []asset          `json:"assets"`
	Notes        []note           `json:"notes"`
	Extras       map[string]any   `json:"extras"`
	Comments     []commentInfo    `json:"comments"`
}

type tagInfo struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
}

type toolInfo struct {
	tagInfo
	OnHand     bool     `json:"onHand"`
	Households []string `json:"householdsWithTool"`
}

// A nounInfo is a food or a unit, which has no id and no times if it is only
// guessed.
type nounInfo struct {
	ID          *string        `json:"id"`
	Name        string         `json:"name"`
	PluralName  *string        `json:"pluralName"`
	Description string         `json:"description"`
	Extras      map[string]any `json:"extras"`
	OnHand      bool           `json:"onHand"`
	Aliases     []alias        `json:"aliases"`
	CreatedAt   *time.Time     `json:"createdAt"`
	UpdatedAt   *time.Time     `json:"updatedAt"`
}

type foodInfo struct {
	nounInfo
	LabelID    *string    `json:"labelId"`
	Households []string   `json:"householdsWithIngredientFood"`
	Label      *labelInfo `json:"label"`
}

type unitInfo struct {
	nounInfo
	Fraction           bool    `json:"fraction"`
	Abbreviation       string  `json:"abbreviation"`
	PluralAbbreviation *string `json:"pluralAbbreviation"`
	UseAbbreviation    bool    `json:"useAbbreviation"`
}

type labelInfo struct {
	Name    string `json:"name"`
	Color   string `json:"color"`
	GroupID string `json:"groupId"`
	ID      string `json:"id"`
}

type ingredientInfo struct {
	Quantity      *float64  `json:"quantity"`
	Unit          *unitInfo `json:"unit"`
	Food          *foodInfo `json:"food"`
	Note          *string   `json:"note"`
	IsFood        bool      `json:"isFood"`
	DisableAmount bool      `json:"disableAmount"`
	Display       string    `json:"display"`
	Title         *string   `json:"title"`
	OriginalText  *string   `json:"originalText"`
	ReferenceID   string    `json:"referenceId"`
}

// A step is kept as it is shown.
type step struct {
	ID         string          `json:"id"`
	Title      *string         `json:"title"`
	Summary    *string         `json:"summary"`
	Text       string          `json:"text"`
	References []stepReference `json:"ingredientReferences"`
}

type stepReference struct {
	ReferenceID *string `json:"referenceId"`
}

type nutrition struct {
	Calories       *string `json:"calories"`
	Carbohydrate   *string `json:"carbohydrateContent"`
	Cholesterol    *string `json:"cholesterolContent"`
	Fat            *string `json:"fatContent"`
	Fiber          *string `json:"fiberContent"`
	Protein        *string `json:"proteinContent"`
	SaturatedFat   *string `json:"saturatedFatContent"`
	Sodium         *string `json:"sodiumContent"`
	Sugar          *string `json:"sugarContent"`
	TransFat       *string `json:"transFatContent"`
	UnsaturatedFat *string `json:"unsaturatedFatContent"`
}

type settings struct {
	Public          bool `json:"public"`
	ShowNutrition   bool `json:"showNutrition"`
	ShowAssets      bool `json:"showAssets"`
	LandscapeView   bool `json:"landscapeView"`
	DisableComments bool `json:"disableComments"`
	DisableAmount   bool `json:"disableAmount"`
	Locked          bool `json:"locked"`
}

type asset struct {
	Name     string  `json:"name"`
	Icon     string  `json:"icon"`
	FileName *string `json:"fileName"`
}

type note struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

type commentInfo struct {
	RecipeID  string    `json:"recipeId"`
	Text      string    `json:"text"`
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	UserID    string    `json:"userId"`
	User      userBase  `json:"user"`
}

type userBase struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Admin    bool   `json:"admin"`
	FullName string `json:"fullName"`
}

// summary shows a recipe as lists do.
func (d *data) summary(r *recipe) recipeSummary {
	s := recipeSummary{
		ID: r.ID, UserID: userID, HouseholdID: householdID, GroupID: groupID,
		Name: r.Name, Slug: r.Slug, Image: r.Image, Servings: r.Servings, YieldQuantity: r.YieldQuantity, RecipeYield: r.Yield,
		TotalTime: r.TotalTime, PrepTime: r.PrepTime, CookTime: r.CookTime, PerformTime: r.PerformTime,
		Description: r.Description, RecipeCategory: tagInfos(d.Categories, r.Categories), Tags: tagInfos(d.Tags, r.Tags),
		Tools: []*toolInfo{}, Rating: r.Rating, OrgURL: r.OrgURL,
		DateAdded: r.DateAdded, DateUpdated: r.DateUpdated, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, LastMade: r.LastMade,
	}
	for _, id := range r.Tools {
		if t := byID(d.Tools, id); t != nil {
			s.Tools = append(s.Tools, showTool(t))
		}
	}
	return s
}

// full shows all of a recipe.
func (d *data) full(r *recipe) recipeInfo {
	info := recipeInfo{
		recipeSummary: d.summary(r), Ingredients: []ingredientInfo{}, Instructions: r.Steps, Nutrition: r.Nutrition,
		Settings: r.Settings, Assets: r.Assets, Notes: r.Notes, Extras: r.Extras, Comments: []commentInfo{},
	}
	for _, i := range r.Ingredients {
		info.Ingredients = append(info.Ingredients, d.showIngredient(i, r.Settings.DisableAmount))
	}
	for _, c := range r.Comments {
		info.Comments = append(info.Comments, commentInfo{
			RecipeID: r.ID, Text: c.Text, ID: c.ID, CreatedAt: c.CreatedAt, UpdatedAt: c.CreatedAt, UserID: userID,
			User: userBase{ID: userID, Username: username, Admin: true, FullName: fullName},
		})
	}
	return info
}

func (d *data) showIngredient(i ingredient, disableAmount bool) ingredientInfo {
	info := ingredientInfo{
		Quantity: i.Quantity, Note: i.Note, IsFood: !disableAmount, DisableAmount: disableAmount,
		Title: i.Title, OriginalText: i.OriginalText, ReferenceID: i.ReferenceID,
	}
	if u := byID(d.Units, i.UnitID); u != nil {
		info.Unit = showUnit(u)
	}
	if f := byID(d.Foods, i.FoodID); f != nil {
		info.Food = d.showFood(f)
	}
	info.Display = info.display()
	return info
}

func (n *noun) show() nounInfo {
	return nounInfo{
		ID: &n.ID, Name: n.Name, PluralName: n.PluralName, Description: n.Description, Extras: n.Extras, OnHand: n.OnHand,
		Aliases: n.Aliases, CreatedAt: &n.CreatedAt, UpdatedAt: &n.UpdatedAt,
	}
}

// guessed shows a food or a unit that nobody made.
func guessed(name string) nounInfo {
	return nounInfo{Name: name, Extras: map[string]any{}, Aliases: []alias{}}
}

func (d *data) showFood(f *food) *foodInfo {
	info := &foodInfo{nounInfo: f.show(), Households: []string{}}
	if l := byID(d.Labels, f.LabelID); l != nil {
		info.LabelID, info.Label = &l.ID, showLabel(l)
	}
	return info
}

func showUnit(u *unit) *unitInfo {
	return &unitInfo{u.show(), u.Fraction, u.Abbreviation, u.PluralAbbreviation, u.UseAbbreviation}
}

func showLabel(l *label) *labelInfo {
	return &labelInfo{Name: l.Name, Color: l.Color, GroupID: groupID, ID: l.ID}
}

func showTag(o *organizer) tagInfo { return tagInfo{o.ID, o.Name, slugOf(o.Name)} }

func showTool(o *organizer) *toolInfo {
	return &toolInfo{tagInfo: showTag(o), OnHand: o.OnHand, Households: []string{}}
}

// tagInfos shows the organizers with these ids, without any that is gone.
func tagInfos(rows []*organizer, ids []string) []tagInfo {
	infos := []tagInfo{}
	for _, id := range ids {
		if o := byID(rows, id); o != nil {
			infos = append(infos, showTag(o))
		}
	}
	return infos
}
