package fastpath

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// place is where a hole is in a record.
type place struct {
	start, end int
	hole       hole
	depth      int
}

// finder finds the places of the members that may vary.
type finder struct {
	data  []byte
	usage string // the name of the member at the top that counts tokens, if there is one
	text  place  // no place is around it
}

// find appends where the members of v have their values, in order, if they are named; a name may be a path of two and more,
// with dots. Of a list, those of its elements count.
func (f *finder) find(dst []place, v []byte, varying []string) []place {
	if rawjson.Kind(v) == '[' {
		for e := range rawjson.Each(v) {
			dst = f.find(dst, e, varying)
		}
		return dst
	}
	for it := rawjson.Fields(v); len(dst) < maxHoles; {
		key, val, ok := it.Next()
		if !ok {
			break
		}
		if named(varying, key, val) || f.usage != "" && string(key) == f.usage {
			if p, ok := f.place(val, string(key) == f.usage); ok {
				dst = append(dst, p)
				continue
			}
		}
		var room [maxHoles]string
		if paths := cutPaths(room[:0], varying, key); len(paths) > 0 {
			inner := finder{data: f.data, text: f.text}
			dst = inner.find(dst, val, paths)
		}
	}
	return dst
}

// named reports whether a member may vary. A star stands for all members that are no objects or lists.
func named(varying []string, key, v []byte) bool {
	if slices.Contains(varying, string(key)) {
		return true
	}
	kind := rawjson.Kind(v)
	return kind != '{' && kind != '[' && slices.Contains(varying, "*")
}

// place is that of a value, if it may vary at all.
func (f *finder) place(v []byte, isUsage bool) (p place, ok bool) {
	at, ok := within(f.data, v)
	p = place{start: at, end: at + len(v), hole: digits}
	if !ok || p.start <= f.text.start && f.text.end <= p.end {
		return p, false
	}
	switch kind := rawjson.Kind(v); {
	case kind == '"':
		p.start, p.end, p.hole = p.start+1, p.end-1, letters
	case kind == '{' && isUsage:
		p.hole = usage
	case kind == '{' || kind == '[':
		p.hole = hole(kind)
	case !p.fits(f.data):
		p.hole = number
	}
	for p.depth = 1; p.depth < maxInside && !p.fits(f.data); {
		p.depth++
	}
	return p, p.fits(f.data)
}

// fits reports whether what is in the place could be learned from.
func (p *place) fits(data []byte) bool { return p.hole.fill(data[p.start:], p.depth) == p.end-p.start }

// cutPaths appends what is behind key in the paths that begin with it.
func cutPaths(dst, paths []string, key []byte) []string {
	for _, p := range paths {
		if n := len(key); n < len(p) && p[n] == '.' && p[:n] == string(key) && len(dst) < cap(dst) {
			dst = append(dst, p[n+1:])
		}
	}
	return dst
}
