package access

import "net/http"

// CORS lets the listed origins read replies (the Fetch standard's CORS
// protocol). It reports whether the request was a preflight, which it has then
// answered: a browser sends it without credentials, before anything else.
//
// The request must be one that [Access.Match] accepts.
func (a *Access) CORS(w http.ResponseWriter, r *http.Request) bool {
	o, err := parseOrigin(r.Header.Get("Origin"))
	if err != nil || !a.origins[o.String()] {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	// The client names the headers, since those for parameters have names of
	// the author's choice.
	h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	h.Set("Access-Control-Max-Age", "7200")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return true
}
