package gemini

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// AppendRequest writes a request. The model, and that a stream is wanted, are for the path.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := requestWriter{Writer: jsonwriter.New(dst), req: req, losses: l}
	system, rest := conversation.Hoist(conversation.ForModel(req.Messages, l), nil, l)
	rest = conversation.Opened(system, rest, false)
	w.Open('{')
	write := func(dst []byte) ([]byte, hub.Role) { return appendMessages(dst, rest, l) }
	if err := conversation.WriteMessages(w.Writer, "contents", req, write); err != nil {
		return nil, err
	}
	writeInstructions(w.Writer, system, l)
	w.tools()
	w.config()
	conversation.AppendExtra(w.Writer, req, dialectName)
	conversation.LostBeside(req, dialectName, l)
	w.Close('}')
	return w.Buf, nil
}

type requestWriter struct {
	*jsonwriter.Writer
	req    *hub.Request
	losses *hub.Losses
}

// tools writes all functions in one tool, and behind it the tools of Google's.
func (w *requestWriter) tools() {
	c, tools := w.req.Choice, conversation.Tools(w.req.Tools.Defs, dialectName, w.losses)
	if c.Mode != hub.ChoiceRequired {
		tools = conversation.Allowed(tools, c, w.losses) // names count for required calls only
	}
	conversation.LostStrict(tools, w.losses)
	functions, others := jsonwriter.New(nil), jsonwriter.New(nil)
	for i := range tools {
		if own := tools[i].Meta.Of(dialectName); own != nil {
			others.Raw(own)
		} else {
			writeFunction(functions, &tools[i])
		}
	}
	if len(functions.Buf)+len(others.Buf) == 0 {
		return
	}
	w.OpenAt("tools", '[')
	if len(functions.Buf) > 0 {
		w.Open('{')
		w.OpenAt("functionDeclarations", '[')
		w.Raw(functions.Buf)
		w.Close(']')
		w.Close('}')
	}
	if len(others.Buf) > 0 {
		w.Raw(others.Buf)
	}
	w.Close(']')
	if len(functions.Buf) > 0 {
		w.choice(conversation.Chosen(c, tools, w.losses))
	}
}

func writeFunction(w *jsonwriter.Writer, t *hub.Tool) {
	w.Open('{')
	w.Text("name", t.Name)
	w.TextIf("description", t.Description)
	w.ValueIf("parametersJsonSchema", t.Schema)
	w.Close('}')
}

func (w *requestWriter) choice(c hub.ToolChoice) {
	if c.Mode == hub.ChoiceUnset {
		return
	}
	w.OpenAt("toolConfig", '{')
	w.OpenAt("functionCallingConfig", '{')
	w.Const("mode", [...]string{hub.ChoiceAuto: "AUTO", hub.ChoiceNone: "NONE", hub.ChoiceRequired: "ANY"}[c.Mode])
	if c.Mode == hub.ChoiceRequired && len(c.Names) > 0 {
		w.OpenAt("allowedFunctionNames", '[')
		for _, name := range c.Names {
			w.String(name)
		}
		w.Close(']')
	}
	w.Close('}')
	w.Close('}')
}

// mostStops is how many stop sequences the API takes.
const mostStops = 5

func (w *requestWriter) config() {
	s := w.req.Settings // a copy, of which is taken away what has been seen to
	settings.MostStops(&s, mostStops, w.losses)
	settings.Seed32(&s, w.losses)
	b := jsonwriter.New(nil)
	settings.Write(b, members(&s))
	w.thinking(b, &s)
	switch s.Format.Kind {
	case hub.FormatSchema:
		b.Const("responseMimeType", mediaJSON)
		b.ValueIf("responseJsonSchema", s.Format.Schema)
		settings.LostLabels(&s.Format, w.losses)
	case hub.FormatJSON:
		b.Const("responseMimeType", mediaJSON)
	}
	s.Effort, s.Budget, s.Summary = nil, nil, nil
	settings.Lost(&s, members(&s), w.losses)
	if len(b.Buf) > 0 {
		w.OpenAt("generationConfig", '{')
		w.Raw(b.Buf)
		w.Close('}')
	}
}

// thinking writes a budget or a level: the API takes one of them. Thoughts are asked for, as whoever wants them has often no other
// way to say so.
func (w *requestWriter) thinking(b *jsonwriter.Writer, s *hub.Settings) {
	budget, level := s.Budget, ""
	switch effort := string(s.Effort); effort {
	case "":
	case "none":
		w.losses.AddIf("settings.budget", budget != nil)
		budget = []byte("0")
	default:
		if budget == nil {
			budget, level = w.effort(effort)
		} else {
			w.losses.Add("settings.effort")
		}
	}
	if budget == nil && level == "" && len(s.Summary) == 0 {
		return
	}
	b.OpenAt("thinkingConfig", '{')
	if n, ok := rawjson.Int(budget); !ok || n != 0 {
		b.Bool("includeThoughts", true)
	} else {
		w.losses.AddIf("settings.budget", s.Budget != nil)
	}
	if level != "" {
		b.Const("thinkingLevel", level)
	}
	b.ValueIf("thinkingBudget", budget)
	b.Close('}')
}

// effort is the level for an effort, or the budget: models before Gemini 3 know no levels. The numbers are those of Google's own
// endpoint for clients of OpenAI.
func (w *requestWriter) effort(effort string) (budget []byte, level string) {
	e, known := efforts[effort]
	older := bytes.Contains(w.req.Model, []byte("gemini-2"))
	w.losses.AddIf("settings.effort", !known || older || e.less)
	switch {
	case !known:
		return nil, ""
	case older:
		return []byte(e.budget), ""
	}
	return nil, e.level
}

// efforts are the levels and budgets of efforts; less says that the level is not all that is asked for.
var efforts = map[string]struct {
	level, budget string
	less          bool
}{
	"minimal": {"MINIMAL", "1024", false},
	"low":     {"LOW", "1024", false},
	"medium":  {"MEDIUM", "8192", false},
	"high":    {"HIGH", "24576", false},
	"xhigh":   {"HIGH", "24576", true},
	"max":     {"HIGH", "24576", true},
}
