package program

// clean drops null, "", [] and {} from an object's members or an array's
// elements; what these hold is left as it is.
func clean(_ *run, in any, _ []any) any {
	switch in := in.(type) {
	case map[string]any:
		out := make(map[string]any, len(in))
		for k, v := range in {
			if !empty(v) {
				out[k] = v
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(in))
		for _, v := range in {
			if !empty(v) {
				out = append(out, v)
			}
		}
		return out
	}
	return in
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// only(names) copies the members that are named and present.
func only(_ *run, in any, args []any) any {
	object, ok := in.(map[string]any)
	if !ok {
		return misuse("only: the input is not an object")
	}
	names, ok := args[0].([]any)
	if !ok {
		return misuse("only: the argument is not an array of names")
	}
	out := make(map[string]any, len(names))
	for _, n := range names {
		name, ok := n.(string)
		if !ok {
			return misuse("only: the argument is not an array of names")
		}
		if v, ok := object[name]; ok {
			out[name] = v
		}
	}
	return out
}

// rename(map) copies the members that are keys of the map and present, under
// the names that the map gives them.
func rename(_ *run, in any, args []any) any {
	object, ok := in.(map[string]any)
	if !ok {
		return misuse("rename: the input is not an object")
	}
	names, ok := args[0].(map[string]any)
	if !ok {
		return misuse("rename: the argument is not an object of old and new names")
	}
	out := make(map[string]any, len(names))
	for old, n := range names {
		name, ok := n.(string)
		if !ok {
			return misuse("rename: the new name of '%s' is not a string", old)
		}
		if v, ok := object[old]; ok {
			out[name] = v
		}
	}
	return out
}

// rows gives its input, the rows of a reply.
func rows(_ *run, in any, _ []any) any {
	if _, ok := in.([]any); !ok {
		return refusal("the API's reply holds no list of rows")
	}
	return in
}

// indexBy makes an object of the input's elements; the argument holds the
// keys of each.
func indexBy(_ *run, in any, args []any) any {
	rows, keys := in.([]any), args[0].([]any)
	out := make(map[string]any, len(rows))
	for i, row := range rows {
		for _, k := range keys[i].([]any) {
			name, err := asText(k)
			if err != nil {
				return err
			}
			out[name] = row
		}
	}
	return out
}

// countBy counts the keys in the argument.
func countBy(_ *run, _ any, args []any) any {
	counts := make(map[string]int)
	for _, keys := range args[0].([]any) {
		for _, k := range keys.([]any) {
			name, err := asText(k)
			if err != nil {
				return err
			}
			counts[name]++
		}
	}
	out := make(map[string]any, len(counts))
	for k, n := range counts {
		out[k] = n
	}
	return out
}
