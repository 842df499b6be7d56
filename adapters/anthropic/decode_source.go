package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// citation appends a source of the text in its block. One that comes before the first character waits for it: until then
// there is no text that it could belong to.
func (d *decoder) citation(dst []hub.Event, citation rawjson.Value, b *block) []hub.Event {
	if rawjson.Kind(citation) != '{' {
		return dst
	}
	if b != nil && b.kind == textBlock && !b.spoke && len(b.cites)+len(citation) < maxCites {
		b.cites = append(append(b.cites, citation...), ',')
		return dst
	}
	var part []byte
	if b != nil {
		part = d.scratch.Copy([]byte(b.index))
	}
	return d.source(dst, citation, partID(part))
}

// releaseCites appends the sources that waited.
func (d *decoder) releaseCites(dst []hub.Event, b *block) []hub.Event {
	if len(b.cites) == 0 {
		return dst
	}
	list := append(append(d.scratch.Begin(), '['), b.cites...)
	list[len(list)-1] = ']' // instead of the last comma
	list = d.scratch.Since(list)
	part := partID(d.scratch.Copy([]byte(b.index)))
	b.cites = b.cites[:0]
	for citation := range rawjson.Each(list) {
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
