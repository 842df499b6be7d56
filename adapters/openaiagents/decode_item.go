package openaiagents

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// handoffDone is how the SDK spells it. What corrects the spelling is read, too.
const handoffDone, handoffCorrected = "handoff_occured", "handoff_occurred" //nolint:misspell // a name on the wire

// itemNames says what becomes of items by the names of their events. Items of the model are not listed.
var itemNames = map[string]func(*decoder, []hub.Event, rawjson.Value) ([]hub.Event, error){
	"tool_output":             (*decoder).toolOutput,
	handoffDone:               (*decoder).toolOutput,
	handoffCorrected:          (*decoder).toolOutput,
	"tool_approval_requested": (*decoder).approval,
}

// item takes an item of the run: what the model has said, once more or for the first time, or what the SDK has done with it.
func (d *decoder) item(dst []hub.Event) ([]hub.Event, error) {
	v := d.rec.Item
	if rawjson.Kind(v) != '{' {
		return dst, member.Wrong(v, "item", "want an object")
	}
	if len(d.agent) == 0 {
		d.agent = append(d.agent, rawjson.Text(v, "agent", "name")...)
	}
	if h := itemNames[string(rawjson.Body(d.rec.Name))]; h != nil {
		return h(d, dst, v)
	}
	raw := rawOf(v)
	if len(rawjson.Text(raw, "type")) == 0 {
		return d.unknown(dst), nil
	}
	dst = d.turn(dst)
	from := len(dst)
	dst = d.response.Item(dst, d.canonical(raw))
	return d.own(dst, from), nil
}

// rawOf is the item as the API has it. Some servers write it alone.
func rawOf(v rawjson.Value) rawjson.Value {
	for _, name := range [...]string{"raw_item", "rawItem"} {
		if raw := rawjson.Get(v, name); rawjson.Kind(raw) == '{' {
			return raw
		}
	}
	return v
}

// canonical is an item in the spelling of the API. The SDK for JavaScript has its own for some.
func (d *decoder) canonical(v rawjson.Value) rawjson.Value {
	switch string(rawjson.Text(v, "type")) {
	case "function_call":
		if callID := rawjson.Get(v, "callId"); !rawjson.IsNull(callID) {
			return d.build("function_call", "call_id", callID, "name", rawjson.Get(v, "name"), "arguments", rawjson.Get(v, "arguments"))
		}
	case "reasoning":
		if rawjson.IsNull(rawjson.Get(v, "summary")) {
			return d.build("reasoning", "id", rawjson.Get(v, "id"), "summary", rawjson.Get(v, "content"), "content", rawjson.Get(v, "rawContent"),
				"encrypted_content", rawjson.Get(v, "providerData", "encrypted_content"))
		}
	case "hosted_tool_call":
		if original := rawjson.Get(v, "providerData"); len(rawjson.Text(original, "type")) > 0 {
			return original
		}
	}
	return d.withoutFakes(v)
}

// build makes an item of members, each a name and a value, of which those that are absent are left out.
func (d *decoder) build(typ string, members ...any) rawjson.Value {
	b := append(append(append(d.scratch.Begin(), `{"type":"`...), typ...), '"')
	for i := 0; i < len(members); i += 2 {
		v, _ := members[i+1].(rawjson.Value)
		if rawjson.IsNull(v) {
			continue
		}
		name, _ := members[i].(string)
		b = append(append(append(b, `,"`...), name...), `":`...)
		b = append(b, v...)
	}
	return d.scratch.Since(append(b, '}'))
}

// What the SDKs say to the model of a tool that failed, and of one that was not allowed, in place of a result.
const (
	toolFailed = "An error occurred while running the tool"
	toolDenied = "Tool execution was not approved"
)

// toolOutput ends a call. It is one of an earlier stream if this one has not shown it.
func (d *decoder) toolOutput(dst []hub.Event, v rawjson.Value) ([]hub.Event, error) {
	id := callID(v)
	if len(id) == 0 {
		return dst, member.Wrong(nil, "item.raw_item.call_id", "want the id of a call")
	}
	d.step.answered = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusOK})
	if _, known := d.calls[string(id)]; !known {
		ev.Flags |= hub.Resumed
	}
	d.answer(id)
	toolresult.Set(ev, output(v))
	switch {
	case bytes.HasPrefix(ev.Text, []byte(toolFailed)):
		ev.Status = hub.StatusError
	case bytes.HasPrefix(ev.Text, []byte(toolDenied)):
		ev.Status = hub.StatusDenied
	default:
		return dst, nil
	}
	d.scratch.MoreOf(ev).Err = ev.Text
	return dst, nil
}

// output is what the tool has returned, or what the model gets of it.
func output(v rawjson.Value) rawjson.Value {
	raw := rawjson.Get(rawOf(v), "output")
	if text := rawjson.Get(raw, "text"); string(rawjson.Text(raw, "type")) == "text" {
		raw = text
	}
	return rawjson.First(rawjson.NotNull(rawjson.Get(v, "output")), raw)
}

// callID is the id of the call that an item is of.
func callID(v rawjson.Value) []byte {
	raw := rawOf(v)
	id := rawjson.First(rawjson.Text(raw, "call_id"), rawjson.Text(raw, "callId"))
	if len(id) > 0 {
		return id
	}
	return itemID(raw)
}

// answer notes that a call has its result.
func (d *decoder) answer(id []byte) {
	if _, known := d.calls[string(id)]; known {
		d.calls[string(id)] = true
	}
	delete(d.asks, string(id))
}

// interruptions are the questions that the run waits for, as servers write them at its end.
func (d *decoder) interruptions(dst []hub.Event) []hub.Event {
	for v := range rawjson.Each(d.rec.Interruptions) {
		dst, _ = d.approval(dst, v)
	}
	return dst
}

// approval asks whether a call may run, once.
func (d *decoder) approval(dst []hub.Event, v rawjson.Value) ([]hub.Event, error) {
	id, raw := callID(v), rawOf(v)
	if len(id) == 0 {
		return dst, member.Wrong(nil, "item.raw_item.call_id", "want the id of a call")
	}
	if _, asked := d.asks[string(id)]; asked {
		return dst, nil
	}
	d.know(&d.asks, id)
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Ask, ID: id, Ref: id, AskKind: hub.AskPermission})
	if _, known := d.calls[string(id)]; !known {
		ev.Flags |= hub.Resumed
	}
	ev.Title = rawjson.First(rawjson.Text(v, "tool_name"), rawjson.Text(v, "toolName"), rawjson.Text(raw, "name"))
	m := d.scratch.MoreOf(ev)
	m.Options = approval.AppendOptions(m.Options)
	return dst, nil
}
