package opencode

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/finish"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// part is a piece of a message, with every member that the decoder reads.
type part struct {
	ID        rawjson.Value `json:"id"`
	MessageID rawjson.Value `json:"messageID"`
	Type      rawjson.Value `json:"type"`
	Text      rawjson.Value `json:"text"`
	Synthetic rawjson.Value `json:"synthetic"`
	Ignored   rawjson.Value `json:"ignored"`
	Time      struct {
		End rawjson.Value `json:"end"`
	} `json:"time"`
	Tool     rawjson.Value `json:"tool"`
	CallID   rawjson.Value `json:"callID"`
	State    toolState     `json:"state"`
	Reason   rawjson.Value `json:"reason"`
	Tokens   rawjson.Value `json:"tokens"`
	Cost     rawjson.Value `json:"cost"`
	Mime     rawjson.Value `json:"mime"`
	Filename rawjson.Value `json:"filename"`
	URL      rawjson.Value `json:"url"`
}

// line decodes a line of the command.
func (d *decoder) line(dst []hub.Event, typ []byte) ([]hub.Event, error) {
	id, err := member.Text(d.rec.SessionID, "sessionID")
	if err != nil {
		return dst, err
	}
	d.lines, d.part = true, &d.rec.Part
	if d.root == nil {
		dst = d.begin(dst, id)
	}
	if d.of = d.sessions[string(id)]; d.of == nil {
		return d.other(dst, typ, id), nil
	}
	d.of.rests = false
	switch string(typ) {
	case "error":
		d.of.fail(&d.rec.Error)
		return d.runEnd(dst), nil
	case "step_start", "text", "reasoning", "tool_use", "step_finish":
		return d.partUpdated(dst)
	}
	return d.rawUnknown(dst), nil
}

// partUpdated decodes a part, as far as it has become.
func (d *decoder) partUpdated(dst []hub.Event) ([]hub.Event, error) {
	typ, err := member.Text(d.part.Type, "part.type")
	if err != nil {
		return dst, err
	}
	if d.users[string(rawjson.Body(d.part.MessageID))] {
		return d.userPart(dst, typ)
	}
	dst = d.agentStart(dst, nil)
	switch string(typ) {
	case "text":
		return d.text(dst, hub.AnswerText)
	case "reasoning":
		return d.text(dst, hub.Reasoning)
	case "tool":
		return d.tool(dst)
	case "step-start":
		return d.stepStart(dst), nil
	case "step-finish":
		return d.stepFinish(dst), nil
	case "file":
		return d.file(dst, nil, fileRef{d.part.Mime, d.part.Filename, d.part.URL}), nil
	case "patch", "snapshot", "subtask", "agent", "compaction", "retry":
		return d.raw(dst), nil
	}
	return d.rawUnknown(dst), nil
}

// userPart is what the user said. That of a sub-agent stands in the arguments of the call already, and that of a run that was asked for was
// said by who reads it.
func (d *decoder) userPart(dst []hub.Event, typ []byte) ([]hub.Event, error) {
	p := d.part
	if d.of != d.root || d.asked.known {
		return dst, nil
	}
	if string(typ) != "text" || rawjson.IsTrue(p.Synthetic) || rawjson.IsTrue(p.Ignored) {
		return d.raw(dst), nil
	}
	id, err := member.Text(p.ID, "part.id")
	if err != nil {
		return dst, err
	}
	ev := hub.Event{ID: id, Msg: rawjson.Body(p.MessageID), Flags: hub.User}
	start, delta, end := ev, ev, ev
	start.Kind, end.Kind = hub.TextStart, hub.TextEnd
	delta.Kind, delta.Text, delta.Op = hub.TextDelta, rawjson.Body(p.Text), hub.Replace
	return append(dst, start, delta, end), nil
}

