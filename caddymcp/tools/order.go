package tools

import (
	"encoding/json"
	"strings"
)

// propertyOrders lists the properties of each object in a schema, in the order of
// its text, which is known to be JSON.
func propertyOrders(schema string) (orders [][]string) {
	dec := json.NewDecoder(strings.NewReader(schema))
	var value func(properties bool)
	value = func(properties bool) {
		switch token, _ := dec.Token(); token {
		case json.Delim('{'):
			var names []string
			for dec.More() {
				token, _ := dec.Token()
				name, _ := token.(string)
				names = append(names, name)
				value(name == "properties" && !properties)
			}
			_, _ = dec.Token()
			if properties {
				orders = append(orders, names)
			}
		case json.Delim('['):
			for dec.More() {
				value(false)
			}
			_, _ = dec.Token()
		}
	}
	value(false)
	return orders
}
