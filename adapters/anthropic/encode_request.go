package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// AppendRequest writes a request that is answered by a stream.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := requestWriter{Writer: jsonwriter.New(dst), req: req, losses: l}
	inPlace := func(m *hub.Message) bool { return m.Meta.Of(dialectName) != nil }
	system, rest := conversation.Hoist(conversation.ForModel(req.Messages, l), inPlace, l)
	rest = conversation.Opened(system, rest, false)
	w.Open('{')
	w.TextIf("model", req.Model)
	newTurnWriter(new(conversation.IDs), l).WriteSystem(w.Writer, system)
	write := func(dst []byte) ([]byte, hub.Role) { return appendMessages(dst, rest, l) }
	if err := conversation.WriteMessages(w.Writer, "messages", req, write); err != nil {
		return nil, err
	}
	w.tools()
	w.settings(rest)
	conversation.AppendExtra(w.Writer, req, dialectName)
	conversation.LostBeside(req, dialectName, l)
	w.Bool("stream", !req.AskWhole)
	w.Close('}')
	return w.Buf, nil
}

type requestWriter struct {
	*jsonwriter.Writer
	req    *hub.Request
	losses *hub.Losses
	forced bool // the model must call a tool
}

func (w *requestWriter) tools() {
	c := w.req.Choice
	tools, byName := conversation.Offered(w.req, dialectName, w.losses)
	parallel := w.req.Settings.ParallelCalls
	if len(tools) == 0 {
		w.losses.AddIf("settings.parallel_calls", len(parallel) > 0)
		return
	}
	w.OpenAt("tools", '[')
	for i := range tools {
		w.tool(&tools[i])
	}
	w.Close(']')
	c = conversation.Chosen(c, tools, w.losses)
	w.choice(c, byName && len(c.Names) > 0, parallel)
}

func (w *requestWriter) tool(t *hub.Tool) {
	if own := t.Meta.Of(dialectName); own != nil {
		w.Raw(own)
		return
	}
	w.Open('{')
	w.Text("name", t.Name)
	w.TextIf("description", t.Description)
	w.Value("input_schema", conversation.ObjectSchema(t.Schema, w.losses))
	w.ValueIf("strict", t.StrictSaid())
	w.Close('}')
}

// choice writes which tools are called, and whether several at once: that stands in the same object.
func (w *requestWriter) choice(c hub.ToolChoice, byName bool, parallel []byte) {
	kind := [...]string{hub.ChoiceAuto: "auto", hub.ChoiceNone: "none", hub.ChoiceRequired: "any"}[c.Mode]
	switch {
	case byName:
		kind = "tool"
	case kind == "" && len(parallel) == 0:
		return
	case kind == "":
		kind = "auto"
	}
	w.forced = c.Mode == hub.ChoiceRequired
	w.OpenAt("tool_choice", '{')
	w.Const("type", kind)
	if byName {
		w.Text("name", c.Names[0])
	}
	if c.Mode == hub.ChoiceNone {
		w.losses.AddIf("settings.parallel_calls", len(parallel) > 0)
	} else if many, ok := rawjson.Bool(parallel); ok {
		w.Bool("disable_parallel_tool_use", !many)
	}
	w.Close('}')
}
