package anthropic

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder reads one message. Text needs no state; of calls and signatures it remembers what stands at the start of the
// block or is complete only at its end.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	whole   message // of an answer that is no stream
	block   contentBlock
	scratch hub.Scratch

	msg, model []byte // of the message, string bodies
	blocks     blocks.List
	calls      int // tool_use blocks: they ask the client to run them
	minted     int // ids made for calls that have none

	usage usage
	stop  stop
	ended bool
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}}
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.msg, d.model = nil, nil
	d.blocks.Reset()
	d.calls, d.minted = 0, 0
	d.usage, d.stop, d.ended = noUsage, stop{}, false
}

// record is the schema of all events.
type record struct {
	Type    rawjson.Value `json:"type"`
	Index   rawjson.Value `json:"index"`
	Message rawjson.Value `json:"message"`
	Block   contentBlock  `json:"content_block"`
	Delta   delta         `json:"delta"`
	Usage   wireUsage     `json:"usage"`
	Error   rawjson.Value `json:"error"`
}

// message is what message_start holds, and what a server sends that does not stream.
type message struct {
	ID           rawjson.Value `json:"id"`
	Model        rawjson.Value `json:"model"`
	Content      rawjson.Value `json:"content"`
	StopReason   rawjson.Value `json:"stop_reason"`
	StopSequence rawjson.Value `json:"stop_sequence"`
	StopDetails  rawjson.Value `json:"stop_details"`
	Usage        wireUsage     `json:"usage"`
}

// contentBlock has the members of blocks of all types.
type contentBlock struct {
	Type      rawjson.Value `json:"type"`
	Text      rawjson.Value `json:"text"`
	Citations rawjson.Value `json:"citations"`
	Thinking  rawjson.Value `json:"thinking"`
	Signature rawjson.Value `json:"signature"`
	Data      rawjson.Value `json:"data"`

	ID         rawjson.Value `json:"id"`
	Name       rawjson.Value `json:"name"`
	Input      rawjson.Value `json:"input"`
	Caller     rawjson.Value `json:"caller"`
	Toolset    rawjson.Value `json:"toolset_name"`
	ServerName rawjson.Value `json:"server_name"`

	ToolUseID rawjson.Value `json:"tool_use_id"`
	Content   rawjson.Value `json:"content"`
	IsError   rawjson.Value `json:"is_error"`
	FileID    rawjson.Value `json:"file_id"`
}

// delta has the members of deltas of blocks, and of the message.
type delta struct {
	Type        rawjson.Value `json:"type"`
	Text        rawjson.Value `json:"text"`
	Thinking    rawjson.Value `json:"thinking"`
	Signature   rawjson.Value `json:"signature"`
	PartialJSON rawjson.Value `json:"partial_json"`
	Citation    rawjson.Value `json:"citation"`
	Content     rawjson.Value `json:"content"`

	StopReason   rawjson.Value `json:"stop_reason"`
	StopSequence rawjson.Value `json:"stop_sequence"`
	StopDetails  rawjson.Value `json:"stop_details"`
}

// Decode implements [hub.Decoder]. The type in the data decides; the name of the SSE event, which some servers leave
// out or get wrong, only where there is none, and for errors, which clients know by it alone.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	data := bytes.TrimSpace(rec.Data)
	if len(data) == 0 || string(rec.Event) == "ping" || string(data) == "[DONE]" {
		return dst, nil
	}
	d.rec = record{}
	err := d.json.Decode(data, &d.rec)
	if string(rec.Event) == "error" {
		return d.failed(dst, data, err), nil
	}
	if err != nil {
		return dst, hub.JSONError(err)
	}
	typ, ok := rawjson.Str(d.rec.Type)
	if !ok {
		typ = rec.Event
	}
	if len(typ) == 0 && !rawjson.IsNull(d.rec.Error) {
		typ = []byte("error")
	}
	return d.event(dst, typ, data)
}

