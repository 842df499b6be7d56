package simplified

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// messages is the history of a request: pairs of who has spoken and what. What the agent says is the text of its message with all
// elements in it.
type messages struct{}

const speakerUser, speakerAgent = "human", "assistant"

// DecodeMessages implements [hub.Messenger].
func (messages) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	b := conversation.Builder{}
	decodeHistory(&b, v)
	return append(dst, b.Messages...), nil
}

// decodeHistory reads pairs. As for the server, who is not the user is the agent.
func decodeHistory(b *conversation.Builder, v rawjson.Value) {
	for pair := range rawjson.Each(v) {
		items := rawjson.Elems(pair)
		who, _ := items.Next()
		said, _ := items.Next()
		if string(rawjson.Body(who)) != speakerUser {
			b.Begin(hub.RoleAgent, nil)
			decodeText(b, rawjson.Body(said))
			continue
		}
		m := b.Begin(hub.RoleUser, nil)
		if text := rawjson.Body(said); len(text) > 0 {
			m.Parts = append(m.Parts, hub.Part{Kind: hub.PartText, Text: text})
		}
		if images, more := items.Next(); more && rawjson.Kind(images) == '[' { // ids of images that the server has
			m.Parts = append(m.Parts, hub.Part{Kind: hub.PartRaw, Value: images, Meta: hub.Meta{Dialect: name, Raw: images}})
		}
	}
}

// AppendMessages implements [hub.Messenger].
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	return appendHistory(dst, ms, l)
}

// appendHistory writes what was said as pairs.
func appendHistory(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	who := map[hub.Role]string{hub.RoleUser: speakerUser, hub.RoleAgent: speakerAgent}
	conversation.LostParts(ms, l)
	w := jsonwriter.New(dst)
	w.Open('[')
	for i := range ms {
		role, text := who[ms[i].Role], spoken(&ms[i])
		l.AddIf("messages.system", ms[i].Role == hub.RoleSystem)
		l.AddIf("messages.result", ms[i].Role == hub.RoleResults)
		if role == "" || len(text) == 0 {
			continue
		}
		w.Open('[')
		w.String([]byte(role))
		w.String(text)
		w.Close(']')
	}
	w.Close(']')
	return w.Buf
}

// spoken is the text of a message; nil for blanks, which are read as nothing.
func spoken(m *hub.Message) []byte {
	text := conversation.SpokenText(m)
	if conversation.Blank(text) {
		return nil
	}
	return text
}

// decodeText reads the text of an agent's message: what it says, what it thinks, its calls, which are known to have ended but not
// with what, and its sub-agents.
func decodeText(b *conversation.Builder, body []byte) {
	if bytes.IndexByte(body, '<') < 0 {
		addSaid(b, hub.PartText, body)
		return
	}
	text := rawjson.AppendUnescaped(nil, body)
	for len(text) > 0 {
		e := nextElement(text)
		addSaid(b, hub.PartText, rawjson.AppendEscaped(nil, text[:e.start]))
		switch e.name {
		case toolElement:
			b.Add(callOf(text[e.start:e.inner]))
		case agentElement:
			own := rawjson.AppendString(nil, text[e.start:e.end])
			b.Add(hub.Part{Kind: hub.PartRaw, Value: own, Meta: hub.Meta{Dialect: name, Raw: own}})
		case thinkElement:
			inner := bytes.TrimSuffix(text[e.inner:e.end], closeTag)
			addSaid(b, hub.PartReasoning, rawjson.AppendEscaped(nil, inner))
		}
		text = text[e.end:]
	}
}

func addSaid(b *conversation.Builder, kind hub.PartKind, text []byte) {
	if len(bytes.TrimSpace(rawjson.AppendUnescaped(nil, text))) > 0 {
		b.Add(hub.Part{Kind: kind, Text: text})
	}
}

// element is where an element stands in a text: inner is behind its start tag.
type element struct {
	name              string
	start, inner, end int
}

const thinkElement = "think"

// nextElement is the first element of a text. Without one it is the end of the text.
func nextElement(text []byte) element {
	first := element{start: len(text), inner: len(text), end: len(text)}
	for _, name := range []string{toolElement, agentElement, thinkElement} {
		start, inner := nextTag(text, name, 0)
		if start < 0 || start >= first.start {
			continue
		}
		first = element{name, start, inner, len(text)}
		closing := []byte("</" + name + ">")
		if i := bytes.Index(text[inner:], closing); i >= 0 {
			first.end = inner + i + len(closing)
		}
	}
	return first
}

// callOf is the call whose start tag this is. One that runs has no result: it was broken off.
func callOf(tag []byte) hub.Part {
	call, _ := ParseToolCall(tag)
	escaped := func(plain string) []byte { return rawjson.AppendEscaped(nil, []byte(plain)) }
	p := hub.Part{Kind: hub.PartCall, ID: escaped(call.ID), Name: rawjson.Or(escaped(call.Type), unknownTool)}
	p.Value = new(decoder).arguments(call.Attrs)
	switch endOf([]byte(call.Status)) {
	case hub.StatusOK:
		p.Result = &hub.CallResult{Status: hub.StatusOK}
	case hub.StatusError:
		p.Result = &hub.CallResult{Status: hub.StatusError}
		for _, a := range call.Attrs {
			if a.Name == attrError {
				p.Result.Err = escaped(a.Value)
			}
		}
	}
	return p
}
