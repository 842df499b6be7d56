package openairesponses

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// answered is a call that has a result, and the id under which it was written.
type answered struct {
	id   []byte
	call *hub.Part
}

// call writes a call. All of other dialects are functions: servers know no other that they have not run themselves.
func (w *inputWriter) call(p *hub.Part) {
	own := p.Meta.Of(name)
	if typ := string(rawjson.Text(own, "type")); typ == "mcp_call" || typ == "mcp_approval_request" {
		w.serverCall(p, own)
		return
	}
	id := w.ids.Of(p.ID)
	w.losses.AddIf("messages.approval", p.Approval != nil)
	w.Open('{')
	if isCustom(p) {
		w.Const("type", "custom_tool_call")
	} else {
		w.Const("type", "function_call")
	}
	w.TextIf("id", rawjson.Text(own, "id"))
	w.Text("call_id", id)
	w.Text("name", p.Name)
	w.TextIf("namespace", rawjson.Text(own, "namespace"))
	if isCustom(p) {
		w.Text("input", p.Text)
	} else {
		w.Text("arguments", conversation.Arguments(p))
	}
	w.Close('}')
	if p.Result != nil {
		w.results = append(w.results, answered{id, p})
	}
}

// isCustom reports whether a call is of a tool that takes free text.
func isCustom(p *hub.Part) bool {
	return string(rawjson.Text(p.Meta.Of(name), "type")) == "custom_tool_call"
}

// flush writes the results of the calls before.
func (w *inputWriter) flush() {
	for _, a := range w.results {
		w.output(a)
	}
	w.results = w.results[:0]
}

// output writes what came of a call. That it is an error has no place but its text.
func (w *inputWriter) output(a answered) {
	ev := a.call.Result.Event()
	w.losses.AddIf("messages.result.error", hub.Failed(&ev))
	w.Open('{')
	if isCustom(a.call) {
		w.Const("type", "custom_tool_call_output")
	} else {
		w.Const("type", "function_call_output")
	}
	w.Text("call_id", a.id)
	if conversation.OnlyText(a.call.Result.Content) || len(toolresult.AppendValue(nil, &ev)) > 0 {
		w.Text("output", toolresult.Text(&ev))
	} else {
		w.OpenAt("output", '[')
		for block := range rawjson.Each(a.call.Result.Content) {
			w.block(block)
		}
		w.Close(']')
	}
	w.Close('}')
}

// block writes a content block. Those that the API has no form for are put in words.
func (w *inputWriter) block(block rawjson.Value) {
	w.Open('{')
	if f, isFile := conversation.BlockFile(block); isFile && hasForm(&f) {
		w.file(&f)
	} else {
		w.losses.AddIf("messages.result.content", string(rawjson.Text(block, "content", "type")) != "text")
		w.Const("type", "input_text")
		list := append(append([]byte{'['}, block...), ']')
		w.Text("text", toolresult.AppendBlocks(nil, list))
	}
	w.Close('}')
}

// serverCall writes a call that a server runs: the question whether it may, the answer, and the call.
func (w *inputWriter) serverCall(p *hub.Part, own rawjson.Value) {
	asked := rawjson.Text(own, "type")
	var request []byte
	if string(asked) == "mcp_approval_request" {
		request = rawjson.Text(own, "id")
		w.serverItem("mcp_approval_request", request, own, p)
		w.Close('}')
		if p.Approval != nil && p.Approval.Decided {
			w.approval(request, p.Approval.Approved, p.Approval.Reason)
		}
		if p.Result == nil {
			return
		}
	}
	id := p.ID
	if p.Result != nil && len(p.Result.ID) > 0 {
		id = p.Result.ID
	}
	w.serverItem("mcp_call", id, own, p)
	w.TextIf("approval_request_id", request)
	if p.Result != nil {
		w.serverResult(p.Result)
	}
	w.Close('}')
}

// serverItem begins an item of a server's.
func (w *inputWriter) serverItem(typ string, id []byte, own rawjson.Value, p *hub.Part) {
	w.Open('{')
	w.Const("type", typ)
	w.Text("id", id)
	w.Text("server_label", rawjson.Text(own, "server_label"))
	w.Text("name", p.Name)
	w.Text("arguments", conversation.Arguments(p))
}

func (w *inputWriter) serverResult(r *hub.CallResult) {
	ev := r.Event()
	if !hub.Failed(&ev) {
		w.Text("output", toolresult.Text(&ev))
		return
	}
	w.Const("status", "failed")
	if len(r.Text) > 0 {
		w.Text("output", r.Text)
	}
	w.OpenAt("error", '{')
	w.Const("type", "mcp_tool_execution_error")
	w.OpenAt("content", '[')
	w.Open('{')
	w.Const("type", "text")
	w.Text("text", rawjson.First(hub.Why(&ev), r.Text))
	w.Close('}')
	w.Close(']')
	w.Close('}')
}

func (w *inputWriter) approval(id []byte, approved bool, reason []byte) {
	w.Open('{')
	w.Const("type", "mcp_approval_response")
	w.Text("approval_request_id", id)
	w.Bool("approve", approved)
	w.TextIf("reason", reason)
	w.Close('}')
}
