package langgraph

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
)

// The content of a message is a text, or a list of blocks. In pieces a list has what is new; whole it has everything, and
// the blocks of a channel are then compared as one text with what was received.

// say appends the texts of a message: answer, reasoning, files.
func (d *decoder) say(dst []hub.Event, m *fields, k *message, op hub.Op) []hub.Event {
	if reasoning := rawjson.Text(m.extra, "reasoning_content"); len(reasoning) > 0 {
		dst = d.text(dst, m, k, hub.Reasoning, reasoning, op)
	}
	if body, ok := rawjson.Str(m.content); ok {
		return d.text(dst, m, k, hub.AnswerText, body, op)
	}
	if op == hub.Replace {
		return d.allBlocks(dst, m, k)
	}
	for block := range rawjson.Each(m.content) {
		dst = d.block(dst, m, k, block)
	}
	return dst
}

// block appends what one content block adds.
func (d *decoder) block(dst []hub.Event, m *fields, k *message, v rawjson.Value) []hub.Event {
	b := readBlock(v)
	ch, body := b.body()
	dst = d.text(dst, m, k, ch, body, hub.Append)
	if len(b.signature) > 0 && ch == hub.Reasoning {
		dst = d.sign(dst, m, k, b.signature)
	}
	if f, ok := b.file(); ok {
		dst = d.file(dst, m, k, f)
	}
	return dst
}

// sign ends the reasoning of a message with its signature.
func (d *decoder) sign(dst []hub.Event, m *fields, k *message, signature []byte) []hub.Event {
	k.signed = true
	dst, ev := d.part(dst, hub.TextEnd, m, k, hub.Reasoning)
	d.scratch.MoreOf(ev).Sig = signature
	return dst
}

// allBlocks appends what is new in a message that is whole, or has all that came so far: the blocks of a channel are one text.
func (d *decoder) allBlocks(dst []hub.Event, m *fields, k *message) []hub.Event {
	for _, ch := range [...]hub.Chan{hub.Reasoning, hub.AnswerText, hub.Refusal} {
		all := d.scratch.Begin()
		n := len(all)
		for block := range rawjson.Each(m.content) {
			b := readBlock(block)
			if c, body := b.body(); c == ch {
				all = append(all, body...)
			}
		}
		if len(all) > n {
			dst = d.text(dst, m, k, ch, d.scratch.Since(all), hub.Replace)
		}
		if ch == hub.Reasoning {
			dst = d.signWhole(dst, m, k)
		}
	}
	n := 0
	for block := range rawjson.Each(m.content) {
		b := readBlock(block)
		f, ok := b.file()
		if !ok {
			continue
		}
		if n++; n > k.files {
			dst = d.file(dst, m, k, f)
		}
	}
	return dst
}

// signWhole is sign for a message with all its blocks. The signatures of several blocks are no signature of the one text that they become.
func (d *decoder) signWhole(dst []hub.Event, m *fields, k *message) []hub.Event {
	var signature []byte
	n := 0
	for block := range rawjson.Each(m.content) {
		if b := readBlock(block); len(b.signature) > 0 {
			signature = b.signature
			n++
		}
	}
	if n != 1 || k.signed {
		return dst
	}
	return d.sign(dst, m, k, signature)
}

// block is a content block: an object, or a string.
type block struct {
	all  rawjson.Value
	kind []byte

	text, thinking, reasoning, refusal, signature []byte
	summary                                       rawjson.Value
}

// readBlock reads a block in one pass, as pieces of text come in blocks. The rare members of files are not read.
func readBlock(v rawjson.Value) block {
	b := block{all: v}
	if b.text = rawjson.Body(v); b.text != nil {
		b.kind = []byte("text")
		return b
	}
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "type":
			b.kind = rawjson.Body(val)
		case "text":
			b.text = rawjson.Body(val)
		case "thinking":
			b.thinking = rawjson.Body(val)
		case "reasoning":
			b.reasoning = rawjson.Body(val)
		case "refusal":
			b.refusal = rawjson.Body(val)
		case "signature":
			b.signature = rawjson.Body(val)
		case "summary":
			b.summary = val
		}
	}
	return b
}

// body is the text of a block and its channel. Models spell reasoning in several ways.
func (b *block) body() (hub.Chan, []byte) {
	switch string(b.kind) {
	case "text", "text_delta", "output_text":
		return hub.AnswerText, b.text
	case "thinking":
		return hub.Reasoning, b.thinking
	case "reasoning", "reasoning_content":
		summary := rawjson.Elems(b.summary)
		first, _ := summary.Next()
		return hub.Reasoning, rawjson.First(b.reasoning, b.text, rawjson.Text(first, "text"))
	case "refusal":
		return hub.Refusal, b.refusal
	}
	return hub.AnswerText, nil
}

// text appends a piece of text, or with Replace the text so far.
func (d *decoder) text(dst []hub.Event, m *fields, k *message, ch hub.Chan, body []byte, op hub.Op) []hub.Event {
	if len(body) == 0 {
		return dst
	}
	if ch == hub.AnswerText {
		if op == hub.Replace {
			full := texthash.Extent{}
			if full.Add(body); full == k.text {
				return dst
			}
			k.text = full
		} else {
			k.text.Add(body)
			d.seen.answer = true
		}
	}
	d.begun = true
	dst, ev := d.part(dst, hub.TextDelta, m, k, ch)
	ev.Text, ev.Op = body, op
	return dst
}

// part appends an event of a text part. The parts of a message are known by its id and their channel.
func (d *decoder) part(dst []hub.Event, kind hub.Kind, m *fields, k *message, ch hub.Chan) ([]hub.Event, *hub.Event) {
	dst, ev := hub.Add(dst, hub.Event{Kind: kind, ID: k.id, Msg: m.id, SubAgent: k.subAgent.id, Chan: ch})
	switch m.author() {
	case user:
		ev.Flags = hub.User
	case instructions:
		ev.Name = []byte("system")
	}
	return dst, ev
}

// file appends an image or file of a message.
func (d *decoder) file(dst []hub.Event, m *fields, k *message, f hub.FileRef) []hub.Event {
	k.files++
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.File, Msg: m.id, SubAgent: k.subAgent.id, More: d.scratch.More()})
	if ev.More.File = f; m.author() == user {
		ev.Flags = hub.User
	}
	return dst
}

// file is the image or file that a block is. Before LangChain 1.0 a block said in a member what its data are.
func (b *block) file() (f hub.FileRef, ok bool) {
	switch string(b.kind) {
	case "image", "image_url", "file", "audio", "video":
	default:
		return f, false
	}
	block := b.all
	f.Media, f.Name, f.FileID = first(block, "mime_type", "mimeType"), first(block, "filename", "name"), first(block, "file_id", "fileId")
	f.URL, f.Base64 = rawjson.Text(block, "url"), first(block, "base64", "data")
	if string(b.kind) == "image_url" {
		if f.URL = rawjson.Text(block, "image_url", "url"); f.URL == nil {
			f.URL = rawjson.Text(block, "image_url")
		}
	}
	if media, data, ok := member.CutDataURL(f.URL); ok { // data:image/png;base64,AAAA
		f.URL, f.Base64, f.Media = nil, data, media
	}
	return f, f.URL != nil || f.Base64 != nil || f.FileID != nil
}

// first is the body of the first of these members that is a string.
func first(v rawjson.Value, names ...string) []byte {
	for _, name := range names {
		if s := rawjson.Text(v, name); s != nil {
			return s
		}
	}
	return nil
}
