package farm

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// data are the farms, as the file has them. Rows are in the order in which
// lists show them.
type data struct {
	Farms     []farm      `json:"farms"`
	Users     []*user     `json:"users"`
	Grades    []*grade    `json:"grades"`
	Flocks    []*flock    `json:"flocks"`
	Lots      []*lot      `json:"lots"`
	Movements []*movement `json:"movements"`
	Entries   []*entry    `json:"entries"`
}

// A farm has a clock of its own.
type farm struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	UTCOffset int    `json:"utcOffset"` // in hours
}

// A grade is a class of eggs. Its name is the farm's only one, in any case.
type grade struct {
	ID     string `json:"id"`
	FarmID string `json:"farmId"`
	Name   string `json:"name"`
	Status string `json:"status"` // Active, Retired
	Notes  string `json:"notes"`
}

// A flock is a group of hens. Several may have one name.
type flock struct {
	ID           string `json:"id"`
	FarmID       string `json:"farmId"`
	HouseID      string `json:"houseId"`
	Name         string `json:"name"`
	Breed        string `json:"breed"`
	Status       string `json:"status"` // Active, Depleted
	PlacedOn     string `json:"placedOn"`
	InitialCount int    `json:"initialCount"`
	BirdsRemoved int    `json:"birdsRemoved"`
	Notes        string `json:"notes"`
	CreatedBy    string `json:"createdBy"`
}

// A lot is the eggs of one grade that a flock laid on one day.
type lot struct {
	ID          string `json:"id"`
	FlockID     string `json:"flockId"`
	GradeID     string `json:"gradeId"`
	CollectedOn string `json:"collectedOn"`
	Quantity    int    `json:"quantity"`
	Remaining   int    `json:"remaining"`
	Status      string `json:"status"` // Open, Empty
	Notes       string `json:"notes"`
	CreatedBy   string `json:"createdBy"`
}

// A movement is a line in the ledger of a lot.
type movement struct {
	ID            string `json:"id"`
	LotID         string `json:"lotId"`
	OccurredAt    string `json:"occurredAt"`
	Type          string `json:"type"`          // Collected, Sold, Discarded
	Quantity      int    `json:"quantity"`      // negative for what leaves
	ReferenceType string `json:"referenceType"` // DailyEntry, Sale, or empty
	ReferenceID   string `json:"referenceId"`
	Reason        string `json:"reason"`
	RecordedBy    string `json:"recordedBy"`
}

// An entry is what a flock did on one day.
type entry struct {
	ID           string   `json:"id"`
	FlockID      string   `json:"flockId"`
	Date         string   `json:"date"`
	Status       string   `json:"status"` // Recorded, Adjusted, Voided
	Eggs         []eggs   `json:"eggs"`
	Mortality    int      `json:"mortality"`
	FeedKg       float64  `json:"feedKg"`
	AdjustReason string   `json:"adjustReason"`
	AdjustedFrom *earlier `json:"adjustedFrom"`
	VoidReason   string   `json:"voidReason"`
	Notes        []string `json:"notes"`
	RecordedBy   string   `json:"recordedBy"`
}

// eggs is how many of a grade were laid.
type eggs struct {
	GradeID string `json:"gradeId"`
	Count   int    `json:"count"`
}

// earlier is what an entry said before it was adjusted.
type earlier struct {
	Mortality int    `json:"mortality"`
	Notes     string `json:"notes"`
}

// check finds what an edited file may lack: every id that is named is there.
func (d *data) check() error {
	if len(d.Farms) == 0 || len(d.Users) == 0 {
		return errors.New("it has no farms or no users")
	}
	known := map[string]bool{}
	for _, f := range d.Farms {
		known[f.ID] = true
	}
	var missing []string
	need := func(ids ...string) {
		missing = append(missing, slices.DeleteFunc(ids, func(id string) bool { return known[id] })...)
	}
	for _, g := range d.Grades {
		need(g.FarmID)
		known[g.ID] = true
	}
	for _, f := range d.Flocks {
		need(f.FarmID)
		known[f.ID], known[f.HouseID] = true, true
	}
	for _, u := range d.Users {
		need(slices.Concat(u.Farms, u.Flocks, u.Houses)...)
	}
	for _, l := range d.Lots {
		need(l.FlockID, l.GradeID)
		known[l.ID] = true
	}
	for _, m := range d.Movements {
		need(m.LotID)
	}
	for _, e := range d.Entries {
		need(e.FlockID)
		for _, laid := range e.Eggs {
			need(laid.GradeID)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("there is nothing with the id '%s'", missing[0])
	}
	return nil
}

// today is the date of the farm's clock.
func (d *data) today(farmID string, now time.Time) string {
	i := slices.IndexFunc(d.Farms, func(f farm) bool { return f.ID == farmID })
	return now.In(time.FixedZone("", d.Farms[i].UTCOffset*60*60)).Format(time.DateOnly)
}

// byID finds a row, which may not be there.
func byID[T any](rows []*T, id func(*T) string, want string) *T {
	for _, row := range rows {
		if id(row) == want {
			return row
		}
	}
	return nil
}

func (d *data) flock(id string) *flock {
	return byID(d.Flocks, func(f *flock) string { return f.ID }, id)
}

func (d *data) grade(id string) *grade {
	return byID(d.Grades, func(g *grade) string { return g.ID }, id)
}

func (d *data) lot(id string) *lot {
	return byID(d.Lots, func(l *lot) string { return l.ID }, id)
}
