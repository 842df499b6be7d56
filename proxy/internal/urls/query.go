package urls

import (
	"net/url"
	"strings"
)

// QueryNames are the names of the parameters in a query.
func QueryNames(query string) map[string]bool {
	names := map[string]bool{}
	for pair := range strings.SplitSeq(query, "&") {
		if name := parameterName(pair); name != "" {
			names[name] = true
		}
	}
	return names
}

// parameterName is the name of a parameter as the most lenient server may read it: in small letters, and without the
// brackets that make it a member of a list.
func parameterName(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	if s, err := url.QueryUnescape(name); err == nil {
		name = s
	}
	name, _, _ = strings.Cut(name, "[")
	return strings.ToLower(strings.TrimSpace(name))
}

// WithoutNames returns a client's query without the parameters of some names, and how many those were. Some servers take
// a semicolon for a separator too, so what stands behind one counts as well.
func WithoutNames(query string, names map[string]bool) (rest string, dropped int) {
	if len(names) == 0 || query == "" {
		return query, 0
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		if holdsName(pair, names) {
			dropped++
		} else {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&"), dropped
}

func holdsName(pair string, names map[string]bool) bool {
	for part := range strings.SplitSeq(pair, ";") {
		if names[parameterName(part)] {
			return true
		}
	}
	return false
}
