package responsestream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// callOutput ends a call whose output is an item of its own: some servers run what others leave to the client.
func (d *Decoder) callOutput(dst []hub.Event, v rawjson.Value) []hub.Event {
	id := cutID(rawjson.Text(v, "call_id"))
	call := d.newest(func(it *item) bool { return it.kind == callItem && bytes.Equal(it.call.given, id) && len(id) > 0 })
	if call != nil {
		if call.call.ended {
			return dst
		}
		call.call.ended = true
		if call.call.client && call.call.named {
			d.waiting--
		}
		dst = d.ready(d.startCall(dst, call), call, nil)
		id = call.call.id
	}
	if len(id) == 0 {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Status: hub.StatusOK})
	output := rawjson.Get(v, "output")
	if rawjson.Kind(output) == '[' {
		d.shellResult(ev, output)
	} else {
		toolresult.Set(ev, output)
	}
	return dst
}

// shellResult reads what commands printed, one entry for each; or the parts of another output.
func (d *Decoder) shellResult(ev *hub.Event, output rawjson.Value) {
	text := d.scratch.Begin()
	from := len(text)
	for v := range rawjson.Each(output) {
		text = append(text, rawjson.Text(v, "stdout")...)
		text = append(text, rawjson.Text(v, "stderr")...)
		text = append(text, rawjson.Text(v, "text")...)
		outcome := rawjson.Get(v, "outcome")
		code, exited := rawjson.Int(rawjson.Get(outcome, "exit_code"))
		if string(rawjson.Text(outcome, "type")) == "timeout" || exited && code != 0 {
			ev.Status = hub.StatusError
		}
	}
	if len(text) == from {
		ev.Value = output // nothing in it that is known to be text
		return
	}
	ev.Text = d.scratch.Since(text)
}

// shellOutput is what a command prints while it runs.
func (d *Decoder) shellOutput(dst []hub.Event) ([]hub.Event, error) {
	it := d.find(outputItem)
	if it == nil || len(it.call.given) == 0 {
		return dst, nil // the whole output will say it
	}
	id := bytes.Clone(it.call.given)
	if call := d.newest(func(o *item) bool { return o.kind == callItem && bytes.Equal(o.call.given, id) }); call != nil {
		id = call.call.id
	}
	dst = shellPiece(dst, id, hub.Stdout, rawjson.Text(d.rec.Delta, "stdout"))
	return shellPiece(dst, id, hub.Stderr, rawjson.Text(d.rec.Delta, "stderr")), nil
}

// shellPiece appends output of a command, if there is any.
func shellPiece(dst []hub.Event, id []byte, ch hub.Chan, text []byte) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Chan, ev.Text = hub.ToolOutput, id, ch, text
	return dst
}

// running says that a server works on a call.
func (d *Decoder) running(dst []hub.Event) ([]hub.Event, error) {
	it := d.find(callItem)
	if it == nil || !it.call.named || it.call.ended || it.call.client {
		return dst, nil
	}
	return append(dst, hub.Event{Kind: hub.ToolUpdate, ID: it.call.id, Status: hub.StatusRunning}), nil
}

// image is a picture that the server made.
func (d *Decoder) image(dst []hub.Event, it *item, v rawjson.Value) []hub.Event {
	result := rawjson.Text(v, "result")
	if len(result) == 0 {
		fault := rawjson.Get(v, "error")
		if rawjson.IsNull(fault) && string(rawjson.Text(v, "status")) != "failed" {
			return dst
		}
		dst, ev := hub.Grow(dst)
		ev.Kind, ev.Level, ev.Name, ev.Text = hub.Notice, hub.LevelError, []byte("image_generation_call"), d.errorText(fault)
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.File, ID: it.id})
	f := &d.scratch.MoreOf(ev).File
	f.Base64, f.Media = result, []byte("image/png")
	if format := rawjson.Text(v, "output_format"); len(format) > 0 {
		f.Media = d.scratch.Since(append(append(d.scratch.Begin(), "image/"...), format...))
	}
	return dst
}

// approval is a call that waits for the client's consent. The server makes it in a later response, and then names this
// request.
func (d *Decoder) approval(dst []hub.Event, it *item, v rawjson.Value) []hub.Event {
	d.asking++
	c := &it.call
	c.learn([]byte("mcp_call"), v)
	c.given = nil
	dst = d.ready(d.startCall(dst, it), it, rawjson.Get(v, "arguments"))
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.AskKind, ev.Name, ev.Title = hub.Ask, c.id, hub.AskPermission, []byte("mcp_approval_request"), c.name
	if c.named {
		ev.Ref = c.id
	}
	return dst
}
