package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// citation appends a source of the text in its block. One that comes before the first character waits for it: until then
// there is no text that it could belong to.
func (d *decoder) citation(dst []hub.Event, citation rawjson.Value, b *blocks.Block) []hub.Event {
	if rawjson.Kind(citation) != '{' {
		return dst
	}
	switch {
	case b == nil:
		return d.source(dst, citation, nil)
	case b.Cite(citation):
		return dst
	}
	return d.source(dst, citation, b.Part(&d.scratch))
}

// releaseCites appends the sources that waited.
func (d *decoder) releaseCites(dst []hub.Event, b *blocks.Block) []hub.Event {
	if !b.Cites() {
		return dst
	}
	part := b.Part(&d.scratch)
	for citation := range rawjson.Each(b.Release(&d.scratch)) {
		dst = d.source(dst, citation, part)
	}
	return dst
}

// source appends one citation.
func (d *decoder) source(dst []hub.Event, citation rawjson.Value, part []byte) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Source, Ref: part})
	d.scratch.MoreOf(ev)
	claudewire.ReadCitation(ev, citation)
	return dst
}
