package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// What a model was kept from saying, by a limit or a filter, may end in the middle of a secret. Where that is so its beginning is masked, if
// it is long enough to tell something. The end of a text whose last bytes may be such a beginning waits until it is known how the run goes on.

// leastHalf is the shortest beginning of a match that is masked, in bytes; it also has at least half of what the shortest match has.
const leastHalf = 4

// maxLate is how many events wait together with the end of a text.
const maxLate = 16

// isLimit reports whether an event ends a run whose model would have said more.
func isLimit(ev *hub.Event) bool {
	if ev.Kind != hub.RunEnd {
		return false
	}
	switch ev.Status {
	case hub.StatusLength, hub.StatusLimit, hub.StatusFiltered, hub.StatusRefused:
		return true
	}
	return false
}

// isLimited reports whether an event ends a text that would have gone on: the agent did not end it, or it is the last before such a limit;
// or arguments that are no JSON.
func (s *Stage) isLimited(ev *hub.Event) bool {
	return s.limited && (s.last || ev.Flags.Has(hub.Synthetic)) || ev.Kind == hub.ToolReady && ev.Flags.Has(hub.Invalid)
}

// keepsEnd keeps the end of a text that may be the beginning of a match, and what can stand between that and the end of the run.
func (s *Stage) keepsEnd(ev *hub.Event) bool {
	switch {
	case s.releasing || s.blocked:
		return false
	case len(s.late) > 0:
		if ev.Kind != hub.Usage && ev.Kind != hub.StepEnd || len(s.late) == maxLate {
			return false
		}
	case ev.Kind != hub.TextEnd || ev.Flags.Has(hub.Synthetic) || !s.mayBeHalf(ev):
		return false
	}
	s.late = append(s.late, ev.Clone())
	return true
}

// mayBeHalf reports whether the text that an event ends may end in the beginning of a match.
func (s *Stage) mayBeHalf(ev *hub.Event) bool {
	for _, p := range s.open {
		if p.endsWith(ev) && len(p.text.held) > 0 {
			m, half := s.half(&p.text)
			return half && !s.isWhole(&p.text, m)
		}
	}
	return false
}

// isWhole reports whether a beginning is a match already, which is masked whatever follows.
func (s *searcher) isWhole(t *text, m match) bool {
	return t.hits != 0 && slices.ContainsFunc(s.matches(t, nil), func(whole match) bool { return whole.from <= m.from && whole.to == m.to })
}

// release lets the end of a text go that has waited, before the event next; nil at the end of the stream.
func (s *Stage) release(dst []hub.Event, next *hub.Event) []hub.Event {
	s.releasing, s.last = true, next != nil && isLimit(next)
	for i := range s.late {
		dst = s.event(dst, &s.late[i])
	}
	clear(s.late)
	s.late, s.releasing, s.last = s.late[:0], false, false
	return dst
}

// limit returns what is left of a text that would have gone on: the beginning of a match at its end is masked.
func (s *searcher) limit(t *text) []byte {
	from := len(s.out)
	s.giveUp(t)
	if m, ok := s.half(t); ok {
		s.maskHalf(t, m)
	}
	s.finish(t)
	return s.out[from:len(s.out):len(s.out)]
}

// maskHalf masks the matches of a run that ends in the beginning of one. Whole matches in that are counted; one that is all of it is whole.
func (s *searcher) maskHalf(t *text, m match) {
	var found []match
	if t.hits != 0 {
		for _, whole := range s.matches(t, nil) {
			switch {
			case whole.from < m.from:
				found = append(found, whole)
			case whole.from == m.from && whole.to == m.to:
				m = whole
			default:
				s.note(s.rules.patterns[whole.pattern], false)
			}
		}
	}
	s.maskAll(t, disjoint(append(found, m)), t.end())
	s.forget(t)
}

// halfSteps bounds the search for the beginning of a match, in bytes looked at.
const halfSteps = 1 << 16

// half finds the first beginning of a match that the run ends in. A run that takes too long to search is one as a whole.
func (s *searcher) half(t *text) (m match, ok bool) {
	steps, found := 0, []match(nil)
	if t.hits != 0 {
		found = s.matches(t, nil)
	}
	for from := range t.run {
		for number, p := range s.rules.patterns {
			begin := t.run[from:]
			if !p.applies(t.tool) || !p.tells(begin) || p.isInside(t, from) || isDone(found, from, number, len(t.run)) {
				continue
			}
			alive, n := p.alone.survives(begin)
			if alive {
				return match{from: from, to: len(t.run), pattern: number, half: true}, true
			}
			if steps += n; steps > halfSteps {
				return match{to: len(t.run), pattern: number, half: true}, true
			}
		}
	}
	return m, false
}

// isDone reports whether a pattern that could begin at a byte of a run has come to its end there, before the end of the run.
func isDone(found []match, from, number, end int) bool {
	return slices.ContainsFunc(found, func(m match) bool { return m.pattern == number && m.from <= from && from < m.to && m.to < end })
}

// survives reports whether a match may still be going on after all of p, and how many bytes it looked at.
func (a *automaton) survives(p []byte) (alive bool, n int) {
	state := a.start
	for i, c := range p {
		if state = a.step(state, c); state == dead {
			return false, i + 1
		}
	}
	return true, len(p)
}

// tells reports whether the beginning of a match is long enough to tell something.
func (p *pattern) tells(begin []byte) bool {
	if len(begin) > p.Max {
		return false // what is longer is none
	}
	if p.half != nil {
		return p.half(begin)
	}
	return len(begin) >= leastHalf && 2*len(begin) >= p.min
}

// isInside reports whether a match cannot begin at a byte of a run, as it has to be at the border of a word or a number.
func (p *pattern) isInside(t *text, from int) bool {
	if p.find == nil && !strings.HasPrefix(p.Expr, `\b`) {
		return false
	}
	prev := t.prev
	if from > 0 {
		prev = t.run[from-1]
	}
	return isWord(prev) && isWord(t.run[from])
}

func isWord(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// Of what is short and common in texts, a beginning has to show more than its length: the first six digits of a card say who has issued it.

func halfCard(begin []byte) bool {
	digits := 0
	for _, c := range begin {
		if isDigit(c) {
			digits++
		}
	}
	return digits > 6 && digits < mostDigits && begin[0] >= '2' && begin[0] <= '6'
}

func halfEmail(begin []byte) bool { return bytes.IndexByte(begin, '@') > 0 }

func halfIPv4(begin []byte) bool { return bytes.Count(begin, []byte(".")) >= 2 }

func halfIPv6(begin []byte) bool { return bytes.Count(begin, []byte(":")) >= 3 }
