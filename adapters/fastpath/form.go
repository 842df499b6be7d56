package fastpath

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// form is an earlier object or list in a hole, with the places of its numbers and strings. Servers that put one into each record change
// little else in it, and to compare it with the earlier one costs a fraction of checking it in full. What is like it is JSON as it was, and
// as deep.
type form struct {
	mem    []byte // empty: there is no form
	leaves []leaf
	tries  int // values in a row that were not like the one before
}

// leaf is where a number or a string is in a form. No two of them touch.
type leaf struct {
	from, to int
	hole     hole
}

const (
	maxForm   = 1 << 10
	maxLeaves = 24
	maxTries  = 8 // then values are not kept any more
)

// fill returns how many bytes at the start of data fill the hole of p, -1 if none may.
func (f *form) fill(data []byte, p *piece) int {
	if n := f.match(data); n > 0 {
		return n
	}
	n := p.hole.fill(data, p.depth)
	if n > 0 {
		f.learn(data[:n])
	}
	return n
}

// match returns how many bytes at the beginning of p are a value of the form; 0 if it is another. It looks only at leaves in which the two
// differ.
func (f *form) match(p []byte) (n int) {
	at := 0 // in the form, as n is in p
	for i := 0; ; i++ {
		same := rawjson.EqualRun(f.mem[at:], p[n:])
		if at, n = at+same, n+same; at == len(f.mem) {
			break
		}
		for i < len(f.leaves) && f.leaves[i].to < at {
			i++
		}
		if i == len(f.leaves) || at < f.leaves[i].from {
			return 0
		}
		l := &f.leaves[i]
		n -= at - l.from
		filled := l.hole.fill(p[n:], 0)
		if filled < 0 {
			return 0
		}
		at, n = l.to, n+filled
	}
	if n > 0 {
		f.tries = 0
	}
	return n
}

// learn keeps the form of a value, which is JSON, if the next one may be like it.
func (f *form) learn(value []byte) {
	f.forget()
	if f.tries >= maxTries || len(value) > maxForm {
		return
	}
	f.tries++
	f.mem = append(f.mem, value...)
	for at := 0; at < len(value) && len(f.leaves) < maxLeaves; {
		var found place
		if found, at = leafAt(value, at); found.hole != nothing {
			f.leaves = append(f.leaves, leaf{found.start, found.end, found.hole})
		}
	}
}

func (f *form) forget() { f.mem, f.leaves = f.mem[:0], f.leaves[:0] }

// leafAt is the number or the string that begins at an index of a value, and where to look for the next. It has no hole if none begins there, and for
// names and strings with escapes.
func leafAt(value []byte, at int) (found place, next int) {
	found.start = at
	switch c := value[at]; {
	case c == '"':
		found.start = at + 1
		found.end = found.start + rawjson.ClosingQuote(value[found.start:], 0)
		next = found.end + 1
		if behind := bytes.TrimLeft(value[next:], " \t\r\n"); !bytes.HasPrefix(behind, []byte(":")) {
			found.hole = letters
		}
	case isDigit(c) || c == '-':
		next = at + rawjson.NumberLen(value[at:])
		found.end, found.hole = next, digits
		if !found.fits(value) {
			found.hole = number
		}
	default:
		next = at + 1
	}
	if found.hole != nothing && !found.fits(value) {
		found.hole = nothing
	}
	return found, next
}
