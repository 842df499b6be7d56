package bedrock

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder reads one message. Text needs no state; of calls, results and signatures it remembers what is complete only at the end
// of their block.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	block   contentBlock // of an answer that is no stream
	scratch hub.Scratch

	blocks blocks.List
	calls  int // that ask the client to run them
	minted int // ids made for calls that have none

	stop    []byte // the reason, a string body
	stopped bool
	counted bool // the usage has come
	ended   bool
}

func newDecoder(o hub.Options) hub.Decoder {
	return &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}}
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.blocks.Reset()
	d.calls, d.minted = 0, 0
	d.stop, d.stopped, d.counted, d.ended = d.stop[:0], false, false, false
}

// record is the schema of all events.
type record struct {
	Index      rawjson.Value `json:"contentBlockIndex"`
	Start      rawjson.Value `json:"start"`
	Delta      delta         `json:"delta"`
	StopReason rawjson.Value `json:"stopReason"`
	Usage      wireUsage     `json:"usage"`
	Message    rawjson.Value `json:"message"`
	Output     rawjson.Value `json:"output"`
	Type       rawjson.Value `json:"__type"`
}

// delta has the members of deltas, one of which is there.
type delta struct {
	Text      rawjson.Value  `json:"text"`
	ToolUse   toolDelta      `json:"toolUse"`
	Reasoning reasoningDelta `json:"reasoningContent"`
	Result    rawjson.Value  `json:"toolResult"`
	Citation  rawjson.Value  `json:"citation"`
	Image     rawjson.Value  `json:"image"`
}

type toolDelta struct {
	Input rawjson.Value `json:"input"`
}

type reasoningDelta struct {
	Text      rawjson.Value `json:"text"`
	Signature rawjson.Value `json:"signature"`
	Redacted  rawjson.Value `json:"redactedContent"`
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if len(rec.Data) == 0 && len(rec.Event) == 0 || wire.IsDone(rec.Data) {
		return dst, nil
	}
	name, data := eventOf(rec)
	if name == nameFailure && rawjson.Kind(data) != '{' && len(rec.Event) > 0 {
		return d.failedByText(dst, rec), nil
	}
	if err := d.json.Valid(rec.Data); err != nil {
		return dst, hub.JSONError(err)
	}
	d.rec = record{}
	if err := d.json.Decode(data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	switch name {
	case nameBlockDelta:
		return d.blockDelta(dst, rec.Data)
	case nameBlockStart:
		return d.blockStart(d.blocks.Close(dst, d.blocks.Find(d.rec.Index), d.blockEnd), rec.Data), nil
	case nameBlockStop:
		return d.blocks.Close(dst, d.blocks.Find(d.rec.Index), d.blockEnd), nil
	case nameStart:
		return append(d.blocks.CloseAll(dst, d.blockEnd), hub.Event{Kind: hub.RunStart}), nil
	case nameStop:
		return d.messageStop(dst), nil
	case nameMetadata:
		return d.metadata(dst), nil
	case nameAnswer:
		return d.answer(dst), nil
	case nameFailure:
		return d.failed(dst, exceptionName(rec)), nil
	}
	return d.raw(dst, rec.Data), nil
}

// Finish implements [hub.Decoder]. A message whose stop reason came is complete, even if its metadata did not.
func (d *decoder) Finish(dst []hub.Event, _ error) []hub.Event {
	d.scratch.Reset()
	if !d.stopped {
		return dst
	}
	return d.end(dst)
}

// answer decodes what Converse answers. Its parts have ids that no block of a stream has.
func (d *decoder) answer(dst []hub.Event) []hub.Event {
	dst = append(dst, hub.Event{Kind: hub.RunStart})
	n := int64(0)
	for value := range rawjson.Each(rawjson.Get(d.rec.Output, "message", "content")) {
		id := d.scratch.Since(append(strconv.AppendInt(append(d.scratch.Begin(), `"w`...), n, 10), '"'))
		dst = d.blocks.CloseAll(d.whole(dst, value, id), d.blockEnd)
		n++
	}
	dst = d.messageStop(d.metadata(dst))
	return d.end(dst)
}

// raw passes a record that the model has no kind for.
func (d *decoder) raw(dst []hub.Event, data []byte) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: data})
}
