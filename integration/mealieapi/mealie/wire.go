package mealie

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/caddymcp/caddymcp/integration/refapi"
)

// maxBody bounds a request body, in bytes. Images are the largest.
const maxBody = 16 << 20

// A failure is a reply that reports an error.
type failure struct {
	status int
	detail any
}

func (f *failure) Error() string { return fmt.Sprintf("%d: %v", f.status, f.detail) }

// detail is a failure of FastAPI's, with anything in its detail.
func detail(status int, detail any) *failure { return &failure{status, detail} }

// A trouble is the detail of a failure that Mealie words itself.
type trouble struct {
	Message   string  `json:"message"`
	Error     bool    `json:"error"`
	Exception *string `json:"exception"`
}

// refuse is a failure in Mealie's own shape. The exception may be empty.
func refuse(status int, message, exception string) *failure {
	t := trouble{Message: message, Error: true}
	if exception != "" {
		t.Exception = &exception
	}
	return &failure{status, t}
}

var (
	errNoPath      = detail(http.StatusNotFound, "Not Found")
	errCredentials = detail(http.StatusUnauthorized, "Could not validate credentials")
	errNotFound    = refuse(http.StatusNotFound, "Not found.", "")
	errUnknown     = refuse(http.StatusInternalServerError, "Unknown Error", "IntegrityError")
)

// duplicate refuses a second row with a name.
func duplicate(table string) *failure {
	return refuse(http.StatusBadRequest, "An unexpected error occurred",
		fmt.Sprintf("(sqlite3.IntegrityError) UNIQUE constraint failed: %s.name, %s.group_id", table, table))
}

func writeFailure(w http.ResponseWriter, f *failure) {
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	refapi.WriteJSON(w, f.status, map[string]any{"detail": f.detail})
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, text)
}

// readBody reads a request body, or answers that it could not.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		return body, true
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		writeFailure(w, detail(http.StatusRequestEntityTooLarge, "Request Entity Too Large"))
	} else {
		writeFailure(w, detail(http.StatusBadRequest, "There was an error parsing the body"))
	}
	return nil, false
}
