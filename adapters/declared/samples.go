package declared

import (
	"fmt"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxSamples is the size of the samples, in bytes.
const maxSamples = 256 << 10

// sampleCheck reads the samples of a document, which are records as the server writes them. That finds, while the document is
// checked, what would show only at run time: a member that has another name, a word that a map does not have, a type without
// a rule.
type sampleCheck struct {
	node
	t    *decodeTable
	d    *decoder
	seen [][]bool // by plan and member: some sample has it
}

// checkSamples reads the samples as a decoder would, and reports what it cannot understand.
func (c *compiler) checkSamples(n node, t *decodeTable) {
	text, ok := n.text()
	switch {
	case !ok:
		return
	case t == nil:
		n.problem("are for reading, and there is no decode")
		return
	case len(text) > maxSamples:
		n.problem("are larger than %d KiB", maxSamples>>10)
		return
	}
	s := &sampleCheck{node: n, t: t, d: newDecoder(t, hub.Options{})}
	for _, p := range t.plans {
		s.seen = append(s.seen, make([]bool, len(p.members)))
	}
	s.read([]byte(text))
	if len(n.problems) == 0 { // else what is missing may only have been unreadable
		s.missing()
	}
}

// read decodes each record on its own, so that the samples may hold several ends of a run.
func (s *sampleCheck) read(text []byte) {
	split := wire.NewSplitter(wire.Auto, maxSamples)
	for number := 1; len(text) > 0; {
		rec, used, err := split.Split(text, true)
		if err != nil {
			s.problem("record %d: %v", number, err)
		}
		if used == 0 {
			return
		}
		text = text[used:]
		if rec.Data == nil {
			continue
		}
		if err == nil {
			s.record(number, rec)
		}
		number++
	}
}

// record decodes one record and notes what it has.
func (s *sampleCheck) record(number int, rec wire.Record) {
	s.d.ended = false
	s.d.views[0].look(nil)
	events, err := s.d.Decode(nil, rec)
	switch {
	case err != nil:
		s.problem("record %d: %v", number, err)
		return
	case slices.ContainsFunc(events, func(ev hub.Event) bool { return ev.Kind == hub.Raw }):
		s.problem("record %d: no rule is about it; add one, with emit: none if it means nothing", number)
		return
	case s.d.views[0].vals[0] == nil: // a keep-alive, or the end mark
		return
	}
	s.look(0)
	rules, _ := s.d.rules()
	for _, r := range rules {
		if s.d.all(r.tests) {
			s.rule(number, r)
		}
	}
}

// look notes the members that the value in a view has.
func (s *sampleCheck) look(view int) {
	for m := range s.t.plans[view].members {
		if s.d.views[view].get(m) != nil {
			s.seen[view][m] = true
		}
	}
}

// rule looks at what a rule reads of the record: its lists, and the words that it maps.
func (s *sampleCheck) rule(number int, r *rule) {
	if r.inner == 0 {
		s.emits(number, r)
		return
	}
	s.elements(s.d.views[0].get(r.each), r.inner, func() { s.emits(number, r) })
}

func (s *sampleCheck) elements(list rawjson.Value, view int, each func()) {
	for elem := range rawjson.Each(list) {
		s.d.views[view].look(elem)
		s.look(view)
		each()
	}
}

func (s *sampleCheck) emits(number int, r *rule) {
	for _, e := range r.emits {
		if !s.d.all(e.tests) {
			continue
		}
		for i := range e.sets {
			s.words(number, &e.sets[i].source)
		}
		for _, l := range e.lists {
			s.elements(s.d.value(&l.source), l.inner, func() {
				for _, part := range l.parts {
					s.words(number, part)
				}
			})
		}
	}
}

// words reports a word that a map does not have.
func (s *sampleCheck) words(number int, src *source) {
	if src == nil || src.words == nil || src.other != nil {
		return
	}
	v := s.d.value(src)
	if rawjson.IsNull(v) {
		return
	}
	word := string(v)
	if body, ok := rawjson.Str(v); ok {
		word = string(s.d.plain(body))
	}
	if _, ok := src.words[word]; !ok {
		s.add(src.place, "does not have %q, which record %d of samples says; add it, or an else beside map", clip(word), number)
	}
}

// missing reports the members that rules want and no sample has.
func (s *sampleCheck) missing() {
	for view, p := range s.t.plans {
		for m := range p.members {
			if at := &p.members[m]; at.wanted != "" && !s.seen[view][m] {
				s.add(at.wanted, "no sample has %s; correct the path, or add a sample that has it", pathOf(p.steps(m)))
			}
		}
	}
}

// pathOf is the text of a path.
func pathOf(steps []step) string {
	text := ""
	for i, s := range steps {
		switch {
		case s.index >= 0:
			text += fmt.Sprintf("[%d]", s.index)
		case i == 0:
			text += s.name
		default:
			text += "." + s.name
		}
	}
	return text
}
