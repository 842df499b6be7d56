package codexappserver

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/codexwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// item decodes an item. It comes whole when it starts and whole when it is complete; the sequencer passes on what is new.
func (d *decoder) item(dst []hub.Event, completed bool) ([]hub.Event, error) {
	typ, ok := rawjson.Str(d.get("type"))
	id := rawjson.Body(d.get("id"))
	if !ok || len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "params.item", -1, "want an item with a type and an id, strings that are not empty")
	}
	dst = d.enter(dst)
	switch string(typ) {
	case "agentMessage":
		return d.text(dst, id, hub.AnswerText, phase(rawjson.Body(d.get("phase"))), completed), nil
	case "plan":
		return d.text(dst, id, hub.AnswerText, planPart, completed), nil
	case "reasoning":
		return d.reasoning(dst, id, completed), nil
	case "userMessage":
		return d.userMessage(dst, id, completed), nil
	case "subAgentActivity":
		return d.activity(dst, completed), nil
	case "contextCompaction", "enteredReviewMode", "exitedReviewMode":
		return d.put(dst, hub.Event{Kind: hub.Data, Name: typ, ID: id, Op: hub.Set, Value: d.msg.Params.Item}), nil
	}
	if shape := shapes[string(typ)]; shape != nil {
		return d.tool(dst, &toolItem{shape: shape, typ: typ, id: id, completed: completed}), nil
	}
	d.unknown = string(typ) != "hookPrompt"
	return d.raw(dst), nil
}

// get is a member of the item.
func (d *decoder) get(member string) rawjson.Value { return rawjson.Get(d.msg.Params.Item, member) }

// planPart names the text part of a plan that the agent proposes.
const planPart = "plan"

// phase is the name of a part that is not the answer itself.
func phase(p []byte) string {
	if string(p) == "commentary" {
		return "commentary"
	}
	return ""
}

// text decodes an item that is one text.
func (d *decoder) text(dst []hub.Event, id []byte, ch hub.Chan, part string, completed bool) []hub.Event {
	if !completed {
		dst = d.partStart(dst, id, ch, part)
	}
	return d.whole(dst, id, ch, d.get("text"), completed)
}

func (d *decoder) partStart(dst []hub.Event, id []byte, ch hub.Chan, part string) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.TextStart, ID: id, Chan: ch})
	if part != "" {
		ev.Name = []byte(part)
	}
	return dst
}

// whole says the full text of a part, and ends it when that is complete.
func (d *decoder) whole(dst []hub.Event, id []byte, ch hub.Chan, text rawjson.Value, completed bool) []hub.Event {
	if body := rawjson.Body(text); len(body) > 0 {
		dst = d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Chan: ch, Text: body, Op: hub.Replace})
	}
	if !completed {
		return dst
	}
	return d.put(dst, hub.Event{Kind: hub.TextEnd, ID: id, Chan: ch})
}

// textDelta decodes a piece of a text.
func (d *decoder) textDelta(dst []hub.Event, ch hub.Chan, summary rawjson.Value) ([]hub.Event, error) {
	p := &d.msg.Params
	text, ok := rawjson.Str(p.Delta)
	if !ok {
		return dst, hub.NewError(hub.ReasonMissing, "params.delta", -1, "want a string")
	}
	dst = d.enter(dst)
	id := rawjson.Body(p.ItemID)
	if ch == hub.Reasoning {
		index, isSummary := rawjson.Int(summary)
		if !isSummary {
			index, _ = rawjson.Int(p.Content)
		}
		id = d.thoughtID(id, isSummary, index)
	}
	return d.put(dst, hub.Event{Kind: hub.TextDelta, ID: id, Chan: ch, Text: text}), nil
}

// thoughtID is the id of one of the texts of a reasoning item. The first summary has that of the item.
func (d *decoder) thoughtID(id []byte, summary bool, index int64) []byte {
	if !summary {
		id = d.scratch.Since(append(append(d.scratch.Begin(), id...), "/content"...))
	}
	return d.numbered(id, index)
}

