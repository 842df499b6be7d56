package hub

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// textState is what the sequencer knows of text parts. No text is kept: a full text that follows its deltas is
// recognised by length and hash.
type textState struct {
	parts map[string]*part // by lane, channel and upstream id, or by lane, channel and message where there is none
	open  []*part
	last  *part // found by the last lookup; deltas come in runs
	ids   map[string]struct{}
	n     int
	key   []byte
	plain []byte
}

// part is one text part as the upstream sees it. It may be shown as several strict parts, one after the other.
type part struct {
	lane, id, msg []byte // as the upstream says them
	chanUser      uint8
	strictLane    *lane
	strict        []byte // id of the strict part that is or was open
	start         *Event // the upstream's own TextStart, until the part is opened
	isOpen        bool
	shown         bool // has been opened at least once

	length int // of the text shown so far, unescaped
	hash   uint64
}

func (t *textState) reset() {
	if t.parts == nil {
		t.parts, t.ids = map[string]*part{}, map[string]struct{}{}
	}
	clear(t.parts)
	clear(t.ids)
	t.open, t.last, t.n = t.open[:0], nil, 0
}

func chanUser(ev *Event) uint8 { return uint8(ev.Chan)<<1 | uint8(ev.Flags&User)>>6 }

func (p *part) is(ev *Event) bool {
	return p.chanUser == chanUser(ev) && bytes.Equal(p.id, ev.ID) && bytes.Equal(p.lane, ev.Lane) &&
		(len(p.id) > 0 || bytes.Equal(p.msg, ev.Msg))
}

// find returns the part that ev is about, making it if it is new.
func (t *textState) find(ev *Event) *part {
	if t.last != nil && t.last.is(ev) {
		return t.last
	}
	name := ev.ID
	if len(name) == 0 {
		name = ev.Msg
	}
	k := append(t.key[:0], chanUser(ev), byte(min(len(ev.ID), 1)))
	k = append(append(append(k, ev.Lane...), 0), name...)
	t.key = k
	p := t.parts[string(k)]
	if p == nil {
		p = &part{lane: bytes.Clone(ev.Lane), id: bytes.Clone(ev.ID), chanUser: chanUser(ev)}
		t.parts[string(k)] = p
	}
	if !bytes.Equal(p.msg, ev.Msg) {
		p.msg = bytes.Clone(ev.Msg)
	}
	t.last = p
	return p
}

func (s *Sequencer) textStart(dst []Event, ev *Event) []Event {
	p := s.texts.find(ev)
	if p.isOpen {
		s.Repairs[StartRepeated]++
		return dst
	}
	// The part is opened by its first character: an empty part says nothing, and would close others.
	start := ev.clone()
	p.start, p.length, p.hash = &start, 0, 0
	return dst
}

func (s *Sequencer) textDelta(dst []Event, ev *Event) []Event {
	if len(ev.Text) == 0 {
		return dst
	}
	p := s.texts.find(ev)
	if ev.Op == Replace {
		return s.fullText(dst, ev, p)
	}
	dst = s.openPart(dst, ev, p)
	p.add(s.texts.unescaped(ev.Text))
	return s.emitDelta(dst, ev, p)
}

func (s *Sequencer) emitDelta(dst []Event, ev *Event, p *part) []Event {
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Lane = p.strict, p.strictLane.strict()
	return dst
}

// fullText handles a text that the upstream repeats from its beginning: only what is new goes on.
func (s *Sequencer) fullText(dst []Event, ev *Event, p *part) []Event {
	full := s.texts.unescaped(ev.Text)
	switch {
	case len(full) >= p.length && hashText(0, full[:p.length]) == p.hash:
		return s.textTail(dst, ev, p, full)
	case s.cfg.Replace && p.isOpen:
		s.Repairs[TextDiverged]++
		p.length, p.hash = len(full), hashText(0, full)
		return s.emitDelta(dst, ev, p)
	}
	if len(p.id) == 0 && !p.isOpen { // nothing says that it is the same text
		p.length, p.hash = 0, 0
		return s.textTail(dst, ev, p, full)
	}
	s.Repairs[TextDiverged]++
	return dst
}

func (s *Sequencer) textTail(dst []Event, ev *Event, p *part, full []byte) []Event {
	tail := full[p.length:]
	if len(tail) == 0 {
		s.Repairs[TextRepeated]++
		return dst
	}
	delta := *ev
	delta.Op = Append
	if p.length > 0 {
		s.Repairs[TextTail]++
		delta.Text = s.scratch.Since(rawjson.AppendEscaped(s.scratch.Begin(), tail))
	}
	dst = s.openPart(dst, &delta, p)
	p.add(tail)
	return s.emitDelta(dst, &delta, p)
}

