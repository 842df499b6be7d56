package hub

import "github.com/sabir-proxy/sabir/adapters/internal/rawjson"

// Scratch is the memory that a decoder fills while it decodes one record: minted strings and More values. Everything
// taken from it is valid until the next Reset, even when it has grown meanwhile.
type Scratch struct {
	buf   []byte
	mores []*More
	used  int
}

// maxScratch bounds what an idle decoder keeps; one huge record must not pin its memory for the stream's whole life.
const maxScratch = 64 << 10

// Reset forgets everything, keeping the memory.
func (s *Scratch) Reset() {
	if cap(s.buf) > maxScratch {
		s.buf = nil
	}
	s.buf, s.used = s.buf[:0], 0
}

// More returns a zeroed More whose counts are unknown.
func (s *Scratch) More() *More {
	if s.used == len(s.mores) {
		s.mores = append(s.mores, new(More))
	}
	m := s.mores[s.used]
	s.used++
	items, options := m.Items[:0], m.Options[:0]
	*m = More{} // alone, it is not made on the stack first
	m.Items, m.Options, m.Usage = items, options, NoCounts
	return m
}

// MoreOf returns the rare members of an event, making them if there are none.
func (s *Scratch) MoreOf(ev *Event) *More {
	if ev.More == nil {
		ev.More = s.More()
	}
	return ev.More
}

// SetModel sets the model of an event, unless it has no name.
func (s *Scratch) SetModel(ev *Event, model []byte) {
	if len(model) > 0 {
		s.MoreOf(ev).Model = model
	}
}

// SetArgs sets the arguments of a call that come whole: JSON, or a string that holds JSON. Any other string is kept as a text.
func (s *Scratch) SetArgs(ev *Event, args rawjson.Value) {
	text, isText := rawjson.Str(args)
	if !isText {
		ev.Value = rawjson.NotNull(args)
		return
	}
	if value, ok := rawjson.ValueOfText(s.Begin(), text); ok {
		ev.Value = s.Since(value)
	} else if len(text) > 0 {
		ev.Text, ev.Flags = text, ev.Flags|Invalid
	}
}

// Copy keeps a copy of p; nil stays nil.
func (s *Scratch) Copy(p []byte) []byte {
	if p == nil {
		return nil
	}
	return s.Append(func(dst []byte) []byte { return append(dst, p...) })
}

// Append keeps what f appends to its argument.
func (s *Scratch) Append(f func(dst []byte) []byte) []byte {
	return s.Since(f(s.buf))
}

// Begin and Since keep bytes that the caller appends itself, without a closure: append to the slice that Begin
// returns and hand it to Since.
func (s *Scratch) Begin() []byte { return s.buf }

// Since takes back the slice of Begin and returns the bytes appended since; if there are none they are empty, not nil,
// which in an event would mean that there is no such member.
func (s *Scratch) Since(grown []byte) []byte {
	if grown == nil {
		return []byte{}
	}
	n := len(s.buf)
	s.buf = grown
	return grown[n:len(grown):len(grown)]
}
