package program

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// gojq keeps objects as Go maps, so the order of their keys is lost. It is
// found again in the text of the program: an object comes out in the order of
// the object literal that has the most keys in common with it. That is a
// guess, and matters for the reader only.

// An order puts the keys of objects in order.
type order struct {
	sequences [][]string // keys that the text has in a row
	assigned  []string   // keys that it assigns to

	mu    sync.RWMutex
	known map[string][]string // by the sorted keys
}

// Bounds of what is remembered: objects whose keys are data come in any
// number of forms.
const (
	rememberedOrders = 256
	rememberedKeys   = 64
)

// Marshal encodes a value of the program as compact JSON, as [EncodeJSON]
// does, but objects in the key order in which the program writes them where
// that can be told.
func (p *Program) Marshal(v any) ([]byte, error) { return appendValue(nil, v, p.order.keys, 0) }

// newOrder collects the key sequences of a program and its definitions: those
// of object literals, of only([…]) and rename({…}), and the keys that are
// assigned to, in the order of the text.
func newOrder(q *gojq.Query, defs []*definition) *order {
	o := &order{known: make(map[string][]string)}
	collect := func(node any) {
		switch n := node.(type) {
		case *gojq.Query:
			if gojq.OpAssign <= n.Op && n.Op <= gojq.OpUpdateAlt {
				o.assigned = append(o.assigned, assignedKeys(n.Left)...)
			}
		case *gojq.Term:
			o.add(termKeys(n))
		}
	}
	walk(q, collect)
	for _, d := range slices.Backward(defs) {
		walk(d.fd.Body, collect)
	}
	o.add([]string{"status", "message", "body"})
	o.add([]string{"status", "headers", "body"})
	o.add([]string{"ok", "body", "error"})
	return o
}

func (o *order) add(keys []string) {
	var once []string
	for _, k := range keys {
		if !slices.Contains(once, k) {
			once = append(once, k)
		}
	}
	if len(once) > 0 {
		o.sequences = append(o.sequences, once)
	}
}

// termKeys are the keys that an object literal, only or rename writes out.
func termKeys(t *gojq.Term) (keys []string) {
	switch {
	case t.Object != nil:
		for _, kv := range t.Object.KeyVals {
			if name := strings.TrimPrefix(kv.Key, "$"); name != "" {
				keys = append(keys, name)
			} else if kv.KeyString != nil && kv.KeyString.Queries == nil {
				keys = append(keys, kv.KeyString.Str)
			}
		}
	case t.Func != nil && t.Func.Name == "_only":
		walk(t.Func.Args[0], func(node any) {
			if s, ok := node.(*gojq.Term); ok && s.Str != nil && s.Str.Queries == nil {
				keys = append(keys, s.Str.Str)
			}
		})
	case t.Func != nil && t.Func.Name == "_rename":
		if m := onlyTerm(t.Func.Args[0]); m != nil && m.Object != nil {
			for _, kv := range m.Object.KeyVals {
				if name := literalString(kv.Val); name != "" {
					keys = append(keys, name)
				}
			}
		}
	}
	return keys
}

// assignedKeys are the keys on the left of an assignment.
func assignedKeys(q *gojq.Query) (keys []string) {
	walk(q, func(node any) {
		t, ok := node.(*gojq.Term)
		if !ok {
			return
		}
		if t.Index != nil && t.Index.Name != "" {
			keys = append(keys, t.Index.Name)
		}
		for _, s := range t.SuffixList {
			if s.Index != nil && s.Index.Name != "" {
				keys = append(keys, s.Index.Name)
			}
		}
	})
	return keys
}

// keys returns the keys of an object in their order.
func (o *order) keys(object map[string]any) []string {
	if len(object) < 2 || len(object) > rememberedKeys {
		return slices.Sorted(maps.Keys(object))
	}
	var space [rememberedKeys]string // a reply can have thousands of objects
	sorted := space[:0]
	for k := range object {
		sorted = append(sorted, k)
	}
	slices.Sort(sorted)
	var text [512]byte
	form := text[:0]
	for _, k := range sorted {
		form = append(append(form, k...), 0)
	}
	o.mu.RLock()
	list, ok := o.known[string(form)]
	o.mu.RUnlock()
	if ok {
		return list
	}
	list = o.arrange(sorted)
	o.mu.Lock()
	if len(o.known) < rememberedOrders {
		o.known[string(form)] = list
	}
	o.mu.Unlock()
	return list
}

// arrange takes the best sequence, then the best for what is left, until none
// has a key in common with it. What is assigned comes after that.
func (o *order) arrange(sorted []string) []string {
	left := slices.Clone(sorted)
	list := make([]string, 0, len(sorted))
	for len(left) > 0 {
		var best, bestCommon []string
		for _, s := range o.sequences {
			var common []string
			for _, k := range s {
				if _, ok := slices.BinarySearch(left, k); ok {
					common = append(common, k)
				}
			}
			better := len(common) > len(bestCommon) ||
				len(common) == len(bestCommon) && len(s) < len(best)
			if len(common) > 0 && better {
				best, bestCommon = s, common
			}
		}
		if best == nil {
			break
		}
		list = append(list, bestCommon...)
		left = slices.DeleteFunc(left, func(k string) bool { return slices.Contains(bestCommon, k) })
	}
	for _, k := range o.assigned {
		if i, ok := slices.BinarySearch(left, k); ok {
			list = append(list, k)
			left = slices.Delete(left, i, i+1)
		}
	}
	return append(list, left...)
}