// text is the beginning of a text, whose pieces follow, or all of it.
func (d *decoder) text(dst []hub.Event, channel hub.Chan) ([]hub.Event, error) {
	p := d.part
	id, err := member.Text(p.ID, "part.id")
	if err != nil {
		return dst, err
	}
	if rawjson.IsTrue(p.Ignored) {
		return d.raw(dst), nil
	}
	ev := hub.Event{Kind: hub.TextStart, ID: id, Chan: channel, Msg: rawjson.Body(p.MessageID)}
	if _, open := d.texts[string(id)]; !open && len(d.texts) < maxKnown {
		d.texts[string(id)] = channel
		dst = d.put(dst, ev)
	}
	if ev.Text = rawjson.Body(p.Text); len(ev.Text) > 0 {
		ev.Kind, ev.Op = hub.TextDelta, hub.Replace
		dst = d.put(dst, ev)
	}
	if p.Time.End != nil {
		delete(d.texts, string(id))
		dst = d.put(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: channel, Msg: ev.Msg})
	}
	return dst, nil
}

func (d *decoder) stepStart(dst []hub.Event) []hub.Event {
	dst = d.overcome(dst)
	d.of.denied, d.of.step = false, true
	dst, ev := d.emit(dst, hub.Event{Kind: hub.StepStart, ID: rawjson.Body(d.part.MessageID)})
	d.scratch.SetModel(ev, d.of.model)
	return dst
}

// stepFinish ends a turn of the model.
func (d *decoder) stepFinish(dst []hub.Event) []hub.Event {
	reason := rawjson.Body(d.part.Reason)
	status := finish.Status(reason)
	d.of.reason = append(d.of.reason[:0], reason...)
	d.of.rests = status != hub.StatusTools || d.of.denied
	dst = d.usage(dst)
	if d.asked.answers && !d.of.step {
		return dst // it began in an earlier stream, whose end was its end
	}
	d.of.step = false
	return d.put(dst, hub.Event{Kind: hub.StepEnd, ID: rawjson.Body(d.part.MessageID), Status: status})
}

var counts = usage.Fields{
	usage.At(usage.In, "input"), usage.At(usage.Out, "output"), usage.At(usage.Total, "total"), usage.At(usage.Reasoning, "reasoning"),
	usage.At(usage.Cached, "cache.read"), usage.At(usage.CacheWrite, "cache.write"),
}

// usage are the counts of a step. OpenCode counts what was cached beside the input, and what was reasoned beside the output.
func (d *decoder) usage(dst []hub.Event) []hub.Event {
	more := d.scratch.More()
	c := &more.Usage
	known := counts.Read(c, d.part.Tokens)
	if known {
		add(&c.In, c.Cached)
		add(&c.In, c.CacheWrite)
		add(&c.Out, c.ReasoningTokens)
	}
	if rawjson.Kind(d.part.Cost) == '0' {
		c.Cost, c.Currency, known = d.part.Cost, []byte("USD"), true
	}
	if !known {
		return dst
	}
	more.Model = d.of.model
	return d.put(dst, hub.Event{Kind: hub.Usage, Scope: hub.StepScope, Ref: rawjson.Body(d.part.MessageID), More: more})
}

// add adds a count to another, where both are known.
func add(to *int64, n int64) {
	if sum := *to + n; *to >= 0 && n > 0 && sum > 0 {
		*to = sum
	}
}

type fileRef struct{ media, name, url rawjson.Value }

// file passes a file, of a call or of the answer.
func (d *decoder) file(dst []hub.Event, ref []byte, f fileRef) []hub.Event {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.File, Ref: ref, More: d.scratch.More()})
	to := &ev.More.File
	to.Media, to.Name = rawjson.Body(f.media), rawjson.Body(f.name)
	url := rawjson.Body(f.url)
	if media, data, ok := member.CutDataURL(url); ok {
		to.Media, to.Base64 = rawjson.First(to.Media, bytes.TrimSpace(media)), data
	} else {
		to.URL = url
	}
	return dst
}
