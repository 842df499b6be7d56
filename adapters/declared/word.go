package declared

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// parseWord returns the value that a name has in the vocabulary of a field.
func parseWord(f field, name string) (uint8, bool) {
	s := []byte(name)
	switch f {
	case fieldStatus:
		return asByte(hub.ParseStatus(s))
	case fieldChan:
		return asByte(hub.ParseChan(s))
	case fieldOp:
		return asByte(hub.ParseOp(s))
	case fieldLevel:
		return asByte(hub.ParseLevel(s))
	case fieldScope:
		return asByte(hub.ParseScope(s))
	}
	return asByte(hub.ParseAskKind(s))
}

func asByte[T ~uint8](v T, ok bool) (uint8, bool) { return uint8(v), ok }

// words lists the vocabulary of a field.
func words(f field) (all []string) {
	for i := range uint8(32) {
		name := wordName(f, i)
		if v, ok := parseWord(f, name); ok && v == i && name != "" {
			all = append(all, name)
		}
	}
	return all
}

func wordName(f field, v uint8) string {
	switch f {
	case fieldStatus:
		return hub.Status(v).String()
	case fieldChan:
		return hub.Chan(v).String()
	case fieldOp:
		return hub.Op(v).String()
	case fieldLevel:
		return hub.Level(v).String()
	case fieldScope:
		return hub.Scope(v).String()
	}
	return hub.AskKind(v).String()
}

// wordOf returns the word of ev in a field.
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

func setWord(f field, ev *hub.Event, v uint8) {
	switch f {
	case fieldStatus:
		ev.Status = hub.Status(v)
	case fieldChan:
		ev.Chan = hub.Chan(v)
	case fieldOp:
		ev.Op = hub.Op(v)
	case fieldLevel:
		ev.Level = hub.Level(v)
	case fieldScope:
		ev.Scope = hub.Scope(v)
	default:
		ev.AskKind = hub.AskKind(v)
	}
}

// Fields are bits of a fieldSet.
const _ = uint(64 - fieldCount)
