package gemini

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

func (d *decoder) parts(dst []hub.Event, parts rawjson.Value) ([]hub.Event, error) {
	var first error
	for v := range rawjson.Each(parts) {
		var err *hub.Error
		if dst, err = d.part(dst, v); err != nil && first == nil {
			first = err
		}
	}
	return dst, first
}

// part appends the events of one part. A fault concerns this part only.
func (d *decoder) part(dst []hub.Event, v rawjson.Value) ([]hub.Event, *hub.Error) {
	p := genai.ReadPart(v)
	switch p.Kind {
	case genai.PartText:
		return d.text(dst, &p)
	case genai.PartCall:
		return d.call(dst, &p)
	case genai.PartInline, genai.PartFile:
		return d.file(dst, &p), nil
	case genai.PartCode:
		return d.executable(dst, &p), nil
	case genai.PartCodeResult:
		return d.executed(dst, &p), nil
	case genai.PartServerCall:
		return d.serverCall(dst, &p), nil
	case genai.PartServerResult:
		return d.serverResult(dst, &p), nil
	}
	if sig := rawjson.Body(p.Sig); len(sig) > 0 {
		return d.sign(dst, hub.Reasoning, sig), nil
	}
	if p.Members == 0 {
		return dst, nil
	}
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: v}), nil
}

// text leaves parts to the sequencer: the wire has neither ids nor ends of texts.
func (d *decoder) text(dst []hub.Event, p *genai.Part) ([]hub.Event, *hub.Error) {
	text, ok := rawjson.Str(p.Value)
	if !ok {
		return dst, hub.NewError(hub.ReasonType, "candidates.content.parts.text", -1, "want a string")
	}
	channel := p.Channel()
	if len(text) > 0 {
		var ev *hub.Event
		dst, ev = hub.Grow(dst)
		ev.Kind, ev.Chan, ev.Text = hub.TextDelta, channel, text
		d.answering = channel == hub.AnswerText
	}
	sig := rawjson.Body(p.Sig)
	if len(sig) == 0 {
		return dst, nil
	}
	if channel == hub.AnswerText && !d.answering {
		channel = hub.Reasoning // the signature of thoughts that are not shown
	}
	return d.sign(dst, channel, sig), nil
}

// sign ends a text with its signature.
func (d *decoder) sign(dst []hub.Event, channel hub.Chan, sig []byte) []hub.Event {
	d.answering = false
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.TextEnd, Chan: channel, More: d.scratch.More()})
	ev.More.Sig = sig
	return dst
}

func (d *decoder) call(dst []hub.Event, p *genai.Part) ([]hub.Event, *hub.Error) {
	id, name, args, pieces, goesOn := readCall(p.Value)
	if d.partial != nil && len(name) == 0 {
		return d.goOn(dst, pieces, args, goesOn)
	}
	if len(name) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "candidates.content.parts.functionCall.name", -1, "a call needs a name")
	}
	dst = d.endCall(dst)
	d.called, d.answering = true, false
	id = d.callID(id)
	dst = d.signed(append(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: name, Flags: hub.ClientRuns}), p.Sig)
	if pieces != nil || goesOn {
		d.partial = &partialCall{id: bytes.Clone(id), name: bytes.Clone(name)}
		return d.goOn(dst, pieces, args, goesOn)
	}
	return d.ready(dst, id, name, args), nil
}

// signed gives the start of a call, which is the last event, its signature if it has one.
func (d *decoder) signed(dst []hub.Event, v rawjson.Value) []hub.Event {
	if sig := rawjson.Body(v); len(sig) > 0 {
		d.scratch.MoreOf(&dst[len(dst)-1]).Sig = sig
	}
	return dst
}

func readCall(v rawjson.Value) (id, name []byte, args, pieces rawjson.Value, goesOn bool) {
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "id":
			id = rawjson.Body(val)
		case "name":
			name = rawjson.Body(val)
		case "args":
			args = val
		case "partialArgs", "partial_args":
			pieces = val
		case "willContinue", "will_continue":
			goesOn, _ = rawjson.Bool(val)
		}
	}
	return id, name, args, pieces, goesOn
}

// ready ends the arguments of a call that came whole. They should be an object; a string that holds one is taken for it.
func (d *decoder) ready(dst []hub.Event, id, name []byte, args rawjson.Value) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: name, Flags: hub.ClientRuns})
	d.scratch.SetArgs(ev, rawjson.Or(rawjson.NotNull(args), "{}"))
	return dst
}

// callID is the id of a call: the one given, unless it is taken. The numbers go through the whole stream.
func (d *decoder) callID(given []byte) []byte {
	if _, taken := d.ids[string(given)]; len(given) > 0 && !taken {
		d.take(given)
		return given
	}
	return d.mint("call_")
}

func (d *decoder) mint(prefix string) []byte {
	for {
		d.minted++
		id := d.scratch.Since(strconv.AppendInt(append(d.scratch.Begin(), prefix...), int64(d.minted), 10))
		if _, taken := d.ids[string(id)]; !taken {
			d.take(id)
			return id
		}
	}
}

func (d *decoder) take(id []byte) {
	if len(d.ids) < maxIDs {
		d.ids[string(id)] = struct{}{}
	}
}

// file is an image, a sound or another document of the answer.
func (d *decoder) file(dst []hub.Event, p *genai.Part) []hub.Event {
	d.answering = false
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.File, More: d.scratch.More()})
	p.File(&ev.More.File)
	return dst
}
