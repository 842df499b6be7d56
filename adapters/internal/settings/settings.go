// Package settings reads and writes the settings of a model by one table for both directions.
package settings

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A Member is a member of an object with the setting that it holds.
type Member struct {
	Name string
	At   *[]byte
	Kind byte // of the JSON value, as [rawjson.Kind] has it; of a 't' both truth values. Others are left out, but see [Take]
}

// Read takes the settings from an object.
func Read(req *hub.Request, o *rawjson.Object, members []Member) {
	for key, value := range o.All() {
		for _, m := range members {
			if string(key) == m.Name {
				Take(req, value, m.At, m.Kind)
			}
		}
	}
}

// ReadIn takes the settings from an object that is a member of a request. Anything else is the loss settings.
func ReadIn(req *hub.Request, v rawjson.Value, members []Member) {
	req.Unread.AddIf("settings", !rawjson.IsNull(v) && rawjson.Kind(v) != '{')
	o := rawjson.ReadObject(v)
	Read(req, &o, members)
}

// LostOthers notes members of an object of settings that have no place in the model, as those of a request are noted: extra. null and false
// are as good as nothing.
func LostOthers(req *hub.Request, v rawjson.Value, known func(key string) bool) {
	for key, value := range rawjson.EachField(v) {
		req.Unread.AddIf("extra", !rawjson.IsNull(value) && string(value) != "false" && !known(string(key)))
	}
}

// Knows reports whether a table has a member of that name.
func Knows(members []Member, name string) bool {
	return slices.ContainsFunc(members, func(m Member) bool { return m.Name == name })
}

// Take takes one setting of the request. A number may stand in a string, and one text in the place of a list. A value of another kind is
// the loss of that setting.
func Take(req *hub.Request, v rawjson.Value, at *[]byte, kind byte) {
	if rawjson.IsNull(v) {
		return
	}
	if known := ofKind(v, kind); known != nil {
		*at = known
		return
	}
	for i := range Known {
		req.Unread.AddIf("settings."+Known[i].Name, Known[i].Of(&req.Settings) == at)
	}
}

// TakeFormat takes the form of the answer as it was read of v, which says its type. One that is not known is a loss.
func TakeFormat(req *hub.Request, v rawjson.Value, f hub.Format) {
	req.Settings.Format = f
	req.Unread.AddIf("settings.format", f.Kind == hub.FormatText && !rawjson.IsNull(v) && string(rawjson.Text(v, "type")) != "text")
}

// TakeChoice takes the choice of tools as it was read of v. One that is not known is a loss.
func TakeChoice(req *hub.Request, v rawjson.Value, c hub.ToolChoice) {
	req.Choice = c
	req.Unread.AddIf("settings.tool_choice", c.Mode == hub.ChoiceUnset && !rawjson.IsNull(v))
}

// ofKind is a value of that kind, of a string its body; nil for any other.
func ofKind(v rawjson.Value, kind byte) []byte {
	switch {
	case kind == '0':
		return Number(v)
	case kind == '[' && rawjson.Kind(v) == '"':
		return append(append([]byte{'['}, v...), ']')
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
	l.AddIf("settings.tool_choice", req.Choice.Mode > hub.ChoiceAuto || len(req.Choice.Names) > 0)
}
