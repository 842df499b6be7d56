package redact

import (
	"cmp"
	"slices"
)

// searcher searches texts with memory that it uses again.
type searcher struct {
	rules *Rules
	out   []byte // what left since it was cleared
	note  func(p *pattern, half bool)

	found  []match
	window []byte
	rest   []byte
	places []int
}

// match is where in a run a pattern matches.
type match struct {
	from, to, pattern int
	half              bool // it is the beginning of one, of which the rest did not come
}

// resolve lets go a run that has ended at a place with the byte next, with all matches masked.
func (s *searcher) resolve(t *text, next byte, place int) {
	if len(t.run) == 0 {
		return
	}
	if t.hits != 0 {
		s.maskAll(t, s.matches(t, &next), place)
	}
	s.letGo(t, place)
	s.forget(t)
}

// stop ends a run where a string does, or the text.
func (s *searcher) stop(t *text, place int) {
	if len(t.run) > 0 && t.hits != 0 {
		s.maskAll(t, s.matches(t, nil), place)
	}
	if t.eaten > 0 {
		t.cut(place)
		t.eaten = 0
	} else {
		s.letGo(t, place)
	}
	s.forget(t)
}

// maskAll masks matches in a run that ends at a place.
func (s *searcher) maskAll(t *text, found []match, place int) {
	for _, m := range found {
		s.letGo(t, t.at[m.from])
		s.mask(t, m, t.place(m.to, place))
	}
}

// matches finds the matches in a run, from left to right, none in another. next is the byte after it, nil if there is none yet.
func (s *searcher) matches(t *text, next *byte) []match {
	s.found = s.found[:0]
	s.window = append(append(s.window[:0], t.prev), t.run...)
	if next != nil {
		s.window = append(s.window, *next)
	}
	if t.prev == 0 {
		s.window[0] = ' ' // a text begins as behind a space
	}
	for i, p := range s.rules.patterns {
		if t.hits&p.bit != 0 && len(t.run) >= p.min && p.applies(t.tool) {
			s.searchOne(i, len(t.run))
		}
	}
	slices.SortFunc(s.found, func(a, b match) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	return disjoint(s.found)
}

// disjoint takes off matches what belongs to earlier ones.
func disjoint(found []match) []match {
	end, n := 0, 0
	for _, m := range found {
		if m.from = max(m.from, end); m.from < m.to {
			found[n], end = m, m.to
			n++
		}
	}
	return found[:n]
}

// searchOne finds the matches of one pattern in the window, in which the run begins at 1 and has a length.
func (s *searcher) searchOne(number, length int) {
	p := s.rules.patterns[number]
	for offset := 1; offset <= length; {
		from, to := p.locate(s.window, offset)
		if from < 0 || from > length {
			return
		}
		to = min(to, length+1)
		s.found = append(s.found, match{from: from - 1, to: to - 1, pattern: number})
		offset = to
	}
}

// locate finds the first match in text from offset on; from < 0 for none. The byte before is seen, as the border of a word may be there.
func (p *pattern) locate(text []byte, offset int) (from, to int) {
	for offset < len(text) {
		before := offset - 1
		from, to = p.firstIn(text[before:])
		if from < 0 {
			return -1, 0
		}
		if from, to = before+from, before+to; from < offset {
			from, to = p.behind(text, offset, to)
		}
		if from < to && (p.ok == nil || p.ok(text[from:to])) {
			return from, to
		}
		offset = from + 1
	}
	return -1, 0
}

// behind is what matches from offset on where a match up to an end begins in the byte before, which belongs to another: what is left of it,
// and one that begins in that.
func (p *pattern) behind(text []byte, offset, end int) (from, to int) {
	if p.find != nil {
		return offset, end
	}
	before := offset - 1
	at := p.later.FindSubmatchIndex(text[before:])
	switch {
	case at == nil || end > offset && before+at[2] > end:
		return offset, end
	case end == offset:
		return before + at[2], before + at[3]
	}
	return offset, max(end, before+at[3])
}

func (p *pattern) firstIn(text []byte) (from, to int) {
	if p.find != nil {
		return p.find(text)
	}
	if at := p.re.FindIndex(text); at != nil {
		return at[0], at[1]
	}
	return -1, 0
}

// mask writes the mask of a match whose text, which is the first that is held, ends at a place. A number of arguments becomes another.
func (s *searcher) mask(t *text, m match, end int) {
	covered := t.held[:end-t.base]
	p := s.rules.patterns[m.pattern]
	switch {
	case t.json.bare(covered):
		for _, c := range covered {
			if isDigit(c) {
				c = '9'
			}
			s.out = append(s.out, c)
		}
	default:
		s.out = append(append(append(s.out, "[redacted:"...), p.Name...), ']')
	}
	t.cut(end)
	s.note(p, m.half)
}
