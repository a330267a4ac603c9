package cooked

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Data is all that the API keeps.
type data struct {
	List         list     `json:"shopping_list"`
	Recipes      []string `json:"recipes"`       // the ids of those that are saved
	ImportDrafts []string `json:"import_drafts"` // the ids of those that are not saved yet

	// LastID is the number in the last id given out, so that none comes twice.
	LastID int `json:"last_id"`
}

// A store keeps data in a file, or in memory if it has none.
type store struct {
	file    string
	writing sync.Mutex
	now     atomic.Pointer[data] // nobody changes these
}

// open reads the file, or makes it with a sample list.
func open(file string) (*store, error) {
	s := &store{file: file}
	if file != "" {
		raw, err := os.ReadFile(file)
		if err == nil {
			d, err := decodeData(raw)
			if err != nil {
				return nil, fmt.Errorf("%s does not hold a shopping list: %w", file, err)
			}
			s.now.Store(d)
			return s, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return s, s.save(sample())
}

// read returns the data as they are, for reading only.
func (s *store) read() *data { return s.now.Load() }

// update runs change on a copy of the data, and keeps the copy unless change
// fails. One update runs at a time.
func (s *store) update(change func(*data) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	raw, err := json.Marshal(s.read())
	if err != nil {
		return err
	}
	d, err := decodeData(raw)
	if err != nil {
		return err
	}
	if err := change(d); err != nil {
		return err
	}
	return s.save(d)
}

// save makes d the data, in the file first.
func (s *store) save(d *data) error {
	if s.file != "" {
		raw, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			return err
		}
		if err := replaceFile(s.file, append(raw, '\n')); err != nil {
			return err
		}
	}
	s.now.Store(d)
	return nil
}

func decodeData(raw []byte) (*data, error) {
	d := new(data)
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(d); err != nil {
		return nil, err
	}
	if d.List.Aisles == nil || d.List.Groups == nil {
		return nil, errors.New("it has no aisles or no groups")
	}
	return d, nil
}

// replaceFile writes a file whole or not at all.
func replaceFile(name string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// sample is a list for a taco night.
func sample() *data {
	d := &data{
		List: list{
			Aisles: []aisle{
				{"aisle-produce", "Produce"},
				{"aisle-dairy", "Dairy & Eggs"},
				{"aisle-bakery", "Bakery"},
				{other, "Other"},
			},
			Groups: []*group{},
		},
		Recipes:      []string{"recipe-tacos", "recipe-pancakes"},
		ImportDrafts: []string{"draft-lime-pie"},
	}
	for _, g := range []struct {
		name, quantity, recipe string
		selected               bool
	}{
		{"Tomatoes", "4", "recipe-tacos", false},
		{"Corn tortillas", "12", "recipe-tacos", true},
		{"Milk", "500 ml", "recipe-pancakes", false},
		{"Kitchen foil", "", "", true},
	} {
		row := d.groupOf(g.name)
		row.Quantity = sum(nil, g.quantity)
		row.RecipeIDs = with(row.RecipeIDs, g.recipe)
		row.Selected = g.selected
	}
	return d
}
