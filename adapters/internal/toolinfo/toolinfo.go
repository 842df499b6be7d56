// Package toolinfo carries what a tool call shows besides its name and arguments through dialects that have no members for it.
package toolinfo

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
)

// Info is what a call shows of itself besides its name and arguments. Dialects without members for it carry it as an object
// under [Key], in a place where clients do not look. The zero value is empty.
type Info struct {
	Title, Kind        []byte // string bodies
	Locations, Content []byte // raw arrays, as in [hub.More]
}

// Key is the member that holds an Info.
const Key = "sabir"

// Has reports whether a ToolStart or ToolUpdate has any of it.
func Has(ev *hub.Event) bool {
	m := ev.More
	return len(ev.Title) > 0 || m != nil && (len(m.ToolKind) > 0 || len(m.Locations) > 0 || len(m.Content) > 0)
}

// Learn copies what a ToolStart or ToolUpdate has, and reports whether it has any. What it has not stays.
func (l *Info) Learn(ev *hub.Event) (news bool) {
	set := func(have *[]byte, now []byte) {
		if len(now) > 0 {
			*have, news = append((*have)[:0], now...), true
		}
	}
	set(&l.Title, ev.Title)
	if m := ev.More; m != nil {
		set(&l.Kind, m.ToolKind)
		set(&l.Locations, m.Locations)
		set(&l.Content, m.Content)
	}
	return news
}

// Empty reports whether it holds nothing.
func (l *Info) Empty() bool {
	return len(l.Title) == 0 && len(l.Kind) == 0 && len(l.Locations) == 0 && len(l.Content) == 0
}

// Append appends the object, with the names of the native notation.
func (l *Info) Append(dst []byte) []byte {
	m := hub.More{ToolKind: l.Kind, Locations: l.Locations, Content: l.Content}
	return eventjson.AppendObject(dst, &hub.Event{Title: l.Title, More: &m}, eventjson.Display)
}

// Read reads the object; it aliases v. What has another type than it should is left out.
func Read(v []byte) Info {
	var (
		m  hub.More
		ev = hub.Event{More: &m}
		r  eventjson.Reader
	)
	r.Read(&ev, v, eventjson.Display)
	return Info{ev.Title, m.ToolKind, m.Locations, m.Content}
}

// Put sets what ev does not have itself. s is where its rare members come from.
func (l *Info) Put(ev *hub.Event, s *hub.Scratch) {
	if l.Empty() {
		return
	}
	m := s.MoreOf(ev)
	set := func(have *[]byte, now []byte) {
		if len(*have) == 0 && len(now) > 0 {
			*have = now
		}
	}
	set(&ev.Title, l.Title)
	set(&m.ToolKind, l.Kind)
	set(&m.Locations, l.Locations)
	set(&m.Content, l.Content)
}
