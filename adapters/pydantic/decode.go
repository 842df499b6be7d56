package pydantic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/tagsplit"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Values of the options for reading.
const (
	textSubAgent = "lane" // of subagent_text
	textAnswer   = "answer"

	thinkSplit = "split" // of think
	thinkOpen  = "open"
	thinkText  = "text"

	finalAuto  = "auto" // of final_part
	finalWhole = "whole"
	finalRest  = "rest"
)

// maxCited is how many citations are remembered, so that none is reported twice.
const maxCited = 4096

// decoder reads the chunks of all versions; it tells them apart by their members alone.
type decoder struct {
	json, entryJSON rawjson.Decoder
	chunk           chunk
	entry           entry
	scratch         hub.Scratch

	subAgents  bool // what a sub-agent says is text of its sub-agent
	think      string
	finalPart  string
	indicators []indicator

	begun bool
	root  voice
	calls calls
	cited map[string]struct{}

	sections int // of sub-agent text in message that are open
	emitted  overlap
	marked   *call // the sub-agent of a section for which no delegation was called
	plain    []byte

	seen  seen
	spoke bool // the record in hand has text beside its entries
}

// seen is what the record in hand consists of, as far as records like it, with other texts, may follow.
type seen uint8

const (
	seenOther   seen = iota // what each record is parsed for
	seenThought             // reasoning in a member of its own
	seenMessage             // text of the root agent
	seenArgs                // a further piece of the arguments of a call
)

func newDecoder(o hub.Options) *decoder {
	d := &decoder{
		subAgents:  o.Enum("subagent_text") == textSubAgent,
		think:      o.Enum("think"),
		finalPart:  o.Enum("final_part"),
		indicators: indicatorsOf(o.List("error_indicators")),
		root:       newVoice(),
	}
	d.json.MaxDepth, d.entryJSON.MaxDepth = o.Nesting, o.Nesting
	return d
}

// Reset keeps the options and some of the memory.
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.root.reset()
	d.calls.reset()
	clear(d.cited)
	d.begun, d.spoke, d.sections, d.marked, d.seen = false, false, 0, nil, seenOther
	d.emitted.reset()
}

// Decode appends the events of rec. Their slices are valid until the next call and as long as rec is.
//
// A chunk is read to its end even if something in it is wrong; the error is then the first.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.seen = seenOther
	if len(bytes.TrimSpace(rec.Data)) == 0 {
		return dst, nil // an event without data is a keep-alive
	}
	d.chunk = chunk{}
	if err := d.json.Decode(rec.Data, &d.chunk); err != nil {
		return dst, hub.JSONError(err)
	}
	if d.chunk.isForeign() {
		return d.raw(dst, rec.Data), nil
	}
	dst = d.begin(dst)
	dst, first := d.words(dst)
	dst, err := d.entries(dst)
	first = firstError(first, err)
	dst, err = d.citations(dst)
	return dst, firstError(first, err)
}

// TrackText implements [fastpath.TextTracker]. Text passes as it is, unless it may be a mark or belong to a tag. That of sub-agents is
// not asked for: it is merged with its other copy, piece by piece.
func (d *decoder) TrackText(_ any, text, _ []byte) bool {
	switch d.seen {
	case seenThought:
		return string(text) != noThought
	case seenMessage:
		return d.marker(text) == noMarker && (d.think == thinkText || d.root.split.Plain(text))
	}
	return true
}

// Tracked implements [fastpath.TextTracker].
func (d *decoder) Tracked() (part any, ok bool) { return nil, d.seen != seenOther }

func firstError(first, next error) error {
	if first != nil {
		return first
	}
	return next
}

// begin starts the run: the first chunk, which is usually empty, tells that the agent is at work.
func (d *decoder) begin(dst []hub.Event) []hub.Event {
	if d.begun {
		return dst
	}
	d.begun = true
	return append(dst, hub.Event{Kind: hub.RunStart})
}

func (d *decoder) raw(dst []hub.Event, value []byte) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(name), Value: value})
}

// words reads what is said: the reasoning before the answer.
func (d *decoder) words(dst []hub.Event) ([]hub.Event, error) {
	thought, err := text(d.chunk.Thinking, "thinking")
	if string(thought) == noThought {
		thought = nil
	}
	if len(thought) > 0 {
		dst = d.delta(dst, &d.root, hub.Reasoning, thought)
	}
	message, path := d.chunk.Message, "message"
	if rawjson.IsNull(message) {
		message, path = d.chunk.Response, "response"
	}
	body, bodyErr := text(message, path)
	if len(body) > 0 {
		dst = d.message(dst, body)
	}
	d.spoke = len(thought)+len(body) > 0
	switch {
	case len(body) == 0:
		d.seen = seenThought
	case len(thought) > 0:
		d.seen = seenOther
	}
	return dst, firstError(err, bodyErr)
}

// text reads a member that should be a string; null and absent are nil.
func text(v rawjson.Value, path string) ([]byte, error) {
	body, ok := rawjson.Str(v)
	if ok || rawjson.IsNull(v) {
		return body, nil
	}
	return nil, hub.NewError(hub.ReasonType, path, -1, "want a string")
}

