package farm

import "slices"

// The roles that people have.
const (
	owner   = "Owner"
	manager = "Manager"
	worker  = "Worker"
	sales   = "Sales"
)

// A user is one of the people of some farms.
type user struct {
	Name  string   `json:"name"`
	Email string   `json:"email"`
	Role  string   `json:"role"`
	Farms []string `json:"farms"`

	// What a worker is assigned to: single flocks, and all those in a house.
	Flocks []string `json:"flocks"`
	Houses []string `json:"houses"`
}

// seesFlock says whether a flock exists for the user.
func (u *user) seesFlock(f *flock) bool {
	return f != nil && slices.Contains(u.Farms, f.FarmID) &&
		(u.Role != worker || slices.Contains(u.Flocks, f.ID) || slices.Contains(u.Houses, f.HouseID))
}

// seesGrade says whether a grade exists for the user.
func (u *user) seesGrade(g *grade) bool {
	return g != nil && slices.Contains(u.Farms, g.FarmID)
}

// seesLot says whether a lot exists for the user.
func (r *request) seesLot(l *lot) bool {
	return l != nil && r.user.seesFlock(r.data.flock(l.FlockID))
}
