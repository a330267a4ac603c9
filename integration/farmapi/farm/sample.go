package farm

import (
	"fmt"
	"time"
)

// Canary is a word in every text of the sample that people of the farm wrote
// and that is no name. It shows where such a text has got to.
const Canary = "FUCHSIACANARY"

// sharedName is the name of thirty flocks.
const sharedName = "Layer House"

// A sampler makes the sample. Its ids are the same every time.
type sampler struct {
	data
	houses int
}

// sample is the data of two farms of one owner, and of a neighbour's.
func sample() *data {
	s := &sampler{}
	for i, name := range []string{"Hill Farm", "Lake Farm", "Neighbour's Farm"} {
		s.Farms = append(s.Farms, farm{id("fa200000", i+1), name, 0})
	}
	hill, lake, other := s.Farms[0].ID, s.Farms[1].ID, s.Farms[2].ID

	large, medium, small := s.grade(hill, "Large"), s.grade(hill, "Medium"), s.grade(hill, "Small")
	s.grade(hill, "Cracked")
	jumbo := s.grade(lake, "Jumbo")
	s.grade(lake, "cracked")
	foreign := s.grade(other, "Duck")

	north := s.flock(hill, "North House", "Active")
	south := s.flock(hill, "South House", "Active")
	orchard := s.flock(hill, "Orchard", "Active")
	pond := s.flock(lake, "Pond House", "Active")
	away := s.flock(other, "Neighbour's House", "Active")
	for i := range 30 {
		s.flock(hill, sharedName, []string{"Active", "Depleted"}[i%2])
	}

	// North's first lot has a ledger of 41 movements.
	ledger := s.lot(north, large, 0, 400)
	for i := range 40 {
		s.move(ledger, "Sold", -5, "Sale", i+1)
	}
	// Of the small eggs, 30 are North's and 70 are South's.
	s.lot(north, small, 1, 30)
	s.lot(south, small, 1, 70)
	for day := range 70 {
		s.entry(south, day, large, medium)
		if day < 50 {
			s.entry(north, day, large, medium)
			s.lot(south, large, day, 20)
			s.lot(south, medium, day, 10)
		}
	}
	s.lot(orchard, medium, 2, 40)
	s.lot(pond, jumbo, 2, 50)
	s.lot(away, foreign, 2, 60)
	s.entry(orchard, 2, medium)
	s.entry(pond, 2, jumbo)
	s.entry(away, 2, foreign)

	both := []string{hill, lake}
	s.Users = []*user{
		{Name: "owner", Role: owner, Farms: both},
		{Name: "manager", Role: manager, Farms: both},
		{Name: "worker", Role: worker, Farms: both, Flocks: []string{north.ID}, Houses: []string{orchard.HouseID}},
		{Name: "sales", Role: sales, Farms: both},
		{Name: "neighbour", Role: owner, Farms: []string{other}},
	}
	for _, u := range s.Users {
		u.Email = u.Name + "@farm.example"
	}
	return &s.data
}

// date is so many days before the sample's last.
func date(before int) string {
	return time.Date(2026, time.November, 20, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -before).Format(time.DateOnly)
}

func (s *sampler) grade(farmID, name string) *grade {
	g := &grade{ID: id("96ade000", len(s.Grades)+1), FarmID: farmID, Name: name, Status: "Active", Notes: "for the shop, " + Canary}
	s.Grades = append(s.Grades, g)
	return g
}

// flock adds a flock in a house of its own.
func (s *sampler) flock(farmID, name, status string) *flock {
	s.houses++
	f := &flock{
		ID:           id("f10c0000", len(s.Flocks)+1),
		FarmID:       farmID,
		HouseID:      id("40050000", s.houses),
		Name:         name,
		Breed:        "Lohmann " + Canary,
		Status:       status,
		PlacedOn:     date(200),
		InitialCount: 500,
		BirdsRemoved: 12,
		Notes:        "shy, " + Canary,
		CreatedBy:    "manager@farm.example",
	}
	s.Flocks = append(s.Flocks, f)
	return f
}

// lot adds a lot, and its first movement.
func (s *sampler) lot(f *flock, g *grade, before, quantity int) *lot {
	l := &lot{
		ID:          id("e6610000", len(s.Lots)+1),
		FlockID:     f.ID,
		GradeID:     g.ID,
		CollectedOn: date(before),
		Status:      "Open",
		Notes:       "in the cold room, " + Canary,
		CreatedBy:   "manager@farm.example",
	}
	s.Lots = append(s.Lots, l)
	s.move(l, "Collected", quantity, "DailyEntry", len(s.Lots))
	l.Quantity = quantity
	return l
}

// move adds a movement n minutes after six o'clock.
func (s *sampler) move(l *lot, kind string, quantity int, reference string, n int) {
	l.Remaining += quantity
	s.Movements = append(s.Movements, &movement{
		ID:            id("30e00000", len(s.Movements)+1),
		LotID:         l.ID,
		OccurredAt:    fmt.Sprintf("%sT%02d:%02d:00Z", l.CollectedOn, 6+n/60, n%60),
		Type:          kind,
		Quantity:      quantity,
		ReferenceType: reference,
		ReferenceID:   id("4ef00000", n),
		Reason:        "as agreed, " + Canary,
		RecordedBy:    "sales@farm.example",
	})
}

// entry adds an entry of a day. Some were adjusted or voided later.
func (s *sampler) entry(f *flock, before int, grades ...*grade) {
	e := &entry{
		ID:         id("da170000", len(s.Entries)+1),
		FlockID:    f.ID,
		Date:       date(before),
		Status:     "Recorded",
		Eggs:       []eggs{},
		Mortality:  before % 3,
		FeedKg:     52.5,
		Notes:      []string{"windy", Canary},
		RecordedBy: "worker@farm.example",
	}
	for i, g := range grades {
		e.Eggs = append(e.Eggs, eggs{g.ID, 300 + before - 200*i})
	}
	switch before % 10 {
	case 3:
		e.Status, e.AdjustReason = "Adjusted", "counted again, "+Canary
		e.AdjustedFrom = &earlier{Mortality: 1, Notes: Canary}
	case 7:
		e.Status, e.VoidReason = "Voided", "wrong house, "+Canary
	}
	s.Entries = append(s.Entries, e)
}
