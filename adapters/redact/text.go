package redact

import "bytes"

// form is how a text is written.
type form uint8

const (
	body    form = iota // of a JSON string: escaped once
	args                // JSON as the body of a string, as the arguments of a call come: escaped twice
	rawJSON             // JSON as it is
	plain               // as it is
)

// text is a text that comes in pieces: what of it is held back, and what is known of what came before.
//
// Its bytes are unescaped as a reader would do it, and searched then. Places are counted in bytes of the escaped text from its beginning.
type text struct {
	form form
	tool string // that it belongs to; empty: none, or no pattern asks

	state scanState
	hits  hits   // that may be in the run
	prev  byte   // the byte before the run
	run   []byte // what may belong to a match, unescaped
	at    []int  // the place of each of its bytes

	held []byte // from place base on, as it came
	base int

	eaten    int    // 1 + the pattern whose match is masked already, and goes on; 0: none
	eatState uint16 // of that pattern's own automaton

	json  jsonState
	uni   escape // \uXXXX in an unescaped text
	inner escape // an escape in a string of arguments
}

// reset makes the text that of another part.
func (t *text) reset(f form, tool string) {
	*t = text{form: f, tool: tool, run: t.run[:0], at: t.at[:0], held: t.held[:0], json: jsonState{form: f}}
}

// glance searches a piece of a text in which no escape begins or goes on, and returns what can leave. ok is false if the piece needs a
// closer look.
func (s *searcher) glance(t *text, p []byte) (out []byte, ok bool) {
	if t.eaten > 0 || t.uni.open() || bytes.IndexByte(p, '\\') >= 0 {
		return nil, false
	}
	state, since, found := t.state, len(p), hits(0)
	for i, a := range s.rules.scans {
		end := a.glance(p, state[i], t.hits)
		if end.missed {
			return nil, false
		}
		state[i], since, found = end.state, min(since, end.since), found|end.hits
	}
	waits := len(p) - max(since, 0)
	if since < 0 {
		waits += len(t.run)
	}
	if waits > 0 && waits >= s.rules.longest(&state) {
		return nil, false
	}
	return s.take(t, p, state, since, found), true
}

// take lets go what is before since in a piece, and holds the rest. since is negative if what is held already goes on.
func (s *searcher) take(t *text, p []byte, state scanState, since int, found hits) []byte {
	out := p[:max(since, 0)]
	if since >= 0 {
		if n := len(t.run); since > 0 {
			t.prev = p[since-1]
		} else if n > 0 {
			t.prev = t.run[n-1]
		}
		if len(t.held) > 0 {
			from := len(s.out)
			s.out = append(append(s.out, t.held...), out...)
			out = s.out[from:len(s.out):len(s.out)]
		}
		t.base += len(t.held) + since
		t.held, t.run, t.at = t.held[:0], t.run[:0], t.at[:0]
	}
	rest, end := p[max(since, 0):], t.end()
	t.held, t.run = append(t.held, rest...), append(t.run, rest...)
	for i := range rest {
		t.at = append(t.at, end+i)
	}
	t.state, t.hits = state, found
	return out
}

// glanced is what one look at a text has shown.
type glanced struct {
	state  uint16
	since  int  // what may be going on has begun here at the earliest; -1: before the text
	hits   hits // that may be in it
	missed bool // one may have been before
}

// glance goes on in a state. before are the hits in what is held.
func (a *automaton) glance(p []byte, state uint16, before hits) glanced {
	g := glanced{state: state, since: -1}
	if state == dead {
		g.since = 0
	} else {
		g.hits = before
	}
	for i, c := range p {
		g.state = a.next[int(g.state)*a.width+int(a.class[c])]
		switch {
		case g.state != dead:
			g.hits |= a.accept[g.state]
		case g.hits != 0:
			g.missed = true
			return g
		default:
			g.since = i + 1
		}
	}
	return g
}

// feed searches the next piece, and returns what can leave now. It is valid until the searcher is cleared, and may be the piece itself.
func (s *searcher) feed(t *text, p []byte) []byte {
	if t.form == body {
		if out, ok := s.glance(t, p); ok {
			return out
		}
	}
	from := len(s.out)
	s.search(t, p)
	return s.out[from:len(s.out):len(s.out)]
}

// search writes what can leave of a piece.
func (s *searcher) search(t *text, p []byte) {
	for len(p) > 0 {
		n := s.unit(t, p)
		p = p[n:]
		s.drain(t)
	}
	s.settle(t, 1)
}

// finish returns what is still held when the text has ended.
func (s *searcher) finish(t *text) []byte {
	from := len(s.out)
	s.giveUp(t)
	s.stop(t, t.end())
	if t.eaten == 0 {
		s.out = append(s.out, t.held...)
	}
	t.reset(t.form, t.tool)
	return s.out[from:len(s.out):len(s.out)]
}

