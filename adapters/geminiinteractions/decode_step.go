package geminiinteractions

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// blockKind groups the types of steps by what their deltas and their end mean.
type blockKind uint8

const (
	textBlock blockKind = iota
	thoughtBlock
	callBlock   // the client runs it
	serverBlock // a call that the server runs
	resultBlock
	otherBlock
)

// block is a step that is open.
type block struct {
	index string // as the wire spells it
	kind  blockKind
	flags hub.Flags

	typ, id, name []byte // of a call; of a result, that of its call
	said          bool   // the call is announced, the result is given, text has come
	streamed      bool   // a fragment of arguments has come
	failed        bool   // of a result
	sig           []byte // a string body
	value         []byte // arguments or result that came whole, raw
}

// find returns the open step of that index, or nil.
func (d *decoder) find(index []byte) *block {
	blocks := d.blocks.All()
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].index == string(index) {
			return &blocks[i]
		}
	}
	return nil
}

// open remembers a step, in a slot that keeps its memory. Of too many, the oldest is forgotten: it ends with the run.
func (d *decoder) open(index []byte, kind blockKind) *block {
	b := d.blocks.Add(maxBlocks)
	if cap(b.value) > maxKept {
		b.value = nil
	}
	*b = block{
		index: string(index), kind: kind, typ: b.typ[:0], id: b.id[:0], name: b.name[:0], sig: b.sig[:0], value: b.value[:0],
	}
	return b
}

// stepStart begins a step. One of an index that is open ends the other.
func (d *decoder) stepStart(dst []hub.Event, data []byte) ([]hub.Event, error) {
	dst = d.begin(dst)
	d.stepped, d.state = true, d.state[:0]
	dst, err := d.close(dst, d.find(d.index()))
	v := d.rec.Step
	if v == nil {
		v = d.rec.Content
	}
	dst, wrong := d.openStep(dst, v, d.index(), data)
	if err == nil {
		err = wrong
	}
	return dst, err
}

// openStep begins a step by its type. data is passed as it is when the type is unknown.
func (d *decoder) openStep(dst []hub.Event, v rawjson.Value, index, data []byte) ([]hub.Event, error) {
	d.step = step{}
	if err := d.json.Decode(rawjson.OrNull(v), &d.step); err != nil || rawjson.Kind(v) != '{' {
		return dst, member.Wrong(v, "step", "want an object")
	}
	typ, err := member.Text(d.step.Type, "step.type")
	if err != nil {
		return dst, err
	}
	switch kind := kindOf(typ); kind {
	case textBlock:
		return d.textStart(dst, typ, index)
	case thoughtBlock:
		return d.thoughtStart(dst, index)
	case callBlock, serverBlock:
		b := d.open(index, kind)
		b.typ = append(b.typ, typ...)
		return d.call(dst, &d.step, b), nil
	case resultBlock:
		b := d.open(index, kind)
		b.typ = append(b.typ, typ...)
		b.learnResult(&d.step)
		return dst, nil
	}
	d.open(index, otherBlock)
	if isFile(typ) { // a step of its own, before steps had their name
		return d.file(dst, &d.step), nil
	}
	return raw(dst, data), nil
}

// kindOf groups a type of steps. Tools of the server's are named by their types, so that those of tomorrow are known as well.
func kindOf(typ []byte) blockKind {
	switch string(typ) {
	case "model_output", "text", "user_input":
		return textBlock
	case "thought":
		return thoughtBlock
	case "function_call":
		return callBlock
	}
	switch {
	case bytes.HasSuffix(typ, []byte("_call")):
		return serverBlock
	case bytes.HasSuffix(typ, []byte("_result")):
		return resultBlock
	}
	return otherBlock
}

// textStart begins what the model says, or repeats what the user has said. Its blocks may have come whole.
func (d *decoder) textStart(dst []hub.Event, typ, index []byte) ([]hub.Event, error) {
	b := d.open(index, textBlock)
	if string(typ) == "user_input" {
		b.flags = hub.User
	}
	dst = append(dst, hub.Event{Kind: hub.TextStart, ID: index, Flags: b.flags})
	if d.step.Text != nil {
		return d.text(dst, b, index, hub.AnswerText, d.step.Text)
	}
	var first error
	for v := range rawjson.Each(d.step.Content) {
		d.step = step{}
		err := d.json.Decode(v, &d.step)
		if err != nil {
			err = hub.NewError(hub.ReasonType, "step.content", -1, "want objects")
		} else {
			dst, err = d.content(dst, &d.step, b, index, v)
		}
		if err != nil && first == nil {
			first = err
		}
	}
	return dst, first
}

