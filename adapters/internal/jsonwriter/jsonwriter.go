// Package jsonwriter appends JSON for what is written once per request, where it is to read well. Streams append by hand.
package jsonwriter

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A Writer appends members and elements to Buf and sets the commas between them.
type Writer struct {
	Buf []byte
	// fresh says that what comes next is the first of its object or list, or the value of a member.
	fresh bool
}

// New returns a writer that appends one value to dst.
func New(dst []byte) *Writer { return &Writer{Buf: dst, fresh: true} }

// Open begins an object, '{', or a list, '['.
func (w *Writer) Open(bracket byte) {
	w.comma()
	w.Buf, w.fresh = append(w.Buf, bracket), true
}

// Close ends an object, '}', or a list, ']'.
func (w *Writer) Close(bracket byte) { w.Buf, w.fresh = append(w.Buf, bracket), false }

// Key begins a member, whose value comes next.
func (w *Writer) Key(name string) {
	w.comma()
	w.Buf = append(append(append(w.Buf, '"'), name...), `":`...)
	w.fresh = true
}

// OpenAt begins a member that is an object or a list.
func (w *Writer) OpenAt(name string, bracket byte) {
	w.Key(name)
	w.Open(bracket)
}

// Raw appends an element, or the value of a member: JSON as it is, in one piece or several.
func (w *Writer) Raw(pieces ...[]byte) {
	w.comma()
	for _, p := range pieces {
		w.Buf = append(w.Buf, p...)
	}
}

// Append appends an element, or the value of a member, that f appends to what it gets.
func (w *Writer) Append(f func(dst []byte) []byte) {
	w.comma()
	w.Buf = f(w.Buf)
}

// String appends a string with this body.
func (w *Writer) String(body []byte) {
	w.comma()
	w.Buf = rawjson.AppendQuoted(w.Buf, body)
}

// Const appends a member that is a string which needs no escapes.
func (w *Writer) Const(name, text string) {
	w.Key(name)
	w.fresh = false
	w.Buf = append(append(append(w.Buf, '"'), text...), '"')
}

// Int appends a member that is a number.
func (w *Writer) Int(name string, n int64) {
	w.Key(name)
	w.fresh = false
	w.Buf = strconv.AppendInt(w.Buf, n, 10)
}

// Bool appends a member that is true or false.
func (w *Writer) Bool(name string, v bool) {
	w.Key(name)
	w.fresh = false
	if v {
		w.Buf = append(w.Buf, "true"...)
	} else {
		w.Buf = append(w.Buf, "false"...)
	}
}

// Text appends a member that is a string with this body.
func (w *Writer) Text(name string, body []byte) {
	w.Key(name)
	w.String(body)
}

// TextOf appends a member that is a string with these pieces for a body, which may be long.
func (w *Writer) TextOf(name string, pieces ...[]byte) {
	w.Key(name)
	w.String(nil)
	w.Buf = w.Buf[:len(w.Buf)-1]
	for _, p := range pieces {
		w.Buf = append(w.Buf, p...)
	}
	w.Buf = append(w.Buf, '"')
}

// TextIf appends a member that is a string, unless it is empty.
func (w *Writer) TextIf(name string, body []byte) {
	if len(body) > 0 {
		w.Text(name, body)
	}
}

// Value appends a member: JSON as it is.
func (w *Writer) Value(name string, v []byte) {
	w.Key(name)
	w.Raw(v)
}

// ValueIf appends a member, unless there is no value.
func (w *Writer) ValueIf(name string, v []byte) {
	if len(v) > 0 {
		w.Value(name, v)
	}
}

func (w *Writer) comma() {
	if !w.fresh {
		w.Buf = append(w.Buf, ',')
	}
	w.fresh = false
}
