package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
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

// source appends one citation. Its own form goes along, as the place in the document has as many forms as there are
// kinds of documents.
func (d *decoder) source(dst []hub.Event, citation rawjson.Value, part []byte) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Source, Ref: part, Value: citation})
	file := &d.scratch.MoreOf(ev).File
	for key, value := range rawjson.EachField(citation) {
		text := rawjson.Body(value)
		switch string(key) {
		case "title", "document_title":
			ev.Title = text
		case "cited_text":
			ev.Text = text
		case "url", "source":
			file.URL = text
		case "file_id":
			file.FileID = text
		}
	}
	return dst
}
