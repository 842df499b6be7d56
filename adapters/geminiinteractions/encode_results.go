package geminiinteractions

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// answered is a call that has a result, the id under which it was written, and the type of the step of the result.
type answered struct {
	id   []byte
	call *hub.Part
	typ  string
}

// call writes a call. Those of other dialects are functions: the API knows no other that it has not run itself.
func (w *stepWriter) call(p *hub.Part) {
	w.closeStep()
	w.losses.AddIf("messages.approval", p.Approval != nil)
	own := p.Meta.Of(dialectName)
	switch {
	case own != nil && !p.ClientRuns:
		w.serverCall(own)
	case w.server == nil:
		w.function(p)
	case !p.ClientRuns || p.Result != nil:
		w.ran(p)
	case p.Value == nil && len(p.Text) > 0:
		w.broken = true
		w.losses.Add("messages.arguments")
	default:
		w.asked++
		w.function(p)
	}
}

// serverCall writes a call that the server has run as it came: one step, or a list of that and its result.
func (w *stepWriter) serverCall(own rawjson.Value) {
	if rawjson.Kind(own) == '{' {
		w.Raw(own)
	}
	for step := range rawjson.Each(own) {
		w.Raw(step)
	}
}

func (w *stepWriter) function(p *hub.Part) {
	id := w.ids.Of(p.ID)
	w.Open('{')
	w.Const("type", "function_call")
	w.Text("id", id)
	w.Text("name", p.Name)
	w.Value("arguments", conversation.ObjectArgs(p, w.losses))
	w.TextIf("signature", w.signature(p))
	w.Close('}')
	if p.Result != nil {
		w.results = append(w.results, answered{id, p, functionResult})
	}
}

// ran writes a call of an answer that was run, as one of an MCP server: clients do not run these.
func (w *stepWriter) ran(p *hub.Part) {
	id := w.ids.Of(p.ID)
	w.Open('{')
	w.Const("type", mcpCall)
	w.Text("id", id)
	w.Text("name", p.Name)
	w.TextIf("signature", w.signature(p))
	w.Text("server_name", w.server)
	w.Value("arguments", conversation.ObjectArgs(p, w.losses))
	w.Close('}')
	if p.Result != nil {
		w.results = append(w.results, answered{id, p, mcpResult})
	}
}

// lone writes results whose calls are elsewhere.
func (w *stepWriter) lone(m *hub.Message) {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Result != nil && w.server == nil {
			w.results = append(w.results, answered{p.ID, p, functionResult})
		} else {
			w.losses.AddIf("messages.result", p.Result != nil)
		}
	}
	w.flush()
}

// flush writes the results of the calls before.
func (w *stepWriter) flush() {
	for _, a := range w.results {
		w.result(a)
	}
	w.results = w.results[:0]
}

func (w *stepWriter) result(a answered) {
	ev := a.call.Result.Event()
	w.closeStep()
	w.Open('{')
	w.Const("type", a.typ)
	w.Text("call_id", a.id)
	switch a.typ {
	case mcpResult:
		w.Text("name", a.call.Name)
		w.TextIf("server_name", w.server)
	case functionResult:
		w.TextIf("name", a.call.Name)
	}
	if hub.Failed(&ev) {
		w.Bool("is_error", true)
	}
	w.Key("result")
	w.outcome(&ev)
	w.Close('}')
}

// outcome writes a result: its contents, an object, or a text.
func (w *stepWriter) outcome(ev *hub.Event) {
	content := toolresult.Content(ev)
	switch {
	case toolresult.OnlyBlocks(ev) && !hub.Failed(ev) && rawjson.Kind(content) == '[' && len(content) > 2:
		w.Open('[')
		for block := range rawjson.Each(content) {
			w.block(block)
		}
		w.Close(']')
		return
	case len(ev.Text) == 0 && rawjson.Kind(ev.Value) == '{':
		w.Raw(ev.Value)
	default:
		w.String(toolresult.Text(ev))
	}
	w.losses.AddIf("messages.result.content", !conversation.OnlyText(content))
}

// block writes a block of a result as a content. Those that the API has no form for are put in words.
func (w *stepWriter) block(block rawjson.Value) {
	f, _ := conversation.BlockFile(block)
	typ := string(rawjson.Text(block, "content", "type"))
	if typ != "text" && w.takes(&f) {
		w.losses.AddIf("messages.file.name", len(f.Name) > 0)
		writeFile(w.Writer, &f)
		return
	}
	w.losses.AddIf("messages.result.content", typ != "text")
	w.Open('{')
	w.Const("type", "text")
	w.Text("text", toolresult.AppendBlocks(nil, slices.Concat([]byte{'['}, block, []byte{']'})))
	w.Close('}')
}
