package mealie

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"
)

// Data is all that the API keeps.
type data struct {
	Recipes    []*recipe    `json:"recipes"` // the oldest first
	Foods      []*food      `json:"foods"`
	Units      []*unit      `json:"units"`
	Labels     []*label     `json:"labels"`
	Tags       []*organizer `json:"tags"`
	Categories []*organizer `json:"categories"`
	Tools      []*organizer `json:"tools"`
	Cookbooks  []*cookbook  `json:"cookbooks"`
	Plan       []*planEntry `json:"plan"`
	PlanRules  []planRule   `json:"plan_rules"`

	// LastID is the number in the last id given out, so that none comes twice.
	LastID int `json:"last_id"`
}

// The household that everything belongs to.
var (
	groupID     = seedID("group", "home")
	householdID = seedID("household", "family")
	userID      = seedID("user", "cook")
)

// A head is what the rows of all taxonomies have.
type head struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func (h *head) base() *head { return h }

// A noun is what a food and a unit have in common.
type noun struct {
	head
	PluralName  *string        `json:"plural_name,omitempty"`
	Description string         `json:"description,omitempty"`
	Extras      map[string]any `json:"extras"`
	OnHand      bool           `json:"on_hand,omitempty"`
	Aliases     []alias        `json:"aliases"`
}

// A food is what an ingredient is of.
type food struct {
	noun
	LabelID string `json:"label_id,omitempty"`
}

// A unit is what an ingredient is measured in.
type unit struct {
	noun
	Fraction           bool    `json:"fraction,omitempty"`
	Abbreviation       string  `json:"abbreviation,omitempty"`
	PluralAbbreviation *string `json:"plural_abbreviation,omitempty"`
	UseAbbreviation    bool    `json:"use_abbreviation,omitempty"`
}

type alias struct {
	Name string `json:"name"`
}

// A label is an aisle, or another group of foods.
type label struct {
	head
	Color string `json:"color"`
}

// An organizer is a tag, a category or a tool.
type organizer struct {
	head
	OnHand bool `json:"on_hand,omitempty"` // of tools
}

// A recipe refers to its taxonomy by id.
type recipe struct {
	ID            string         `json:"id,omitempty"`
	Name          string         `json:"name,omitempty"`
	Slug          string         `json:"slug,omitempty"`
	Image         *string        `json:"image,omitempty"`
	Servings      float64        `json:"servings,omitempty"`
	YieldQuantity float64        `json:"yield_quantity,omitempty"`
	Yield         *string        `json:"yield,omitempty"`
	TotalTime     *string        `json:"total_time,omitempty"`
	PrepTime      *string        `json:"prep_time,omitempty"`
	CookTime      *string        `json:"cook_time,omitempty"`
	PerformTime   *string        `json:"perform_time,omitempty"`
	Description   *string        `json:"description,omitempty"`
	Categories    []string       `json:"categories"`
	Tags          []string       `json:"tags"`
	Tools         []string       `json:"tools"`
	Rating        *float64       `json:"rating,omitempty"`
	OrgURL        *string        `json:"org_url,omitempty"`
	DateAdded     string         `json:"date_added,omitempty"`
	DateUpdated   time.Time      `json:"date_updated"`
	CreatedAt     time.Time      `json:"created_at"`
	UpdatedAt     time.Time      `json:"updated_at"`
	LastMade      *time.Time     `json:"last_made,omitempty"`
	Ingredients   []ingredient   `json:"ingredients"`
	Steps         []step         `json:"steps"`
	Nutrition     nutrition      `json:"nutrition"`
	Settings      settings       `json:"settings"`
	Assets        []asset        `json:"assets"`
	Notes         []note         `json:"notes"`
	Extras        map[string]any `json:"extras"`
	Comments      []comment      `json:"comments"`

	// Stuck is a recipe whose row cannot be deleted by itself.
	Stuck bool `json:"stuck,omitempty"`
}

// An ingredient is a line of a recipe.
type ingredient struct {
	Quantity     *float64 `json:"quantity,omitempty"`
	UnitID       string   `json:"unit_id,omitempty"`
	FoodID       string   `json:"food_id,omitempty"`
	Note         *string  `json:"note,omitempty"`
	Title        *string  `json:"title,omitempty"`
	OriginalText *string  `json:"original_text,omitempty"`
	ReferenceID  string   `json:"reference_id,omitempty"`
}

// A comment is what somebody says about a recipe.
type comment struct {
	ID        string    `json:"id"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"created_at"`
}

// byID finds a row, or nothing.
func byID[T any, P rowOf[T]](rows []P, id string) P {
	for _, row := range rows {
		if row.base().ID == id {
			return row
		}
	}
	return nil
}

// A rowOf is a pointer to a row with a head.
type rowOf[T any] interface {
	*T
	base() *head
}

// recipe finds a recipe by slug or id.
func (d *data) recipe(key string) *recipe {
	for _, r := range d.Recipes {
		if r.Slug == key || r.ID == key {
			return r
		}
	}
	return nil
}

// remove deletes a recipe and its place in the plan.
func (d *data) remove(gone *recipe) {
	d.Recipes = slices.DeleteFunc(d.Recipes, func(r *recipe) bool { return r == gone })
	d.Plan = slices.DeleteFunc(d.Plan, func(e *planEntry) bool { return e.RecipeID == gone.ID })
}

// newNumber gives out a number.
func (d *data) newNumber() int {
	d.LastID++
	return d.LastID
}

// newID gives out the id of a row. Ids are the same in every run.
func (d *data) newID() string { return seedID("row", fmt.Sprint(d.newNumber())) }

// seedID is the id of a thing of the seed: random to look at, but always the same.
func seedID(kind, name string) string {
	sum := sha256.Sum256([]byte(kind + "/" + name))
	id, _ := uuid.FromBytes(sum[:16])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// letters are those that do not come apart into a letter and an accent.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "Æ", "AE", "ø", "o", "Ø", "O", "œ", "oe", "Œ", "OE", "ł", "l", "Ł", "L")

// plain is a text as it is compared in searches: lower case, without accents.
func plain(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKD.String(letters.Replace(s))))
}

var noSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slugOf makes a slug, which is empty if there is nothing to make it of.
func slugOf(name string) string { return strings.Trim(noSlug.ReplaceAllString(plain(name), "-"), "-") }

// check finds what the handlers rely on and an edited file may lack.
func (d *data) check() error {
	if d.Recipes == nil || d.Foods == nil {
		return errors.New("it has no recipes or no foods")
	}
	for _, r := range d.Recipes {
		if r == nil || r.Slug == "" || r.ID == "" {
			return errors.New("a recipe has no id or no slug")
		}
	}
	return nil
}
