package simplified

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxNesting is how deep sub-agents may nest. Each level is a frame inside a frame and costs a pass over it; what is
// deeper stays raw.
const maxNesting = 8

// frame has the members of all frames that are looked at one by one.
type frame struct {
	Type      rawjson.Value `json:"type"`
	Data      rawjson.Value `json:"data"`
	MessageID rawjson.Value `json:"messageId"`

	SearchQuery rawjson.Value `json:"searchQuery"`
	SearchURL   rawjson.Value `json:"searchUrl"`
	ModelStats  rawjson.Value `json:"modelStats"`

	// Of sub-agents, whose id has three names.
	ExecutionID  rawjson.Value `json:"executionId"`
	SubagentID   rawjson.Value `json:"subagentId"`
	SubagentName rawjson.Value `json:"subagentName"`
	ID           rawjson.Value `json:"id"`
	Name         rawjson.Value `json:"name"`
	Task         rawjson.Value `json:"task"`
	Summary      rawjson.Value `json:"summary"`
	Error        rawjson.Value `json:"error"`
}

// decoder reads both versions; it tells them apart by the types of frames alone.
type decoder struct {
	json    rawjson.Decoder
	frames  [maxNesting + 1]frame
	depth   int
	scratch hub.Scratch
	pieces  []piece
	limit   int // of the thinkers

	root      *subAgent
	subAgents map[string]*subAgent
	order     []*subAgent // oldest first
	at        *subAgent   // whose frame is in hand
	seen      *subAgent   // who has said something in the record in hand

	msg     []byte // messageId, as last said
	isNamed bool   // the record in hand says it
	begun   bool
	sources sourceList
	counts  hub.Counts // of the last stats
	asks    map[string]struct{}
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}, limit: o.Int("orphan_think")}
	d.root = &subAgent{text: newThinker(d.limit)}
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.root.text.reset()
	d.subAgents, d.order, d.asks = map[string]*subAgent{}, nil, map[string]struct{}{}
	d.msg, d.begun, d.isNamed, d.seen = d.msg[:0], false, false, nil
	d.sources = sourceList{}
	d.counts = hub.NoCounts
}

// Decode appends the events of rec. Their slices are valid until the next call and as long as rec is.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	if len(bytes.TrimSpace(rec.Data)) == 0 {
		return dst, nil
	}
	d.at, d.seen, d.depth, d.isNamed = d.root, nil, 0, false
	return d.frame(dst, rec.Data)
}

// TrackText implements [fastpath.TextTracker]. A text passes as it is, and changes nothing, unless it may belong to a tag, or is kept
// back because a tag may follow.
func (d *decoder) TrackText(_ any, text, _ []byte) bool { return d.seen.text.plain(text) }

// Tracked implements [fastpath.TextTracker].
func (d *decoder) Tracked() (part any, ok bool) { return nil, d.seen != nil }

// Finish appends the text that was kept back. A server that waits for a human sends no messageEnd.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	d.depth, d.isNamed = 0, false
	dst = d.allSpoken(dst)
	if cause != nil || len(d.asks) == 0 {
		return dst
	}
	d.at = d.root
	return d.put(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusPaused})
}

// frame decodes one frame: a record, or what a sub-agent's frame holds.
func (d *decoder) frame(dst []hub.Event, data rawjson.Value) ([]hub.Event, error) {
	f := &d.frames[d.depth]
	*f = frame{}
	if err := d.json.Decode(data, f); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, ok := rawjson.Str(f.Type)
	switch {
	case !ok && rawjson.IsNull(f.Type):
		return dst, hub.NewError(hub.ReasonMissing, "type", -1, "every frame needs a type")
	case !ok:
		return dst, hub.NewError(hub.ReasonType, "type", -1, "want a string")
	case d.depth > 0:
		return d.nested(dst, f, typ, data)
	case string(typ) == typePing:
		return dst, nil
	}
	return d.top(d.begin(dst, f), f, typ, data)
}

// begin notes the message, and makes the start of the run of its first frame.
func (d *decoder) begin(dst []hub.Event, f *frame) []hub.Event {
	if id, ok := rawjson.Str(f.MessageID); ok {
		if d.isNamed = true; !bytes.Equal(id, d.msg) {
			d.msg = append(d.msg[:0], id...)
		}
	}
	if d.begun {
		return dst
	}
	d.begun = true
	if !d.isNamed {
		return dst
	}
	return d.put(dst, hub.Event{Kind: hub.RunStart, ID: d.msg})
}

// top decodes the frames that only the server itself sends.
func (d *decoder) top(dst []hub.Event, f *frame, typ []byte, data rawjson.Value) ([]hub.Event, error) {
	switch string(typ) {
	case typeMessageEnd:
		dst = d.messageEnd(dst, f, data)
	case typeError:
		dst = d.failed(dst, f)
	case typeGone:
		dst = d.gone(dst)
	default:
		return d.common(dst, f, typ, data)
	}
	d.asks = recent.Cleared(d.asks) // a run that is over does not wait for answers
	return dst, nil
}

func (d *decoder) gone(dst []hub.Event) []hub.Event {
	dst, ev := d.event(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, Name: []byte(typeGone)})
	d.scratch.MoreOf(ev).Err = []byte(goneText)
	return dst
}

// goneText tells the client what gone means; the frame itself has no text.
const goneText = "The server no longer knows this run."

