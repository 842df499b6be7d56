package geminiinteractions

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// Types of steps that are read by their names.
const (
	functionResult = "function_result"
	mcpCall        = "mcp_server_tool_call"
	mcpResult      = "mcp_server_tool_result"
)

// call takes over what a record says of a call, and announces it as soon as its id and its name are known.
func (d *decoder) call(dst []hub.Event, s *step, b *block) []hub.Event {
	keep := func(have []byte, v rawjson.Value) []byte {
		if text := rawjson.Body(v); len(text) > 0 && !b.said {
			return append(have[:0], text...)
		}
		return have
	}
	b.id, b.name = keep(b.id, s.ID), keep(b.name, s.Name)
	if b.kind == serverBlock && string(b.typ) != mcpCall {
		b.name = append(b.name[:0], bytes.TrimSuffix(b.typ, []byte("_call"))...)
	}
	b.sign(s.Signature)
	if !rawjson.IsNull(s.Arguments) {
		b.value = append(b.value[:0], s.Arguments...)
	}
	if b.said || len(b.id) == 0 || len(b.name) == 0 {
		return dst
	}
	return d.announce(dst, s, b)
}

// announce appends the start of a call.
func (d *decoder) announce(dst []hub.Event, s *step, b *block) []hub.Event {
	b.said = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolStart, ID: d.scratch.Copy(b.id), Name: d.scratch.Copy(b.name)})
	if len(b.sig) > 0 {
		d.scratch.MoreOf(ev).Sig = d.scratch.Copy(b.sig)
		b.sig = b.sig[:0]
	}
	if b.kind == callBlock {
		ev.Flags = hub.ClientRuns
		d.waiting++
		return dst
	}
	if kind := toolKinds[string(b.typ)]; kind != "" {
		d.scratch.MoreOf(ev).ToolKind = []byte(kind)
	}
	d.scratch.MoreOf(ev).Meta = d.scratch.Since(appendMeta(d.scratch.Begin(), s, b.typ))
	return dst
}

// toolKinds is what tools of the server's do, for readers that show that.
var toolKinds = map[string]string{
	"google_search_call": "search", "file_search_call": "search", "google_maps_call": "search", "retrieval_call": "search",
	"code_execution_call": "execute", "url_context_call": "fetch",
}

// appendMeta appends what a call of the server has beyond the model.
func appendMeta(dst []byte, s *step, typ []byte) []byte {
	dst = append(append(dst, `{"`+dialectName+`":{"type":"`...), typ...)
	dst = member.AppendText(append(dst, '"'), `,"server_name":"`, rawjson.Body(s.Server))
	dst = member.AppendText(dst, `,"search_type":"`, rawjson.Body(s.Search))
	return append(dst, `}}`...)
}

// arguments passes a fragment.
func (d *decoder) arguments(dst []hub.Event, b *block) ([]hub.Event, error) {
	if b == nil || b.kind != callBlock && b.kind != serverBlock {
		return dst, hub.NewError(hub.ReasonMissing, "index", -1, "arguments need an open step of a call")
	}
	s := &d.rec.Delta
	fragment, isText := rawjson.Str(s.Arguments)
	if !isText && !rawjson.IsNull(s.Arguments) && rawjson.Kind(s.Arguments) != '{' {
		return dst, member.Wrong(s.Arguments, "delta.arguments", "want a string")
	}
	if isText {
		s.Arguments = nil // what call would take for the whole
	}
	dst = d.call(dst, s, b)
	if len(fragment) == 0 {
		return dst, nil
	}
	if !b.said {
		dst = d.announce(dst, s, d.named(b))
	}
	b.streamed = true
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Text = hub.ToolArgs, b.id, fragment
	return dst, nil
}

// named gives a call what it lacks to be announced.
func (d *decoder) named(b *block) *block {
	if len(b.id) == 0 {
		d.minted++
		b.id = member.AppendInt(b.id[:0], "call_", int64(d.minted))
	}
	if len(b.name) == 0 {
		b.name = append(b.name, "unknown"...)
	}
	return b
}

// callEnd ends the arguments: the fragments, or those that came whole if there were none.
func (d *decoder) callEnd(dst []hub.Event, b *block) ([]hub.Event, error) {
	if !b.said && len(b.name) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "step.name", -1, "a call needs a name")
	}
	if !b.said {
		dst = d.announce(dst, &step{}, d.named(b))
	}
	id := d.scratch.Copy(b.id)
	if len(b.sig) > 0 {
		var ev *hub.Event
		dst, ev = hub.Add(dst, hub.Event{Kind: hub.ToolUpdate, ID: id, More: d.scratch.More()})
		ev.More.Sig = d.scratch.Copy(b.sig)
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: id})
	switch {
	case b.streamed:
	case len(b.value) == 0:
		ev.Value = []byte("{}")
	default:
		d.scratch.SetArgs(ev, d.scratch.Copy(b.value))
	}
	return dst, nil
}

// learnResult takes over what a record says of a result.
func (b *block) learnResult(s *step) {
	if id := rawjson.Body(s.CallID); len(id) > 0 {
		b.id = append(b.id[:0], id...)
	}
	if name := rawjson.Body(s.Name); len(name) > 0 {
		b.name = append(b.name[:0], name...)
	}
	if failed, ok := rawjson.Bool(s.IsError); ok {
		b.failed = failed
	}
	if !rawjson.IsNull(s.Result) {
		b.value = append(b.value[:0], s.Result...)
	}
}

// result ends a call, once.
func (d *decoder) result(dst []hub.Event, b *block) []hub.Event {
	if b.said {
		return dst
	}
	b.said = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: d.scratch.Copy(b.id), Name: d.scratch.Copy(b.name), Status: hub.StatusOK})
	switch string(b.typ) {
	case functionResult:
		d.waiting = max(d.waiting-1, 0)
	case mcpResult:
	default:
		ev.Name = d.scratch.Copy(bytes.TrimSuffix(b.typ, []byte("_result")))
	}
	value := rawjson.Value(d.scratch.Copy(b.value))
	if text, ok := toolresult.OneText(value); ok && (string(b.typ) == mcpResult || string(b.typ) == functionResult) {
		ev.Text = text
	} else {
		toolresult.Set(ev, value)
	}
	if ev.Value == nil && ev.Text == nil {
		ev.Text = []byte{}
	}
	if b.failed {
		ev.Status = hub.StatusError
		d.scratch.MoreOf(ev).Err = ev.Text
	}
	return dst
}