func (s *Sequencer) textEnd(dst []Event, ev *Event) []Event {
	p := s.texts.find(ev)
	if !p.isOpen && ev.More != nil && len(ev.More.Sig) > 0 {
		dst = s.openPart(dst, ev, p) // a signature without text: encrypted reasoning
	}
	if !p.isOpen {
		if !p.shown && p.start == nil {
			s.Repairs[Stray]++
		}
		p.start = nil
		return dst
	}
	dst = append(dst, *ev)
	out := &dst[len(dst)-1]
	out.ID, out.Lane, out.Chan = p.strict, p.strictLane.strict(), Chan(p.chanUser>>1)
	s.texts.drop(p)
	return dst
}

// openPart opens p if it is not open, closing what may not be open beside it.
func (s *Sequencer) openPart(dst []Event, ev *Event, p *part) []Event {
	if p.isOpen {
		return dst
	}
	dst, p.strictLane = s.lane(dst, ev.Lane)
	dst = s.closeParts(dst, func(o *part) bool { return o.strictLane == p.strictLane && bytes.Equal(o.msg, p.msg) })
	p.strict = s.partID(p)
	p.isOpen, p.shown = true, true
	s.texts.open = append(s.texts.open, p)

	dst, out := Grow(dst)
	if p.start != nil {
		*out = *p.start
		p.start = nil
	} else {
		out.Chan, out.Msg, out.Name, out.Flags = ev.Chan, ev.Msg, ev.Name, ev.Flags&User|Synthetic
	}
	out.Kind, out.ID, out.Lane = TextStart, p.strict, p.strictLane.strict()
	return dst
}

// partID is the upstream's own id the first time, a fresh one afterwards.
func (s *Sequencer) partID(p *part) []byte {
	t := &s.texts
	_, used := t.ids[string(p.id)]
	if p.shown && len(p.id) > 0 && p.start == nil {
		s.Repairs[PartReopened]++
	}
	if len(p.id) == 0 && p.shown {
		p.length, p.hash = 0, 0 // without an id, a text after a boundary is another text
	}
	id := p.id
	if used || len(id) == 0 {
		id = mint("p_", &t.n, func(id string) bool { _, ok := t.ids[id]; return ok })
	}
	t.ids[string(id)] = struct{}{}
	return id
}

// closeParts ends the open parts that match.
func (s *Sequencer) closeParts(dst []Event, match func(*part) bool) []Event {
	for i := 0; i < len(s.texts.open); {
		p := s.texts.open[i]
		if !match(p) {
			i++
			continue
		}
		var out *Event
		dst, out = Grow(dst)
		out.Kind, out.Chan, out.Flags = TextEnd, Chan(p.chanUser>>1), Synthetic
		out.ID, out.Lane, out.Msg = p.strict, p.strictLane.strict(), p.msg
		s.texts.drop(p)
	}
	return dst
}

func (t *textState) drop(p *part) {
	p.isOpen = false
	for i, o := range t.open {
		if o == p {
			t.open = append(t.open[:i], t.open[i+1:]...)
			return
		}
	}
}

func (p *part) add(plain []byte) {
	p.length += len(plain)
	p.hash = hashText(p.hash, plain)
}

// unescaped returns the plain text of a string body; it is valid until the next call.
func (t *textState) unescaped(body []byte) []byte {
	if bytes.IndexByte(body, '\\') < 0 {
		return body
	}
	t.plain = rawjson.AppendUnescaped(t.plain[:0], body)
	return t.plain
}

// hashText is a polynomial hash, so that it does not depend on how a text was cut. It runs four bytes at a time to
// break the chain of multiplications.
func hashText(h uint64, p []byte) uint64 {
	const (
		m1 = 0x9E3779B97F4A7C15
		m2 = m1 * m1 & (1<<64 - 1)
		m3 = m2 * m1 & (1<<64 - 1)
		m4 = m3 * m1 & (1<<64 - 1)
	)
	for len(p) >= 4 {
		h = h*m4 + uint64(p[0])*m3 + uint64(p[1])*m2 + uint64(p[2])*m1 + uint64(p[3])
		p = p[4:]
	}
	for _, c := range p {
		h = h*m1 + uint64(c)
	}
	return h
}
