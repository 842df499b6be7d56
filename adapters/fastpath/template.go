package fastpath

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// template is a record with holes, in which other records may differ from it: the text of its delta, and the values of
// members that mean nothing. A record that fits is JSON as the first was: what fills a hole is a text, a number or
// a string of the same kind.
type template struct {
	event []byte  // SSE event
	mem   []byte  // the bytes of the record but for the text
	front []piece // what is before the text, from the beginning on
	back  []piece // what is behind the text, from the end on
}

// piece is bytes that must be there, and then a hole: further on in front, before them in back.
type piece struct {
	must []byte
	hole hole
}

// hole is what a place may hold.
type hole byte

const (
	nothing hole = 0
	digits  hole = '0' // a whole number without sign
	number  hole = '.' // any other number, with sign, fraction or exponent
	letters hole = '"' // of a string without escapes; the quotes are not in the hole
)

const (
	maxHoles  = 4
	maxDigits = 15 // whole numbers that are exact in every decoder
	maxNumber = 32
	maxString = 256
)

// learn makes t the template of rec, whose text of n bytes begins at index at.
func (t *template) learn(rec wire.Record, at, n int, varying []string) {
	t.event = append(t.event[:0], rec.Event...)
	t.learnFramed(rec.Data, rec.Data, at, n, varying)
}

// learnFramed does the same of an object that is a part of data.
func (t *template) learnFramed(data, object []byte, at, n int, varying []string) {
	t.mem = append(append(t.mem[:0], data[:at]...), data[at+n:]...)
	t.front, t.back = t.front[:0], t.back[:0]
	var room [maxHoles]place
	places := room[:0]
	if len(varying) > 0 {
		places = findPlaces(places, data, object, varying)
	}
	from, to := 0, len(t.mem)
	for _, p := range places {
		if p.end <= at {
			t.front = append(t.front, piece{t.mem[from:p.start], p.hole})
			from = p.end
		}
	}
	for _, p := range slices.Backward(places) {
		if p.start >= at+n {
			t.back = append(t.back, piece{t.mem[p.end-n : to], p.hole})
			to = p.start - n
		}
	}
	t.front = append(t.front, piece{t.mem[from:at], nothing})
	t.back = append(t.back, piece{t.mem[at:to], nothing})
}

// place is where a hole is in a record.
type place struct {
	start, end int
	hole       hole
}

// findPlaces appends where the members of an object in data have their values, in order, if they are named; a name may be
// a path of two and more, with dots.
func findPlaces(dst []place, data, object []byte, varying []string) []place {
	for it := rawjson.Fields(object); len(dst) < maxHoles; {
		key, v, ok := it.Next()
		if !ok {
			break
		}
		if !slices.Contains(varying, string(key)) {
			var room [maxHoles]string
			if paths := cutPaths(room[:0], varying, key); len(paths) > 0 {
				dst = findPlaces(dst, data, v, paths)
			}
			continue
		}
		at, ok := within(data, v)
		p := place{at, at + len(v), digits}
		if body, isString := rawjson.Str(v); isString {
			p = place{at + 1, at + 1 + len(body), letters}
		} else if ok && p.hole.forward(data[p.start:]) != p.end-p.start {
			p.hole = number
		}
		if ok && p.hole.forward(data[p.start:]) == p.end-p.start {
			dst = append(dst, p)
		}
	}
	return dst
}

// cutPaths appends what is behind key in the paths that begin with it.
func cutPaths(dst, paths []string, key []byte) []string {
	for _, p := range paths {
		if n := len(key); n < len(p) && p[n] == '.' && p[:n] == string(key) && len(dst) < cap(dst) {
			dst = append(dst, p[n+1:])
		}
	}
	return dst
}

// text returns what rec has in the place of the text; ok is false if it does not fit.
func (t *template) text(rec wire.Record) (text []byte, ok bool) {
	data := rec.Data
	n := t.before(data)
	if n < 0 {
		return nil, false
	}
	data = data[n:]
	for i := range t.back {
		p := &t.back[i]
		if !bytes.HasSuffix(data, p.must) {
			return nil, false
		}
		data = data[:len(data)-len(p.must)]
		if p.hole != nothing {
			n := p.hole.backward(data)
			if n < 0 {
				return nil, false
			}
			data = data[:len(data)-n]
		}
	}
	return data, len(data) > 0 && bytes.Equal(rec.Event, t.event)
}

// before returns how many bytes of data are what must stand before the text, -1 if it is something else.
func (t *template) before(data []byte) (n int) {
	for i := range t.front {
		p := &t.front[i]
		if !bytes.HasPrefix(data[n:], p.must) {
			return -1
		}
		n += len(p.must)
		if p.hole != nothing {
			filled := p.hole.forward(data[n:])
			if filled < 0 {
				return -1
			}
			n += filled
		}
	}
	return n
}

// behind does the same of what must stand behind the text, at the beginning of data.
func (t *template) behind(data []byte) (n int) {
	for i := len(t.back) - 1; i >= 0; i-- {
		p := &t.back[i]
		if p.hole != nothing {
			filled := p.hole.forward(data[n:])
			if filled < 0 {
				return -1
			}
			n += filled
		}
		if !bytes.HasPrefix(data[n:], p.must) {
			return -1
		}
		n += len(p.must)
	}
	return n
}

// forward returns how many bytes at the start of p fill the hole, -1 if none may.
func (h hole) forward(p []byte) int {
	n := 0
	switch h {
	case digits:
		for n < len(p) && isDigit(p[n]) {
			n++
		}
		return wholeNumber(p[:n])
	case number:
		for n < len(p) && isOfNumber(p[n]) {
			n++
		}
		return anyNumber(p[:n])
	}
	for n < len(p) && isLetter(p[n]) {
		n++
	}
	return atMost(n, maxString)
}

// backward does the same from the end of p.
func (h hole) backward(p []byte) int {
	i := len(p)
	switch h {
	case digits:
		for i > 0 && isDigit(p[i-1]) {
			i--
		}
		return wholeNumber(p[i:])
	case number:
		for i > 0 && isOfNumber(p[i-1]) {
			i--
		}
		return anyNumber(p[i:])
	}
	for i > 0 && isLetter(p[i-1]) {
		i--
	}
	return atMost(len(p)-i, maxString)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isOfNumber reports whether c can stand in a number.
func isOfNumber(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || c|0x20 == 'e'
}

// isLetter reports whether c stands for itself in a string.
func isLetter(c byte) bool { return ' ' <= c && c <= '~' && c != '"' && c != '\\' }

// wholeNumber returns the length of a number in JSON, -1 if p is none, or a long one.
func wholeNumber(p []byte) int {
	if len(p) == 0 || len(p) > 1 && p[0] == '0' {
		return -1
	}
	return atMost(len(p), maxDigits)
}

// anyNumber returns the length of p, -1 if it is not one number, or a long one.
func anyNumber(p []byte) int {
	if rawjson.NumberLen(p) != len(p) {
		return -1
	}
	return atMost(len(p), maxNumber)
}

func atMost(n, limit int) int {
	if n > limit {
		return -1
	}
	return n
}
