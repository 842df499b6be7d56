package fastpath

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// place is where a hole is in a record.
type place struct {
	start, end int
	hole       hole
	depth      int
	read       int // see path
}

// path names a member that may vary; a name may be a path of two and more, with dots.
type path struct {
	name string
	read int // 1 and more: the number of the member among those that the decoder reads
}

// maxPaths bounds the members of a dialect that may vary.
const maxPaths = 16

// pathsOf appends the members of a dialect that may vary.
func pathsOf(dst []path, d *hub.Dialect) []path {
	for _, name := range d.Varying {
		dst = append(dst, path{name: name})
	}
	for i, name := range d.ReadMembers {
		dst = append(dst, path{name, i + 1})
	}
	return dst
}

// finder finds the places of the members that may vary.
type finder struct {
	data  []byte
	usage string // the name of the member at the top that counts tokens, if there is one
	text  place  // no place is around it
	lost  bool   // a member that the decoder reads has no place
}

// find appends where the members of v have their values, in order, if they are named. Of a list, those of its elements count.
func (f *finder) find(dst []place, v []byte, varying []path) []place {
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
		read, may := named(varying, key, val)
		if may || f.usage != "" && string(key) == f.usage {
			if p, ok := f.place(val, string(key) == f.usage); ok {
				p.read = read
				dst = append(dst, p)
				continue
			}
			f.lost = f.lost || read > 0 && rawjson.Kind(val) != 'n'
		}
		if paths := cutPaths(varying, key); len(paths) > 0 {
			inner := finder{data: f.data, text: f.text}
			dst = inner.find(dst, val, paths)
			f.lost = f.lost || inner.lost
		}
	}
	f.lost = f.lost || len(dst) == maxHoles
	return dst
}

// named reports whether a member may vary, and which of those it is that are read. A star stands for all members that are no objects or
// lists.
func named(varying []path, key, v []byte) (read int, ok bool) {
	kind := rawjson.Kind(v)
	for _, p := range varying {
		if p.name == string(key) || p.name == "*" && kind != '{' && kind != '[' {
			return p.read, true
		}
	}
	return 0, false
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

// cutPaths returns what is behind key in the paths that begin with it. Most members begin none, and cost no memory.
func cutPaths(paths []path, key []byte) (behind []path) {
	for _, p := range paths {
		if n := len(key); n < len(p.name) && p.name[n] == '.' && p.name[:n] == string(key) && len(behind) < maxHoles {
			behind = append(behind, path{p.name[n+1:], p.read})
		}
	}
	return behind
}