// event decodes an event of that type.
func (d *decoder) event(dst []hub.Event, typ, data []byte) ([]hub.Event, error) {
	switch string(typ) {
	case "content_block_delta":
		return d.blockDelta(dst, data)
	case "content_block_start":
		dst = d.blocks.Close(dst, d.blocks.Find(d.rec.Index), d.blockEnd)
		return d.blockStart(dst, &d.rec.Block, d.rec.Index, data)
	case "content_block_stop":
		return d.blocks.Close(dst, d.blocks.Find(d.rec.Index), d.blockEnd), nil
	case "message_start":
		return d.messageStart(dst)
	case "message_delta":
		return d.messageDelta(dst), nil
	case "message_stop":
		return d.end(dst), nil
	case "message":
		return d.wholeMessage(dst, data)
	case "error":
		return d.failed(dst, data, nil), nil
	case "ping":
		return dst, nil
	case "":
		return dst, hub.NewError(hub.ReasonMissing, "type", -1, "every event needs a type, in its data or as its name")
	}
	return d.raw(dst, data), nil
}

// Finish implements [hub.Decoder]. A message whose stop reason came is complete, even if its message_stop did not.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event {
	d.scratch.Reset()
	if !d.stop.known {
		return dst
	}
	return d.end(dst)
}

// messageStart begins the run. A second one in a stream is a retry: what the first has left open ends.
func (d *decoder) messageStart(dst []hub.Event) ([]hub.Event, error) {
	dst = d.blocks.CloseAll(dst, d.blockEnd)
	d.whole = message{}
	if err := d.json.Decode(rawjson.OrNull(d.rec.Message), &d.whole); err != nil {
		return dst, hub.NewError(hub.ReasonType, "message", -1, "want an object")
	}
	dst = d.begin(dst)
	if d.usage.add(&d.whole.Usage) && d.usage.input() > 0 { // servers that count at the end have zeros here
		dst = d.emitUsage(dst, -1)
	}
	return d.content(dst, d.whole.Content)
}

// begin appends the start of the run.
func (d *decoder) begin(dst []hub.Event) []hub.Event {
	// Not in the old memory: ends of the blocks of the message before point there.
	d.msg, d.model = bytes.Clone(rawjson.Body(d.whole.ID)), bytes.Clone(rawjson.Body(d.whole.Model))
	dst, ev := d.emit(dst, hub.Event{Kind: hub.RunStart, ID: d.msg})
	if len(d.model) > 0 {
		d.scratch.MoreOf(ev).Model = d.model
	}
	return dst
}

// content decodes blocks that come whole. Their parts have ids that no block of the stream has.
func (d *decoder) content(dst []hub.Event, content rawjson.Value) ([]hub.Event, error) {
	n := int64(0)
	for it := rawjson.Elems(content); ; n++ {
		value, ok := it.Next()
		if !ok {
			return dst, nil
		}
		d.block = contentBlock{}
		if err := d.json.Decode(value, &d.block); err != nil {
			return dst, hub.NewError(hub.ReasonType, "content", -1, "want objects")
		}
		id := d.scratch.Since(append(strconv.AppendInt(append(d.scratch.Begin(), `"w`...), n, 10), '"'))
		var err error
		if dst, err = d.blockStart(dst, &d.block, id, value); err != nil {
			return dst, err
		}
		dst = d.blocks.CloseAll(dst, d.blockEnd)
	}
}

// wholeMessage decodes the answer of a server that does not stream.
func (d *decoder) wholeMessage(dst []hub.Event, data []byte) ([]hub.Event, error) {
	d.whole = message{}
	if err := d.json.Decode(data, &d.whole); err != nil {
		return dst, hub.JSONError(err)
	}
	dst = d.begin(dst)
	dst, err := d.content(dst, d.whole.Content)
	d.usage.add(&d.whole.Usage)
	dst = d.emitUsage(dst, d.usage.out)
	d.stop.learn(d.whole.StopReason, d.whole.StopSequence, d.whole.StopDetails)
	return d.end(dst), err
}

// emit appends an event of the message.
func (d *decoder) emit(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	ev.Msg = d.msg
	return hub.Add(dst, ev)
}

// put is emit for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.emit(dst, ev)
	return dst
}

// raw passes a record or block that the model has no kind for.
func (d *decoder) raw(dst []hub.Event, data []byte) []hub.Event {
	return d.put(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: data})
}
