package conversation

import (
	"iter"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Unread says which members of messages, parts and calls are lost where nothing asks for them. The zero value notes none.
type Unread struct {
	Dialect string        // whose members they are
	Ignored rawjson.Names // members that change nothing in the answer, such as hints for caches, or say what others say
}

// in reports whether an object that was read has such a member.
func (u *Unread) in(o *rawjson.Object) bool {
	return u.Dialect != "" && !o.AllAsked() && o.AnyUnasked(func(name []byte, v rawjson.Value) bool {
		return !alwaysIgnored.Has(name) && !u.Ignored.Has(name) && SaysSomething(v)
	})
}

// alwaysIgnored are members by which applications know their messages, and models do not.
var alwaysIgnored = rawjson.NamesOf([]string{"type", "id", "index", "createdAt", "created_at", "timestamp"})

// SaysSomething reports whether a member says more than one that is left out: what is empty does not, nor does what leaves it to the server.
func SaysSomething(v rawjson.Value) bool {
	switch string(v) {
	case "", "null", "false", `""`, "[]", "{}", `"auto"`:
		return false
	}
	return true
}

// Objects yields the objects of a list: messages, or what stands in the last one.
func (b *Builder) Objects(v rawjson.Value) iter.Seq2[rawjson.Value, *rawjson.Object] {
	return func(yield func(rawjson.Value, *rawjson.Object) bool) {
		for element, o := range rawjson.EachObject(v) {
			if !yield(element, o) {
				return
			}
			b.HasRead(element, o)
		}
	}
}

// HasRead looks for members that nothing has asked for in a value that stands in the last message, or is it.
func (b *Builder) HasRead(v rawjson.Value, o *rawjson.Object) {
	if b.Unread.in(o) {
		b.NoteUnread(v)
	}
}

// NoteUnread notes that a value, which stands in the last message or is it, has a member that the model has no place for. Its own dialect
// gets it again if the last part keeps the value; a part without a kind is nothing else.
func (b *Builder) NoteUnread(v rawjson.Value) {
	if len(b.Messages) == 0 {
		return
	}
	m := &b.Messages[len(b.Messages)-1]
	kept := ""
	if n := len(m.Parts); n > 0 && isOf(&m.Parts[n-1], v) {
		if m.Parts[n-1].Kind == hub.PartRaw {
			return
		}
		kept = b.Unread.Dialect
	}
	if !m.Unread || kept == "" {
		m.Unread, m.KeptBy = true, kept
	}
}

// HasBeyond reports whether an object has members beside those that are known.
func HasBeyond(o *rawjson.Object, known rawjson.Names) bool {
	for name, v := range o.All() {
		if !known.Has(name) && SaysSomething(v) {
			return true
		}
	}
	return false
}

// isOf reports whether a part keeps the value that it was read from.
func isOf(p *hub.Part, v rawjson.Value) bool {
	raw := p.Meta.Raw
	return len(raw) > 0 && len(v) > 0 && &raw[0] == &v[0]
}

// UnreadOfTool reports whether the definition of a tool has a member that nothing has asked for.
func UnreadOfTool(o *rawjson.Object) bool {
	return !o.AllAsked() && o.AnyUnasked(func(name []byte, v rawjson.Value) bool { return !ignoredOfTools.Has(name) && SaysSomething(v) })
}

// ignoredOfTools are members of tools that change nothing in the answer, or say what others say.
var ignoredOfTools = rawjson.NamesOf([]string{"type", "strict", "cache_control", "eager_input_streaming", "defer_loading"})