func (d *decoder) thoughtStart(dst []hub.Event, index []byte) ([]hub.Event, error) {
	b := d.open(index, thoughtBlock)
	dst = append(dst, hub.Event{Kind: hub.TextStart, ID: index, Chan: hub.Reasoning})
	b.sign(d.step.Signature)
	var first error
	for v := range rawjson.Each(d.step.Summary) {
		var err error
		if dst, err = d.summary(dst, b, index, v); err != nil && first == nil {
			first = err
		}
	}
	return dst, first
}

// stepDelta goes on with a step. The type of the delta decides what it is, not that of its step: one whose start was lost is shown all
// the same.
func (d *decoder) stepDelta(dst []hub.Event, data []byte) ([]hub.Event, error) {
	dst = d.begin(dst)
	d.stepped, d.state = true, d.state[:0]
	d.noteUsage(d.rec.Metadata.TotalUsage)
	index := d.index()
	b, delta := d.find(index), &d.rec.Delta
	typ, err := member.Text(delta.Type, "delta.type")
	if err != nil {
		return dst, err
	}
	switch string(typ) {
	case "thought_summary":
		return d.summary(dst, b, index, delta.Content)
	case "thought_signature":
		if b == nil {
			b = d.open(index, thoughtBlock)
		}
		b.sign(delta.Signature)
		return dst, nil
	case "arguments_delta":
		return d.arguments(dst, b)
	}
	return d.otherDelta(dst, typ, b, index, data)
}

// otherDelta goes on with a step by what has the form of steps or of contents.
func (d *decoder) otherDelta(dst []hub.Event, typ []byte, b *block, index, data []byte) ([]hub.Event, error) {
	switch kind := kindOf(typ); {
	case kind == callBlock || kind == serverBlock:
		if b == nil || b.kind != kind {
			b = d.open(index, kind)
			b.typ = append(b.typ, typ...)
		}
		return d.call(dst, &d.rec.Delta, b), nil
	case kind == resultBlock:
		if b == nil || b.kind != kind {
			b = d.open(index, kind)
			b.typ = append(b.typ, typ...)
		}
		b.learnResult(&d.rec.Delta)
		return d.result(dst, b), nil
	}
	return d.content(dst, &d.rec.Delta, b, index, data)
}

// content is one block of what the model says, or a part of one. data is passed as it is when its type is unknown.
func (d *decoder) content(dst []hub.Event, c *step, b *block, index, data []byte) ([]hub.Event, error) {
	switch typ := rawjson.Body(c.Type); {
	case string(typ) == "text":
		dst, err := d.text(dst, b, index, hub.AnswerText, c.Text)
		return d.annotations(dst, c.Annotations, b, index), err
	case string(typ) == "text_annotation_delta", string(typ) == "text_annotation":
		return d.annotations(dst, c.Annotations, b, index), nil
	case isFile(typ):
		return d.file(dst, c), nil
	}
	return raw(dst, data), nil
}

func isFile(typ []byte) bool {
	switch string(typ) {
	case "image", "audio", "video", "document":
		return true
	}
	return false
}

// text appends a piece of a text. Empty ones say nothing.
func (d *decoder) text(dst []hub.Event, b *block, index []byte, ch hub.Chan, v rawjson.Value) ([]hub.Event, error) {
	text, err := member.Text(v, "delta.text")
	if err != nil || len(text) == 0 {
		return dst, err
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Chan, ev.Text = hub.TextDelta, index, ch, text
	if b != nil {
		b.said, ev.Flags = true, b.flags
	}
	return dst, nil
}

// summary is one block of a summary of thoughts, or a part of one.
func (d *decoder) summary(dst []hub.Event, b *block, index []byte, v rawjson.Value) ([]hub.Event, error) {
	if isFile(rawjson.Text(v, "type")) {
		return d.file(dst, &step{Data: rawjson.Get(v, "data"), Mime: rawjson.Get(v, "mime_type"), URI: rawjson.Get(v, "uri")}), nil
	}
	if rawjson.IsNull(v) {
		return dst, nil
	}
	return d.text(dst, b, index, hub.Reasoning, rawjson.Get(v, "text"))
}

// sign keeps the signature of the step. Half of one is worth nothing, so one beyond the bound is dropped whole.
func (b *block) sign(v rawjson.Value) {
	if sig := rawjson.Body(v); len(sig) > 0 && len(sig) <= maxSig {
		b.sig = append(b.sig[:0], sig...)
	}
}

// file is an image, a sound or another document, of which each record has the whole or a piece that can be shown; the start may have nothing.
func (d *decoder) file(dst []hub.Event, c *step) []hub.Event {
	if len(rawjson.Body(c.URI)) == 0 && len(rawjson.Body(c.Data)) == 0 {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.File, More: d.scratch.More()})
	f := &ev.More.File
	f.Media, f.URL, f.Base64 = rawjson.Body(c.Mime), rawjson.Body(c.URI), rawjson.Body(c.Data)
	return dst
}

