package sequencer

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// textState is what the sequencer knows of text parts. No text is kept: a full text that follows its deltas is
// recognised by length and hash.
type textState struct {
	parts memory[*part] // by sub-agent, channel and upstream id, or by sub-agent, channel and message where there is none
	open  []*part       // oldest first
	last  *part         // found by the last lookup; deltas come in runs
	ids   ids
	key   []byte
	plain []byte
}

// part is one text part as the upstream sees it. It may be shown as several normalized parts, one after the other.
type part struct {
	subAgent, id, msg []byte // as the upstream says them
	chanUser          uint8
	strictSubAgent    *subAgent
	slot              hub.Slot   // 0 while it is not open
	normalized        []byte     // id of the normalized part that is or was open
	start             *hub.Event // the upstream's own TextStart, until the part is opened
	isOpen            bool
	shown             bool // has been opened at least once
	restarted         bool // the upstream began it again, and no text has come since

	// Of the text shown, unescaped: all of it; what came before the normalized part that is open; what came since the
	// upstream went on after a boundary. Without an id, a full text may repeat all or only the last of these.
	all, before, recent extent
}

// extent stands for a text.
type extent struct {
	length int
	hash   uint64
}

func extentOf(text []byte) extent { return extent{len(text), hashText(0, text)} }

func (x *extent) add(plain []byte) {
	x.length += len(plain)
	x.hash = hashText(x.hash, plain)
}

// opens reports whether full begins with the text.
func (x *extent) opens(full []byte) bool {
	return len(full) >= x.length && hashText(0, full[:x.length]) == x.hash
}

func (t *textState) reset(known int) {
	t.parts.reset(known, func(p *part) bool { return p.isOpen })
	t.ids.reset("p_", known)
	clear(t.open)
	t.open, t.last = t.open[:0], nil
}

func chanUser(ev *hub.Event) uint8 {
	cu := uint8(ev.Chan) << 1
	if ev.Flags.Has(hub.User) {
		cu++
	}
	return cu
}

func (p *part) channel() hub.Chan { return hub.Chan(p.chanUser >> 1) }

func (p *part) is(ev *hub.Event) bool {
	return p.chanUser == chanUser(ev) && bytes.Equal(p.id, ev.ID) && bytes.Equal(p.subAgent, ev.SubAgent) &&
		(len(p.id) > 0 || bytes.Equal(p.msg, ev.Msg))
}

// keyOf is where the part of ev is found; valid until the next call.
func (t *textState) keyOf(chanUser uint8, ev *hub.Event) []byte {
	name, named := ev.ID, byte(1)
	if len(name) == 0 {
		name, named = ev.Msg, 0
	}
	k := append(t.key[:0], chanUser, named)
	k = append(append(append(k, ev.SubAgent...), 0), name...)
	t.key = k
	return k
}

// find returns the part that ev is about, making it if it is new.
func (t *textState) find(ev *hub.Event) *part {
	p := t.last
	if p == nil || !p.is(ev) {
		k := t.keyOf(chanUser(ev), ev)
		if p = t.parts.get(k); p == nil {
			p = &part{subAgent: bytes.Clone(ev.SubAgent), id: bytes.Clone(ev.ID), chanUser: chanUser(ev)}
			t.parts.put(string(k), p)
		}
		t.last = p
	}
	if !p.isOpen && len(ev.Msg) > 0 && !bytes.Equal(p.msg, ev.Msg) {
		p.msg = bytes.Clone(ev.Msg) // while it is open, a part stays in its message
	}
	return p
}

// ending returns the part that a TextEnd is about, nil if there is none. Some upstreams do not repeat the channel.
func (t *textState) ending(ev *hub.Event) *part {
	p := t.parts.get(t.keyOf(chanUser(ev), ev))
	if p != nil && (p.isOpen || p.start != nil) || len(ev.ID) == 0 {
		return p
	}
	for _, o := range t.open {
		if bytes.Equal(o.id, ev.ID) && bytes.Equal(o.subAgent, ev.SubAgent) {
			return o
		}
	}
	return p
}

func (s *Sequencer) textStart(dst []hub.Event, ev *hub.Event) []hub.Event {
	p := s.texts.find(ev)
	if p.isOpen {
		s.Repairs[StartRepeated]++
		return dst
	}
	// The part is opened by its first character: an empty part says nothing, and would close others.
	start := ev.Clone()
	p.start, p.restarted = &start, p.shown
	return dst
}

func (s *Sequencer) textDelta(dst []hub.Event, ev *hub.Event) []hub.Event {
	if len(ev.Text) == 0 {
		return dst
	}
	p := s.texts.find(ev)
	if ev.Op == hub.Replace {
		return s.fullText(dst, ev, p)
	}
	dst = s.openPart(dst, ev, p, false)
	p.add(s.texts.unescaped(ev.Text))
	return p.emit(dst, ev, hub.Append)
}

// emit appends ev as an event of the normalized part.
func (p *part) emit(dst []hub.Event, ev *hub.Event, op hub.Op) []hub.Event {
	dst, out := hub.AddCopy(dst, ev)
	p.label(out)
	out.Op = op
	return dst
}

// label writes on an event which part it is of.
func (p *part) label(out *hub.Event) {
	out.ID, out.Slot, out.Msg, out.Chan = p.normalized, p.slot, p.msg, p.channel()
	p.strictSubAgent.place(out)
	if p.chanUser&1 != 0 {
		out.Flags |= hub.User
	}
}

