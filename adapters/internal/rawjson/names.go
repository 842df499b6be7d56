package rawjson

// Names is a set of names, as bodies of strings.
type Names map[string]struct{}

// NamesOf makes the set of some plain texts.
func NamesOf(list []string) Names {
	set := Names{}
	for _, n := range list {
		set[string(AppendEscaped(nil, []byte(n)))] = struct{}{}
	}
	return set
}

// Has reports whether a body is in the set.
func (n Names) Has(body []byte) bool {
	_, ok := n[string(body)]
	return ok
}
