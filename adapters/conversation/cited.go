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
// text, empty for none.
func (b *Builder) AddCited(citations rawjson.Value, dialect string, read func(v rawjson.Value) hub.Part) {
	for v := range rawjson.Each(citations) {
		if rawjson.Kind(v) != '{' {
			continue
		}
		p := read(v)
		if f := p.File; dialect == "" && len(p.Title)+len(f.URL)+len(f.Name)+len(f.FileID) == 0 { // it cites nothing that is known
			p = hub.Part{Kind: hub.PartRaw, Value: v}
		}
		if dialect != "" {
			p.Meta = hub.Meta{Dialect: dialect, Raw: v}
		}
		b.Add(p)
	}
}
