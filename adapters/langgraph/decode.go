package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decoder puts together what several stream modes say of one run. Each mode tells the run in its own way, so the same
// text may come three times: in pieces, whole in the update of its node, and whole in the state after the step.
type decoder struct {
	json    rawjson.Decoder
	inside  rawjson.Decoder // for what is inside an array
	scratch hub.Scratch
	tail    tail

	source    source // which mode brings the pieces of texts
	messages  recent.Map[*message]
	calls     recent.Map[*call]
	root      subAgent // the graph itself
	subAgents subAgents
	steps     []step
	usage     messageUsage
	asks      recent.Map[bool]

	made    int             // ids that were made for messages without one
	any     bool            // there was a record
	begun   bool            // the agent has said or called something in this run
	over    bool            // a record has ended the run
	paused  bool            // an interrupt waits for an answer
	reason  []byte          // why the model stopped, as it said last
	waiting map[string]bool // calls of the last message that have no result

	speaking *message // the last message of the graph itself
	seen     seen
}

// seen is what the record in hand has added to, and nothing else, if again is true: another record like it, with another
// text, adds to the same.
type seen struct {
	again   bool
	made    bool // it is about a call that was not known
	message *message
	answer  bool  // it is a piece of its answer: of reasoning nothing is remembered
	call    *call // the call of the message whose arguments it is a piece of
}

// spoken and thought are the parts of a message, for [decoder.TrackText].
type (
	spoken  message
	thought message
)

// source is the stream mode that brings the pieces of texts. The first that brings one is used, the others say the
// same once more.
type source uint8

const (
	sourceNone    source = iota
	sourceTuple          // messages: a piece and its metadata
	sourcePartial        // messages/partial: the message so far
	sourceEvents         // events: on_chat_model_stream
)

// maxRecent is how many keys each map remembers. Threads live for months, and each state repeats all their messages.
const maxRecent = 4096

func newDecoder(o hub.Options) hub.Decoder {
	depth := o.Nesting
	if depth <= 0 {
		depth = rawjson.DefaultMaxDepth
	}
	d := &decoder{json: rawjson.Decoder{MaxDepth: depth}, inside: rawjson.Decoder{MaxDepth: max(depth-1, 1)}}
	d.messages.Max, d.calls.Max, d.asks.Max = maxRecent, maxRecent, maxRecent
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.messages.Reset()
	d.calls.Reset()
	d.asks.Reset()
	d.subAgents.reset()
	*d = decoder{
		json: d.json, inside: d.inside, scratch: d.scratch, tail: tail{text: d.tail.text[:0]}, messages: d.messages, calls: d.calls,
		subAgents: d.subAgents, steps: d.steps[:0], asks: d.asks, reason: d.reason[:0],
	}
}

// handlers lists the events that mean something, without the namespace that may follow their names.
var handlers = map[string]func(*decoder, []hub.Event, *subAgent, rawjson.Value) ([]hub.Event, error){
	"metadata":          (*decoder).metadata,
	"messages/partial":  (*decoder).partial,
	"messages/complete": (*decoder).complete,
	"messages/metadata": (*decoder).nothing,
	"values":            (*decoder).values,
	"updates":           (*decoder).updates,
	"custom":            (*decoder).custom,
	"events":            (*decoder).event,
	"tools":             (*decoder).tool,
	"tasks":             (*decoder).task,
	"lifecycle":         (*decoder).lifecycle,
	"error":             (*decoder).error,
	"end":               (*decoder).end,
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.seen = seen{}
	data := rec.Data
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("null") // an end without data
	}
	name, namespace, _ := bytes.Cut(rec.Event, []byte("|"))
	if string(name) == "messages" {
		if v, ok := d.tail.cut(&d.inside, data); ok {
			d.any = true
			dst, l := d.subAgent(dst, namespace)
			return d.described(dst, l, v, &d.tail.meta), nil
		}
	}
	if err := d.json.Valid(data); err != nil {
		return dst, hub.JSONError(err)
	}
	d.any = true
	if string(name) == "messages" {
		dst, l := d.subAgent(dst, namespace)
		return d.tuple(dst, l, data)
	}
	dst = d.emitUsage(dst)
	if h := handlers[string(name)]; h != nil {
		dst, l := d.subAgent(dst, namespace)
		return h(d, dst, l, data)
	}
	return d.raw(dst, rec, data), nil
}

// TrackText implements [fastpath.TextTracker]: the decoder must know how much has been said, as whole messages may follow.
func (d *decoder) TrackText(part any, text, _ []byte) bool {
	switch p := part.(type) {
	case *spoken:
		p.text.Add(text)
		d.turnTo((*message)(p))
	case *thought:
		d.turnTo((*message)(p))
	case *call:
		p.sent += len(text)
		d.turnTo(p.message)
	}
	return true
}

