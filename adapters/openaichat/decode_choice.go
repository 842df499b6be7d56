package openaichat

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/annotation"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// choice is one of the answers, of which there is nearly always one.
type choice struct {
	index  int64
	msg    []byte
	tails  [hub.Refusal + 1]tail // by channel
	calls  []*call
	latest *call  // with which a delta that names none goes on
	plain  []byte // signature of the plain reasoning that goes on, nil if there is none; see sealPlain

	finish   hub.Status // StatusNone until it was said
	reason   []byte     // in the upstream's words
	stop     []byte     // the stop sequence that was hit
	answered bool
	refused  bool
}

// part is an element of choices.
type part struct {
	index, delta, message, finish, stopReason, matchedStop, usage rawjson.Value
}

func readPart(v rawjson.Value) (p part) {
	for name, val := range rawjson.EachField(v) {
		switch string(name) {
		case "index":
			p.index = val
		case "delta":
			p.delta = val
		case "message": // of a whole answer
			p.message = val
		case "finish_reason":
			p.finish = val
		case "stop_reason": // vLLM
			p.stopReason = val
		case "matched_stop": // SGLang
			p.matchedStop = val
		case "usage": // Moonshot
			p.usage = val
		}
	}
	return p
}

// choice decodes the n-th element of choices.
func (d *decoder) choice(dst []hub.Event, v rawjson.Value, n int64) []hub.Event {
	p := readPart(v)
	c := d.choiceAt(p.index, n)
	if c == nil {
		d.bad("choices.index", "want fewer choices")
		return dst
	}
	emitted := p.delta
	if rawjson.IsNull(emitted) {
		emitted = p.message
	}
	if rawjson.IsNull(emitted) || rawjson.Kind(emitted) == '{' {
		dst = d.delta(dst, c, emitted)
	} else {
		d.bad("choices.delta", "want an object")
	}
	c.finished(&p)
	d.countElsewhere(p.usage)
	return dst
}

// choiceAt returns the choice with an index, which is its place if it is missing; nil if there are too many.
func (d *decoder) choiceAt(index rawjson.Value, place int64) *choice {
	i, ok := rawjson.Int(index)
	switch {
	case d.oneChoice:
		i = 0
	case !ok:
		i = place
	}
	for _, c := range d.choices {
		if c.index == i {
			return c
		}
	}
	if len(d.choices) == maxChoices {
		return nil
	}
	c := &choice{index: i, msg: d.id}
	if i != 0 {
		c.msg = strconv.AppendInt(append(append([]byte(nil), d.id...), "-choice-"...), i, 10)
	}
	d.choices = append(d.choices, c)
	return c
}

// delta decodes what is new in a choice: first what was thought, then what was said, then what is to be done.
func (d *decoder) delta(dst []hub.Event, c *choice, v rawjson.Value) []hub.Event {
	var calls, legacy, annotations, images rawjson.Value
	var content, refusal, audio rawjson.Value
	var r reasoning
	for name, val := range rawjson.EachField(v) {
		switch string(name) {
		case "content":
			content = val
		case "refusal":
			refusal = val
		case "tool_calls":
			calls = val
		case "function_call":
			legacy = val
		case "audio":
			audio = val
		case "annotations":
			annotations = val
		case "images":
			images = val
		default:
			r.member(name, val)
		}
	}
	dst = d.reasoning(dst, c, &r)
	dst = d.content(dst, c, content)
	dst = d.say(dst, c, hub.AnswerText, rawjson.Text(audio, "transcript"))
	dst = d.say(dst, c, hub.Refusal, rawjson.Body(refusal))
	dst = d.annotations(dst, c, annotations)
	dst = d.images(dst, c, images)
	dst = d.functionCall(dst, c, legacy)
	return d.toolCalls(dst, c, calls)
}

// say emits a piece of text.
func (d *decoder) say(dst []hub.Event, c *choice, on hub.Chan, body []byte) []hub.Event {
	if len(body) == 0 {
		return dst
	}
	body = c.tails[on].join(&d.scratch, body)
	if len(body) == 0 {
		return dst
	}
	c.answered = c.answered || on == hub.AnswerText
	c.refused = c.refused || on == hub.Refusal
	dst = d.startLatest(dst, c)
	if on != hub.Reasoning {
		d.said = c
		dst = d.sealPlain(dst, c)
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Chan, ev.Msg, ev.Text = hub.TextDelta, on, c.msg, body
	return dst
}

// content decodes the answer: a string, or the list of parts that some servers send.
func (d *decoder) content(dst []hub.Event, c *choice, v rawjson.Value) []hub.Event {
	switch rawjson.Kind(v) {
	case '"':
		return d.say(dst, c, hub.AnswerText, rawjson.Body(v))
	case '[':
	case 0, 'n':
		return dst
	default:
		d.bad("choices.delta.content", "want a string or a list of parts")
		return dst
	}
	for piece := range rawjson.Each(v) {
		dst = d.contentPart(dst, c, piece)
	}
	return dst
}

func (d *decoder) contentPart(dst []hub.Event, c *choice, v rawjson.Value) []hub.Event {
	switch string(rawjson.Text(v, "type")) {
	case "text", "output_text":
		return d.say(dst, c, hub.AnswerText, rawjson.Text(v, "text"))
	case "refusal":
		return d.say(dst, c, hub.Refusal, rawjson.Text(v, "refusal"))
	case "thinking": // Mistral: a list of text parts
		inner := rawjson.Get(v, "thinking")
		dst = d.say(dst, c, hub.Reasoning, rawjson.Body(inner))
		for piece := range rawjson.Each(inner) {
			dst = d.say(dst, c, hub.Reasoning, rawjson.Text(piece, "text"))
		}
		return dst
	case "image_url":
		return d.image(dst, c, v)
	}
	if rawjson.Kind(v) == '"' {
		return d.say(dst, c, hub.AnswerText, rawjson.Body(v))
	}
	return dst
}

// annotations decodes the citations of servers with a web search.
func (d *decoder) annotations(dst []hub.Event, c *choice, v rawjson.Value) []hub.Event {
	for a := range rawjson.Each(v) {
		var ev *hub.Event
		dst, ev = hub.Add(dst, hub.Event{Kind: hub.Source, Msg: c.msg})
		if !annotation.Read(ev, a, &d.scratch) { // such as a file that the server has read, whose text is to come back with the message
			*ev = hub.Event{Kind: hub.Raw, Name: []byte(Dialect.Name), Msg: c.msg, Value: a}
		}
	}
	return dst
}

// images decodes the pictures that a model has made, as OpenRouter sends them.
func (d *decoder) images(dst []hub.Event, c *choice, v rawjson.Value) []hub.Event {
	for image := range rawjson.Each(v) {
		dst = d.image(dst, c, image)
	}
	return dst
}

func (d *decoder) image(dst []hub.Event, c *choice, v rawjson.Value) []hub.Event {
	url := rawjson.Text(v, "image_url", "url")
	if len(url) == 0 {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.File, Msg: c.msg, More: d.scratch.More()})
	if media, data, ok := member.CutDataURL(url); ok {
		ev.More.File.Media, ev.More.File.Base64 = media, data
	} else {
		ev.More.File.URL = url
	}
	return dst
}
