package farm

// flockRow is a flock, and whether eggs of today can be recorded for it.
type flockRow struct {
	*flock
	AcceptsProductionToday bool `json:"acceptsProductionToday"`
}

func listFlocks(r *request) (rows []any, err error) {
	for _, f := range r.data.Flocks {
		if r.user.seesFlock(f) && r.is("id", f.ID) && r.isNamed("name", f.Name) && r.holds("nameContains", f.Name) && r.is("status", f.Status) {
			rows = append(rows, flockRow{f, f.Status == "Active" && f.PlacedOn <= r.data.today(f.FarmID, r.now)})
		}
	}
	return rows, nil
}

func listGrades(r *request) (rows []any, err error) {
	for _, g := range r.data.Grades {
		if r.user.seesGrade(g) && r.is("id", g.ID) && r.isNamed("name", g.Name) {
			rows = append(rows, g)
		}
	}
	return rows, nil
}

// stockRow is what there is of a grade.
type stockRow struct {
	GradeID    string `json:"gradeId"`
	GradeName  string `json:"gradeName"`
	FarmID     string `json:"farmId"`
	Quantity   int    `json:"quantity"`
	Lots       int    `json:"lots"`
	GradeNotes string `json:"gradeNotes"`
}

// listStock sums what remains of the lots that the user sees.
func listStock(r *request) (rows []any, err error) {
	for _, g := range r.data.Grades {
		if !r.user.seesGrade(g) {
			continue
		}
		row := stockRow{GradeID: g.ID, GradeName: g.Name, FarmID: g.FarmID, GradeNotes: g.Notes}
		for _, l := range r.data.Lots {
			if l.GradeID == g.ID && l.Remaining > 0 && r.seesLot(l) {
				row.Quantity += l.Remaining
				row.Lots++
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// lotRow is a lot with names.
type lotRow struct {
	*lot
	FarmID    string `json:"farmId"`
	HouseID   string `json:"houseId"`
	FlockName string `json:"flockName"`
	GradeName string `json:"gradeName"`
}

func listLots(r *request) (rows []any, err error) {
	if err := r.checkFlock(); err != nil {
		return nil, err
	}
	if err := r.checkGrade(); err != nil {
		return nil, err
	}
	for _, l := range r.data.Lots {
		if r.seesLot(l) && r.is("flockId", l.FlockID) && r.is("gradeId", l.GradeID) && r.is("status", l.Status) && r.between(l.CollectedOn) {
			f := r.data.flock(l.FlockID)
			rows = append(rows, lotRow{l, f.FarmID, f.HouseID, f.Name, r.data.grade(l.GradeID).Name})
		}
	}
	return rows, nil
}

func listMovements(r *request) (rows []any, err error) {
	l := r.data.lot(r.PathValue("id"))
	if !r.seesLot(l) {
		return nil, notFound
	}
	for _, m := range r.data.Movements {
		if m.LotID == l.ID {
			rows = append(rows, m)
		}
	}
	return rows, nil
}

// entryRow is an entry with names.
type entryRow struct {
	*entry
	FarmID    string    `json:"farmId"`
	HouseID   string    `json:"houseId"`
	FlockName string    `json:"flockName"`
	Eggs      []eggsRow `json:"eggs"`
}

type eggsRow struct {
	eggs
	GradeName string `json:"gradeName"`
}

func listEntries(r *request) (rows []any, err error) {
	if err := r.checkFlock(); err != nil {
		return nil, err
	}
	for _, e := range r.data.Entries {
		f := r.data.flock(e.FlockID)
		if !r.user.seesFlock(f) || !r.is("flockId", f.ID) || !r.is("status", e.Status) || !r.between(e.Date) {
			continue
		}
		row := entryRow{entry: e, FarmID: f.FarmID, HouseID: f.HouseID, FlockName: f.Name, Eggs: []eggsRow{}}
		for _, laid := range e.Eggs {
			row.Eggs = append(row.Eggs, eggsRow{laid, r.data.grade(laid.GradeID).Name})
		}
		rows = append(rows, row)
	}
	return rows, nil
}
