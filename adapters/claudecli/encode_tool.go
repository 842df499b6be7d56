package claudecli

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// toolStart opens the block of a call. Calls in sub-agents are written whole.
func (e *encoder) toolStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Add(ev.Slot)
	*c = call{name: bytes.Clone(ev.Name)}
	if len(e.called) < maxOpen {
		e.called[string(ev.ID)] = true
	}
	if !e.isRoot(ev.AgentSlot) {
		return c.disposition(hub.Deferred)
	}
	c.index = e.nextBlock(out)
	e.message.tools = true
	e.blockStart(out, c.index, appendCall(nil, ev.ID, ev.Name, []byte("{}")))
	return c.disposition(hub.Native)
}

// disposition is what becomes of an event of a call: readers take a call of TodoWrite for a plan.
func (c *call) disposition(f hub.Disposition) hub.Disposition {
	if string(c.name) == todoTool {
		return hub.Folded
	}
	return f
}

func appendCall(dst, id, name, input []byte) []byte {
	dst = append(append(dst, `{"type":"tool_use","id":"`...), id...)
	dst = append(append(dst, `","name":"`...), name...)
	dst = append(append(dst, `","input":`...), input...)
	return append(dst, '}')
}

// toolArgs is the hot path of calls.
func (e *encoder) toolArgs(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	if e.partial && e.isRoot(ev.AgentSlot) {
		e.delta(out, c.index, `"input_json_delta","partial_json":"`, ev.Text)
	}
	return hub.Implied // ToolReady has the whole
}

// maxArgs bounds the arguments that are kept for a question about the call.
const maxArgs = 64 << 10

func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	input, disposition := ev.Value, hub.Native
	switch rawjson.Kind(input) {
	case '{':
	case 0: // no JSON: what there is of it is better than nothing
		disposition = hub.Folded
		input = append(append([]byte(`{"raw":"`), ev.Text...), `"}`...)
	default: // readers take an input for an object
		disposition = hub.Folded
		input = append(append([]byte(`{"value":`), input...), '}')
	}
	c.ready = true
	if len(input) <= maxArgs {
		c.args = bytes.Clone(input)
	}
	e.whole(out, ev.AgentSlot, appendCall(nil, ev.ID, c.name, input))
	if e.isRoot(ev.AgentSlot) {
		e.blockStop(out, c.index)
	}
	return c.disposition(disposition)
}

// toolEnd writes the result of a call. One that waits for somebody else has none.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.Slot)
	if c == nil {
		return hub.Dropped
	}
	e.calls.Drop(ev.Slot)
	if e.isRoot(ev.AgentSlot) {
		e.closeMessage(out)
	}
	if (ev.Status == hub.StatusClient || ev.Status == hub.StatusPaused) && len(ev.Text) == 0 && ev.Value == nil {
		return hub.Implied
	}
	e.result(out, ev.ID, ev, e.parentOf(ev.AgentSlot))
	switch ev.Status {
	case hub.StatusOK, hub.StatusError, hub.StatusDenied:
		if ev.More == nil || ev.More.Content == nil {
			return c.disposition(hub.Native)
		}
	}
	return hub.Folded
}

// result writes a tool result, which in Claude's words is the user's.
func (e *encoder) result(out *wire.Out, id []byte, ev *hub.Event, parent []byte) {
	failed := ev.Status == hub.StatusError || ev.Status == hub.StatusDenied || ev.Status == hub.StatusAborted
	b := append(e.begin(out), `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"`...)
	b = append(append(b, id...), `","type":"tool_result","content":`...)
	b = appendContent(b, ev)
	b = append(b, `,"is_error":`...)
	b = append(strconv.AppendBool(b, failed), `}]}`...)
	b = appendParent(b, parent)
	if response := ev.Meta("claudeCode", "toolResponse"); response != nil {
		b = append(append(b, `,"tool_use_result":`...), response...)
	}
	if ev.Status == hub.StatusDenied {
		b = append(append(b, `,"tool_result_meta":[{"id":"`...), id...)
		b = append(b, `","permission_decision":{"decision":"reject"}}]`...)
	}
	e.end(out, e.appendIDs(b))
}

