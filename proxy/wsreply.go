package proxy

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// refuse tells the client in its own dialect why its message is not answered.
func (x *session) refuse(f *hub.Failure) *hub.Failure {
	x.server.rejected(f, string(x.handshake.URI().Path()), x.whence(), x.id)
	if err := x.say(nil, f, hub.FailureEnd(f, new(hub.More))); err != nil {
		return asFailure(err)
	}
	return f
}

// say sends events of Sabir's own. asked is what they answer, nil if nothing is known of it.
func (x *session) say(asked *hub.Request, f *hub.Failure, evs ...hub.Event) error {
	out, enc := wire.NewOut(wire.WebSocket), x.target.dialect.NewEncoder(x.target.options)
	if asked != nil {
		engine.Answer(enc, asked)
	}
	for i := range evs {
		enc.Encode(out, &evs[i])
	}
	enc.Finish(out)
	return wsSink{x.client}.end(out, f)
}
