package stages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/stages"
)

func TestSubAgents(t *testing.T) {
	f := func(mode hub.SubAgentMode, want string, in ...hub.Event) {
		t.Helper()
		if got := shaped(stages.NewSubAgents(mode, nil), in...); got != want {
			t.Errorf("%s:\n got %s\nwant %s", mode, got, want)
		}
	}
	agent := say(hub.AgentStart, "", "l")
	agent.Name = []byte("finder of things")
	spawned := agent
	spawned.Ref = []byte("t")
	text := say(hub.TextDelta, "l", "p")
	text.Text = []byte("found")
	ask := say(hub.Ask, "l", "q")
	ask.Ref = []byte("hidden")
	stream := []hub.Event{
		agent, say(hub.TextStart, "l", "p"), text, say(hub.TextEnd, "l", "p"), say(hub.ToolStart, "l", "x"), ask, say(hub.AgentEnd, "", "l"),
	}
	f(hub.SubAgentsFlatten, "text.start /p; text.delta /p; text.end /p; tool.start /x; ask /q", stream...)
	f(hub.SubAgentsHide, "ask /q", stream...)
	f(hub.SubAgentsTool,
		"tool.start /delegate_1, tool.args /delegate_1, tool.ready /delegate_1; tool.output /delegate_1; ask /q; tool.end /delegate_1", stream...)

	call := []hub.Event{say(hub.ToolStart, "", "t"), say(hub.ToolReady, "", "t"), spawned, text, say(hub.AgentEnd, "", "l"), say(hub.ToolEnd, "", "t")}
	f(hub.SubAgentsTool, "tool.start /t; tool.ready /t; tool.output /t; tool.end /t", call...)
	late := []hub.Event{say(hub.ToolStart, "", "t"), say(hub.ToolReady, "", "t"), spawned, say(hub.ToolEnd, "", "t"), text, say(hub.AgentEnd, "", "l")}
	f(hub.SubAgentsTool, "tool.start /t; tool.ready /t; tool.end /t", late...)
}

