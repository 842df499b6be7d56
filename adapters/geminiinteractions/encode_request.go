package geminiinteractions

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// AppendRequest writes a request. The server is to remember nothing, unless the client counts on what it remembers.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := requestWriter{Writer: jsonwriter.New(dst), req: req, losses: l, extra: rawjson.ReadObject(req.Extra.Of(dialectName))}
	ms := conversation.WithoutSealed(conversation.Ready(req.Messages), l)
	if !req.Partial || len(req.Previous) == 0 { // else the server has the calls
		ms = conversation.WithoutLone(ms, l)
	}
	system, rest := conversation.Hoist(ms, nil, l)
	rest = conversation.Opened(system, rest, req.Partial)
	w.Open('{')
	agent := len(rawjson.Text(req.Call, callAgent)) > 0 || req.Upstream.EnumOr(optionAsks, asksModel) == asksAgent
	w.TextIf(map[bool]string{true: asksAgent, false: asksModel}[agent], req.Model)
	w.instructions(system)
	write := func(dst []byte) ([]byte, hub.Role) { return appendMessages(dst, rest, l) }
	if err := conversation.WriteMessages(w.Writer, "input", req, write); err != nil {
		return nil, err
	}
	if calls := w.tools(); agent {
		settings.LostAll(req, l)
	} else {
		w.config(calls)
		w.format()
	}
	w.memory()
	for key, v := range w.extra.All() {
		if name := string(key); name != memberConfig && name != memberFormat {
			w.Value(name, v)
		}
	}
	conversation.LostBeside(req, dialectName, l)
	w.Bool("stream", !req.AskWhole && !background.Wants(req.Upstream))
	w.Close('}')
	return w.Buf, nil
}

type requestWriter struct {
	*jsonwriter.Writer
	req    *hub.Request
	losses *hub.Losses
	extra  rawjson.Object // of this dialect
}

// instructions writes the texts of system messages. What is no text has no place there.
func (w *requestWriter) instructions(system []hub.Message) {
	conversation.LostParts(system, w.losses)
	w.TextIf("system_instruction", conversation.AppendTexts(nil, system, `\n\n`))
}

// memory says what the server remembers, and what it is to remember: what runs in the background is asked for later.
func (w *requestWriter) memory() {
	previous := w.req.Partial && len(w.req.Previous) > 0
	if previous {
		w.Text(callPrevious, w.req.Previous)
	}
	switch {
	case background.Wants(w.req.Upstream):
		w.Bool(optionBackground, true)
		w.Bool("store", true)
	case !previous:
		w.Bool("store", false)
	}
}

// tools writes the tools, and reports whether functions are among them.
func (w *requestWriter) tools() (functions bool) {
	tools := conversation.Tools(w.req.Tools.Defs, dialectName, w.losses)
	if len(tools) == 0 {
		return false
	}
	conversation.LostStrict(tools, w.losses)
	w.OpenAt("tools", '[')
	for i := range tools {
		t := &tools[i]
		if own := t.Meta.Of(dialectName); own != nil {
			w.Raw(own)
			continue
		}
		functions = true
		w.Open('{')
		w.Const("type", "function")
		w.Text("name", t.Name)
		w.TextIf("description", t.Description)
		w.ValueIf("parameters", t.Schema)
		w.Close('}')
	}
	w.Close(']')
	return functions
}

// mostStops is how many stop sequences the API takes, as generateContent does.
const mostStops = 5

// config writes the settings of the model, unless there are none. A choice of functions is refused where there are none.
func (w *requestWriter) config(functions bool) {
	s := w.req.Settings // a copy, of which is taken away what has been seen to
	settings.MostStops(&s, mostStops, w.losses)
	settings.Seed32(&s, w.losses)
	settings.EffortForBudget(&s, w.req.Upstream, w.losses)
	b := jsonwriter.New(nil)
	w.thinking(&s)
	settings.Write(b, members(&s))
	summarized := len(s.Effort)+len(s.Summary) > 0
	if s.Summary = nil; summarized {
		b.Const(memberSummaries, "auto")
	}
	if functions {
		writeChoice(b, conversation.Chosen(w.req.Choice, conversation.Tools(w.req.Tools.Defs, dialectName, w.losses), w.losses))
	} else {
		w.losses.AddIf("settings.tool_choice", w.req.Choice.Mode == hub.ChoiceRequired)
	}
	for key, v := range rawjson.EachField(w.extra.Get(memberConfig)) {
		if string(key) != memberSummaries || !summarized {
			b.Value(string(key), v)
		}
	}
	settings.Lost(&s, members(&s), w.losses)
	if len(b.Buf) > 0 {
		w.OpenAt(memberConfig, '{')
		w.Raw(b.Buf)
		w.Close('}')
	}
}

// levels are the levels of thinking for efforts; less says that the level is not what is asked for.
var levels = map[string]struct {
	level string
	less  bool
}{
	"none": {"minimal", true}, "minimal": {"minimal", false}, "low": {"low", false}, "medium": {"medium", false}, "high": {"high", false},
	"xhigh": {"high", true}, "max": {"high", true},
}

// thinking makes a level of the effort. The API takes no budget.
func (w *requestWriter) thinking(s *hub.Settings) {
	if len(s.Effort) == 0 {
		return
	}
	l, known := levels[string(s.Effort)]
	w.losses.AddIf("settings.effort", !known || l.less)
	s.Effort = []byte(l.level)
}

func writeChoice(w *jsonwriter.Writer, c hub.ToolChoice) {
	mode := [...]string{hub.ChoiceAuto: "auto", hub.ChoiceNone: "none", hub.ChoiceRequired: "any"}[c.Mode]
	switch {
	case c.Mode == hub.ChoiceUnset:
	case len(c.Names) == 0 || c.Mode == hub.ChoiceNone:
		w.Const("tool_choice", mode)
	default:
		w.OpenAt("tool_choice", '{')
		w.OpenAt("allowed_tools", '{')
		w.Const("mode", mode)
		w.OpenAt("tools", '[')
		for _, name := range c.Names {
			w.String(name)
		}
		w.Close(']')
		w.Close('}')
		w.Close('}')
	}
}

// format writes the form of the answer: one, or a list with those that only this API has.
func (w *requestWriter) format() {
	f, others := &w.req.Settings.Format, w.extra.Get(memberFormat)
	text := jsonwriter.New(nil)
	if f.Kind != hub.FormatText {
		text.Open('{')
		text.Const("type", "text")
		text.Const("mime_type", mediaJSON)
		text.ValueIf("schema", f.Schema)
		text.Close('}')
		settings.LostLabels(f, w.losses)
	}
	switch {
	case others != nil:
		w.OpenAt(memberFormat, '[')
		if len(text.Buf) > 0 {
			w.Raw(text.Buf)
		}
		for v := range rawjson.Each(others) {
			w.Raw(v)
		}
		w.Close(']')
	case len(text.Buf) > 0:
		w.Value(memberFormat, text.Buf)
	}
}
