package proxy

import (
	"sync"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/threadids"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// target is what a route can answer in one dialect.
type target struct {
	dialect *hub.Dialect
	options hub.Options
	framing wire.Framing // Auto: the dialect's own
	engines sync.Pool    // of *engine.Pipeline
	wholes  sync.Pool    // of *engine.Pipeline, for answers in one piece
}

// mappers of ids are used again: their maps cost more to make than to empty.
var mappers = sync.Pool{New: func() any { return new(threadids.Mapper) }}

func newTarget(d *hub.Dialect, cfg *config.Config, rc *config.Route) (*target, error) {
	t := &target{dialect: d}
	var err error
	if t.options, err = parseOptions(d, rc.OptionsFor(d.Name), cfg); err != nil {
		return nil, err
	}
	t.framing, err = wire.ParseFraming(rc.Framing)
	return t, err
}

// parseOptions reads checked options; a problem here means that the configuration was not checked.
func parseOptions(d *hub.Dialect, raw map[string]any, cfg *config.Config) (hub.Options, error) {
	o, problems := d.ParseOptions(raw)
	if len(problems) > 0 {
		return o, problems[0]
	}
	o.Nesting = cfg.Limits.Nesting
	return o, nil
}

// release takes an engine back for the next stream. Decoders, sequencers and encoders hold maps and buffers that cost
// more to make than to reset.
func (t *target) release(e engine.Engine) {
	p, ok := e.(*engine.Pipeline)
	if !ok {
		return
	}
	p.Recycle()
	if p.Whole() {
		t.wholes.Put(p)
	} else {
		t.engines.Put(p)
	}
}

// clientFraming is how answers to requests are framed.
func (t *target) clientFraming(webSocket bool) wire.Framing {
	switch {
	case webSocket:
		return wire.WebSocket
	case t.framing == wire.Auto || t.framing == wire.WebSocket:
		if t.dialect.Framing == wire.WebSocket {
			return wire.SSE
		}
		return t.dialect.Framing
	}
	return t.framing
}
