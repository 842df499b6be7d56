package copilot

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
)

// atRest is the events of a session, as session.getMessages answers them.
type atRest struct{}

// Form has the events that sessions keep: none that are ephemeral, and none of our own. A call that reports an intent is a call at
// rest.
func (atRest) Form() replay.Form {
	d := Dialect
	d.NewDecoder = func(o hub.Options) hub.Decoder {
		dec := newDecoder(o).(*decoder)
		dec.opt.history, dec.opt.intentTools = true, nil
		return dec
	}
	d.NewEncoder = func(o hub.Options) hub.Encoder {
		enc := newEncoder(o).(*encoder)
		enc.opt.extensions = false
		return enc
	}
	return replay.Form{Dialect: &d, Unwrap: func(event rawjson.Value) rawjson.Value {
		if passing, _ := rawjson.Bool(rawjson.Get(event, "ephemeral")); passing {
			return nil
		}
		return event
	}}
}
