package redact

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Body masks what is found in the body of a JSON string, whether or not it would end a run.
func Body(r *Rules, text []byte, count func(name string)) []byte {
	s := NewStage(r)
	s.Count = count
	s.one(&text, body, "")
	return text
}

// contents searches what an event says beside deltas, and changes the event where something is found. What it points to stays as it is.
func (s *Stage) contents(ev *hub.Event) {
	tool := ""
	switch ev.Kind {
	case hub.ToolStart, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		tool = s.toolOf(ev.ID)
	case hub.Answer:
	default:
		s.one(&ev.Name, body, "")
	}
	text := body
	if ev.Kind == hub.ToolReady {
		text = args // that are no JSON
	}
	s.one(&ev.Title, body, tool)
	if (s.isCutOff(ev) || s.isLimited(ev)) && ev.Kind != hub.RunEnd && len(ev.Text) > 0 {
		s.beginning(ev, text, tool)
	} else {
		s.one(&ev.Text, text, tool)
	}
	s.one(&ev.Value, rawJSON, tool)
	if ev.More != nil {
		s.moreOf(ev, tool)
	}
}

// beginning searches a whole text of which the rest did not come.
func (s *Stage) beginning(ev *hub.Event, f form, tool string) {
	s.whole.reset(f, tool)
	from := len(s.out)
	s.search(&s.whole, ev.Text)
	s.rest(&s.whole, ev)
	ev.Text = s.out[from:len(s.out):len(s.out)]
}

// moreOf searches the rare members of an event.
func (s *Stage) moreOf(ev *hub.Event, tool string) {
	m := *ev.More
	changed := false
	for _, p := range []*[]byte{&m.Err, &m.ErrCode, &m.File.Name, &m.File.URL, &m.Model} {
		changed = s.one(p, body, tool) || changed
	}
	for _, p := range []*[]byte{&m.Meta, &m.Locations, &m.Content, &m.Schema} {
		changed = s.one(p, rawJSON, tool) || changed
	}
	m.Items, m.Options = slices.Clone(m.Items), slices.Clone(m.Options)
	for i := range m.Items {
		changed = s.one(&m.Items[i].Content, body, "") || changed
	}
	for i := range m.Options {
		changed = s.one(&m.Options[i].Name, body, "") || changed
	}
	if changed {
		copied := m
		ev.More = &copied
	}
}

// one searches a whole text. It reports whether something was found.
func (s *Stage) one(p *[]byte, f form, tool string) bool {
	if len(*p) == 0 || s.cannotMatch(*p) {
		return false
	}
	s.whole.reset(f, tool)
	from := len(s.out)
	s.search(&s.whole, *p)
	s.finish(&s.whole)
	if bytes.Equal(s.out[from:], *p) {
		s.out = s.out[:from]
		return false
	}
	*p = s.out[from:len(s.out):len(s.out)]
	return true
}

// cannotMatch reports at a glance that nothing can be found in a text without escapes.
func (s *Stage) cannotMatch(p []byte) bool {
	if bytes.IndexByte(p, '\\') >= 0 {
		return false
	}
	for _, a := range s.rules.scans {
		if a.accepts(p) {
			return false
		}
	}
	return true
}

// accepts reports whether a match may end anywhere in p.
func (a *automaton) accepts(p []byte) bool {
	state := uint16(dead)
	for _, c := range p {
		if state = a.next[int(state)*a.width+int(a.class[c])]; a.accept[state] != 0 {
			return true
		}
	}
	return false
}
