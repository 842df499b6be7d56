package policy_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/stages"
)

// streams are the fixtures of all dialects.
func streams(t *testing.T) (all []*adaptertest.Stream) {
	t.Helper()
	for _, d := range adapters.All() {
		folder := filepath.Join("..", strings.ReplaceAll(d.Name, "-", ""), "testdata")
		all = append(all, adaptertest.Streams(t, d, folder)...)
	}
	return all
}

// shaped takes a stream through the sequencer and stages, and gives normalized events in memory of their own.
func shaped(s *adaptertest.Stream, stages []hub.Stage) (out []hub.Event) {
	seq := sequencer.New(sequencer.Config{EndGrace: s.EndGrace})
	now := time.Duration(0)
	take := func(normalized []hub.Event, end bool) {
		for _, st := range stages {
			passes := false
			if p, ok := st.(hub.Passer); ok {
				passes = p.Passes(normalized)
			}
			before := adaptertest.Lines(normalized)
			next := st.Push(nil, normalized, now)
			if after := adaptertest.Lines(next); passes && after != before {
				panic("a stage that says it passes events on makes of\n" + before + after)
			}
			if end {
				next = st.Flush(next, s.Cause)
			}
			normalized = next
		}
		for i := range normalized {
			own, _ := adaptertest.CopyEvent(&normalized[i])
			out = append(out, own)
		}
	}
	for i := range s.Loose {
		now += time.Millisecond
		take(seq.Push(nil, s.Loose[i:i+1], now), false)
	}
	take(seq.Flush(nil, s.Cause), true)
	return out
}

// TestStagesKeepStreamsStrict takes every recorded stream through every stage: what comes out is normalized, says the same
// words, and is what the stage promises.
func TestStagesKeepStreamsStrict(t *testing.T) {
	all := streams(t)
	f := func(name string, s policy.Settings, promise func([]hub.Event) string) {
		t.Run(name, func(t *testing.T) {
			for _, stream := range all {
				events := shaped(stream, policy.Stages(&native.Dialect, s, nil))
				if fault := normalized(events); fault != "" {
					t.Errorf("%s: %s\n%s", stream.Name, fault, adaptertest.Lines(events))
				}
				if fault := promise(events); fault != "" {
					t.Errorf("%s: %s\n%s", stream.Name, fault, adaptertest.Lines(events))
				}
				if plain := shaped(stream, nil); s.SubAgents == hub.SubAgentsDefault && words(plain) != words(events) {
					t.Errorf("%s: says %s, want %s", stream.Name, words(events), words(plain))
				}
			}
		})
	}
	nothing := func([]hub.Event) string { return "" }
	f("linear", policy.Settings{Linear: true}, linear)
	f("coalesce", policy.Settings{Coalesce: 3 * time.Millisecond}, nothing)
	f("linear and coalesce", policy.Settings{Linear: true, Coalesce: 3 * time.Millisecond}, linear)
	f("lanes as tools", policy.Settings{SubAgents: hub.SubAgentsTool}, laneless)
	f("lanes flattened", policy.Settings{SubAgents: hub.SubAgentsFlatten}, laneless)
	f("lanes hidden", policy.Settings{SubAgents: hub.SubAgentsHide}, laneless)
	f("filter", policy.Settings{Filter: stages.FilterConfig{Classes: []hub.Class{hub.ClassPlan, hub.ClassSteps, hub.ClassUsage}}}, nothing)
}

func normalized(events []hub.Event) string {
	check := adaptertest.Checker{}
	for i := range events {
		if err := check.Event(&events[i]); err != nil {
			return err.Error()
		}
	}
	if err := check.End(); err != nil {
		return err.Error()
	}
	return ""
}

// linear says where two things are open at a time.
func linear(events []hub.Event) string {
	open := ""
	for i := range events {
		id := string(events[i].ID)
		switch events[i].Kind {
		case hub.TextStart, hub.ToolStart:
			if open != "" {
				return id + " begins inside " + open
			}
			open = id
		case hub.TextEnd, hub.ToolReady:
			open = ""
		}
	}
	return ""
}

// laneless says where there is a sub-agent.
func laneless(events []hub.Event) string {
	for i := range events {
		if k := events[i].Kind; k == hub.AgentStart || k == hub.AgentEnd || len(events[i].SubAgent) > 0 {
			return "there is a sub-agent"
		}
	}
	return ""
}

// words are the texts of a stream, part by part, and what its calls were given, in the order of their ids.
func words(events []hub.Event) string {
	var ids []string
	texts := map[string]string{}
	for i := range events {
		ev := &events[i]
		if ev.Kind == hub.TextDelta || ev.Kind == hub.ToolArgs {
			id := ev.Kind.String()[:4] + string(ev.ID)
			if _, ok := texts[id]; !ok {
				ids = append(ids, id)
			}
			texts[id] += string(ev.Text)
		}
	}
	slices.Sort(ids)
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(texts[id] + "\n")
	}
	return b.String()
}
