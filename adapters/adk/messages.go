package adk

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
)

// messages are the events of a session.
type messages struct{}

// DecodeMessages reads a list of events.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	return form().DecodeMessages(dst, v)
}

// AppendMessages writes a list of events.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	return form().AppendMessages(dst, ms, l)
}

// form has turns as sessions keep them: whole, without the fragments before.
func form() replay.Form {
	d := Dialect
	d.NewEncoder = func(o hub.Options) hub.Encoder {
		e := newEncoder(o)
		e.(hub.Answerer).Answer(&hub.Request{Modes: []byte("false")})
		return e
	}
	return replay.Form{Dialect: &d}
}
