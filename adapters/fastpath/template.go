package fastpath

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// template is a record with holes, in which other records may differ from it: the text of its delta, and the values of
// members that mean nothing, or count tokens. A record that fits is JSON as the first was: what fills a hole is a text or a
// value of the same kind.
type template struct {
	event   []byte // SSE event
	framing framing
	mem     []byte // the bytes of the record but for the holes
	pieces  []piece
	forms   []*form // of objects and lists, as many as there have ever been
	reads   bool    // the decoder reads what is in some of the holes
	lost    bool    // it would read more, which is in none
}

// piece is bytes that must be there, and then a hole.
type piece struct {
	must  []byte
	hole  hole
	depth int   // of an object or a list: how many may be open in it
	read  int   // 1 and more: the number of the member among those that the decoder reads
	form  *form // of an object or a list: the last one
}

// hole is what a place may hold.
type hole byte

const (
	nothing hole = 0
	theText hole = 't'
	digits  hole = '0' // a whole number without sign
	number  hole = '.' // any other number, with sign, fraction or exponent
	letters hole = '"' // of a string without escapes; the quotes are not in the hole
	object  hole = '{' // an object, whatever is in it
	list    hole = '['
	usage   hole = 'u' // an object that counts tokens
)

const (
	maxHoles  = 8
	maxRead   = 8  // members that a decoder reads
	maxDigits = 15 // whole numbers that are exact in every decoder
	maxNumber = 32
	maxString = 256
	maxValue  = 2 << 10
	maxInside = 8 // containers that may be open in a value
)

// filling is what a record has in the holes of a template.
type filling struct {
	at, end int              // of the text
	usage   []byte           // the object that counts tokens, nil if there is none
	read    *[maxRead][]byte // what is in the holes that the decoder reads; nil where there is none
}

// learn makes t the template of rec, whose text of n bytes begins at index at.
func (t *template) learn(rec wire.Record, at, n int, d *hub.Dialect) {
	t.event = append(t.event[:0], rec.Event...)
	t.framing.forget()
	t.learnFramed(rec.Data, rec.Data, at, n, d)
}

// learnFramed does the same of an object that is a part of data.
func (t *template) learnFramed(data, record []byte, at, n int, d *hub.Dialect) {
	var room [maxHoles + 2]place
	places := room[:0]
	t.lost = false
	if len(d.Varying)+len(d.ReadMembers) > 0 || d.UsageMember != "" {
		var paths [maxPaths]path
		f := finder{data: data, usage: d.UsageMember, text: place{start: at, end: at + n}}
		places = f.find(places, record, pathsOf(paths[:0], d))
		t.lost = f.lost
	}
	behind := 0
	for behind < len(places) && places[behind].end <= at {
		behind++
	}
	t.cut(data, slices.Insert(places, behind, place{start: at, end: at + n, hole: theText}))
}

// cut keeps what of data is in none of places.
func (t *template) cut(data []byte, places []place) {
	t.mem, t.pieces, t.reads = slices.Grow(t.mem[:0], len(data)), t.pieces[:0], false
	from, forms := 0, 0
	for _, p := range append(places, place{start: len(data)}) {
		begin := len(t.mem)
		t.mem = append(t.mem, data[from:p.start]...)
		next := piece{must: t.mem[begin:], hole: p.hole, depth: p.depth, read: p.read}
		if p.hole.isContainer() {
			next.form = t.form(forms)
			forms++
		}
		t.pieces = append(t.pieces, next)
		t.reads = t.reads || p.read > 0
		from = p.end
	}
}

// form is the i-th form, with nothing in it.
func (t *template) form(i int) *form {
	if i == len(t.forms) {
		t.forms = append(t.forms, new(form))
	}
	f := t.forms[i]
	f.forget()
	f.tries = 0
	return f
}

// match returns how many bytes at the beginning of data are such a record, and notes what is in its holes; 0 if it is something else,
// or not yet all there.
func (t *template) match(data []byte, f *filling) (n int) {
	f.at, f.end = 0, 0
	if f.usage = nil; t.reads && f.read != nil {
		clear(f.read[:])
	}
	for i := range t.pieces {
		p := &t.pieces[i]
		if !bytes.HasPrefix(data[n:], p.must) {
			return 0
		}
		if n += len(p.must); p.hole == nothing {
			continue
		}
		var filled int
		if p.form == nil || isEmpty(data[n:]) {
			filled = p.hole.fill(data[n:], p.depth)
		} else {
			filled = p.form.fill(data[n:], p)
		}
		if filled < 0 {
			return 0
		}
		switch p.hole {
		case theText:
			f.at, f.end = n, n+filled
		case usage:
			f.usage = data[n : n+filled]
		}
		if p.read > 0 && f.read != nil {
			f.read[p.read-1] = data[n : n+filled]
		}
		n += filled
	}
	return n
}

// matches reports whether rec as a whole is such a record, with a text that is not empty, and notes what is in its holes.
func (t *template) matches(rec *wire.Record, f *filling) bool {
	return t.match(rec.Data, f) == len(rec.Data) && f.end > f.at && bytes.Equal(rec.Event, t.event)
}

// isEmpty reports whether the object or the list that p begins with has nothing in it: the closing bracket follows.
func isEmpty(p []byte) bool { return len(p) > 1 && p[1] == p[0]+2 }

// isContainer reports whether an object or a list fills the hole.
func (h hole) isContainer() bool { return h == object || h == list || h == usage }

// fill returns how many bytes at the start of p fill the hole, -1 if none may. What is in it may be so deep.
func (h hole) fill(p []byte, depth int) (n int) {
	switch h {
	case theText:
		return rawjson.ClosingQuote(p, 0)
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
	case letters:
		return atMost(rawjson.LetterRun(p), maxString)
	}
	open := h
	if h == usage {
		open = object
	}
	if len(p) == 0 || p[0] != byte(open) {
		return -1
	}
	if isEmpty(p) {
		return len("{}")
	}
	if n = rawjson.ValueLen(p[:min(len(p), maxValue)], depth); n > 0 && bytes.ContainsAny(p[:n], "\r\n") {
		return -1 // it ends a line
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isOfNumber reports whether c can stand in a number.
func isOfNumber(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || c|0x20 == 'e'
}

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