// message reads text of message. Beside entries it is the root agent's, as tools that show something put it there; alone
// it may be a sub-agent's.
func (d *decoder) message(dst []hub.Event, body []byte) []hub.Event {
	if d.hasEntries() {
		return d.say(dst, &d.root, body)
	}
	mark := d.marker(body)
	switch {
	case mark != noMarker:
		dst = d.section(dst, mark)
		if d.subAgents {
			return dst
		}
	case d.sections > 0 && d.subAgents:
		return d.emitCopied(dst, body)
	case d.sections == 0:
		dst = d.endFinals(dst) // the supervisor goes on
	}
	if mark == noMarker {
		d.seen = seenMessage
	}
	return d.say(dst, &d.root, body)
}

func (d *decoder) hasEntries() bool {
	it := rawjson.Elems(d.chunk.ToolCalls)
	_, ok := it.Next()
	return ok
}

// say appends the text of an agent, its reasoning apart.
func (d *decoder) say(dst []hub.Event, v *voice, body []byte) []hub.Event {
	if d.think == thinkText {
		return d.delta(dst, v, hub.AnswerText, body)
	}
	for len(body) > 0 {
		var p tagsplit.Piece
		p, body = v.split.Next(body)
		dst = d.piece(dst, v, p)
	}
	return dst
}

func (d *decoder) piece(dst []hub.Event, v *voice, p tagsplit.Piece) []hub.Event {
	switch {
	case p.Tag == tagsplit.OpenTag:
		v.left = false
		return dst
	case p.Tag == tagsplit.CloseTag && p.Inside:
		return d.endThought(dst, v)
	case p.Tag == tagsplit.CloseTag && v.left:
		v.left = false
		return dst
	case p.Tag == tagsplit.CloseTag:
		return d.delta(dst, v, hub.AnswerText, []byte("</think>"))
	case len(p.Text) == 0:
		return dst
	case p.Inside:
		return d.delta(dst, v, hub.Reasoning, p.Text)
	}
	return d.delta(dst, v, hub.AnswerText, p.Text)
}

// delta leaves the part to the sequencer: the wire has neither ids nor ends of texts.
func (d *decoder) delta(dst []hub.Event, v *voice, ch hub.Chan, body []byte) []hub.Event {
	v.thinking = ch == hub.Reasoning
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.SubAgent, ev.Chan, ev.Text = hub.TextDelta, v.subAgent, ch, body
	return dst
}

func (d *decoder) endThought(dst []hub.Event, v *voice) []hub.Event {
	if !v.thinking {
		return dst
	}
	v.thinking = false
	return append(dst, hub.Event{Kind: hub.TextEnd, SubAgent: v.subAgent, Chan: hub.Reasoning})
}

// flush gives out what is kept back of an agent's text, as something else comes.
func (d *decoder) flush(dst []hub.Event, v *voice) []hub.Event {
	return d.piece(dst, v, v.split.Flush())
}

// interrupt is flush before a call. Servers do not close an element that a call follows.
func (d *decoder) interrupt(dst []hub.Event, v *voice) []hub.Event {
	dst = d.flush(dst, v)
	if d.think == thinkSplit && v.split.Inside() {
		dst = d.endThought(dst, v)
		v.split.Reset()
		v.left = true
	}
	return dst
}

// citations reads the names of files, each once in a stream.
func (d *decoder) citations(dst []hub.Event) ([]hub.Event, error) {
	list := d.chunk.Citations
	if rawjson.IsNull(list) {
		return dst, nil
	}
	if rawjson.Kind(list) != '[' {
		return dst, hub.NewError(hub.ReasonType, "citations", -1, "want an array")
	}
	var first error
	for v := range rawjson.Each(list) {
		body, ok := rawjson.Str(v)
		if !ok {
			first = firstError(first, hub.NewError(hub.ReasonType, "citations", -1, "want strings"))
			continue
		}
		if len(body) > 0 && d.cite(body) {
			dst = d.source(dst, body)
		}
	}
	return dst, first
}

// cite remembers a citation and reports whether it is new.
func (d *decoder) cite(body []byte) bool {
	if _, known := d.cited[string(body)]; known {
		return false
	}
	if d.cited == nil {
		d.cited = map[string]struct{}{}
	}
	if len(d.cited) < maxCited && len(body) <= maxKept {
		d.cited[string(body)] = struct{}{}
	}
	return true
}

func (d *decoder) source(dst []hub.Event, body []byte) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Source, More: d.scratch.More()})
	if bytes.HasPrefix(body, []byte("https://")) || bytes.HasPrefix(body, []byte("http://")) {
		ev.More.File.URL = body
	} else {
		ev.More.File.Name = body
	}
	return dst
}

// Finish ends a run whose body ended in good order: the dialect has no terminal record. What was kept back is emitted even for
// a stream that was cut.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	if cause == nil {
		dst = d.endFinals(dst)
	}
	dst = d.pay(dst, d.calls.current())
	dst = d.flush(dst, &d.root)
	for _, c := range d.calls.order {
		if c.agent && !c.ended {
			dst = d.flush(dst, &c.voice)
		}
	}
	if cause != nil || !d.begun {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
}
