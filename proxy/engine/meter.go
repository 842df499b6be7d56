package engine

import (
	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// measure reads what a copied record says of tokens. Records that differ from the one before by a text alone say nothing of them, and
// what cannot be read is the client's to judge.
func (c *Copier) measure(rec wire.Record) {
	if c.Meter == nil || fastpath.MatchesPrevious(c.watch) {
		return
	}
	c.metered, _ = c.Meter.Decode(c.metered[:0], rec)
	for i := range c.metered {
		if c.metered[i].Kind == hub.Usage {
			c.Stats.Usage.Add(&c.metered[i])
		}
	}
}
