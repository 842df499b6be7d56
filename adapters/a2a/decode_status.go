package a2a

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// status is a change of the state of a task, with or without a message.
func (d *decoder) status(dst []hub.Event, o *object) []hub.Event {
	st := states[string(rawjson.Text(o.status, "state"))]
	message := rawjson.Get(o.status, "message")
	if message == nil {
		message = rawjson.Get(o.status, "update")
	}
	m := readObject(message)
	switch st {
	case stateWorking, stateUnknown:
		dst = d.working(dst, &m)
		if o.final {
			return d.end(dst, o, hub.StatusDone) // no more will come, although the task goes on
		}
		return dst
	case stateCompleted:
		if rawjson.Text(o.metadata, keyOwn, "status") != nil {
			return d.failure(dst, o, &m, hub.StatusDone) // the message says why it went no further
		}
		dst = d.closing(dst, &m)
		return d.end(dst, o, hub.StatusDone)
	case stateInput, stateAuth:
		dst = d.questions(dst, o, &m, st)
		return d.end(dst, o, hub.StatusPaused)
	case stateCanceled:
		return d.failure(dst, o, &m, hub.StatusCancelled)
	case stateRejected:
		return d.failure(dst, o, &m, hub.StatusRefused)
	}
	return d.failure(dst, o, &m, hub.StatusFailed)
}

// working is what the agent says of its work. It is no answer, unless the upstream is one that answers so.
func (d *decoder) working(dst []hub.Event, m *object) []hub.Event {
	if d.statusText {
		return d.say(dst, m)
	}
	for v := range rawjson.Each(m.parts) {
		p := readPart(v)
		switch {
		case len(p.text) == 0:
			dst = d.other(dst, &p, m.messageID, nil)
		case p.thought:
			dst = d.delta(dst, m.messageID, p.text, hub.Append, hub.Reasoning)
			d.again = true
		case !isAnnounced(m):
			dst = append(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelStatus, ID: m.messageID, Text: p.text})
		}
	}
	return dst
}

// isAnnounced reports whether the text of a message only says in words which call its data are.
func isAnnounced(m *object) bool {
	return rawjson.NotNull(rawjson.Get(m.metadata, keyOwn)) != nil
}

// keyOwn marks what the encoder has added for people.
const keyOwn = "sabir"

// closing is the message of a task that is complete: the answer, unless artifacts were that.
func (d *decoder) closing(dst []hub.Event, m *object) []hub.Event {
	if !d.answered {
		return d.say(dst, m)
	}
	return d.working(dst, m)
}

// questions reads what the agent needs to go on.
func (d *decoder) questions(dst []hub.Event, o, m *object, st state) []hub.Event {
	n := len(dst)
	title := []byte(nil)
	for v := range rawjson.Each(m.parts) {
		p := readPart(v)
		switch {
		case string(p.kind) == kindAsk:
			dst = d.ask(dst, p.data)
		case len(p.text) > 0 && title == nil:
			title = p.text
		case len(p.text) == 0:
			dst = d.other(dst, &p, m.messageID, nil)
		}
	}
	for i := n; i < len(dst); i++ {
		if dst[i].Kind == hub.Ask {
			return dst
		}
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Ask, AskKind: hub.AskInput, Title: title})
	if st == stateAuth {
		ev.AskKind = hub.AskAuth
	}
	ev.ID = d.askID(rawjson.First(o.taskID, o.id), m.messageID)
	return dst
}

// askID names a question by its task and its message.
func (d *decoder) askID(task, message []byte) []byte {
	id := d.scratch.Begin()
	if marks := bytes.IndexByte(task, askMark) >= 0; len(task) > 0 && !marks {
		id = append(append(id, task...), askMark)
	} else if marks || bytes.IndexByte(message, askMark) >= 0 {
		message = nil // it would name another task
	}
	if len(message) > 0 {
		return d.scratch.Since(append(id, message...))
	}
	d.asks++
	return d.scratch.Since(strconv.AppendInt(append(id, "ask-"...), int64(d.asks), 10))
}

// ask reads a question that the encoder wrote.
func (d *decoder) ask(dst []hub.Event, v rawjson.Value) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Ask, Ref: rawjson.Text(v, "tool")})
	r := eventjson.Reader{Scratch: &d.scratch}
	r.Read(ev, v, eventjson.ID|eventjson.AskKind|eventjson.Title|eventjson.Value|eventjson.Question)
	return dst
}

// asked reads a question that was answered while the run went on.
func (d *decoder) asked(dst []hub.Event, v rawjson.Value) []hub.Event {
	dst = d.ask(dst, v)
	id := dst[len(dst)-1].ID
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Answer, ID: id, Name: rawjson.Text(v, "option"), Value: rawjson.Get(v, "answer")})
	ev.Status, _ = hub.ParseStatus(rawjson.Text(v, "status"))
	return dst
}

// failure ends a task that did not succeed; its message says why.
func (d *decoder) failure(dst []hub.Event, o, m *object, status hub.Status) []hub.Event {
	dst = d.end(dst, o, status)
	ev := &dst[len(dst)-1]
	why := d.scratch.Begin()
	n := len(why)
	for v := range rawjson.Each(m.parts) {
		p := readPart(v)
		if len(p.text) > 0 && len(why) > n {
			why = append(why, `\n`...)
		}
		why = append(why, p.text...)
	}
	code := rawjson.Text(o.metadata, keyOwn, "code")
	if len(why) == n && len(code) == 0 {
		return dst
	}
	if ev.More == nil {
		ev.More = d.scratch.More()
	}
	if len(why) > n {
		ev.More.Err = d.scratch.Since(why)
	}
	ev.More.ErrCode = code
	return dst
}

// end ends the run. Metadata say what was used, and if the encoder wrote them, how the run ended in its own words.
func (d *decoder) end(dst []hub.Event, o *object, status hub.Status) []hub.Event {
	dst = d.usage(dst, rawjson.Get(o.metadata, keyUsage))
	d.over = true
	if own, ok := hub.ParseStatus(rawjson.Text(o.metadata, keyOwn, "status")); ok && own != hub.StatusNone && own <= hub.StatusTruncated {
		status = own
	}
	return append(dst, hub.Event{Kind: hub.RunEnd, Status: status})
}

// keyUsage is the metadata of the last status that count tokens.
const keyUsage = "usage"

func (d *decoder) usage(dst []hub.Event, v rawjson.Value) []hub.Event {
	if rawjson.Kind(v) != '{' {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: d.scratch.More()})
	counts.Read(&ev.More.Usage, v)
	return dst
}

// counts are the members that count tokens, as they are written.
var counts = usage.Fields{
	usage.At(usage.In, "input_tokens"), usage.At(usage.Out, "output_tokens"), usage.At(usage.Total, "total_tokens"),
	usage.At(usage.Cached, "cached_tokens"), usage.At(usage.Reasoning, "reasoning_tokens"),
}
