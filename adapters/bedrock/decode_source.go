package bedrock

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// citation appends a source of the text in its block. One that comes before the first character waits for it: until then there is
// no text that it could belong to.
func (d *decoder) citation(dst []hub.Event, citation rawjson.Value) []hub.Event {
	if rawjson.Kind(citation) != '{' {
		return dst
	}
	dst, b := d.blockOf(dst, blocks.Text)
	if b.Cite(citation) {
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

// source appends one citation. Its own form goes along, as the place in the document has as many forms as there are kinds of
// documents.
func (d *decoder) source(dst []hub.Event, citation rawjson.Value, part []byte) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Source, Ref: part, Value: citation, More: d.scratch.More()})
	setCitation(ev, citation)
	return dst
}

// setCitation sets the members of a source, which has room for rare ones.
func setCitation(ev *hub.Event, citation rawjson.Value) {
	ev.Title = rawjson.Text(citation, "title")
	it := rawjson.Elems(rawjson.Get(citation, "sourceContent"))
	first, _ := it.Next()
	ev.Text = rawjson.Text(first, "text")
	ev.More.File.URL = rawjson.First(rawjson.Text(citation, "location", "web", "url"), rawjson.Text(citation, "source"))
}

// imageDelta appends an image of the answer, whose format stands in the start of its block.
func (d *decoder) imageDelta(dst []hub.Event, image rawjson.Value) []hub.Event {
	var format []byte
	if b := d.blocks.Find(d.rec.Index); b != nil {
		format = b.ID
	}
	return d.image(dst, format, rawjson.Get(image, "source"))
}

func (d *decoder) image(dst []hub.Event, format []byte, source rawjson.Value) []hub.Event {
	f := hub.FileRef{Media: []byte(mediaOf(imageFormats, format))}
	if !readSource(&f, source) {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.File})
	d.scratch.MoreOf(ev).File = f
	return dst
}

// contentBlock is a block of an answer that is no stream.
type contentBlock struct {
	Text      rawjson.Value `json:"text"`
	ToolUse   rawjson.Value `json:"toolUse"`
	Result    rawjson.Value `json:"toolResult"`
	Reasoning rawjson.Value `json:"reasoningContent"`
	Cited     rawjson.Value `json:"citationsContent"`
	Image     rawjson.Value `json:"image"`
}

// whole decodes a block that comes whole, as the events of one that is streamed.
func (d *decoder) whole(dst []hub.Event, v, index rawjson.Value) []hub.Event {
	d.block, d.rec.Index = contentBlock{}, index
	if d.json.Decode(v, &d.block) != nil {
		return d.raw(dst, v)
	}
	c := &d.block
	switch {
	case c.Text != nil:
		return d.text(dst, blocks.Text, rawjson.Body(c.Text))
	case c.Reasoning != nil:
		return d.wholeReasoning(dst, c.Reasoning)
	case c.ToolUse != nil:
		b := d.blocks.Open(index, blocks.Call)
		b.Held = append(b.Held, rawjson.OrNull(rawjson.Get(c.ToolUse, "input"))...)
		return d.toolStart(dst, c.ToolUse, b)
	case c.Result != nil:
		id := d.scratch.Since(legalid.AppendPlain(d.scratch.Begin(), rawjson.Text(c.Result, "toolUseId")))
		return d.toolEnd(dst, id, rawjson.Get(c.Result, "content"), string(rawjson.Text(c.Result, "status")) == "error")
	case c.Cited != nil:
		return d.wholeCited(dst, c.Cited)
	case c.Image != nil:
		return d.image(dst, rawjson.Text(c.Image, "format"), rawjson.Get(c.Image, "source"))
	}
	return d.raw(dst, v)
}

func (d *decoder) wholeReasoning(dst []hub.Event, v rawjson.Value) []hub.Event {
	if sealed := rawjson.Get(v, "redactedContent"); sealed != nil {
		d.sign(sealed, true)
		return dst
	}
	dst = d.text(dst, blocks.Reasoning, rawjson.Text(v, "reasoningText", "text"))
	if sig := rawjson.Get(v, "reasoningText", "signature"); sig != nil {
		d.sign(sig, false)
	}
	return dst
}

func (d *decoder) wholeCited(dst []hub.Event, v rawjson.Value) []hub.Event {
	for text := range rawjson.Each(rawjson.Get(v, "content")) {
		dst = d.text(dst, blocks.Text, rawjson.Text(text, "text"))
	}
	for citation := range rawjson.Each(rawjson.Get(v, "citations")) {
		dst = d.citation(dst, citation)
	}
	return dst
}
