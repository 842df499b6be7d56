package openaichat

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// reasoning is what a delta says of it, in any of the members that servers have for it.
type reasoning struct {
	content   rawjson.Value // reasoning_content: DeepSeek, SGLang, Qwen, LiteLLM, older vLLM
	reasoning rawjson.Value // OpenRouter, newer vLLM, Groq
	details   rawjson.Value // reasoning_details
	blocks    rawjson.Value // thinking_blocks
}

func (r *reasoning) member(name []byte, v rawjson.Value) {
	switch string(name) {
	case memberContent:
		r.content = v
	case memberReasoning:
		r.reasoning = v
	case memberDetails:
		r.details = v
	case memberBlocks:
		r.blocks = v
	}
}

// reasoning decodes the text of the first member that has one, since the others repeat it, and the signatures of all.
func (d *decoder) reasoning(dst []hub.Event, c *choice, r *reasoning) []hub.Event {
	n := len(dst)
	content, reasoning := sealContent, sealReasoning
	if r.isSigned() {
		content, reasoning = nil, nil
	}
	if !speakApart(r.details) && !speakApart(r.blocks) {
		dst = d.think(dst, c, r.content, content)
		if len(dst) == n {
			dst = d.think(dst, c, r.reasoning, reasoning)
		}
	}
	emitted := len(dst) > n
	dst = d.seal(dst, c, rawjson.Text(r.content, "signature"))
	dst = d.details(dst, c, memberDetails, r.details, emitted)
	return d.details(dst, c, memberBlocks, r.blocks, len(dst) > n)
}

// isSigned reports whether the provider of the model signs its reasoning, though that may come later. OpenRouter names the form of what
// is to come back, unless the words are all.
func (r *reasoning) isSigned() bool {
	for detail := range rawjson.Each(r.details) {
		if format := rawjson.Text(detail, "format"); len(format) > 0 && string(format) != "unknown" {
			return true
		}
	}
	return hasElements(r.blocks)
}

// think emits the text of a member. sig names the member, nil if that is of no use.
func (d *decoder) think(dst []hub.Event, c *choice, v rawjson.Value, sig []byte) []hub.Event {
	n := len(dst)
	dst = d.say(dst, c, hub.Reasoning, reasoningText(v))
	if len(dst) > n && c.plain == nil {
		c.plain = sig
	}
	return dst
}

// sealPlain ends a part of plain reasoning, as something else follows, and says in which member it came.
func (d *decoder) sealPlain(dst []hub.Event, c *choice) []hub.Event {
	return d.seal(dst, c, c.plain)
}

// speakApart reports whether a list has several texts, as in a whole answer. Each is signed alone, and the other members have them as one.
func speakApart(v rawjson.Value) bool {
	texts := 0
	for detail := range rawjson.Each(v) {
		if len(detailText(detail)) > 0 {
			texts++
		}
	}
	return texts > 1
}

// detailText is what an element of reasoning_details or thinking_blocks says.
func detailText(v rawjson.Value) []byte {
	return rawjson.First(rawjson.Text(v, "text"), rawjson.Text(v, "summary"), rawjson.Text(v, "thinking"))
}

// reasoningText is the text of a member that should be a string, and is an object where a gateway passes on what another
// API had.
func reasoningText(v rawjson.Value) []byte {
	if rawjson.Kind(v) == '{' {
		v = rawjson.Get(v, "text")
	}
	return rawjson.Body(v)
}

// details decodes the elements of reasoning_details or thinking_blocks. emitted: their text has come in another member.
func (d *decoder) details(dst []hub.Event, c *choice, name string, v rawjson.Value, emitted bool) []hub.Event {
	for it := rawjson.Elems(v); ; {
		detail, ok := it.Next()
		if !ok {
			return dst
		}
		if !emitted {
			dst = d.say(dst, c, hub.Reasoning, detailText(detail))
		}
		if isProof(detail) {
			dst = d.seal(dst, c, sealDetail(name, detail))
		}
	}
}

// seal ends a part of reasoning with its signature, or its encrypted form.
func (d *decoder) seal(dst []hub.Event, c *choice, sig []byte) []hub.Event {
	if len(sig) == 0 {
		return dst
	}
	c.plain = nil
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.TextEnd, Chan: hub.Reasoning, Msg: c.msg, More: d.scratch.More()})
	ev.More.Sig = sig
	return dst
}