// numbered is the id of one of the parts of an item. The first has that of the item.
func (d *decoder) numbered(id []byte, index int64) []byte {
	if index <= 0 {
		return id
	}
	return d.scratch.Since(strconv.AppendInt(append(append(d.scratch.Begin(), id...), '/'), index, 10))
}

// reasoning decodes the summaries and the texts of a reasoning item.
func (d *decoder) reasoning(dst []hub.Event, id []byte, completed bool) []hub.Event {
	for _, member := range [...]string{"summary", "content"} {
		i := int64(0)
		for text := range rawjson.Each(d.get(member)) {
			dst = d.whole(dst, d.thoughtID(id, member == "summary", i), hub.Reasoning, text, completed)
			i++
		}
	}
	return dst
}

// summaryPart begins one of the summaries of a reasoning item.
func (d *decoder) summaryPart(dst []hub.Event) []hub.Event {
	index, _ := rawjson.Int(d.msg.Params.Summary)
	return d.partStart(dst, d.thoughtID(rawjson.Body(d.msg.Params.ItemID), true, index), hub.Reasoning, "summary")
}

// userMessage decodes what the user has said. It does not change between its start and its end.
func (d *decoder) userMessage(dst []hub.Event, id []byte, completed bool) []hub.Event {
	if !completed {
		return dst
	}
	i := int64(0)
	for input := range rawjson.Each(d.get("content")) {
		dst = d.input(dst, d.numbered(id, i), input)
		i++
	}
	return dst
}

// input decodes one piece of a user's message: a text, or a file of which there is an address.
func (d *decoder) input(dst []hub.Event, id []byte, input rawjson.Value) []hub.Event {
	if text := rawjson.Get(input, "text"); text != nil {
		from := len(dst)
		dst = d.whole(dst, id, hub.AnswerText, text, true)
		for i := range dst[from:] {
			dst[from+i].Flags |= hub.User
		}
		return dst
	}
	url, path := rawjson.Body(rawjson.Get(input, "url")), rawjson.Body(rawjson.Get(input, "path"))
	if len(url) == 0 && len(path) == 0 {
		return dst
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.File, ID: id, Flags: hub.User, More: d.scratch.More()})
	if ev.More.File.URL = url; len(url) == 0 {
		ev.More.File.URL = d.scratch.Since(append(append(d.scratch.Begin(), "file://"...), path...))
	}
	return dst
}

// activity decodes what became of a sub-agent.
func (d *decoder) activity(dst []hub.Event, completed bool) []hub.Event {
	thread := rawjson.Body(d.get("agentThreadId"))
	if !completed || len(thread) == 0 {
		return dst
	}
	dst = d.openSubAgent(dst, thread, nil, rawjson.Body(d.get("agentPath")), nil)
	switch string(rawjson.Body(d.get("kind"))) {
	case "completed":
		dst = d.closeSubAgent(dst, thread, hub.StatusDone)
	case "interrupted":
		dst = d.closeSubAgent(dst, thread, hub.StatusCancelled)
	}
	return dst
}

// members makes an object of members of the item: all that say something. It is nil if none does.
func (d *decoder) members(names []string) rawjson.Value {
	b := d.scratch.Begin()
	start := len(b)
	for _, n := range names {
		v := d.get(n)
		if body, isText := rawjson.Str(v); rawjson.IsNull(v) || isText && len(body) == 0 {
			continue
		}
		b = append(append(append(append(b, `,"`...), n...), `":`...), v...)
	}
	if len(b) == start {
		return nil
	}
	b[start] = '{'
	return d.scratch.Since(append(b, '}'))
}

// locations are the paths that a call is about.
func (d *decoder) locations(changes rawjson.Value) rawjson.Value {
	if v := d.get("path"); changes == nil && v != nil {
		list := d.scratch.Since(append(append(append(d.scratch.Begin(), `[{"path":`...), v...), `}]`...))
		return codexwire.Locations(list, &d.scratch)
	}
	return codexwire.Locations(changes, &d.scratch)
}
