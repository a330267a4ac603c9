package pantry

import (
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	d := seed(testDay)
	for _, tt := range []struct {
		name  string
		found string
		close []string // the first of the close matches, if it is not found
	}{
		{"Garlic", "Garlic", nil},
		{"GARLIC CLOVES", "Garlic", nil},
		{"milk", "Whole milk", nil}, // an alias, although "Coconut milk" has the word
		{"shrimps", "", []string{"Prawns"}},
		{"rice", "Jasmine rice", nil},
		{"brown rice", "", []string{"Rice noodles", "Jasmine rice"}},
		{"potatoe", "", []string{"Potatoes"}},
		{"oil", "", []string{"Sesame oil", "Olive oil"}},
		{"mince", "", []string{"Pork mince", "Beef mince"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, miss := find(d.Ingredients, "ingredient", tt.name)
			switch {
			case tt.found != "":
				if miss != nil || found.Name != tt.found {
					t.Errorf("got %+v %+v", found, miss)
				}
			case miss == nil:
				t.Errorf("got %s", found.Name)
			default:
				got := slices.Clone(miss.matches[:min(len(miss.matches), len(tt.close))])
				slices.Sort(got)
				slices.Sort(tt.close)
				if !slices.Equal(got, tt.close) {
					t.Errorf("close matches are %v, want %v first", miss.matches, tt.close)
				}
			}
		})
	}
}

// A name goes before another thing's alias.
func TestFindPrefersNames(t *testing.T) {
	all := []*ingredient{{Name: "Chicken thighs", Aliases: []string{"chicken"}}, {Name: "Chicken"}}
	if found, miss := find(all, "ingredient", "chicken"); miss != nil || found.Name != "Chicken" {
		t.Errorf("got %+v %+v", found, miss)
	}
}

func TestFindListsFew(t *testing.T) {
	var all []*ingredient
	for _, n := range strings.Fields("a b c d e f g h") {
		all = append(all, &ingredient{Name: "Jar " + n})
	}
	if _, miss := find(all, "ingredient", "jar"); len(miss.matches) != maxMatches {
		t.Errorf("got %v", miss.matches)
	}
}
