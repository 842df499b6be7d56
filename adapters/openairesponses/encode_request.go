package openairesponses

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// AppendRequest writes a request that is answered by a stream. The server is to remember nothing, unless the client counts on
// what it remembers.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := inputWriter{Writer: jsonwriter.New(dst), losses: l}
	w.Open('{')
	w.TextIf("model", req.Model)
	system, rest := w.instructions(req)
	w.TextIf("instructions", system)
	w.OpenAt("input", '[')
	if err := conversation.CheckLastTurn(req.Messages, w.messages(rest)); err != nil {
		return nil, err
	}
	w.answers(req.Answers)
	w.Close(']')
	if tools := conversation.Tools(req.Tools.Defs, name, l); len(tools) > 0 {
		w.tools(tools)
		w.choice(conversation.Chosen(req.Choice, tools, l), tools)
	}
	s := req.Settings // a copy, of which is taken away what the API refuses
	settings.EffortForBudget(&s, req.Upstream, l)
	if len(s.Summary) == 0 && req.Upstream.EnumOr(optionSummaries, "asked") == "always" {
		s.Summary = []byte("auto")
	}
	w.settings(&s)
	w.memory(req, string(s.Effort))
	l.AddIf("state", len(req.State) > 0)
	l.AddIf("context", len(req.Context) > 0)
	conversation.AppendExtra(w.Writer, req, name)
	l.AddIf("extra", len(req.Extra.Raw) > 0 && req.Extra.Of(name) == nil)
	w.Bool("stream", !req.AskWhole)
	w.Close('}')
	return w.Buf, nil
}

// instructions takes those off the messages, unless nothing is said besides: the API wants some input. What is no text has its place only
// behind them.
func (w *inputWriter) instructions(req *hub.Request) (text []byte, rest []hub.Message) {
	ms := conversation.WithoutSealed(conversation.Ready(req.Messages), w.losses)
	if !goesOnFrom(req) {
		ms = conversation.WithoutLone(ms, w.losses)
	}
	system, rest := conversation.Leading(ms)
	if len(rest) == 0 && !req.Partial {
		return nil, ms
	}
	for i := range system {
		for j := range system[i].Parts {
			if p := &system[i].Parts[j]; p.Kind != hub.PartText {
				conversation.LostPart(p, w.losses)
			}
		}
	}
	return conversation.AppendTexts(nil, system, `\n\n`), rest
}

// answers writes those to questions of an answer before. An agent of this dialect asks for no more than a permission.
func (w *inputWriter) answers(all []hub.Decision) {
	for i := range all {
		d := &all[i]
		if len(d.Ask) == 0 || !d.Decided && !d.Cancelled {
			w.losses.Add("answers")
			continue
		}
		w.approval(rawjson.First(rawjson.Text(d.Payload, "approval_request_id"), d.Ask), d.Approved, d.Reason)
	}
}

// goesOnFrom reports whether the server has what was said before.
func goesOnFrom(req *hub.Request) bool {
	return req.Partial && (len(req.Previous) > 0 || bytes.HasPrefix(req.Thread, []byte("conv_")))
}

// memory says what the server remembers, and what it is to remember.
func (w *inputWriter) memory(req *hub.Request, effort string) {
	switch {
	case !goesOnFrom(req):
		w.Bool("store", false)
	case len(req.Previous) > 0:
		w.Text(memberPrevious, req.Previous)
	default:
		w.Text("conversation", req.Thread)
	}
	if w.sealed || effort != "" && effort != "none" {
		w.Value("include", []byte(`["reasoning.encrypted_content"]`))
	}
}

func (w *inputWriter) tools(tools []hub.Tool) {
	w.OpenAt("tools", '[')
	for i := range tools {
		w.tool(&tools[i])
	}
	w.Close(']')
}

func (w *inputWriter) tool(t *hub.Tool) {
	if own := t.Meta.Of(name); own != nil {
		w.Raw(own)
		return
	}
	w.Open('{')
	w.Const("type", "function")
	w.Text("name", t.Name)
	w.TextIf("description", t.Description)
	w.Value("parameters", conversation.ObjectSchema(t.Schema, w.losses))
	if string(t.Strict) == hub.StrictAuto {
		w.Value("strict", []byte("null"))
	} else {
		w.Value("strict", rawjson.Or(t.Strict, "false"))
	}
	w.Close('}')
}

func (w *inputWriter) choice(c hub.ToolChoice, tools []hub.Tool) {
	mode := [...]string{hub.ChoiceAuto: "auto", hub.ChoiceNone: "none", hub.ChoiceRequired: "required"}[c.Mode]
	switch {
	case c.Mode == hub.ChoiceUnset:
	case len(c.Names) == 0 || c.Mode == hub.ChoiceNone:
		w.Const("tool_choice", mode)
	case len(c.Names) == 1 && c.Mode == hub.ChoiceRequired:
		w.Key("tool_choice")
		w.named(tools, c.Names[0])
	default:
		w.OpenAt("tool_choice", '{')
		w.Const("type", "allowed_tools")
		w.Const("mode", mode)
		w.OpenAt("tools", '[')
		for _, name := range c.Names {
			w.named(tools, name)
		}
		w.Close(']')
		w.Close('}')
	}
}

// named names a tool by its type and name.
func (w *inputWriter) named(tools []hub.Tool, tool []byte) {
	typ := []byte("function")
	for i := range tools {
		if t := &tools[i]; bytes.Equal(t.Name, tool) {
			typ = rawjson.First(rawjson.Text(t.Meta.Of(name), "type"), typ)
		}
	}
	w.Open('{')
	w.Text("type", typ)
	w.Text("name", tool)
	w.Close('}')
}

// settings writes those of the model, without what the API refuses.
func (w *inputWriter) settings(s *hub.Settings) {
	settings.LostLongUser(s, w.losses)
	settings.Write(w.Writer, members(s))
	if string(s.Effort) == "none" {
		s.Summary = nil // there is nothing to show
	}
	w.object("reasoning", reasoning(s), nil)
	w.object("text", wording(s), &s.Format)
	settings.Lost(s, slices.Concat(members(s), reasoning(s), wording(s)), w.losses)
}

// object writes the settings inside a member, which is left out where there are none.
func (w *inputWriter) object(name string, members []settings.Member, f *hub.Format) {
	inner := inputWriter{Writer: jsonwriter.New(nil)}
	settings.Write(inner.Writer, members)
	if f != nil {
		inner.format(f)
	}
	if len(inner.Buf) == 0 {
		return
	}
	w.OpenAt(name, '{')
	w.Raw(inner.Buf)
	w.Close('}')
}

func (w *inputWriter) format(f *hub.Format) {
	if f.Kind == hub.FormatText {
		return
	}
	w.OpenAt("format", '{')
	if f.Kind == hub.FormatJSON {
		w.Const("type", "json_object")
	} else {
		w.Const("type", "json_schema")
		w.Text("name", rawjson.Or(f.Name, "answer"))
		w.TextIf("description", f.Description)
		w.ValueIf("strict", f.Strict)
		w.Value("schema", rawjson.OrNull(f.Schema))
	}
	w.Close('}')
}