// nested decodes the frames that only a sub-agent can mean otherwise: its end is reported beside them.
func (d *decoder) nested(dst []hub.Event, f *frame, typ []byte, data rawjson.Value) ([]hub.Event, error) {
	switch string(typ) {
	case typePing:
		return dst, nil
	case typeError:
		return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: d.bodyOf(f.Data)}), nil
	case typeMessageEnd, typeGone:
		return d.raw(dst, data), nil
	}
	return d.common(dst, f, typ, data)
}

// common decodes the frames that the server and its sub-agents send alike.
func (d *decoder) common(dst []hub.Event, f *frame, typ []byte, data rawjson.Value) ([]hub.Event, error) {
	switch string(typ) {
	case typeResponse:
		return d.response(dst, f)
	case typeToolStarted:
		return d.toolStarted(dst, f)
	case typeToolSuccess, typeToolError:
		return d.toolEnded(dst, f, typ)
	case typeTodo:
		return d.todo(dst, f), nil
	case typeAgentStarted:
		return d.agentStarted(dst, f)
	case typeAgentData:
		return d.agentData(dst, f, data)
	case typeAgentDone, typeAgentError:
		return d.agentEnded(dst, f, typ, data)
	case typeSourcesAdded, typeSources:
		return d.documents(dst, f, typ)
	case typeStats:
		return d.stats(dst, f.Data), nil
	case typeProgress:
		return d.progress(dst, f), nil
	}
	return d.asked(dst, f, typ, data), nil
}

// raw passes a frame that has no kind.
func (d *decoder) raw(dst []hub.Event, data rawjson.Value) []hub.Event {
	return d.put(dst, hub.Event{Kind: hub.Raw, Name: rawName, Value: data})
}

// event appends an event of the frame in hand.
func (d *decoder) event(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	dst, out := hub.Add(dst, ev)
	out.SubAgent = d.at.id
	if d.isNamed && d.depth == 0 {
		out.Msg = d.msg
	}
	return dst, out
}

// put is event for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.event(dst, ev)
	return dst
}

// response leaves the parts to the sequencer: the wire has neither ids nor ends of texts.
func (d *decoder) response(dst []hub.Event, f *frame) ([]hub.Event, error) {
	body, ok := rawjson.Str(f.Data)
	if !ok && !rawjson.IsNull(f.Data) {
		return dst, hub.NewError(hub.ReasonType, "data", -1, "want a string")
	}
	d.pieces = d.at.text.pieces(d.pieces[:0], body)
	d.seen = d.at
	return d.emitText(dst, d.at), nil
}

// emitText appends the pieces of a sub-agent's text.
func (d *decoder) emitText(dst []hub.Event, l *subAgent) []hub.Event {
	for i := range d.pieces {
		var ev *hub.Event
		dst, ev = hub.Grow(dst)
		ev.Kind, ev.SubAgent, ev.Text = hub.TextDelta, l.id, d.pieces[i].text
		if d.pieces[i].inside {
			ev.Chan = hub.Reasoning
		}
		if l == d.root {
			ev.Msg = d.msg
		}
	}
	return dst
}

// spoken appends what was kept back of a sub-agent's text: something else follows.
func (d *decoder) spoken(dst []hub.Event, l *subAgent) []hub.Event {
	d.pieces = l.text.boundary(d.pieces[:0])
	return d.emitText(dst, l)
}

// allSpoken is spoken for every agent, before the end of the run.
func (d *decoder) allSpoken(dst []hub.Event) []hub.Event {
	for _, l := range d.order {
		dst = d.spoken(dst, l)
	}
	return d.spoken(dst, d.root)
}

// messageEnd is the good end of a run.
func (d *decoder) messageEnd(dst []hub.Event, f *frame, data rawjson.Value) []hub.Event {
	dst = d.allSpoken(dst)
	if counts := countsOf(f.ModelStats); counts.In >= 0 && !sameCounts(&counts, &d.counts) {
		dst = d.stats(dst, f.ModelStats)
	}
	dst, ev := d.event(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	d.keepRest(ev, data, "type", "messageId")
	return dst
}

// failed never fails: a malformed end is still an end.
func (d *decoder) failed(dst []hub.Event, f *frame) []hub.Event {
	dst = d.allSpoken(dst)
	dst, ev := d.event(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed})
	if body := d.bodyOf(f.Data); len(body) > 0 {
		d.scratch.MoreOf(ev).Err = body
		if string(body) == cancelText {
			ev.Status = hub.StatusCancelled
		}
	}
	return dst
}

// bodyOf is a value as text: a string as it is, other JSON as it is written, nil for null.
func (d *decoder) bodyOf(v rawjson.Value) []byte {
	body, isString := rawjson.Str(v)
	if isString || rawjson.IsNull(v) {
		return body
	}
	return d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), v))
}

// metaHead opens the object under which Meta holds what only this dialect knows.
const metaHead = `{"` + name + `":{`

// keepRest puts the members of an object into Meta, but for those that are reported otherwise.
func (d *decoder) keepRest(ev *hub.Event, object rawjson.Value, reported ...string) {
	meta := append(d.scratch.Begin(), metaHead...)
	n := len(meta)
	meta = appendRest(meta, object, reported...)
	if len(meta) > n {
		meta = append(meta[:len(meta)-1], "}}"...) // over the last comma
		d.scratch.MoreOf(ev).Meta = d.scratch.Since(meta)
	}
}

// appendRest appends the members of an object, each with a comma behind it, but for those named.
func appendRest(dst []byte, object rawjson.Value, without ...string) []byte {
	for key, val := range rawjson.EachField(object) {
		if !slices.Contains(without, string(key)) {
			dst = append(rawjson.AppendQuoted(dst, key), ':')
			dst = append(append(dst, val...), ',')
		}
	}
	return dst
}
