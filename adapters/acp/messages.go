package acp

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
)

// messages are what an agent sends when a session is loaded: the updates that tell it again.
type messages struct{}

// DecodeMessages reads a list of updates, or of notifications that hold one each.
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	return form().DecodeMessages(dst, v)
}

// AppendMessages writes a list of updates.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	return form().AppendMessages(dst, ms, l)
}

func form() replay.Form {
	return replay.Form{Dialect: &Dialect, Wrap: notification, Unwrap: func(record rawjson.Value) rawjson.Value {
		return rawjson.Get(record, "params", "update")
	}}
}

// notification is the message that an update stands in.
func notification(update rawjson.Value) rawjson.Value {
	if rawjson.Get(update, "method") != nil {
		return update
	}
	dst := append([]byte(updatePrefix), `","update":`...)
	return append(append(dst, update...), "}}"...)
}
