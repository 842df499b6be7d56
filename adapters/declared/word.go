package declared

import (
	"fmt"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// wordField is a field whose value is a word: where it stands in an event, and what its words are.
type wordField struct {
	parse func(name string) (uint8, bool)
	name  func(v uint8) string
	set   func(*hub.Event, uint8)
}

var wordFields = [fieldCount]wordField{
	fieldStatus: newWordField(hub.ParseStatus, func(ev *hub.Event) *hub.Status { return &ev.Status }),
	fieldChan:   newWordField(hub.ParseChan, func(ev *hub.Event) *hub.Chan { return &ev.Chan }),
	fieldOp:     newWordField(hub.ParseOp, func(ev *hub.Event) *hub.Op { return &ev.Op }),
	fieldLevel:  newWordField(hub.ParseLevel, func(ev *hub.Event) *hub.Level { return &ev.Level }),
	fieldScope:  newWordField(hub.ParseScope, func(ev *hub.Event) *hub.Scope { return &ev.Scope }),
	fieldWhat:   newWordField(hub.ParseAskKind, func(ev *hub.Event) *hub.AskKind { return &ev.AskKind }),
}

// wordType is the type of such a field.
type wordType interface {
	~uint8
	fmt.Stringer
}

func newWordField[T wordType](parse func([]byte) (T, bool), at func(*hub.Event) *T) wordField {
	return wordField{
		parse: func(name string) (uint8, bool) {
			v, ok := parse([]byte(name))
			return uint8(v), ok
		},
		name: func(v uint8) string { return T(v).String() },
		set:  func(ev *hub.Event, v uint8) { *at(ev) = T(v) },
	}
}

// wordOf returns the word of ev in a field. Rules look at it for every event, so it goes without the table.
func wordOf(f field, ev *hub.Event) uint8 {
	switch f {
	case fieldStatus:
		return uint8(ev.Status)
	case fieldChan:
		return uint8(ev.Chan)
	case fieldOp:
		return uint8(ev.Op)
	case fieldLevel:
		return uint8(ev.Level)
	case fieldScope:
		return uint8(ev.Scope)
	}
	return uint8(ev.AskKind)
}

// words lists the vocabulary of a field.
func words(f field) (all []string) {
	w := &wordFields[f]
	for i := range uint8(32) {
		name := w.name(i)
		if v, ok := w.parse(name); ok && v == i && name != "" {
			all = append(all, name)
		}
	}
	return all
}

// Fields are bits of a fieldSet.
const _ = uint(64 - fieldCount)
