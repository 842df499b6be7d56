package openaiagents

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// step is a turn of the model, with the tools that run after it.
type step struct {
	open     bool
	begun    bool // by the SDK's own event, which the first one of the API follows
	events   bool // events of the Responses API have come: the SDK's own repeat them
	thought  bool // reasoning has come in chunks of a provider, and is open
	answered bool // a tool has: what the model says next is another turn
	status   hub.Status
}

// begin begins a step, and ends the one before.
func (d *decoder) begin(dst []hub.Event, id, model []byte) []hub.Event {
	dst = d.endStep(dst)
	d.response.Next()
	d.step = step{open: true}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.StepStart, ID: id, Name: d.agent})
	if len(model) > 0 {
		d.scratch.MoreOf(ev).Model = model
	}
	return dst
}

// turn makes sure that what the model says belongs to a step. Servers that leave events out leave its beginning out.
func (d *decoder) turn(dst []hub.Event) []hub.Event {
	if d.step.open && !d.step.answered {
		return dst
	}
	return d.begin(dst, nil, nil)
}

func (d *decoder) endStep(dst []hub.Event) []hub.Event {
	if !d.step.open {
		return dst
	}
	d.step.open = false
	status := d.step.status
	switch {
	case status != hub.StatusNone:
	case d.step.answered:
		status = hub.StatusTools
	default:
		status = hub.StatusDone
	}
	return append(dst, hub.Event{Kind: hub.StepEnd, Status: status})
}

// raw takes an event of the model: of the Responses API, or of the SDK for JavaScript, which wraps these.
func (d *decoder) raw(dst []hub.Event) ([]hub.Event, error) {
	v := d.rec.Data
	typ, err := member.Text(rawjson.Get(v, "type"), "data.type")
	if err != nil {
		return dst, err
	}
	switch string(typ) {
	case "model":
		return d.wrapped(dst, rawjson.Get(v, "event"))
	case "response_started":
		return d.responseStarted(dst, rawjson.Get(v, "providerData")), nil
	case "output_text_delta":
		if d.step.events {
			return dst, nil
		}
		dst = d.turn(dst)
		from := len(dst)
		dst, err = d.response.Answer(dst, rawjson.Get(v, "itemId"), rawjson.Get(v, "delta"))
		return d.own(dst, from), err
	case "response_done":
		if d.step.events {
			return dst, nil
		}
		return d.responseDone(dst, rawjson.Get(v, "response")), nil
	}
	return d.apiEvent(dst, typ, v)
}

// wrapped takes the event of a provider. Of those that are not of the Responses API the SDK's own events say all that the model says, but for
// the reasoning in chunks of the Chat Completions API.
func (d *decoder) wrapped(dst []hub.Event, v rawjson.Value) ([]hub.Event, error) {
	typ := rawjson.Text(v, "type")
	if !bytes.HasPrefix(typ, []byte("response.")) && string(typ) != "error" {
		return d.chunk(dst, v)
	}
	return d.apiEvent(dst, typ, v)
}

// chunk takes the reasoning of a chunk, in the member that most servers have for it or that of others.
func (d *decoder) chunk(dst []hub.Event, v rawjson.Value) ([]hub.Event, error) {
	for choice := range rawjson.Each(rawjson.Get(v, "choices")) {
		delta := rawjson.Get(choice, "delta")
		text := rawjson.First(rawjson.Get(delta, "reasoning_content"), rawjson.Get(delta, "reasoning"))
		if len(rawjson.Body(text)) == 0 {
			return dst, nil
		}
		dst = d.turn(dst)
		d.step.thought = true
		return d.response.Thought(dst, text)
	}
	return dst, nil
}

// apiEvent takes an event of the Responses API.
func (d *decoder) apiEvent(dst []hub.Event, typ []byte, v rawjson.Value) ([]hub.Event, error) {
	switch {
	case string(typ) == "response.created" && !d.step.begun:
		dst = d.begin(dst, itemID(rawjson.Get(v, "response")), rawjson.Text(v, "response", "model"))
	case string(typ) != "response.created":
		dst = d.turn(dst)
	}
	d.step.begun, d.step.events = false, d.step.events || string(typ) != "response.output_text.delta"
	from := len(dst)
	dst, err := d.response.Decode(dst, wire.Record{Data: d.withoutFakes(v)})
	return d.own(dst, from), err
}

// responseStarted begins a turn. What it was made of has the names of the response and its model.
func (d *decoder) responseStarted(dst []hub.Event, v rawjson.Value) []hub.Event {
	if r := rawjson.Get(v, "response"); rawjson.Kind(r) == '{' {
		v = r
	}
	dst = d.begin(dst, itemID(v), rawjson.Text(v, "model"))
	d.step.begun = true
	return dst
}

