package geminiinteractions

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder reads one interaction. Texts need no state; of calls, results and signatures it remembers what is complete only at the end of the
// step.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	step    step // of the start of one
	scratch hub.Scratch

	model   []byte
	blocks  opened.Queue[block]
	stepped bool // a step was streamed
	waiting int  // calls that are left to the client
	minted  int  // ids made for calls that have none
	sources map[string]struct{}

	usage   []byte // as last said
	state   []byte // a status that ends the interaction, if nothing comes behind it
	started bool
	ended   bool
}

// Bounds of what is remembered of one interaction. Steps come one after the other, so more than a few open ones are rare.
const (
	maxBlocks  = 256
	maxKept    = 64 << 10 // bytes of a usage; of a buffer that an idle block keeps
	maxSig     = 8 << 20
	maxSources = 1024
)

func newDecoder(o hub.Options) hub.Decoder {
	return &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}, sources: map[string]struct{}{}}
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	clear(d.sources)
	d.blocks.Reset()
	*d = decoder{
		json: d.json, scratch: d.scratch, model: d.model[:0], blocks: d.blocks, sources: d.sources, usage: d.usage[:0], state: d.state[:0],
	}
}

// record is the schema of all events, and of an interaction that is not streamed.
type record struct {
	Type        rawjson.Value `json:"event_type"`
	Index       rawjson.Value `json:"index"`
	Step        rawjson.Value `json:"step"`
	Content     rawjson.Value `json:"content"` // a step, before steps had their name
	Delta       step          `json:"delta"`
	Interaction rawjson.Value `json:"interaction"`
	Status      rawjson.Value `json:"status"`
	Usage       rawjson.Value `json:"usage"`
	Error       rawjson.Value `json:"error"`
	Metadata    struct {
		TotalUsage rawjson.Value `json:"total_usage"`
	} `json:"metadata"`

	Object rawjson.Value `json:"object"`
}

// step has the members of steps and deltas of all types.
type step struct {
	Type        rawjson.Value `json:"type"`
	Text        rawjson.Value `json:"text"`
	Content     rawjson.Value `json:"content"` // a list; of a summary one block
	Annotations rawjson.Value `json:"annotations"`
	Summary     rawjson.Value `json:"summary"`
	Signature   rawjson.Value `json:"signature"`

	ID        rawjson.Value `json:"id"`
	Name      rawjson.Value `json:"name"`
	Server    rawjson.Value `json:"server_name"`
	Search    rawjson.Value `json:"search_type"`
	Arguments rawjson.Value `json:"arguments"`
	CallID    rawjson.Value `json:"call_id"`
	Result    rawjson.Value `json:"result"`
	IsError   rawjson.Value `json:"is_error"`

	Data rawjson.Value `json:"data"`
	Mime rawjson.Value `json:"mime_type"`
	URI  rawjson.Value `json:"uri"`
}

// handlers are the methods by the types of events, those of the wire before steps had their name, too.
var handlers = map[string]func(*decoder, []hub.Event, []byte) ([]hub.Event, error){
	"interaction.created": (*decoder).created, "interaction.start": (*decoder).created,
	"step.start": (*decoder).stepStart, "content.start": (*decoder).stepStart,
	"step.delta": (*decoder).stepDelta, "content.delta": (*decoder).stepDelta,
	"step.stop": (*decoder).stepStop, "content.stop": (*decoder).stepStop,
	"interaction.status_update": (*decoder).statusUpdate, "interaction.in_progress": (*decoder).statusUpdate,
	"interaction.requires_action": (*decoder).statusUpdate,
	"interaction.completed":       (*decoder).completed, "interaction.complete": (*decoder).completed,
	"error": (*decoder).failed,
}

// Decode implements [hub.Decoder]. Nothing counts behind the end, which is where a [DONE] comes.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	data := bytes.TrimSpace(rec.Data)
	if len(data) == 0 || d.ended || wire.IsDone(data) {
		return dst, nil
	}
	d.rec = record{}
	if err := d.json.Decode(data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, ok := rawjson.Str(d.rec.Type)
	switch {
	case ok:
	case string(rawjson.Body(d.rec.Object)) == "interaction":
		d.rec.Interaction = data
		return d.completed(dst, data)
	case d.started && rawjson.Kind(d.rec.Error) == '{': // as all APIs of Google's say that they failed
		return d.failed(dst, data)
	case d.started:
		typ = rec.Event
	}
	if h := handlers[string(typ)]; h != nil {
		return h(d, dst, data)
	}
	return raw(dst, data), nil
}

// raw passes what the model has no kind for.
func raw(dst []hub.Event, data []byte) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: data})
}

// created begins the run.
func (d *decoder) created(dst []hub.Event, _ []byte) ([]hub.Event, error) {
	return d.begin(dst), nil
}

// begin appends the start of the run, with what is known of the interaction. One that the server does not store has an empty id.
func (d *decoder) begin(dst []hub.Event) []hub.Event {
	if d.started {
		return dst
	}
	d.started = true
	o := rawjson.ReadObject(d.rec.Interaction)
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunStart, ID: o.Text("id"), Name: o.Text("agent")})
	d.model = append(d.model[:0], o.Text("model")...)
	d.scratch.SetModel(ev, o.Text("model"))
	return dst
}

// noteUsage keeps the usage so far; the last counts.
func (d *decoder) noteUsage(v rawjson.Value) {
	if rawjson.Kind(v) == '{' && len(v) <= maxKept {
		d.usage = append(d.usage[:0], v...)
	}
}

// index is how the record's step is named: by its number. A record without one means the step without one.
func (d *decoder) index() []byte {
	if text, ok := rawjson.Str(d.rec.Index); ok {
		return text
	}
	if rawjson.Kind(d.rec.Index) == '0' {
		return bytes.TrimSpace(d.rec.Index)
	}
	return nil
}
