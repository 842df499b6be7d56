package responsestream

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// itemKind groups the types of output items by what they are to a reader.
type itemKind uint8

const (
	otherItem itemKind = iota
	messageItem
	reasoningItem
	callItem   // any call of a tool
	outputItem // the output of a call, an item of its own
	imageItem
	approvalItem
)

// item is one output item as the upstream sees it.
type item struct {
	kind   itemKind
	id     []byte // the upstream's, or made if it has none
	index  int64  // output_index, -1 unknown
	phase  []byte // of a message
	done   bool
	final  bool // the final output has it
	listed bool // as an item of the run, see Item

	parts []*part // of texts
	call  call
}

// part is one text of an item.
type part struct {
	index   int64 // content_index or summary_index
	ch      hub.Chan
	raw     bool // the chain of thought itself, not its summary
	emitted int  // bytes of text, still escaped
	notes   int  // annotations

	started, ended bool
}

// Bounds of what a decoder remembers. A response has a handful of items with a part or two.
const (
	maxItems = 1024
	maxParts = 256
	maxID    = 1 << 10 // bytes of an id; only its beginning is compared
)

// cutID is as much of an id as is compared.
func cutID(id []byte) []byte { return id[:min(len(id), maxID)] }

// Index reads a number that counts something; -1 if there is none.
func Index(v rawjson.Value) int64 {
	n, ok := rawjson.Int(v)
	if !ok || n < 0 {
		return -1
	}
	return n
}

// add remembers a new item. Without an id of its own it gets one, so that its parts are distinguished from those of others.
func (d *Decoder) add(kind itemKind, id []byte, at int64) *item {
	if len(d.items) == maxItems {
		copy(d.items, d.items[1:])
		d.items = d.items[:maxItems-1]
	}
	it := &item{kind: kind, index: at, id: bytes.Clone(cutID(id))}
	if len(it.id) == 0 {
		d.minted++
		it.id = strconv.AppendInt([]byte("item_"), int64(d.minted), 10)
	}
	d.items = append(d.items, it)
	d.last = it
	return it
}

// find returns the item that the record is about, if it is of that kind: by its id, else by its index, else (the record
// names neither, or an unknown id) the last one that is not done. nil if there is none.
func (d *Decoder) find(kind itemKind) *item {
	id, at := cutID(rawjson.Body(d.rec.ItemID)), Index(d.rec.OutputIndex)
	if l := d.last; l != nil && l.kind == kind && len(id) > 0 && bytes.Equal(l.id, id) {
		return l
	}
	if len(id) > 0 {
		if it := d.newest(func(it *item) bool { return it.kind == kind && bytes.Equal(it.id, id) }); it != nil {
			return it
		}
	}
	if at >= 0 {
		if it := d.newest(func(it *item) bool { return it.kind == kind && it.index == at }); it != nil {
			return it
		}
	}
	if len(id) > 0 && kind != callItem {
		return nil // text of an item that was not announced
	}
	return d.newest(func(it *item) bool { return it.kind == kind && !it.done })
}

// newest returns the last item that matches.
func (d *Decoder) newest(match func(*item) bool) *item {
	for i := len(d.items) - 1; i >= 0; i-- {
		if match(d.items[i]) {
			d.last = d.items[i]
			return d.last
		}
	}
	return nil
}

// findOrAdd is find for texts: one whose item was not announced announces it.
func (d *Decoder) findOrAdd(kind itemKind) *item {
	if it := d.find(kind); it != nil {
		return it
	}
	return d.add(kind, rawjson.Body(d.rec.ItemID), Index(d.rec.OutputIndex))
}

// part returns a text of the item. If there are too many, the rest share the last one.
func (it *item) part(at int64, ch hub.Chan, raw bool) *part {
	at = max(at, 0)
	for i := len(it.parts) - 1; i >= 0; i-- {
		if p := it.parts[i]; p.index == at && p.ch == ch && p.raw == raw {
			return p
		}
	}
	if len(it.parts) == maxParts {
		return it.parts[maxParts-1]
	}
	p := &part{index: at, ch: ch, raw: raw}
	it.parts = append(it.parts, p)
	return p
}

// kindOf groups a type of item.
func kindOf(typ []byte) itemKind {
	switch string(typ) {
	case "message":
		return messageItem
	case "reasoning":
		return reasoningItem
	case "image_generation_call":
		return imageItem
	case "mcp_approval_request":
		return approvalItem
	}
	if _, ok := tools[string(typ)]; ok {
		return callItem
	}
	if bytes.HasSuffix(typ, []byte("_call_output")) {
		return outputItem
	}
	return otherItem
}