// annotations appends the sources of a text. Each of them may come again while the text grows.
func (d *decoder) annotations(dst []hub.Event, list rawjson.Value, b *block, index []byte) []hub.Event {
	for v := range rawjson.Each(list) {
		if _, again := d.sources[string(v)]; again || rawjson.Kind(v) != '{' {
			continue
		}
		if len(d.sources) < maxSources && len(v) < maxKept {
			d.sources[string(v)] = struct{}{}
		}
		o := rawjson.ReadObject(v)
		var ev *hub.Event
		dst, ev = hub.Add(dst, hub.Event{Kind: hub.Source, Value: v, More: d.scratch.More()})
		ev.Title = titleOf(&o)
		ev.More.File.URL = rawjson.First(o.Text("url"), o.Text("document_uri"))
		ev.More.File.FileID = o.Text("media_id")
		if b != nil && b.said {
			ev.Ref = index
		}
	}
	return dst
}

// titleOf is what a source is called.
func titleOf(o *rawjson.Object) []byte {
	return rawjson.First(o.Text("title"), o.Text("name"), o.Text("file_name"))
}

// stepStop ends a step.
func (d *decoder) stepStop(dst []hub.Event, _ []byte) ([]hub.Event, error) {
	dst = d.begin(dst)
	d.state = d.state[:0]
	d.noteUsage(d.rec.Usage)
	return d.close(dst, d.find(d.index()))
}

// close ends a step, if it is open.
func (d *decoder) close(dst []hub.Event, b *block) ([]hub.Event, error) {
	if b == nil {
		return dst, nil
	}
	dst, err := d.blockEnd(dst, b)
	d.blocks.Drop(b) // its memory is used again by the next one
	return dst, err
}

// closeAll ends the steps whose ends have not come.
func (d *decoder) closeAll(dst []hub.Event) []hub.Event {
	for i := range d.blocks.All() {
		dst, _ = d.blockEnd(dst, &d.blocks.All()[i])
	}
	d.blocks.Reset()
	return dst
}

// blockEnd appends what the end of a step means. What it has collected goes to scratch: a record may end one step and begin another in the
// same slot.
func (d *decoder) blockEnd(dst []hub.Event, b *block) ([]hub.Event, error) {
	switch b.kind {
	case textBlock, thoughtBlock:
		dst, ev := hub.Add(dst, hub.Event{Kind: hub.TextEnd, ID: d.scratch.Copy([]byte(b.index)), Flags: b.flags})
		if b.kind == thoughtBlock {
			ev.Chan = hub.Reasoning
		}
		if len(b.sig) > 0 {
			d.scratch.MoreOf(ev).Sig = d.scratch.Copy(b.sig)
		}
		return dst, nil
	case callBlock, serverBlock:
		return d.callEnd(dst, b)
	case resultBlock:
		return d.result(dst, b), nil
	}
	return dst, nil
}

// whole reads the steps of an interaction that were not streamed. Their parts have ids that no step of the stream has.
func (d *decoder) whole(dst []hub.Event, steps rawjson.Value) ([]hub.Event, error) {
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	n := int64(0)
	for v := range rawjson.Each(steps) {
		index := d.scratch.Since(strconv.AppendInt(append(d.scratch.Begin(), 'w'), n, 10))
		n++
		var err error
		dst, err = d.openStep(dst, v, index, v)
		note(err)
		dst, err = d.close(dst, d.find(index))
		note(err)
	}
	return dst, first
}
