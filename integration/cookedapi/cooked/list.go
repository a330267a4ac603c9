package cooked

import (
	"net/http"
	"slices"
	"strings"
)

// other is the aisle of what belongs to no other.
const other = "aisle-other"

// A list is the shopping list, as the API gives it.
type list struct {
	Aisles []aisle  `json:"aisles"`
	Groups []*group `json:"groups"`
}

// An aisle is a part of the shop.
type aisle struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// A group is a product with all the ingredients that ask for it.
type group struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Quantity       *string  `json:"quantity"`
	Selected       bool     `json:"selected"`
	AisleID        string   `json:"aisle_id"`
	RecipeIDs      []string `json:"recipe_ids"`
	ImportDraftIDs []string `json:"import_draft_ids"`
}

// find returns the group with an id, or refuses.
func (l *list) find(id string) (*group, error) {
	for _, g := range l.Groups {
		if g.ID == id {
			return g, nil
		}
	}
	return nil, refuse(http.StatusNotFound, "no product group has the id '%s'", id)
}

// findAll refuses if one of the ids is not there.
func (l *list) findAll(ids []string) error {
	for _, id := range ids {
		if _, err := l.find(id); err != nil {
			return err
		}
	}
	return nil
}

// replaceGroup replaces the row of a product group: a field that is not given
// is lost. Where it came from stays.
func replaceGroup(d *data, r *http.Request) (any, error) {
	g, err := d.List.find(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	var row struct {
		Name     string  `json:"name"`
		Quantity *string `json:"quantity"`
		Selected bool    `json:"selected"`
		AisleID  string  `json:"aisle_id"`
	}
	if err := decode(r, &row); err != nil {
		return nil, err
	}
	if row.Name = strings.TrimSpace(row.Name); row.Name == "" {
		return nil, refuse(http.StatusBadRequest, "a product group needs a name")
	}
	if row.Quantity != nil && *row.Quantity == "" {
		row.Quantity = nil
	}
	if row.AisleID == "" {
		row.AisleID = other
	}
	if !slices.ContainsFunc(d.List.Aisles, func(a aisle) bool { return a.ID == row.AisleID }) {
		return nil, refuse(http.StatusBadRequest, "no aisle has the id '%s'", row.AisleID)
	}
	g.Name, g.Quantity, g.Selected, g.AisleID = row.Name, row.Quantity, row.Selected, row.AisleID
	return g, nil
}

// replaceSelection selects the groups with these ids, and no others.
func replaceSelection(d *data, r *http.Request) (any, error) {
	var selection struct {
		IDs []string `json:"ids"`
	}
	if err := decode(r, &selection); err != nil {
		return nil, err
	}
	if selection.IDs == nil {
		return nil, refuse(http.StatusBadRequest, "ids is required: the whole selection")
	}
	if err := d.List.findAll(selection.IDs); err != nil {
		return nil, err
	}
	selected := []string{}
	for _, g := range d.List.Groups {
		if g.Selected = slices.Contains(selection.IDs, g.ID); g.Selected {
			selected = append(selected, g.ID)
		}
	}
	return map[string]any{"ids": selected}, nil
}

// removeGroups removes the groups that the query names, all of them or none.
func removeGroups(d *data, r *http.Request) (any, error) {
	ids := r.URL.Query()["id"]
	if len(ids) == 0 {
		return nil, refuse(http.StatusBadRequest, "id is required: which product groups to remove")
	}
	if err := d.List.findAll(ids); err != nil {
		return nil, err
	}
	d.List.Groups = slices.DeleteFunc(d.List.Groups, func(g *group) bool { return slices.Contains(ids, g.ID) })
	return nil, nil
}

// clearList removes all groups.
func clearList(d *data, _ *http.Request) (any, error) {
	d.List.Groups = []*group{}
	return nil, nil
}
