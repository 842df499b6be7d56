// Package settings reads and writes the settings of a model by one table for both directions.
package settings

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A Member is a member of an object with the setting that it holds.
type Member struct {
	Name string
	At   *[]byte
	Kind byte // of the JSON value, as [rawjson.Kind] has it; of a 't' both truth values. Others are left out, but for numbers in strings
}

// Read takes the settings from an object.
func Read(o *rawjson.Object, members []Member) {
	for key, value := range o.All() {
		for _, m := range members {
			if string(key) != m.Name {
				continue
			}
			if v := ofKind(value, m.Kind); v != nil {
				*m.At = v
			}
		}
	}
}

// ofKind is a value of that kind, of a string its body; nil for any other.
func ofKind(v rawjson.Value, kind byte) []byte {
	switch {
	case kind == '0':
		return Number(v)
	case rawjson.OfKind(v, kind) == nil:
		return nil
	case kind == '"':
		return rawjson.Body(v)
	}
	return v
}

// Number is a number, also one in a string, as protobuf has it in JSON and some servers take it; nil for any other value.
func Number(v rawjson.Value) rawjson.Value {
	if text, isText := rawjson.Str(v); isText {
		v, _ = rawjson.ValueOfText(nil, text)
	}
	return rawjson.OfKind(v, '0')
}

// Write writes the settings that are there.
func Write(w *jsonwriter.Writer, members []Member) {
	for _, m := range members {
		if m.Kind == '"' {
			w.TextIf(m.Name, *m.At)
		} else {
			w.ValueIf(m.Name, *m.At)
		}
	}
}

// Lost notes the settings that a table has no member for. One answer is what there is without saying so.
func Lost(s *hub.Settings, members []Member, l *hub.Losses) {
	for i := range Known {
		at := Known[i].Of(s)
		if len(*at) > 0 && !has(members, at) && !(at == &s.Choices && string(*at) == "1") {
			l.Add("settings." + Known[i].Name)
		}
	}
}

// LostLabels notes what the form of an answer is called and described as, for agents that take its schema alone.
func LostLabels(f *hub.Format, l *hub.Losses) {
	l.AddIf("settings.format.name", len(f.Name) > 0)
	l.AddIf("settings.format.description", len(f.Description) > 0)
}

func has(members []Member, at *[]byte) bool {
	for _, m := range members {
		if m.At == at {
			return true
		}
	}
	return false
}

// A Setting is one of the model, by the name under which its loss is counted.
type Setting struct {
	Name string
	Of   func(*hub.Settings) *[]byte
	Kind byte // as that of a [Member]
}

// Known are all settings.
var Known = []Setting{
	{"max_tokens", func(s *hub.Settings) *[]byte { return &s.MaxTokens }, '0'},
	{"temperature", func(s *hub.Settings) *[]byte { return &s.Temperature }, '0'},
	{"top_p", func(s *hub.Settings) *[]byte { return &s.TopP }, '0'},
	{"top_k", func(s *hub.Settings) *[]byte { return &s.TopK }, '0'},
	{"seed", func(s *hub.Settings) *[]byte { return &s.Seed }, '0'},
	{"frequency_penalty", func(s *hub.Settings) *[]byte { return &s.FrequencyPenalty }, '0'},
	{"presence_penalty", func(s *hub.Settings) *[]byte { return &s.PresencePenalty }, '0'},
	{"choices", func(s *hub.Settings) *[]byte { return &s.Choices }, '0'},
	{"stop", func(s *hub.Settings) *[]byte { return &s.Stop }, '['},
	{"parallel_calls", func(s *hub.Settings) *[]byte { return &s.ParallelCalls }, 't'},
	{"effort", func(s *hub.Settings) *[]byte { return &s.Effort }, '"'},
	{"budget", func(s *hub.Settings) *[]byte { return &s.Budget }, '0'},
	{"user", func(s *hub.Settings) *[]byte { return &s.User }, '"'},
	{"verbosity", func(s *hub.Settings) *[]byte { return &s.Verbosity }, '"'},
	{"summary", func(s *hub.Settings) *[]byte { return &s.Summary }, '"'},
}

// All are the settings of s.
func All(s *hub.Settings) []Member {
	all := make([]Member, len(Known))
	for i, k := range Known {
		all[i] = Member{k.Name, k.Of(s), k.Kind}
	}
	return all
}

// LostAll notes the settings, the form of the answer and the choice of tools, for agents that settle these themselves.
func LostAll(req *hub.Request, l *hub.Losses) {
	Lost(&req.Settings, nil, l)
	l.AddIf("settings.format", req.Settings.Format.Kind != hub.FormatText)
	l.AddIf("settings.tool_choice", req.Choice.Mode > hub.ChoiceAuto)
}