// Tracked implements [fastpath.TextTracker]. Output of a tool is of no part.
func (d *decoder) Tracked() (part any, ok bool) {
	switch h := &d.seen; {
	case h.call != nil:
		part = h.call
	case h.answer:
		part = (*spoken)(h.message)
	case h.message != nil:
		part = (*thought)(h.message)
	}
	return part, d.seen.again
}

// raw keeps a record that has no meaning here: checkpoints, debug, feedback and what is still to come. Its name tells the
// sub-graph.
func (d *decoder) raw(dst []hub.Event, rec wire.Record, data []byte) []hub.Event {
	return append(dst, hub.Event{
		Kind: hub.Raw, Name: []byte(nameRaw), Value: data, ID: d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), rec.Event)),
	})
}

func (d *decoder) nothing(dst []hub.Event, _ *subAgent, _ rawjson.Value) ([]hub.Event, error) {
	return dst, nil
}

// metadata opens the run. After a reconnect it comes again.
func (d *decoder) metadata(dst []hub.Event, _ *subAgent, v rawjson.Value) ([]hub.Event, error) {
	if rawjson.Kind(v) != '{' {
		return dst, wrong("", "want an object")
	}
	if rawjson.Get(v, "run_id") == nil { // it is another dialect's, as Bedrock's at the end of a run
		return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(nameRaw), Value: v, ID: []byte("metadata")}), nil
	}
	return append(dst, hub.Event{Kind: hub.RunStart, ID: rawjson.Text(v, "run_id"), Ref: rawjson.Text(v, "thread_id")}), nil
}

// error ends the run, or a sub-graph, whose failure the graph around it may survive.
func (d *decoder) error(dst []hub.Event, l *subAgent, v rawjson.Value) ([]hub.Event, error) {
	var ev *hub.Event
	if l == &d.root {
		dst, ev = d.runEnd(dst, hub.StatusFailed)
	} else {
		l.ended = true
		dst, ev = hub.Add(dst, hub.Event{Kind: hub.AgentEnd, ID: l.id, Status: hub.StatusError})
	}
	m := d.scratch.MoreOf(ev)
	m.Err, m.ErrCode = rawjson.Text(v, "message"), rawjson.Text(v, "error")
	if whole, ok := rawjson.Str(v); ok {
		m.Err = whole
	}
	switch string(m.ErrCode) {
	case codeCancelled, "UserInterrupt", "UserRollback", "CancelledError":
		if l == &d.root {
			ev.Status = hub.StatusCancelled
		}
	}
	if m.Err == nil {
		m.Err = m.ErrCode
	}
	return dst, nil
}

// codeCancelled is the error of a run that was cancelled, as the encoder writes it.
const codeCancelled = "cancelled"

// end says how the run ended; from many servers it comes with null, and from most not at all.
func (d *decoder) end(dst []hub.Event, _ *subAgent, v rawjson.Value) ([]hub.Event, error) {
	status := rawjson.Text(v, "status")
	switch string(status) {
	case "error", "timeout":
		var ev *hub.Event
		dst, ev = d.runEnd(dst, hub.StatusFailed)
		ev.Name = status
	case "rollback":
		dst, _ = d.runEnd(dst, hub.StatusCancelled)
	case "interrupted":
		dst, _ = d.runEnd(d.completeAllArgs(dst), hub.StatusPaused)
	default:
		dst = d.goodEnd(dst)
	}
	return dst, nil
}

func (d *decoder) runEnd(dst []hub.Event, status hub.Status) ([]hub.Event, *hub.Event) {
	d.over = true
	return hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: status})
}

// goodEnd ends a run that did not fail, for the reason that the messages give.
func (d *decoder) goodEnd(dst []hub.Event) []hub.Event {
	dst = d.completeAllArgs(dst)
	status := stopReasons[string(d.reason)]
	switch {
	case d.paused:
		status = hub.StatusPaused
	case status != hub.StatusNone:
	case len(d.waiting) > 0:
		status = hub.StatusTools // noAuthor answers these calls but the client
	default:
		status = hub.StatusDone
	}
	dst, ev := d.runEnd(dst, status)
	if len(d.reason) > 0 && status == stopReasons[string(d.reason)] {
		ev.Name = d.reason
	}
	return dst
}

// stopReasons are the words of the providers for an answer that is not complete; others mean a good end.
var stopReasons = map[string]hub.Status{
	"length": hub.StatusLength, "max_tokens": hub.StatusLength, "MAX_TOKENS": hub.StatusLength, "max_output_tokens": hub.StatusLength,
	"content_filter": hub.StatusFiltered, "SAFETY": hub.StatusFiltered,
	"refusal": hub.StatusRefused,
	"limit":   hub.StatusLimit,
}

// Finish implements [hub.Decoder]. The end of the body is the end of the run, unless the body was empty.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	dst = d.emitUsage(dst)
	if cause != nil || d.over || !d.any {
		return dst
	}
	return d.goodEnd(dst)
}

func wrong(path, want string) error { return hub.NewError(hub.ReasonType, path, -1, want) }
