package acpwire

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// MetaOutput is the member of metadata that keeps an output beside the content, where that has the result.
const MetaOutput = "rawOutput"

// ReadInput reads the arguments of a call. A string is arguments that are no JSON, or JSON in a string.
func ReadInput(ev *hub.Event, input rawjson.Value) {
	if text, isText := rawjson.Str(input); isText {
		ev.Text, ev.Flags = text, ev.Flags|hub.Invalid
		return
	}
	ev.Value = input
}

// ReadContent reads a content that is the result of a call: its texts are what people see. Several are joined in s.
func ReadContent(ev *hub.Event, content rawjson.Value, s *hub.Scratch) {
	switch rawjson.Kind(content) {
	case '[':
		grown, text := JoinContent(s.Begin(), content)
		s.Since(grown)
		ev.Text = text
		s.MoreOf(ev).Content = content
	case '"':
		ev.Text = rawjson.Body(content)
	}
}

// ShowContent puts content beside a call that has no result yet. Only a list is content of ACP's; what is none is left out.
func ShowContent(ev *hub.Event, content rawjson.Value, s *hub.Scratch) {
	if rawjson.Kind(content) == '[' {
		s.MoreOf(ev).Content = content
	}
}

// KeepOutput keeps an output among the metadata.
func KeepOutput(ev *hub.Event, output rawjson.Value, s *hub.Scratch) {
	meta := append(append(s.Begin(), `{"`+MetaOutput+`":`...), output...)
	AddMeta(ev, s.Since(append(meta, '}')), s)
}

// AddMeta adds the members of an object to the metadata of an event. Where both have members, they are joined in s.
func AddMeta(ev *hub.Event, meta rawjson.Value, s *hub.Scratch) {
	m := s.MoreOf(ev)
	switch {
	case len(m.Meta) == 0 || rawjson.IsEmptyObject(m.Meta):
		m.Meta = meta
		return
	case rawjson.IsEmptyObject(meta):
		return
	}
	both := append(s.Begin(), meta[:len(meta)-1]...) // without its closing bracket
	both = append(append(both, ','), bytes.TrimSpace(m.Meta)[1:]...)
	m.Meta = s.Since(both)
}