// responseDone ends a turn whose events are not of the API: the whole of what the model said.
func (d *decoder) responseDone(dst []hub.Event, v rawjson.Value) []hub.Event {
	dst = d.turn(dst)
	from := len(dst)
	d.step.status = hub.StatusDone
	if d.step.thought {
		dst = d.response.Item(dst, rawjson.Value(`{"type":"reasoning"}`))
	}
	for item := range rawjson.Each(rawjson.Get(v, "output")) {
		dst = d.response.Item(dst, d.canonical(item))
	}
	if callsTools(v) {
		d.step.status = hub.StatusTools
	}
	m := d.scratch.More()
	if scriptCounts.Read(&m.Usage, rawjson.Get(v, "usage")) {
		dst = append(dst, hub.Event{Kind: hub.Usage, Scope: hub.StepScope, More: m})
	}
	return d.own(dst, from)
}

// own makes of the events of a response those of a run of several: its start and its end are those of a step, and the agent runs its tools.
func (d *decoder) own(dst []hub.Event, from int) []hub.Event {
	kept := dst[:from]
	for _, ev := range dst[from:] {
		switch ev.Kind {
		case hub.RunStart: // the step has begun
			continue
		case hub.RunEnd:
			d.responseEnd(&ev)
			continue
		case hub.TextDelta:
			d.said = d.said || ev.Chan == hub.AnswerText
			d.refused = d.refused || ev.Chan == hub.Refusal
		case hub.ToolStart:
			ev.Flags &^= hub.ClientRuns
			d.know(&d.calls, ev.ID)
		case hub.ToolEnd:
			d.answer(ev.ID)
		case hub.Ask:
			d.know(&d.asks, ev.ID)
		case hub.Usage:
			ev.Scope = hub.StepScope
		case hub.Raw:
			ev.Value = bytes.TrimSpace(d.data)
		}
		kept = append(kept, ev)
	}
	return kept
}

// responseEnd notes how a response has ended. One that failed is the end of the run, of which the server may say more.
func (d *decoder) responseEnd(ev *hub.Event) {
	d.step.status = ev.Status
	switch ev.Status {
	case hub.StatusFailed, hub.StatusCancelled, hub.StatusTruncated:
		d.failure.set(ev)
	}
}

// know notes an id.
func (d *decoder) know(ids *map[string]bool, id []byte) {
	if *ids == nil {
		*ids = map[string]bool{}
	}
	if _, known := (*ids)[string(id)]; !known && len(*ids) < maxKnown {
		(*ids)[string(id)] = false
	}
}

// fakeID is what the SDK for Python gives to all responses and items of models that give them no ids.
const fakeID = "__fake_id__"

// itemID is the id of an item or a response.
func itemID(v rawjson.Value) []byte {
	if id := rawjson.Text(v, "id"); string(id) != fakeID {
		return id
	}
	return nil
}

// withoutFakes leaves the ids that are none empty.
func (d *decoder) withoutFakes(v rawjson.Value) rawjson.Value {
	const quoted = `"` + fakeID + `"`
	if !bytes.Contains(v, []byte(quoted)) {
		return v
	}
	b := d.scratch.Begin()
	for {
		i := bytes.Index(v, []byte(quoted))
		if i < 0 {
			return d.scratch.Since(append(b, v...))
		}
		before := bytes.TrimRight(v[:i], " ")
		b = append(b, v[:i]...)
		if bytes.HasSuffix(before, []byte(`id":`)) {
			b = append(b, `""`...)
		} else {
			b = append(b, quoted...)
		}
		v = v[i+len(quoted):]
	}
}

// counts are the members of the usage of a response, and scriptCounts those that the SDK for JavaScript makes of them.
var (
	counts = usage.Fields{
		usage.At(usage.In, "input_tokens"), usage.At(usage.Out, "output_tokens"), usage.At(usage.Total, "total_tokens"),
		usage.At(usage.Cached, "input_tokens_details.cached_tokens"), usage.At(usage.CacheWrite, "input_tokens_details.cache_write_tokens"),
		usage.At(usage.Reasoning, "output_tokens_details.reasoning_tokens"),
	}
	scriptCounts = usage.Fields{
		usage.At(usage.In, "inputTokens"), usage.At(usage.Out, "outputTokens"), usage.At(usage.Total, "totalTokens"),
		usage.At(usage.Cached, "inputTokensDetails.cached_tokens"), usage.At(usage.CacheWrite, "inputTokensDetails.cache_write_tokens"),
		usage.At(usage.Reasoning, "outputTokensDetails.reasoning_tokens"),
	}
)

func readCounts(c *hub.Counts, v rawjson.Value) bool { return counts.Read(c, v) }
