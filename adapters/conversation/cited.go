package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// Passage is a passage that the application has found and gives the model, as the text that it is for agents with no form for one: its title
// and its source, where it has them, and its content, a text or blocks of text. own is the block, for the API that has one.
func Passage(title, source []byte, content rawjson.Value, own hub.Meta) hub.Part {
	return hub.Part{Kind: hub.PartText, Text: toolresult.PassageText(title, source, content), Meta: own}
}

// AddCited adds the citations that an API has with a text as the sources behind it. dialect is that of an API which gets them back with the
// text, empty for none; read sets the members of a source from a citation.
func (b *Builder) AddCited(citations rawjson.Value, dialect string, read func(ev *hub.Event, v rawjson.Value)) {
	for v := range rawjson.Each(citations) {
		if rawjson.Kind(v) != '{' {
			continue
		}
		ev := hub.Event{More: new(hub.More)}
		read(&ev, v)
		f := &ev.More.File
		p := hub.Part{Kind: hub.PartSource, Title: ev.Title, Text: ev.Text, File: f}
		if dialect == "" && len(p.Title)+len(f.URL)+len(f.Name)+len(f.FileID) == 0 { // it cites nothing that is known
			p = hub.Part{Kind: hub.PartRaw, Value: v}
		}
		if dialect != "" {
			p.Meta = hub.Meta{Dialect: dialect, Raw: v}
		}
		b.Add(p)
	}
}
