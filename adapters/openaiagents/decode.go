package openaiagents

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/responsestream"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxKnown bounds how many calls and questions a decoder remembers of a stream. What comes beyond it is not kept; no stream known to work
// comes near it.
const maxKnown = 1024

// decoder leaves what the model says to the decoder of its responses, and knows of the run what these do not say.
type decoder struct {
	json     rawjson.Decoder
	rec      record
	data     []byte // the record being decoded
	scratch  hub.Scratch
	response *responsestream.Decoder

	started  bool   // the run has been announced
	agent    []byte // that is active, string body
	said     bool   // text of the answer has come
	refused  bool   // text of a refusal has come
	step     step
	progress progress
	calls    map[string]bool // by their ids, whether they have a result
	asks     map[string]bool
	failure  failure
	ended    bool
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{response: responsestream.New(responsestream.Config{Name: dialectName, ReadCounts: readCounts, Nesting: o.Nesting})}
	d.json.MaxDepth = o.Nesting
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.response.Reset()
	*d = decoder{json: d.json, scratch: d.scratch, response: d.response, agent: d.agent[:0]}
}

// record has the members of all records, in the spelling of both languages.
type record struct {
	Type     rawjson.Value `json:"type"`
	Data     rawjson.Value `json:"data"`
	Name     rawjson.Value `json:"name"`
	Item     rawjson.Value `json:"item"`
	NewAgent rawjson.Value `json:"new_agent"`
	Agent    rawjson.Value `json:"agent"`

	Interruptions rawjson.Value `json:"interruptions"`
	FinalOutput   rawjson.Value `json:"final_output"`
	FinalOutputJS rawjson.Value `json:"finalOutput"`

	Error   rawjson.Value `json:"error"`
	Message rawjson.Value `json:"message"`
	Content rawjson.Value `json:"content"`
	Code    rawjson.Value `json:"code"`
}

// handlers lists the events of the SDK; those by which servers end a stream are in endings.
var handlers = map[string]func(*decoder, []hub.Event) ([]hub.Event, error){
	"raw_response_event":         (*decoder).raw,
	"raw_model_stream_event":     (*decoder).raw,
	"run_item_stream_event":      (*decoder).item,
	"agent_updated_stream_event": (*decoder).agentUpdated,
}

// Decode implements [hub.Decoder]. Nothing counts after the end.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.response.Begin()
	if rec.Data == nil || d.ended {
		return dst, nil
	}
	if wire.IsDone(rec.Data) && d.started {
		return d.end(dst), nil
	}
	d.rec, d.data = record{}, rec.Data
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, err := member.Text(d.rec.Type, "type")
	if err != nil {
		return dst, err
	}
	return d.event(dst, typ)
}

// event takes a record by its type. Only a stream of the SDK can end well: other streams have ends of the same types.
func (d *decoder) event(dst []hub.Event, typ []byte) ([]hub.Event, error) {
	h := handlers[string(typ)]
	switch {
	case h != nil:
		dst = d.start(dst)
		d.progress.see(typ, d.rec.Name, d.data)
		return h(d, dst)
	case string(typ) == "error":
		return d.fail(d.start(dst)), nil
	case endings[string(typ)] && d.started:
		dst = d.interruptions(dst)
		return d.end(d.finalOutput(dst)), nil
	case rawjson.Kind(d.rec.Interruptions) == '[':
		return d.interruptions(d.start(dst)), nil
	}
	return d.unknown(dst), nil
}

// start announces the run with its first event.
func (d *decoder) start(dst []hub.Event) []hub.Event {
	if d.started {
		return dst
	}
	d.started = true
	return append(dst, hub.Event{Kind: hub.RunStart, Name: d.updatedAgent()})
}

// unknown passes a record of the application.
func (d *decoder) unknown(dst []hub.Event) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: bytes.TrimSpace(d.data)})
}

// agentUpdated names the agent that is active from here on. Its turns are steps of its name, as those of the one before are.
func (d *decoder) agentUpdated(dst []hub.Event) ([]hub.Event, error) {
	d.agent = append(d.agent[:0], d.updatedAgent()...)
	return dst, nil
}

func (d *decoder) updatedAgent() []byte {
	for _, v := range [...]rawjson.Value{d.rec.NewAgent, d.rec.Agent} {
		if name := rawjson.First(rawjson.Body(v), rawjson.Text(v, "name")); len(name) > 0 {
			return name
		}
	}
	return nil
}

// TrackText implements [fastpath.TextTracker].
func (d *decoder) TrackText(to any, text, record []byte) bool {
	return d.response.TrackText(to, text, record)
}

// Tracked implements [fastpath.TextTracker].
func (d *decoder) Tracked() (to any, ok bool) { return d.response.Tracked() }
