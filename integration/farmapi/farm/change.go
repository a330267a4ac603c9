package farm

import (
	"fmt"
	"net/http"
	"time"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// A change is a path that changes the data.
type change struct {
	roles []string // who may make it
	apply func(r *request) (any, error)
}

var changes = map[string]change{
	"egg-lots/{id}/discard":   {[]string{owner, manager}, discard},
	"daily-entries/{id}/void": {[]string{owner, manager}, void},
}

// decode reads the JSON object of a request, which has no fields but those of
// into.
func (r *request) decode(into any) error {
	if err := refapi.ReadJSON(r.Request, into); err != nil {
		return problem(http.StatusBadRequest, "the body is not as expected: %v", err)
	}
	return nil
}

// discard takes eggs out of a lot.
func discard(r *request) (any, error) {
	l := r.data.lot(r.PathValue("id"))
	if !r.seesLot(l) {
		return nil, notFound
	}
	var body struct {
		Quantity int    `json:"quantity"`
		Reason   string `json:"reason"`
	}
	if err := r.decode(&body); err != nil {
		return nil, err
	}
	if body.Quantity < 1 || body.Quantity > l.Remaining {
		return nil, problem(http.StatusUnprocessableEntity, "quantity must be from 1 to %d", l.Remaining)
	}
	if l.Remaining -= body.Quantity; l.Remaining == 0 {
		l.Status = "Empty"
	}
	m := &movement{
		ID:         id("30e00000", len(r.data.Movements)+1),
		LotID:      l.ID,
		OccurredAt: r.now.UTC().Format(time.RFC3339),
		Type:       "Discarded",
		Quantity:   -body.Quantity,
		Reason:     body.Reason,
		RecordedBy: r.user.Email,
	}
	r.data.Movements = append(r.data.Movements, m)
	return m, nil
}

// void withdraws a daily entry, which stays in the list.
func void(r *request) (any, error) {
	e := byID(r.data.Entries, func(e *entry) string { return e.ID }, r.PathValue("id"))
	if e == nil || !r.user.seesFlock(r.data.flock(e.FlockID)) {
		return nil, notFound
	}
	var body struct {
		Reason string `json:"reason"`
	}
	if err := r.decode(&body); err != nil {
		return nil, err
	}
	if e.Status == "Voided" {
		return nil, problem(http.StatusConflict, "the entry is void already")
	}
	e.Status, e.VoidReason = "Voided", body.Reason
	return e, nil
}

// id is the id of the n-th thing of a kind.
func id(kind string, n int) string { return fmt.Sprintf("%s-0000-4000-8000-%012d", kind, n) }
