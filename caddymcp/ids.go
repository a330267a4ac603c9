package caddymcp

import (
	"crypto/rand"
	"encoding/json"
	"strconv"
)

// idMark makes a stand-in for a JSON-RPC id unlike any id or text of a client.
// It is constant for the life of the process, so that a cancellation finds the
// request that it names.
var idMark = "id:" + rand.Text() + ":"

// damaged says whether an id would not come back as it was sent: the SDK reads
// numbers as float64.
func damaged(id json.RawMessage) bool {
	if len(id) == 0 || (id[0] != '-' && (id[0] < '0' || id[0] > '9')) {
		return false
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	const exact = 1 << 53
	return err != nil || n > exact || n < -exact || strconv.FormatInt(n, 10) != string(id)
}

// hideIDs returns the body with a string in place of each id and progress token
// that the SDK would damage, and those strings, to be put back in the reply.
func (b *body) hideIDs() ([]byte, [][]byte) {
	var hidden [][]byte
	hide := func(m members, name string) bool {
		if !damaged(m[name]) {
			return false
		}
		s := []byte(strconv.Quote(idMark + string(m[name])))
		hidden, m[name] = append(hidden, s), s
		return true
	}
	parts := make([]json.RawMessage, len(b.messages))
	for i, m := range b.messages {
		parts[i] = m.raw
		cancels := m.method == "notifications/cancelled"
		if !damaged(m.id) && !cancels && m.meta["progressToken"] == nil {
			continue
		}
		all := object(m.raw)
		changed := hide(all, "id")
		within := cancels && hide(m.params, "requestId")
		if hide(m.meta, "progressToken") {
			m.params["_meta"], _ = json.Marshal(m.meta)
			within = true
		}
		if within {
			all["params"], _ = json.Marshal(m.params)
		}
		if changed || within {
			parts[i], _ = json.Marshal(all)
		}
	}
	switch {
	case hidden == nil:
		return b.raw, nil
	case b.batch:
		all, _ := json.Marshal(parts)
		return all, hidden
	default:
		return parts[0], hidden
	}
}