// cutOff returns what is left of a text that has not come to its end: what is held may be half a match, and is dropped.
func (s *searcher) cutOff(t *text) []byte {
	from := len(s.out)
	if len(t.run) > 0 && t.hits != 0 {
		s.maskAll(t, s.matches(t, nil), t.pending())
	}
	t.reset(t.form, t.tool)
	return s.out[from:len(s.out):len(s.out)]
}

// unit takes one byte or escape off the front of p.
func (s *searcher) unit(t *text, p []byte) (n int) {
	at := t.end()
	if t.form == rawJSON || t.form == plain || p[0] != '\\' {
		t.held = append(t.held, p[0])
		s.unescaped(t, p[0], at)
		return 1
	}
	chars, n := unescape(p)
	t.held = append(t.held, p[:n]...)
	for _, c := range chars.bytes() {
		s.unescaped(t, c, at)
	}
	return n
}

// unescaped takes a byte of the text that the body of a string stands for.
func (s *searcher) unescaped(t *text, c byte, at int) {
	if t.form == body || t.form == plain {
		s.char(t, c, at)
		return
	}
	s.jsonByte(t, c, at)
}

// step takes a byte as a reader sees it.
func (s *searcher) step(t *text, c byte, at int) {
	if t.eaten > 0 {
		alone := s.rules.patterns[t.eaten-1].alone
		if t.eatState = alone.step(t.eatState, c); t.eatState != dead {
			return
		}
		t.cut(at)
		t.eaten = 0
	}
	alive, found := s.rules.step(&t.state, c)
	if !alive {
		s.resolve(t, c, at)
		t.prev = c
		return
	}
	t.run, t.at = append(t.run, c), append(t.at, at)
	t.hits |= found
	if len(t.run)%64 == 0 {
		s.settle(t, 2)
	}
}

// drain lets go what is searched and belongs to nothing.
func (s *searcher) drain(t *text) {
	if len(t.run) > 0 || t.inner.open() || t.uni.open() {
		return
	}
	if t.eaten == 0 {
		s.out = append(s.out, t.held...)
	}
	t.cut(t.end())
}

// settle lets go the beginning of a run that is too long for any match, times over.
func (s *searcher) settle(t *text, times int) {
	for len(t.run) > 0 && len(t.run) >= times*s.rules.longest(&t.state) {
		if s.first(t) {
			continue
		}
		n := len(t.run) - s.rules.longest(&t.state) + 1
		s.letGo(t, t.place(n, t.pending()))
		s.again(t, n)
	}
}

// first masks the first match in the run, if there is one. One that reaches the end of the run goes on: what belongs to it is left out.
func (s *searcher) first(t *text) bool {
	if t.hits == 0 || len(s.matches(t, nil)) == 0 {
		return false
	}
	m := s.found[0]
	s.letGo(t, t.at[m.from])
	if m.to < len(t.run) {
		s.mask(t, m, t.place(m.to, 0))
		s.again(t, m.to)
		return true
	}
	p := s.rules.patterns[m.pattern]
	t.eaten, t.eatState = m.pattern+1, p.alone.start
	for _, c := range t.run[m.from:] {
		t.eatState = p.alone.step(t.eatState, c)
	}
	s.mask(t, m, t.pending())
	s.forget(t)
	return true
}

// again searches what of the run is left after its first n bytes.
func (s *searcher) again(t *text, n int) {
	t.prev = t.run[n-1]
	run, at := append(s.rest[:0], t.run[n:]...), append(s.places[:0], t.at[n:]...)
	s.rest, s.places = nil, nil // this may call itself
	s.forget(t)
	for i, c := range run {
		s.step(t, c, at[i])
	}
	s.rest, s.places = run, at
	if len(t.run) == 0 && len(run) > 0 && !t.inner.open() && !t.uni.open() {
		s.drain(t)
	}
}

// forget empties the run.
func (s *searcher) forget(t *text) {
	t.run, t.at, t.state, t.hits = t.run[:0], t.at[:0], scanState{}, 0
}

// letGo writes what is held before a place.
func (s *searcher) letGo(t *text, place int) {
	s.out = append(s.out, t.held[:place-t.base]...)
	t.cut(place)
}

// cut drops what is held before a place.
func (t *text) cut(place int) {
	n := copy(t.held, t.held[place-t.base:])
	t.held, t.base = t.held[:n], place
}

// place is that of byte i of the run, and after its last byte, end.
func (t *text) place(i, end int) int {
	if i < len(t.run) {
		return t.at[i]
	}
	return end
}

// end is the place after all that has come.
func (t *text) end() int { return t.base + len(t.held) }

// pending is the place after all that was searched.
func (t *text) pending() int {
	place := t.end()
	for _, e := range []*escape{&t.inner, &t.uni} {
		if e.open() {
			place = min(place, e.at[0])
		}
	}
	return place
}
