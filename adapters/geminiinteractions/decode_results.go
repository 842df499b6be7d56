package geminiinteractions

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// result gives a result to its call. Both steps of a call that the server has run are kept as they came; the result of one that is nowhere
// is raw.
func (r *inputReader) result(v rawjson.Value, o *rawjson.Object, typ []byte) {
	id := o.Text("call_id")
	if string(typ) == functionResult {
		r.speaker = hub.RoleNone
		r.Result(id, o.Text("name"), r.outcome(o))
		return
	}
	call := r.Call(id)
	if call == nil || call.ClientRuns {
		r.say(hub.RoleAgent, hub.Part{Kind: hub.PartRaw, Value: v, Meta: hub.Meta{Dialect: dialectName, Raw: v}})
		return
	}
	if own := call.Meta.Raw; rawjson.Kind(own) == '{' {
		call.Meta.Raw = slices.Concat([]byte{'['}, own, []byte{','}, v, []byte{']'})
	}
	r.Result(id, serverTool(o, typ, "_result"), r.outcome(o))
}

// outcome reads what came of a call: a text, a list of contents, or another value.
func (r *inputReader) outcome(o *rawjson.Object) hub.CallResult {
	var ev hub.Event
	var content rawjson.Value
	value := o.Get("result")
	if text, ok := toolresult.OneText(value); ok {
		ev.Text = text
	} else if areContents(value) {
		content = toolresult.Wrap(value, &r.scratch, appendBlock)
	} else {
		toolresult.Set(&ev, value)
	}
	res := hub.CallResult{Status: hub.StatusOK, Text: ev.Text, Value: ev.Value, Content: content}
	if failed, _ := rawjson.Bool(o.Get("is_error")); failed {
		res.Status, res.Err = hub.StatusError, ev.Text
	}
	return res
}

// areContents reports whether a value is a list of contents, and not one of objects that happen to have a type.
func areContents(v rawjson.Value) bool {
	if rawjson.Kind(v) != '[' {
		return false
	}
	some := false
	for _, o := range rawjson.EachObject(v) {
		if typ := o.Text("type"); string(typ) != "text" && !isFile(typ) {
			return false
		}
		some = true
	}
	return some
}

// appendBlock appends a content as a block of MCP.
func appendBlock(dst []byte, v rawjson.Value) []byte {
	o := rawjson.ReadObject(v)
	typ, data := o.Text("type"), o.Text("data")
	w := jsonwriter.New(dst)
	w.Open('{')
	switch {
	case string(typ) == "text":
		w.Const("type", "text")
		w.Text("text", o.Text("text"))
	case len(data) > 0 && (string(typ) == "image" || string(typ) == "audio"):
		w.Text("type", typ)
		w.Text("data", data)
		w.Text("mimeType", mediaOf(&o))
	case len(data) > 0:
		w.Const("type", "resource")
		w.OpenAt("resource", '{')
		w.Text("blob", data)
		w.TextIf("mimeType", mediaOf(&o))
		w.Close('}')
	default:
		w.Const("type", "resource_link")
		w.Text("uri", o.Text("uri"))
		w.TextIf("name", o.Text("name"))
		w.Text("mimeType", mediaOf(&o))
	}
	w.Close('}')
	return w.Buf
}
