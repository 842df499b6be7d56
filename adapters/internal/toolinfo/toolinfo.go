// Package toolinfo carries what a tool call shows besides its name and arguments through dialects that have no members for it.
package toolinfo

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Look is what a call shows of itself besides its name and arguments. Dialects without members for it carry it as an object
// under [LookKey], in a place where clients do not look. The zero value is empty.
type Info struct {
	Title, Kind        []byte // string bodies
	Locations, Content []byte // raw arrays, as in [More]
}

// LookKey is the member that holds a Look.
const Key = "sabir"

// HasLook reports whether a ToolStart or ToolUpdate says anything of how its call looks.
func Has(ev *hub.Event) bool {
	m := ev.More
	return len(ev.Title) > 0 || m != nil && (len(m.ToolKind) > 0 || len(m.Locations) > 0 || len(m.Content) > 0)
}

// Learn copies what a ToolStart or ToolUpdate says, and reports whether it says anything. What it does not say stays.
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

// Empty reports whether there is nothing to say.
func (l *Info) Empty() bool {
	return len(l.Title) == 0 && len(l.Kind) == 0 && len(l.Locations) == 0 && len(l.Content) == 0
}

// Append appends the object, with the names of the native notation.
func (l *Info) Append(dst []byte) []byte {
	dst = append(dst, '{')
	from := len(dst)
	member := func(name string) {
		if len(dst) > from {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), `":`...)
	}
	if len(l.Title) > 0 {
		member("title")
		dst = rawjson.AppendQuoted(dst, l.Title)
	}
	if len(l.Kind) > 0 {
		member("tool_kind")
		dst = rawjson.AppendQuoted(dst, l.Kind)
	}
	if len(l.Locations) > 0 {
		member("locations")
		dst = append(dst, l.Locations...)
	}
	if len(l.Content) > 0 {
		member("content")
		dst = append(dst, l.Content...)
	}
	return append(dst, '}')
}

// ReadLook reads the object; it aliases v. What has another type than it should is left out.
func Read(v []byte) (l Info) {
	l.Title, _ = rawjson.Str(rawjson.Get(v, "title"))
	l.Kind, _ = rawjson.Str(rawjson.Get(v, "tool_kind"))
	if list := rawjson.Get(v, "locations"); rawjson.Kind(list) == '[' {
		l.Locations = list
	}
	if list := rawjson.Get(v, "content"); rawjson.Kind(list) == '[' {
		l.Content = list
	}
	return l
}

// Put sets what ev does not say itself. s is where its rare members come from.
func (l *Info) Put(ev *hub.Event, s *hub.Scratch) {
	if l.Empty() {
		return
	}
	if ev.More == nil {
		ev.More = s.More()
	}
	set := func(have *[]byte, now []byte) {
		if len(*have) == 0 && len(now) > 0 {
			*have = now
		}
	}
	set(&ev.Title, l.Title)
	set(&ev.More.ToolKind, l.Kind)
	set(&ev.More.Locations, l.Locations)
	set(&ev.More.Content, l.Content)
}
