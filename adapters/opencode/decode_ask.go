package opencode

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// replies are the answers that a server takes to a permission.
var replies = []hub.AskOption{
	{ID: []byte("once"), Name: []byte("Allow once"), Kind: []byte("allow_once")},
	{ID: []byte("always"), Name: []byte("Allow always"), Kind: []byte("allow_always")},
	{ID: []byte("reject"), Name: []byte("Reject"), Kind: []byte("reject_once")},
}

// ask begins a question, which names the call that waits for it.
func (d *decoder) ask(dst []hub.Event, kind hub.AskKind) ([]hub.Event, *hub.Event, error) {
	p := &d.rec.Properties
	id, err := member.Text(p.ID, "properties.id")
	if err != nil {
		return dst, nil, err
	}
	dst = d.agentStart(dst, nil)
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Ask, ID: d.noteAsk(id, rawjson.Body(p.Tool.CallID)), Ref: rawjson.Body(p.Tool.CallID), AskKind: kind, More: d.scratch.More()})
	return dst, ev, nil
}

// earlyAsk is a question that came before the arguments of the call that it is about.
type earlyAsk struct{ call, record []byte }

// maxEarly bounds the questions that are kept until then, and their bytes each.
const (
	maxEarly      = 64
	maxEarlyBytes = 64 << 10
)

// keeps reports whether the question of a record is kept until its call is complete. A server asks while it is still writing that down.
func (d *decoder) keeps() bool {
	id := rawjson.Body(d.rec.Properties.Tool.CallID)
	for _, c := range d.calls {
		if !c.ready && bytes.Equal(c.id, id) && len(d.early) < maxEarly && len(d.data) <= maxEarlyBytes {
			d.early = append(d.early, earlyAsk{bytes.Clone(id), bytes.Clone(d.data)})
			return true
		}
	}
	return false
}

// askEarly asks what was kept for a call. One that has ended waits for no answer.
func (d *decoder) askEarly(dst []hub.Event, call []byte, ended bool) ([]hub.Event, error) {
	var err error
	for i := 0; i < len(d.early) && err == nil; {
		kept := d.early[i]
		if !bytes.Equal(kept.call, call) {
			i++
			continue
		}
		d.early = slices.Delete(d.early, i, i+1)
		if ended {
			continue
		}
		json := rawjson.Decoder{MaxDepth: d.json.MaxDepth} // what d.json has read is still in use
		d.rec = record{}
		if err = json.Decode(kept.record, &d.rec); err == nil {
			dst, err = d.permissionAsked(dst)
		}
	}
	return dst, err
}

func (d *decoder) permissionAsked(dst []hub.Event) ([]hub.Event, error) {
	if d.keeps() {
		return dst, nil
	}
	dst, ev, err := d.ask(dst, hub.AskPermission)
	if err != nil {
		return dst, err
	}
	ev.Title, ev.Value = d.permission(), rawjson.OfKind(d.rec.Properties.Metadata, '{')
	ev.More.Options = append(ev.More.Options, replies...)
	return dst, nil
}

// permission is what is to be allowed, and for what.
func (d *decoder) permission() []byte {
	p := &d.rec.Properties
	b, before := append(d.scratch.Begin(), rawjson.Body(p.Permission)...), ": "
	for v := range rawjson.Each(p.Patterns) {
		if pattern := rawjson.Body(v); len(pattern) > 0 {
			b = append(append(b, before...), pattern...)
			before = ", "
		}
	}
	return d.scratch.Since(b)
}

func (d *decoder) permissionReplied(dst []hub.Event) ([]hub.Event, error) {
	return d.answer(dst, hub.Event{Status: hub.StatusChosen, Name: rawjson.Body(d.rec.Properties.Reply)})
}

// questionAsked asks one question or several. The choices of one are those of the hub.
func (d *decoder) questionAsked(dst []hub.Event) ([]hub.Event, error) {
	questions, several := rawjson.OfKind(d.rec.Properties.Questions, '['), false
	dst, ev, err := d.ask(d.questionReady(dst, questions), hub.AskQuestion)
	if err != nil {
		return dst, err
	}
	ev.Value = questions
	for q := range rawjson.Each(questions) {
		if several = ev.Title != nil; several {
			break
		}
		ev.Title = rawjson.Or(rawjson.Text(q, "question"), "?")
		ev.More.Options = appendChoices(ev.More.Options, q)
	}
	if several {
		ev.More.Options = ev.More.Options[:0]
	}
	return dst, nil
}

// questionReady completes the arguments of the call that asks. The server says them behind the question, which are all of them.
func (d *decoder) questionReady(dst []hub.Event, questions rawjson.Value) []hub.Event {
	id := rawjson.Body(d.rec.Properties.Tool.CallID)
	for _, c := range d.calls {
		if !c.ready && questions != nil && bytes.Equal(c.id, id) {
			c.ready = true
			args := d.scratch.Since(append(append(append(d.scratch.Begin(), `{"questions":`...), questions...), '}'))
			return d.put(dst, hub.Event{Kind: hub.ToolReady, ID: id, Value: args})
		}
	}
	return dst
}

// appendChoices appends those of a question that takes one of them.
func appendChoices(dst []hub.AskOption, question rawjson.Value) []hub.AskOption {
	if rawjson.IsTrue(rawjson.Get(question, "multiple")) {
		return dst
	}
	for v := range rawjson.Each(rawjson.Get(question, "options")) {
		if label := rawjson.Text(v, "label"); len(label) > 0 {
			dst = append(dst, hub.AskOption{ID: label, Name: label})
		}
	}
	return dst
}

// questionReplied has the labels that were chosen, a list for each question.
func (d *decoder) questionReplied(dst []hub.Event) ([]hub.Event, error) {
	ev := hub.Event{Status: hub.StatusChosen, Value: rawjson.OfKind(d.rec.Properties.Answers, '[')}
	if one := only(ev.Value); one != nil {
		ev.Name = rawjson.Body(only(one))
	}
	return d.answer(dst, ev)
}

// only is the element of a list that has one; nil for others.
func only(list rawjson.Value) (one rawjson.Value) {
	for v := range rawjson.Each(list) {
		if one != nil {
			return nil
		}
		one = v
	}
	return one
}

func (d *decoder) questionRejected(dst []hub.Event) ([]hub.Event, error) {
	return d.answer(dst, hub.Event{Status: hub.StatusCancelled})
}

func (d *decoder) answer(dst []hub.Event, ev hub.Event) ([]hub.Event, error) {
	id, err := member.Text(d.rec.Properties.RequestID, "properties.requestID")
	if err != nil {
		return dst, err
	}
	if d.asked.answers && d.open.asks[string(id)] == nil {
		return dst, nil // an earlier stream has asked, and this one is asked for with the answer
	}
	ev.Kind, ev.ID = hub.Answer, d.noteAnswer(id)
	return d.put(dst, ev), nil
}
