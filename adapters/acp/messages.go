package acp

import (
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
)

// atRest is what an agent sends when a session is loaded: the updates that tell it again, or notifications that hold one each.
type atRest struct{}

// Form has the updates alone.
func (atRest) Form() replay.Form {
	return replay.Form{Dialect: &Dialect, Wrap: notification, Unwrap: func(record rawjson.Value) rawjson.Value {
		return rawjson.Get(record, "params", "update")
	}}
}

// notification is the message that an update stands in.
func notification(update rawjson.Value) rawjson.Value {
	if rawjson.Get(update, "method") != nil {
		return update
	}
	return appendUpdate(nil, nil, update)
}

// appendUpdate appends the notification of an update to a session.
func appendUpdate(dst, session []byte, update rawjson.Value) []byte {
	dst = append(append(append(dst, updatePrefix...), session...), `","update":`...)
	return append(append(dst, update...), "}}"...)
}