// fullText handles a text that the upstream repeats from its beginning: only what is new goes on.
func (s *Sequencer) fullText(dst []hub.Event, ev *hub.Event, p *part) []hub.Event {
	full := s.texts.unescaped(ev.Text)
	switch {
	case p.all.opens(full):
		return s.textTail(dst, ev, p, full, p.all.length)
	case len(p.id) == 0 && p.recent.opens(full):
		return s.textTail(dst, ev, p, full, p.recent.length)
	case !p.isOpen && (len(p.id) == 0 || p.restarted): // nothing says that it is the same text
		return s.textTail(dst, ev, p, full, 0)
	}
	s.Repairs[TextDiverged]++
	if !s.cfg.Replace && s.cfg.Correct && p.shown {
		dst = s.closeParts(dst, func(o *part) bool { return o == p })
		p.all, p.recent = extent{}, extent{}
		return s.textTail(dst, ev, p, full, 0)
	}
	if !s.cfg.Replace || !p.isOpen || p.before.length == len(full) || !p.before.opens(full) {
		return dst // what was shown stays
	}
	out := *ev
	rest := full[p.before.length:]
	if p.before.length > 0 {
		out.Text = s.escaped(rest)
	}
	p.all, p.recent = extentOf(full), extentOf(rest)
	return p.emit(dst, &out, hub.Replace)
}

// textTail passes what full says beyond its first n bytes, which were shown.
func (s *Sequencer) textTail(dst []hub.Event, ev *hub.Event, p *part, full []byte, n int) []hub.Event {
	tail := full[n:]
	if len(tail) == 0 {
		s.Repairs[TextRepeated]++
		return dst
	}
	delta := *ev
	if n > 0 {
		s.Repairs[TextTail]++
		delta.Text = s.escaped(tail)
	}
	dst = s.openPart(dst, &delta, p, n > 0)
	p.add(tail)
	return p.emit(dst, &delta, hub.Append)
}

func (s *Sequencer) escaped(plain []byte) []byte {
	return s.scratch.Since(rawjson.AppendEscaped(s.scratch.Begin(), plain))
}

func (s *Sequencer) textEnd(dst []hub.Event, ev *hub.Event) []hub.Event {
	p := s.texts.ending(ev)
	sealed := ev.More != nil && len(ev.More.Sig) > 0
	if (p == nil || !p.isOpen) && sealed {
		p = s.texts.find(ev)
		dst = s.openPart(dst, ev, p, true) // a signature without text: encrypted reasoning
	}
	if p == nil || !p.isOpen {
		if p == nil || !p.shown && p.start == nil {
			s.Repairs[Stray]++
		} else {
			p.start = nil
		}
		return dst
	}
	dst = p.emit(dst, ev, hub.Append)
	s.closePart(p)
	return dst
}

// openPart opens p if it is not open, closing what may not be open beside it. tail says that the text goes on where it
// stopped.
func (s *Sequencer) openPart(dst []hub.Event, ev *hub.Event, p *part, tail bool) []hub.Event {
	if p.isOpen {
		return dst
	}
	if p.restarted && !tail {
		p.all = extent{}
	}
	if !tail {
		p.recent = extent{}
	}
	dst, p.strictSubAgent = s.subAgent(dst, ev.SubAgent)
	dst = s.closeParts(dst, func(o *part) bool { return o.strictSubAgent == p.strictSubAgent && bytes.Equal(o.msg, p.msg) })
	dst = s.limitParts(dst)
	if p.shown && len(p.id) > 0 {
		s.Repairs[PartReopened]++
	}
	p.normalized = s.texts.ids.fresh(p.id)
	p.isOpen, p.shown, p.restarted, p.before = true, true, false, p.all
	p.slot = s.slots.take()
	s.texts.open = append(s.texts.open, p)
	return p.emitStart(dst, ev)
}

// emitStart appends the TextStart: the upstream's own, or one made of the event that opens the part.
func (p *part) emitStart(dst []hub.Event, ev *hub.Event) []hub.Event {
	dst, out := hub.Grow(dst)
	if p.start != nil {
		*out = *p.start
		p.start = nil
	} else {
		out.Kind, out.Name, out.Flags = hub.TextStart, ev.Name, hub.Synthetic
	}
	p.label(out)
	return dst
}

// closeParts ends the open parts that match.
func (s *Sequencer) closeParts(dst []hub.Event, match func(*part) bool) []hub.Event {
	for i := 0; i < len(s.texts.open); {
		p := s.texts.open[i]
		if !match(p) {
			i++
			continue
		}
		dst = p.emit(dst, &hub.Event{Kind: hub.TextEnd, Flags: hub.Synthetic}, hub.Append)
		s.closePart(p)
	}
	return dst
}

// limitParts makes room for one more open part.
func (s *Sequencer) limitParts(dst []hub.Event) []hub.Event {
	if len(s.texts.open) < s.cfg.Bounds.Open {
		return dst
	}
	oldest := s.texts.open[0]
	return s.closeParts(dst, func(p *part) bool { return p == oldest })
}

// closePart notes that a part has ended.
func (s *Sequencer) closePart(p *part) {
	s.slots.give(p.slot)
	p.isOpen, p.slot = false, 0
	s.texts.open = without(s.texts.open, p)
}

func (p *part) add(plain []byte) {
	same := p.all == p.recent // until a boundary: then one sum is enough
	p.all.add(plain)
	switch {
	case len(p.id) > 0:
	case same:
		p.recent = p.all
	default:
		p.recent.add(plain)
	}
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
