package claudecli

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
)

// atRest is the lines of a session that say something: those of the user and of the assistant.
type atRest struct{}

// Form has whole blocks, without the events before, and calls of all tools: one that keeps a list is a call at rest.
func (atRest) Form() replay.Form {
	d := Dialect
	d.NewDecoder = func(o hub.Options) hub.Decoder {
		dec := newDecoder(o).(*decoder)
		dec.todos = "tool"
		return dec
	}
	d.NewEncoder = func(o hub.Options) hub.Encoder {
		enc := newEncoder(o).(*encoder)
		enc.partial = false
		return enc
	}
	return replay.Form{Dialect: &d, Wrap: func(line rawjson.Value) rawjson.Value {
		if rawjson.Kind(line) == '{' && !isSaid(line) {
			return rawjson.Value(`{"type":"keep_alive"}`)
		}
		return line
	}, Unwrap: func(line rawjson.Value) rawjson.Value {
		if isSaid(line) {
			return line
		}
		return nil
	}}
}

// isSaid reports whether a line is one of the user's or of the assistant's.
func isSaid(line rawjson.Value) bool {
	typ := string(rawjson.Text(line, "type"))
	return typ == "user" || typ == "assistant"
}
