package mealie

import (
	"net/http"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// controlPath is where tests in another process control the API. It is no part
// of Mealie, and none of its requests are counted.
const controlPath = "/_control"

// control shows the traffic, adds a fault, or forgets both.
func (a *API) control(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		refapi.WriteJSON(w, http.StatusOK, a.Traffic())
	case http.MethodPost:
		var f Fault
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := refapi.ReadJSON(r, &f); err != nil {
			writeFailure(w, detail(http.StatusBadRequest, "that is no fault: "+err.Error()))
			return
		}
		a.Fail(f)
		w.WriteHeader(http.StatusNoContent)
	case http.MethodDelete:
		a.Forget()
		w.WriteHeader(http.StatusNoContent)
	default:
		writeFailure(w, detail(http.StatusMethodNotAllowed, "Method Not Allowed"))
	}
}
