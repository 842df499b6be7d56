package rawjson

import (
	"bytes"
	"slices"
)

// Equal reports whether a and b are the same JSON value. The order of members, whitespace, escapes and the spelling of numbers
// (1.0 or 1) do not matter; of members with the same name the last one counts. Absent equals only absent.
// Both values were validated, which bounds the recursion; time grows with the size times the depth, as each level is skipped
// over before it is entered. Objects of more than 16 members allocate.
func Equal(a, b Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	kind := Kind(a)
	if kind != Kind(b) {
		return false
	}
	switch kind {
	case '"':
		x, _ := Str(a)
		y, _ := Str(b)
		return EqualBody(x, y)
	case '0':
		return equalNumber(trim(a), trim(b))
	case '[':
		return equalArray(a, b)
	case '{':
		return equalObject(a, b)
	}
	return true
}

func equalArray(a, b Value) bool {
	x, y := Elems(a), Elems(b)
	for {
		u, more := x.Next()
		v, moreToo := y.Next()
		if more != moreToo {
			return false
		}
		if !more {
			return true
		}
		if !Equal(u, v) {
			return false
		}
	}
}

// pair is one member of an object.
type pair struct {
	key []byte
	val Value
}

// equalObject sorts the members of both sides. Sorting keeps the time near linear for any input: pairwise search would not.
func equalObject(a, b Value) bool {
	var bufA, bufB [16]pair
	x := sortedMembers(bufA[:0], a)
	y := sortedMembers(bufB[:0], b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !EqualBody(x[i].key, y[i].key) {
			return false
		}
	}
	for i := range x {
		if !Equal(x[i].val, y[i].val) {
			return false
		}
	}
	return true
}

// sortedMembers appends the members of v ordered by name; of several with one name, only the last.
func sortedMembers(dst []pair, v Value) []pair {
	for it := Fields(v); ; {
		key, val, ok := it.Next()
		if !ok {
			break
		}
		dst = append(dst, pair{key, val})
	}
	slices.SortStableFunc(dst, func(x, y pair) int { return compareBody(x.key, y.key) })
	kept := dst[:0]
	for _, p := range dst {
		if n := len(kept); n > 0 && EqualBody(kept[n-1].key, p.key) {
			kept[n-1] = p
		} else {
			kept = append(kept, p)
		}
	}
	return kept
}
