package simplified

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// unknownTool is what the server calls a tool that has no name.
const unknownTool = "unknown"

// toolStarted reads the tag, which alone has the name. A call that arrives finished comes in one frame.
func (d *decoder) toolStarted(dst []hub.Event, f *frame) ([]hub.Event, error) {
	call, isTag := d.readTag(rawjson.Get(f.Data, "content"))
	id := rawjson.Text(f.Data, attrID)
	if !isTag && len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "data.content", -1, "want the element of a tool call")
	}
	if len(id) == 0 {
		id = d.escaped(call.ID)
	}
	tool := rawjson.Or(d.escaped(call.Type), unknownTool)
	end := endOf(rawjson.First(rawjson.Text(f.Data, attrStatus), d.escaped(call.Status)))

	dst = d.spoken(dst, d.at)
	dst = d.put(dst, hub.Event{Kind: hub.ToolStart, ID: id, Name: tool, Status: end})
	dst = d.put(dst, hub.Event{Kind: hub.ToolReady, ID: id, Name: tool, Flags: hub.Lossy, Value: d.arguments(call.Attrs)})
	if end == hub.StatusNone {
		return dst, nil
	}
	dst, ev := d.event(dst, hub.Event{Kind: hub.ToolEnd, ID: id, Name: tool, Status: end, Flags: hub.Lossy})
	for _, a := range call.Attrs {
		if a.Name == attrError {
			d.scratch.MoreOf(ev).Err = d.escaped(a.Value)
		}
	}
	return dst, nil
}

// readTag reads the element of a call out of the JSON string that holds it.
func (d *decoder) readTag(content rawjson.Value) (ToolCall, bool) {
	return ParseToolCall(d.scratch.Since(rawjson.AppendUnescaped(d.scratch.Begin(), rawjson.Body(content))))
}

// escaped is the string body of a plain text.
func (d *decoder) escaped(plain string) []byte {
	return d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), []byte(plain)))
}

// endOf is how a call that has this status has ended; none while it runs.
func endOf(status []byte) hub.Status {
	switch string(status) {
	case statusSuccess:
		return hub.StatusOK
	case statusError:
		return hub.StatusError
	}
	return hub.StatusNone
}

// arguments makes an object of the attributes, which is all that is known of the arguments; nil if there are none.
func (d *decoder) arguments(list []Attr) []byte {
	obj := d.scratch.Begin()
	n := len(obj)
	for _, a := range list {
		if a.Name == attrError {
			continue
		}
		obj = append(obj, ',')
		obj = append(rawjson.AppendString(obj, []byte(a.Name)), ':')
		if a.Name == attrCount && isCount(a.Value) {
			obj = append(obj, a.Value...)
		} else {
			obj = rawjson.AppendString(obj, []byte(a.Value))
		}
	}
	if len(obj) == n {
		return nil
	}
	obj[n] = '{'
	return d.scratch.Since(append(obj, '}'))
}

// isCount reports whether s is a number as we would write it.
func isCount(s string) bool {
	n, err := strconv.ParseUint(s, 10, 63)
	return err == nil && strconv.FormatUint(n, 10) == s
}

// toolEnded passes what the frame says of the result, which is at most a few strings.
func (d *decoder) toolEnded(dst []hub.Event, f *frame, typ []byte) ([]hub.Event, error) {
	if rawjson.Kind(f.Data) != '{' {
		return dst, hub.NewError(hub.ReasonType, "data", -1, "want an object")
	}
	dst, ev := d.event(dst, hub.Event{Kind: hub.ToolEnd, ID: rawjson.Text(f.Data, attrID)})
	extra := rawjson.Get(f.Data, "extra")
	if string(typ) == typeToolError {
		ev.Status = hub.StatusError
		if body := d.bodyOf(rawjson.Get(f.Data, attrError)); body != nil {
			d.scratch.MoreOf(ev).Err = body
		}
	} else {
		ev.Status, ev.Flags = hub.StatusOK, hub.Lossy
	}
	if rawjson.Kind(extra) == '{' {
		ev.Value = extra
		d.keep(ev, "extra", extra)
	}
	return dst, nil
}

// keep puts one value into Meta.
func (d *decoder) keep(ev *hub.Event, key string, v rawjson.Value) {
	meta := append(append(append(d.scratch.Begin(), metaHead+`"`...), key...), `":`...)
	meta = append(append(meta, v...), "}}"...)
	d.scratch.MoreOf(ev).Meta = d.scratch.Since(meta)
}

// todo is a full replacement. Clients take a frame without a list for an empty one.
func (d *decoder) todo(dst []hub.Event, f *frame) []hub.Event {
	dst, ev := d.event(dst, hub.Event{Kind: hub.Plan, Flags: hub.Transient})
	more := d.scratch.MoreOf(ev)
	more.Items = appendItems(more.Items, rawjson.Get(f.Data, "todos"))
	return dst
}

// appendItems reads a list of todos; what is no object is no todo.
func appendItems(dst []hub.PlanItem, todos rawjson.Value) []hub.PlanItem {
	for todo := range rawjson.Each(todos) {
		if rawjson.Kind(todo) == '{' {
			dst = append(dst, hub.PlanItem{Content: rawjson.Text(todo, "content"), Status: rawjson.Text(todo, "status")})
		}
	}
	return dst
}
