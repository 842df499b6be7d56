package bedrock

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/blocks"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// toolStart announces a call. All but those of the type server_tool_use ask the client to run them.
func (d *decoder) toolStart(dst []hub.Event, call rawjson.Value, b *blocks.Block) []hub.Event {
	b.ID = d.callID(b.ID, rawjson.Text(call, "toolUseId"))
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolStart, ID: d.scratch.Copy(b.ID), Name: rawjson.Text(call, "name")})
	if len(rawjson.Text(call, "type")) == 0 {
		ev.Flags |= hub.ClientRuns
		d.calls++
	}
	return dst
}

// callID appends the id of a call; one is made for a call that has none.
func (d *decoder) callID(dst, id []byte) []byte {
	if len(id) > 0 {
		return legalid.AppendPlain(dst, id)
	}
	d.minted++
	return member.AppendInt(dst, "tooluse_", int64(d.minted))
}

// toolArgs passes a fragment.
func (d *decoder) toolArgs(dst []hub.Event, fragment []byte) ([]hub.Event, error) {
	b := d.blocks.Find(d.rec.Index)
	if b == nil || b.Kind != blocks.Call {
		return dst, hub.NewError(hub.ReasonMissing, "contentBlockIndex", -1, "input needs an open block of a call")
	}
	if len(fragment) == 0 {
		return dst, nil
	}
	b.Spoke = true
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Text = hub.ToolArgs, b.ID, fragment
	return dst, nil
}

// toolReady ends the arguments: the fragments, or what came whole.
func (d *decoder) toolReady(dst []hub.Event, b *blocks.Block) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolReady, ID: d.scratch.Copy(b.ID)})
	if !b.Spoke && len(b.Held) > 0 {
		ev.Value = d.scratch.Copy(b.Held)
	}
	return dst
}

// resultStart begins the result of a call that was run.
func (d *decoder) resultStart(result rawjson.Value, b *blocks.Block) {
	b.ID = legalid.AppendPlain(b.ID, rawjson.Text(result, "toolUseId"))
	b.Failed = string(rawjson.Text(result, "status")) == "error"
	b.Held = append(b.Held, '[')
}

// resultDelta keeps blocks of a result until it is whole. What is too much is left out: the record says which.
func (d *decoder) resultDelta(list rawjson.Value) error {
	b := d.blocks.Find(d.rec.Index)
	if b == nil || b.Kind != blocks.Result {
		return hub.NewError(hub.ReasonMissing, "contentBlockIndex", -1, "toolResult needs an open block of a result")
	}
	if len(b.Held)+len(list) > blocks.MaxHeld {
		return hub.NewError(hub.ReasonTooLarge, "delta.toolResult", -1, "a result may have 8 MiB")
	}
	for v := range rawjson.Each(list) {
		b.Held = append(append(b.Held, v...), ',')
	}
	return nil
}

func (d *decoder) resultEnd(dst []hub.Event, b *blocks.Block) []hub.Event {
	list := d.scratch.Copy(b.Held)
	if len(list) > 1 {
		list = list[:len(list)-1] // the last comma
	}
	list = d.scratch.Since(append(append(d.scratch.Begin(), list...), ']'))
	return d.toolEnd(dst, d.scratch.Copy(b.ID), list, b.Failed)
}

// toolEnd ends a call that was run.
func (d *decoder) toolEnd(dst []hub.Event, id []byte, content rawjson.Value, failed bool) []hub.Event {
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusOK})
	r := readResult(content, failed, &d.scratch)
	ev.Status, ev.Text, ev.Value = r.Status, r.Text, r.Value
	if r.Content != nil {
		d.scratch.MoreOf(ev).Content = r.Content
	}
	if r.Err != nil {
		d.scratch.MoreOf(ev).Err = r.Err
	}
	return dst
}

// readResult reads the content of a result: one text or one value as such, several blocks as these.
func readResult(content rawjson.Value, failed bool, s *hub.Scratch) hub.CallResult {
	r := hub.CallResult{Status: hub.StatusOK}
	it := rawjson.Elems(content)
	first, some := it.Next()
	_, more := it.Next()
	text, isText := toolresult.OneText(content)
	if failed {
		r.Status = hub.StatusError
	}
	switch {
	case !some:
		r.Text = []byte{}
	case isText && failed:
		r.Err = text
	case isText:
		r.Text = text
	case !more && rawjson.Get(first, "json") != nil:
		r.Value = rawjson.Get(first, "json")
	default:
		r.Content = toolresult.Wrap(content, s, appendMCP)
	}
	return r
}

// appendMCP appends a block of a result as MCP has it. What has no form there stays as it is, with its name as its type.
func appendMCP(dst []byte, v rawjson.Value) []byte {
	o := rawjson.ReadObject(v)
	if f, ok := readFile(&o); ok {
		w := jsonwriter.New(dst)
		w.Open('{')
		toolresult.WriteBlock(w, &f)
		w.Close('}')
		return w.Buf
	}
	switch value := rawjson.Get(v, "json"); {
	case rawjson.Kind(rawjson.Get(v, "text")) == '"':
		dst = append(dst, `{"type":"text","text":`...)
		return append(rawjson.AppendQuoted(dst, rawjson.Text(v, "text")), '}')
	case value != nil:
		dst = append(dst, `{"type":"text","text":"`...)
		return append(rawjson.AppendEscaped(dst, value), `"}`...)
	}
	if found := rawjson.Get(v, "searchResult"); found != nil {
		return append(rawjson.AppendQuoted(append(dst, `{"type":"text","text":`...), passage(v, found).Text), '}')
	}
	it := rawjson.Fields(v)
	key, inner, _ := it.Next()
	dst = append(append(append(dst, `{"type":"`...), key...), `","`...)
	return append(append(append(append(dst, key...), `":`...), rawjson.OrNull(inner)...), '}')
}
