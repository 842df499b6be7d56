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
	Kind byte // of the JSON value, as [rawjson.Kind] has it; of a 't' both truth values. Others are left out
}

// Read takes the settings from an object.
func Read(v rawjson.Value, members []Member) {
	for key, value := range rawjson.EachField(v) {
		for _, m := range members {
			if string(key) == m.Name && fits(value, m.Kind) {
				*m.At = value
				if m.Kind == '"' {
					*m.At = rawjson.Body(value)
				}
			}
		}
	}
}

func fits(v rawjson.Value, kind byte) bool {
	got := rawjson.Kind(v)
	return got == kind || kind == 't' && got == 'f'
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

// Lost notes the settings that a table has no member for.
func Lost(s *hub.Settings, members []Member, l *hub.Losses) {
	for _, m := range All(s) {
		if len(*m.At) > 0 && !has(members, m.At) {
			l.Add("settings." + m.Name)
		}
	}
}

func has(members []Member, at *[]byte) bool {
	for _, m := range members {
		if m.At == at {
			return true
		}
	}
	return false
}

// All lists every setting by the name under which its loss is counted.
func All(s *hub.Settings) []Member {
	return []Member{
		{"max_tokens", &s.MaxTokens, '0'},
		{"temperature", &s.Temperature, '0'},
		{"top_p", &s.TopP, '0'},
		{"top_k", &s.TopK, '0'},
		{"seed", &s.Seed, '0'},
		{"frequency_penalty", &s.FrequencyPenalty, '0'},
		{"presence_penalty", &s.PresencePenalty, '0'},
		{"choices", &s.Choices, '0'},
		{"stop", &s.Stop, '['},
		{"parallel_calls", &s.ParallelCalls, 't'},
		{"effort", &s.Effort, '"'},
		{"budget", &s.Budget, '0'},
		{"user", &s.User, '"'},
	}
}

// LostAll notes the settings, the form of the answer and the choice of tools, for agents that settle these themselves.
func LostAll(req *hub.Request, l *hub.Losses) {
	Lost(&req.Settings, nil, l)
	l.AddIf("settings.format", req.Settings.Format.Kind != hub.FormatText)
	l.AddIf("settings.tool_choice", req.Choice.Mode > hub.ChoiceAuto)
}
