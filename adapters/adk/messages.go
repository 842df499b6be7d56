package adk

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/replay"
)

// atRest is the events of a session.
type atRest struct{}

// Form has turns as sessions keep them: whole, without the fragments before.
func (atRest) Form() replay.Form {
	d := Dialect
	d.NewEncoder = func(o hub.Options) hub.Encoder {
		e := newEncoder(o)
		e.(hub.Answerer).Answer(&hub.Request{Modes: []byte("false")})
		return e
	}
	return replay.Form{Dialect: &d}
}