// TestSubAgentsBelow: what sub-agents of sub-agents say is output of the call that stands for the first.
func TestSubAgentsBelow(t *testing.T) {
	f := func(want string, in ...hub.Event) {
		t.Helper()
		if got := shaped(stages.NewSubAgents(hub.SubAgentsTool, nil), in...); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	outer, inner := say(hub.AgentStart, "", "l"), say(hub.AgentStart, "l", "m")
	text := say(hub.TextDelta, "m", "p")
	made := "tool.start /delegate_1, tool.args /delegate_1, tool.ready /delegate_1"
	f(made+"; tool.output /delegate_1; tool.end /delegate_1", outer, inner, text, say(hub.AgentEnd, "l", "m"), say(hub.AgentEnd, "", "l"), text)
	f(made+"; tool.end /delegate_1; "+strings.ReplaceAll(made, "_1", "_2"), outer, say(hub.AgentEnd, "", "l"), outer)

	// A call stands for a sub-agent from when it is ready until it ends, and only one of the root does.
	spawned := outer
	spawned.Ref = []byte("t")
	f("tool.start /t; "+made+"; tool.end /delegate_1", say(hub.ToolStart, "", "t"), spawned, say(hub.AgentEnd, "", "l"))
	f("tool.ready /t; tool.end /t; "+made, say(hub.ToolReady, "", "t"), say(hub.ToolEnd, "", "t"), spawned)
	f("tool.ready /t; tool.output /t; tool.end /u; tool.output /t", say(hub.ToolReady, "", "t"), spawned, say(hub.TextDelta, "l", "p"), say(hub.ToolEnd, "", "u"),
		say(hub.TextDelta, "l", "p"))
}

// TestSubAgentsConcerns: files, sources and warnings of a sub-agent are for the user, its other notices, its reasoning and
// what replaces its text are not.
func TestSubAgentsConcerns(t *testing.T) {
	notice := func(level hub.Level) hub.Event {
		ev := say(hub.Notice, "l", level.String())
		ev.Level = level
		return ev
	}
	thought, again := say(hub.TextDelta, "l", "p"), say(hub.TextDelta, "l", "p")
	thought.Chan, again.Op = hub.Reasoning, hub.Replace
	in := []hub.Event{
		say(hub.File, "l", "f"), say(hub.Source, "l", "s"), notice(hub.LevelInfo), notice(hub.LevelWarning), notice(hub.LevelError), notice(hub.LevelStatus),
		thought, again, say(hub.Answer, "l", "a"), say(hub.TextDelta, "other", "p"),
	}
	for mode, want := range map[hub.SubAgentMode]string{hub.SubAgentsTool: "file /f; source /s; notice /warning; notice /error; answer /a", hub.SubAgentsHide: "answer /a"} {
		counted := 0
		if got := shaped(stages.NewSubAgents(mode, func(hub.Kind, hub.Disposition) { counted++ }), in...); got != want || counted != len(in) {
			t.Errorf("%s: got %s; %d of %d are counted", mode, got, counted, len(in))
		}
	}
}

// TestSubAgentsUsage: what a sub-agent uses is used by the run, whether it is shown or not. Which model it asks says nothing of the agent's, and what
// its session has used is that of another.
func TestSubAgentsUsage(t *testing.T) {
	for _, mode := range []hub.SubAgentMode{hub.SubAgentsTool, hub.SubAgentsHide} {
		counted := 0
		s := stages.NewSubAgents(mode, func(hub.Kind, hub.Disposition) { counted++ })
		f := func(scope hub.Scope, model, want string) {
			t.Helper()
			ev := say(hub.Usage, "l", "")
			ev.AgentSlot, ev.Scope, ev.Ref, ev.More = 1, scope, []byte("step"), &hub.More{Model: []byte(model), Usage: hub.NoCounts}
			ev.More.Usage.In = 3
			got := ""
			for _, out := range s.Push(nil, []hub.Event{ev}, 0) {
				got += fmt.Sprintf("%s of %s by %q in %q%d: %d", out.Scope, out.Ref, out.More.Model, out.SubAgent, out.AgentSlot, out.More.Usage.In)
			}
			if got != want || string(ev.More.Model) != model {
				t.Errorf("%s: got %s, want %s", mode, got, want)
			}
		}
		f(hub.StepScope, "inner", `step of step by "" in ""0: 3`)
		f(hub.StepScope, "", `step of step by "" in ""0: 3`)
		f(hub.RunScope, "inner", `run of step by "inner" in ""0: 3`)
		if f(hub.SessionScope, "", ""); counted != 1 {
			t.Errorf("%s: %d are counted as lost", mode, counted)
		}
	}
}

// TestSubAgentsResults: the end of a call has what its sub-agent said, if it has nothing of its own and that is not too long.
func TestSubAgentsResults(t *testing.T) {
	f := func(end hub.Event, want string, texts ...string) {
		t.Helper()
		s := stages.NewSubAgents(hub.SubAgentsTool, nil)
		start := say(hub.AgentStart, "", "l")
		start.Ref = []byte("t")
		out := s.Push(nil, []hub.Event{say(hub.ToolReady, "", "t"), start}, 0)
		for _, text := range texts {
			ev := say(hub.TextDelta, "l", "p")
			ev.Text = []byte(text)
			out = s.Push(out, []hub.Event{ev}, 0)
		}
		end.Kind, end.ID = hub.ToolEnd, []byte("t")
		out = s.Push(out[:0], []hub.Event{end}, 0)
		if got := string(out[0].Text); got != want {
			t.Errorf("got %d bytes %.20q, want %d bytes", len(got), got, len(want))
		}
		if again := s.Push(nil, []hub.Event{{Kind: hub.ToolEnd, ID: []byte("t")}}, 0); len(again[0].Text) > 0 {
			t.Errorf("a second end has the result once more: %.20q", again[0].Text)
		}
	}
	most := strings.Repeat("x", 64<<10)
	f(hub.Event{}, "ab", "a", "b")
	f(hub.Event{}, "")
	f(hub.Event{Text: []byte("own")}, "own", "a")
	f(hub.Event{Value: []byte("1")}, "", "a")
	f(hub.Event{More: &hub.More{}}, "a", "a")
	f(hub.Event{More: &hub.More{Content: []byte("[]")}}, "", "a")
	f(hub.Event{}, most, most, "y")
	f(hub.Event{}, "y", most+"x", "y")
}

// TestSubAgentsNames: a call is named after its agent, in 64 letters at most.
func TestSubAgentsNames(t *testing.T) {
	f := func(agent, want string) {
		t.Helper()
		start := say(hub.AgentStart, "", "l")
		start.Name = []byte(agent)
		if out := stages.NewSubAgents(hub.SubAgentsTool, nil).Push(nil, []hub.Event{start}, 0); string(out[0].Name) != want || string(out[2].Name) != want || string(out[2].Value) != "{}" {
			t.Errorf("%s: got %s, %s, %s", agent, out[0].Name, out[2].Name, out[2].Value)
		}
	}
	f("", "delegate_to_agent")
	f("azAZ09_-", "delegate_to_azAZ09_-")
	f("`{@[/:^", "delegate_to________"[:len("delegate_to_")+7])
	f(strings.Repeat("x", 100), "delegate_to_"+strings.Repeat("x", 64-len("delegate_to_")))
}

// TestSubAgentsReset: nothing of one stream is in the next.
func TestSubAgentsReset(t *testing.T) {
	s := stages.NewSubAgents(hub.SubAgentsTool, nil)
	text := say(hub.TextDelta, "l", "p")
	text.Text = []byte("old")
	spawned := say(hub.AgentStart, "", "l")
	spawned.Ref = []byte("t")
	s.Push(nil, []hub.Event{say(hub.ToolReady, "", "t"), spawned, text, say(hub.AgentStart, "", "m")}, 0)
	s.Reset()
	if out := s.Push(nil, []hub.Event{{Kind: hub.ToolEnd, ID: []byte("t")}, text}, 0); len(out) != 1 || len(out[0].Text) > 0 {
		t.Errorf("got %s, %s", spoken(out), out[0].Text)
	}
	if got := shaped(s, spawned); got != "tool.start /delegate_1, tool.args /delegate_1, tool.ready /delegate_1" {
		t.Errorf("got %s", got)
	}
}

// TestSubAgentsPasses says of what it would send on as it is.
func TestSubAgentsPasses(t *testing.T) {
	f := func(want bool, in ...hub.Event) {
		t.Helper()
		if got := stages.NewSubAgents(hub.SubAgentsTool, nil).Passes(in); got != want {
			t.Errorf("%s passes: %t", spoken(in), got)
		}
	}
	f(true)
	f(true, say(hub.TextDelta, "", "p"), say(hub.ToolArgs, "", "t"))
	f(false, say(hub.TextDelta, "l", "p"))
	f(false, say(hub.TextDelta, "", "p"), say(hub.ToolArgs, "l", "t"))
	f(false, say(hub.TextDelta, "", "p"), say(hub.TextEnd, "", "p"))
}

// TestSubAgentsMakesGoodCalls looks at the call that stands for a sub-agent.
func TestSubAgentsMakesGoodCalls(t *testing.T) {
	lost := map[string]int{}
	s := stages.NewSubAgents(hub.SubAgentsTool, func(k hub.Kind, f hub.Disposition) { lost[k.String()+" "+f.String()]++ })
	start := say(hub.AgentStart, "", "l")
	start.Name, start.Title = []byte("Recherche über ☃"), []byte(`say \"hi\"`)
	text := say(hub.TextDelta, "l", "p")
	text.Text = []byte("found")
	out := s.Push(nil, []hub.Event{start, text, say(hub.ToolStart, "l", "x"), say(hub.AgentEnd, "", "l")}, 0)
	if len(out) != 5 {
		t.Fatalf("it gives %s", spoken(out))
	}
	if name := string(out[0].Name); name != "delegate_to_Recherche___ber____" {
		t.Errorf("the call is named %s", name)
	}
	if args, value := string(out[1].Text), string(out[2].Value); args != `{\"task\":\"say \\\"hi\\\"\"}` || value != `{"task":"say \"hi\""}` {
		t.Errorf("arguments %s and %s", args, value)
	}
	if string(out[4].Text) != "found" {
		t.Errorf("the result is %s", out[4].Text)
	}
	if lost["tool.start dropped"] != 1 || lost["text.delta folded"] != 1 || lost["agent.start folded"] != 1 || lost["agent.end folded"] != 1 {
		t.Errorf("counted: %v", lost)
	}
}