// itemAdded opens an item. A second one of the same id is another item if the first is done or of another kind.
func (d *Decoder) itemAdded(dst []hub.Event) ([]hub.Event, error) {
	v := d.rec.Item
	if rawjson.Kind(v) != '{' {
		return dst, member.Wrong(v, "item", "want an object")
	}
	typ := rawjson.Text(v, "type")
	kind, id, at := kindOf(typ), rawjson.Text(v, "id"), Index(d.rec.OutputIndex)
	if kind == otherItem {
		return dst, nil // its end says it all
	}
	it := d.open(kind, id, at)
	if it == nil {
		it = d.add(kind, id, at)
	}
	switch kind {
	case messageItem:
		d.learnPhase(it, v)
		return d.contents(dst, it, rawjson.Get(v, "content"), false), nil
	case callItem, outputItem:
		it.call.learn(typ, v)
		return d.startCall(dst, it), nil
	}
	return dst, nil
}

// open returns the item of that id that is not done, as after an event that came before the item was announced.
func (d *Decoder) open(kind itemKind, id []byte, at int64) *item {
	if len(id) == 0 {
		return nil
	}
	id = cutID(id)
	return d.newest(func(it *item) bool {
		return it.kind == kind && !it.done && bytes.Equal(it.id, id) && (kind != callItem || it.index == at)
	})
}

// itemDone ends an item, which may be the first record about it, or about its text.
func (d *Decoder) itemDone(dst []hub.Event) ([]hub.Event, error) {
	v := d.rec.Item
	if rawjson.Kind(v) != '{' {
		return dst, member.Wrong(v, "item", "want an object")
	}
	typ := rawjson.Text(v, "type")
	kind := kindOf(typ)
	if kind == otherItem {
		return d.unknownItem(dst, typ, v), nil
	}
	it := d.finished(kind, v)
	if it == nil {
		it = d.add(kind, rawjson.Text(v, "id"), Index(d.rec.OutputIndex))
	}
	return d.endItem(dst, it, typ, v), nil
}

// finished returns the item that ends: by its id, else by its index. Peers are known to change the id at the end.
func (d *Decoder) finished(kind itemKind, v rawjson.Value) *item {
	id, at := cutID(rawjson.Text(v, "id")), Index(d.rec.OutputIndex)
	if len(id) > 0 {
		if it := d.newest(func(it *item) bool { return it.kind == kind && bytes.Equal(it.id, id) }); it != nil {
			return it
		}
	}
	if callID := rawjson.Text(v, "call_id"); kind == callItem && len(callID) > 0 {
		if it := d.newest(func(it *item) bool { return it.kind == kind && !it.done && bytes.Equal(it.call.given, callID) }); it != nil {
			return it
		}
	}
	return d.newest(func(it *item) bool { return it.kind == kind && !it.done && (it.index == at || at < 0) })
}

// endItem says of an item what was not said before, and its end.
func (d *Decoder) endItem(dst []hub.Event, it *item, typ []byte, v rawjson.Value) []hub.Event {
	was := it.done
	it.done = true
	switch it.kind {
	case messageItem:
		d.learnPhase(it, v)
		return d.contents(dst, it, rawjson.Get(v, "content"), true)
	case reasoningItem:
		return d.endReasoning(dst, it, v, was)
	case callItem:
		it.call.learn(typ, v)
		return d.endCall(dst, it, typ, v)
	}
	if was {
		return dst
	}
	switch it.kind {
	case outputItem:
		return d.callOutput(dst, v)
	case imageItem:
		return d.image(dst, it, v)
	case approvalItem:
		return d.approval(dst, it, v)
	}
	return dst
}

// learnPhase takes from a message whether it is the answer.
func (d *Decoder) learnPhase(it *item, v rawjson.Value) {
	if phase := rawjson.Text(v, "phase"); string(phase) == Commentary {
		it.phase = append(it.phase[:0], phase...)
	}
}

// Commentary is the phase of a message that is not the answer, and the name of its part.
const Commentary = "commentary"

// unknownItem passes an item as it is. The list of a server's tools is no news, unless it could not be had.
func (d *Decoder) unknownItem(dst []hub.Event, typ []byte, v rawjson.Value) []hub.Event {
	if string(typ) != "mcp_list_tools" {
		return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(d.cfg.Name), Value: v})
	}
	fault := rawjson.Get(v, "error")
	if rawjson.IsNull(fault) {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelWarning, Name: []byte("mcp_list_tools"), Text: d.errorText(fault)})
}
