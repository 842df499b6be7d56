package anthropic

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

const (
	// defaultMaxTokens is how long an answer may be where the client does not say: the API wants a number, and this is what every
	// model since Claude 4 can give at least. Claude Code sends the same.
	defaultMaxTokens = 32000
	// minBudget is the least that the API takes for reasoning.
	minBudget = 1024
	// unbounded, as a budget, leaves it to the model how much it thinks.
	unbounded = -1
)

// settings writes the settings. What the API refuses together is decided here: a tool that must be called goes before
// reasoning, reasoning before the sampling of tokens, and temperature before top_p.
func (w *requestWriter) settings(ms []hub.Message) {
	s := w.req.Settings // a copy, of which is taken away what cannot be written
	if s.MaxTokens == nil {
		s.MaxTokens = strconv.AppendInt(nil, defaultMaxTokens, 10)
	}
	thinks := w.thinking(&s, ms)
	w.output(&s)
	w.sampling(&s, thinks)
	if thinks || string(s.Effort) == "none" {
		s.Summary = nil // thoughts are in the answer as the model shows them, or there are none
	}
	s.Stop = w.stops(s.Stop)
	settings.Write(w.Writer, members(&s))
	if len(s.User) > 0 {
		w.OpenAt("metadata", '{')
		w.Text("user_id", s.User)
		w.Close('}')
	}
	s.Effort, s.Budget, s.User, s.ParallelCalls = nil, nil, nil, nil // have been seen to
	settings.Lost(&s, members(&s), w.losses)
}

// thinking writes how the model reasons, and reports whether it does so as far as the request tells.
func (w *requestWriter) thinking(s *hub.Settings, ms []hub.Message) bool {
	most, _ := rawjson.Int(s.MaxTokens)
	budget, isNumber := rawjson.Int(s.Budget)
	kind := ""
	switch {
	case string(s.Effort) == "none":
		kind = "disabled"
		w.losses.AddIf("settings.budget", len(s.Budget) > 0)
	case isNumber && budget == 0:
		kind = "disabled"
	case w.forced || budget > 0 && (most <= minBudget || needsThought(ms)):
		w.losses.AddIf("settings.budget", len(s.Budget) > 0)
	case isNumber && budget > 0:
		w.budget(budget, most)
		return true
	case isNumber && budget == unbounded || len(s.Effort) > 0:
		kind = "adaptive"
	}
	if kind != "" {
		w.OpenAt("thinking", '{')
		w.Const("type", kind)
		w.Close('}')
	}
	return kind == "adaptive"
}

// budget writes how many tokens are for reasoning: some, and fewer than for all.
func (w *requestWriter) budget(n, most int64) {
	fits := min(max(n, minBudget), most-1)
	w.losses.AddIf("settings.budget", fits != n)
	w.OpenAt("thinking", '{')
	w.Const("type", "enabled")
	w.Value("budget_tokens", strconv.AppendInt(nil, fits, 10))
	w.Close('}')
}

// needsThought reports that the conversation ends in results of calls before which no signed reasoning stands. The API refuses
// to reason with a budget then, as it begins such a turn with its reasoning. Without a budget it does not.
func needsThought(ms []hub.Message) bool {
	called := false
	for i := len(ms) - 1; i >= 0 && ms[i].Role != hub.RoleUser; i-- {
		for j := range ms[i].Parts {
			switch p := &ms[i].Parts[j]; p.Kind {
			case hub.PartReasoning:
				if len(p.Sig) > 0 {
					return false
				}
			case hub.PartCall:
				called = true
			}
		}
	}
	return called
}

// output writes the effort and the form of the answer.
func (w *requestWriter) output(s *hub.Settings) {
	b := jsonwriter.New(nil)
	if effort := settings.LowToMax(s.Effort, w.losses); effort != "" {
		b.Const("effort", effort)
	}
	w.format(b, &s.Format)
	if len(b.Buf) == 0 {
		return
	}
	w.OpenAt("output_config", '{')
	w.Raw(b.Buf)
	w.Close('}')
}

func (w *requestWriter) format(b *jsonwriter.Writer, f *hub.Format) {
	if f.Kind == hub.FormatText {
		return
	}
	if f.Kind != hub.FormatSchema || rawjson.Kind(f.Schema) != '{' {
		w.losses.Add("settings.format")
		return
	}
	settings.LostLabels(f, w.losses)
	b.OpenAt("format", '{')
	b.Const("type", "json_schema")
	b.Value("schema", conversation.FormatSchema(f.Schema, w.losses))
	b.Close('}')
}

// sampling takes away what the API does not take. Its temperatures end at 1.
func (w *requestWriter) sampling(s *hub.Settings, thinks bool) {
	drop := func(name string, at *[]byte) {
		w.losses.AddIf("settings."+name, *at != nil)
		*at = nil
	}
	if thinks {
		drop("temperature", &s.Temperature)
		drop("top_k", &s.TopK)
		drop("top_p", &s.TopP)
	}
	if s.Temperature != nil {
		drop("top_p", &s.TopP)
	}
	settings.MostTemperature(s, 1, w.losses)
}

// stops leaves out what is only white space: the API refuses it.
func (w *requestWriter) stops(list rawjson.Value) rawjson.Value {
	if list == nil {
		return nil
	}
	b := jsonwriter.New(nil)
	b.Open('[')
	for v := range rawjson.Each(list) {
		if text, ok := rawjson.Str(v); ok && !conversation.Blank(text) {
			b.Raw(v)
		} else {
			w.losses.Add("settings.stop")
		}
	}
	b.Close(']')
	if len(b.Buf) == len("[]") {
		return nil
	}
	return b.Buf
}