// appendContent appends the content of a result: a text, or blocks if it is more than that.
func appendContent(dst []byte, ev *hub.Event) []byte {
	content := toolresult.Content(ev)
	if content == nil {
		return append(toolresult.AppendText(append(dst, '"'), ev), '"')
	}
	dst = append(dst, '[')
	n := len(dst)
	if text := rawjson.First(toolresult.AppendValue(nil, ev), hub.Why(ev)); len(text) > 0 {
		dst = append(appendTextBlock(dst, text), ',')
	}
	spoken := len(dst) > n
	for block := range rawjson.Each(content) {
		size := len(dst)
		if dst = appendResultBlock(dst, block, spoken); len(dst) > size {
			dst = append(dst, ',')
		}
	}
	if len(dst) > n {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']')
}

// appendResultBlock appends a content block of the model as one of the Messages API. Texts are left out where the text of the
// result has been written. The name of a file is lost where its block has none; all results with blocks count as folded.
func appendResultBlock(dst []byte, block rawjson.Value, spoken bool) []byte {
	if f, isFile := conversation.BlockFile(block); isFile {
		if head, body, tail := claudewire.FileBlock(&f, new(hub.Losses)); head != nil {
			return append(append(append(dst, head...), body...), tail...)
		}
	}
	if text := toolresult.AppendBlocks(nil, slices.Concat([]byte{'['}, block, []byte{']'})); !spoken && len(text) > 0 {
		return appendTextBlock(dst, text)
	}
	return dst
}

func appendTextBlock(dst, text []byte) []byte {
	return append(append(append(dst, `{"type":"text","text":"`...), text...), `"}`...)
}

// madeCall writes a call that no event of the stream is: arguments and all.
func (e *encoder) madeCall(out *wire.Out, slot hub.Slot, id, name, input []byte) {
	if !e.isRoot(slot) {
		e.whole(out, slot, appendCall(nil, id, name, input))
		return
	}
	if e.message.active > 0 { // blocks do not nest: this one comes without events
		e.whole(out, slot, appendCall(nil, id, name, input))
		return
	}
	index := e.nextBlock(out)
	e.message.tools = true
	e.blockStart(out, index, appendCall(nil, id, name, []byte("{}")))
	if e.partial {
		e.delta(out, index, `"input_json_delta","partial_json":"`, rawjson.AppendEscaped(nil, input))
	}
	e.whole(out, slot, appendCall(nil, id, name, input))
	e.blockStop(out, index)
	e.closeMessage(out)
}

// plan writes a plan as Claude Code has it: a call of TodoWrite.
func (e *encoder) plan(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.More == nil {
		return hub.Dropped
	}
	id, disposition := e.planID(), hub.Native
	input := []byte(`{"todos":[`)
	for i := range ev.More.Items {
		it := &ev.More.Items[i]
		if i > 0 {
			input = append(input, ',')
		}
		if len(it.Status) == 0 {
			disposition = hub.Folded // every entry has a status
		}
		input = append(append(input, `{"content":"`...), it.Content...)
		input = append(append(input, `","status":"`...), rawjson.First(it.Status, []byte("pending"))...)
		input = append(append(input, `","activeForm":"`...), it.Content...)
		if len(it.ID) > 0 {
			input = append(append(input, `","id":"`...), it.ID...)
		}
		input = append(input, `"}`...)
	}
	e.madeCall(out, ev.AgentSlot, id, []byte(todoTool), append(input, `]}`...))
	done := hub.Event{Status: hub.StatusOK, Text: []byte("Todos have been modified successfully.")}
	e.result(out, id, &done, e.parentOf(ev.AgentSlot))
	return disposition
}

// planID is an id for a call that is made for a plan.
func (e *encoder) planID() []byte {
	for {
		e.plans++
		if id := strconv.AppendInt([]byte("todos_"), int64(e.plans), 10); !e.called[string(id)] {
			return id
		}
	}
}
