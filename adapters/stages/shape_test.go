package stages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/stages"
)

// shaped pushes events one at a time, in buffers that are overwritten after each call, and says what comes out.
func shaped(stage hub.Stage, in ...hub.Event) string {
	var got []string
	for _, ev := range in {
		mem := make([]byte, 0, 256)
		for _, p := range []*[]byte{&ev.SubAgent, &ev.ID, &ev.Ref, &ev.Name, &ev.Text} {
			n := len(mem)
			mem = append(mem, *p...)
			*p = mem[n:len(mem):len(mem)]
		}
		if out := stage.Push(nil, []hub.Event{ev}, 0); len(out) > 0 {
			got = append(got, spoken(out))
		}
		for i := range mem {
			mem[i] = '!'
		}
	}
	if out := stage.Flush(nil, nil); len(out) > 0 {
		got = append(got, "flush: "+spoken(out))
	}
	return strings.Join(got, "; ")
}

func TestLinearStage(t *testing.T) {
	f := func(name, want string, in ...hub.Event) {
		t.Helper()
		if got := shaped(stages.NewLinear(0), in...); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	start := func(subAgent, id string) hub.Event { return say(hub.TextStart, subAgent, id) }
	delta := func(subAgent, id string) hub.Event { return say(hub.TextDelta, subAgent, id) }
	end := func(subAgent, id string) hub.Event { return say(hub.TextEnd, subAgent, id) }

	f("nothing waits in a linear stream", "text.start /a; text.delta /a; text.end /a; tool.start /t; tool.ready /t; tool.end /t",
		start("", "a"), delta("", "a"), end("", "a"), say(hub.ToolStart, "", "t"), say(hub.ToolReady, "", "t"), say(hub.ToolEnd, "", "t"))
	f("a second part waits for the first",
		"text.start /a; text.delta /a; text.end /a, text.start l/b, text.delta l/b; text.end l/b",
		start("", "a"), start("l", "b"), delta("", "a"), delta("l", "b"), end("", "a"), end("l", "b"))
	f("arguments side by side come one after the other",
		"tool.start /t; tool.args /t; tool.ready /t, tool.start /u, tool.args /u; tool.ready /u",
		say(hub.ToolStart, "", "t"), say(hub.ToolStart, "", "u"), say(hub.ToolArgs, "", "t"), say(hub.ToolArgs, "", "u"),
		say(hub.ToolReady, "", "t"), say(hub.ToolReady, "", "u"))
	f("what came between keeps its place among what waits",
		"text.start /a; text.end /a, text.start l/b, text.end l/b, notice /n, text.start l/c; text.end l/c",
		start("", "a"), start("l", "b"), say(hub.Notice, "", "n"), end("l", "b"), start("l", "c"), end("", "a"), end("l", "c"))
	f("a call runs on while others speak", "tool.start /t; tool.ready /t; text.start l/a; text.end l/a, tool.output /t; tool.end /t",
		say(hub.ToolStart, "", "t"), say(hub.ToolReady, "", "t"), start("l", "a"), say(hub.ToolOutput, "", "t"), end("l", "a"), say(hub.ToolEnd, "", "t"))
	cited := say(hub.Source, "", "s")
	cited.Ref = []byte("a")
	f("a citation stands in its text", "text.start /a; source /s; text.delta /a; text.end /a, source /o",
		start("", "a"), cited, say(hub.Source, "", "o"), delta("", "a"), end("", "a"))
	f("the end lets everything go", "text.start /a; flush: text.start l/b, text.delta l/b", start("", "a"), start("l", "b"), delta("l", "b"))
}

// TestLinearStageJoins joins the deltas of each part that waits, up to a size, and nothing that stands between two others.
func TestLinearStageJoins(t *testing.T) {
	args := func(id, text string) hub.Event {
		ev := say(hub.ToolArgs, "", id)
		ev.Text = []byte(text)
		return ev
	}
	f := func(name, want string, in ...hub.Event) {
		t.Helper()
		l := stages.NewLinear(0)
		l.Push(nil, []hub.Event{say(hub.ToolStart, "", "t")}, 0)
		var got []string
		for i := range in {
			for _, ev := range l.Push(nil, in[i:i+1], 0) {
				t.Errorf("%s: %s does not wait", name, ev.Text)
			}
			if in[i].Text != nil {
				copy(in[i].Text, "!!!!!!!!")
			}
		}
		for _, ev := range l.Flush(nil, nil) {
			got = append(got, string(ev.ID)+":"+string(ev.Text[:min(len(ev.Text), 8)]))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	f("of one part", "u:abc", args("u", "a"), args("u", "b"), args("u", "c"))
	f("of two by turns", "u:ac v:bd", args("u", "a"), args("v", "b"), args("u", "c"), args("v", "d"))
	f("something between", "u:a n: u:b", args("u", "a"), say(hub.Notice, "", "n"), args("u", "b"))
	f("its end between", "u:a u: u:b", args("u", "a"), say(hub.ToolReady, "", "u"), args("u", "b"))
	f("another kind", "u:a u:b", args("u", "a"), func() hub.Event { ev := args("u", "b"); ev.Kind = hub.TextDelta; return ev }())
	output := func(text string) hub.Event { ev := args("u", text); ev.Kind = hub.ToolOutput; return ev }
	f("of one tool's output", "u:ab", output("a"), output("b"))
	f("another channel", "u:a u:b", output("a"), func() hub.Event { ev := output("b"); ev.Chan = hub.Stderr; return ev }())
	f("another status", "u:a u:b", output("a"), func() hub.Event { ev := output("b"); ev.Status = hub.StatusRunning; return ev }())
	f("output that is no text", "u:a u:", output("a"), func() hub.Event { ev := output(""); ev.Value = []byte("{}"); return ev }())
	f("with times", "u:ab", args("u", "a"), func() hub.Event { ev := args("u", "b"); ev.More = &hub.More{Time: 7}; return ev }())
	f("with metadata", "u:a u:b", args("u", "a"), func() hub.Event { ev := args("u", "b"); ev.More = &hub.More{Meta: []byte("{}")}; return ev }())
	large := strings.Repeat("x", 4<<10)
	f("what is large", "u:a u:xxxxxxxx", args("u", "a"), args("u", large))
}

// TestLinearStagePasses says of what it would send on as it is.
func TestLinearStagePasses(t *testing.T) {
	l := stages.NewLinear(0)
	f := func(want bool, in ...hub.Event) {
		t.Helper()
		if got := l.Passes(in); got != want {
			t.Errorf("%s passes: %t", spoken(in), got)
		}
	}
	a, b := say(hub.TextDelta, "", "a"), say(hub.TextDelta, "", "b")
	f(true)
	f(false, a)
	push := func(ev hub.Event) { l.Push(nil, []hub.Event{ev}, 0) }
	push(say(hub.TextStart, "", "a"))
	f(true)
	f(true, a, a)
	f(false, b)
	f(false, a, b)
	f(false, a, say(hub.TextEnd, "", "a"))
	push(say(hub.TextEnd, "", "a"))
	f(false, a)
	push(say(hub.ToolStart, "", "a"))
	f(false, a)
	f(true)
}

// TestLinearStageIsBounded lets go early what does not fit, and counts it.
func TestLinearStageIsBounded(t *testing.T) {
	l := stages.NewLinear(4)
	in := []hub.Event{say(hub.TextStart, "", "a"), say(hub.Notice, "", "nn"), say(hub.Notice, "", "mmm")}
	if got := shaped(l, in...); got != "text.start /a; notice /nn; flush: notice /mmm" || l.Early != 1 {
		t.Errorf("%s; %d left early", got, l.Early)
	}
	if l.Reset(); l.Early != 0 || shaped(l, in[1]) != "notice /nn" {
		t.Error("Reset leaves something")
	}
}

func TestCoalesceStage(t *testing.T) {
	text := func(id, s string) hub.Event {
		ev := say(hub.TextDelta, "", id)
		ev.Text = []byte(s)
		return ev
	}
	c := stages.NewCoalesce(10 * time.Millisecond)
	texts := func(evs []hub.Event) string {
		var words []string
		for i := range evs {
			words = append(words, string(evs[i].ID)+":"+string(evs[i].Text))
		}
		return strings.Join(words, " ")
	}
	push := func(want string, now time.Duration, in ...hub.Event) {
		t.Helper()
		if got := texts(c.Push(nil, in, now)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	push("", 0, text("a", "one "), text("a", "two "))
	if at, ok := c.Deadline(); !ok || at != 10*time.Millisecond {
		t.Errorf("due at %v, %v", at, ok)
	}
	push("", 5*time.Millisecond, text("a", "three"))
	if got := texts(c.Tick(nil, 9*time.Millisecond)); got != "" {
		t.Errorf("too early: %s", got)
	}
	if got := texts(c.Tick(nil, 10*time.Millisecond)); got != "a:one two three" {
		t.Errorf("due: %s", got)
	}
	if _, ok := c.Deadline(); ok {
		t.Error("something is due when nothing is held")
	}
	push("a:x", 0, text("a", "x"), text("b", "y"))
	push("b:y n:", 1, say(hub.Notice, "", "n"))
	push("", 20*time.Millisecond, text("a", "1"))
	push("a:1", 40*time.Millisecond, text("a", "2"))
	full := text("a", "x")
	full.Op = hub.Replace
	push("a:2 a:x", 40*time.Millisecond, full)
	push("", 40*time.Millisecond, text("a", "end"))
	if got := texts(c.Flush(nil, nil)); got != "a:end" {
		t.Errorf("flush: %s", got)
	}
	push("a:"+strings.Repeat("x", 5000), 0, text("a", strings.Repeat("x", 5000)))

	// A delta as long as what may be held does not wait, and what is held is never longer than that.
	most := strings.Repeat("x", 4<<10)
	push("a:"+most, 0, text("a", most))
	push("", 0, text("a", most[1:]))
	push("", 0, text("a", "x"))
	push("a:"+most, 0, text("a", "y"))
	push("a:y n:", 0, say(hub.Notice, "", "n"))
	more := text("a", "z")
	more.More = &hub.More{Meta: []byte("{}")}
	push("a:z", 0, more)
	timed := text("a", "at a ")
	timed.More = &hub.More{Time: 7}
	push("", 0, timed, text("a", "time"))
	if got := c.Flush(nil, nil); texts(got) != "a:at a time" || got[0].Rare().Time != 7 {
		t.Errorf("%s at %d", texts(got), got[0].Rare().Time)
	}
}

func TestFilterStage(t *testing.T) {
	f := func(cfg stages.FilterConfig, want string, in ...hub.Event) {
		t.Helper()
		dropped := 0
		cfg.Count = func(_ hub.Kind, f hub.Disposition) {
			if f == hub.Dropped {
				dropped++
			}
		}
		got := shaped(stages.NewFilter(cfg), in...)
		if got != want {
			t.Errorf("%v:\n got %s\nwant %s", cfg, got, want)
		}
		if kept := len(strings.FieldsFunc(got, func(r rune) bool { return r == ';' || r == ',' })); kept+dropped != len(in) {
			t.Errorf("%d events, of which %d are kept and %d counted as dropped", len(in), kept, dropped)
		}
	}
	thought, answer := say(hub.TextStart, "", "r"), say(hub.TextStart, "", "a")
	thought.Chan = hub.Reasoning
	tool := func(name string, flags hub.Flags) hub.Event {
		ev := say(hub.ToolStart, "", "t")
		ev.Name, ev.Flags = []byte(name), flags
		return ev
	}
	data := say(hub.Data, "", "d")
	data.Name = []byte("app.state")
	ask := say(hub.Ask, "", "q")
	ask.Ref = []byte("t")

	f(stages.FilterConfig{Classes: []hub.Class{hub.ClassReasoning}}, "text.start /a; text.delta /a; text.end /a",
		thought, say(hub.TextDelta, "", "r"), say(hub.TextEnd, "", "r"), answer, say(hub.TextDelta, "", "a"), say(hub.TextEnd, "", "a"))
	f(stages.FilterConfig{Tools: []string{"internal_*"}}, "ask /q; run.end /",
		tool("internal_x", 0), say(hub.ToolArgs, "", "t"), say(hub.ToolReady, "", "t"), ask, say(hub.ToolOutput, "", "t"), say(hub.ToolEnd, "", "t"), say(hub.RunEnd, "", ""))
	f(stages.FilterConfig{Tools: []string{"*"}}, "", tool("internal_x", 0), say(hub.ToolReady, "", "t"))
	f(stages.FilterConfig{Tools: []string{""}}, "tool.start /t; tool.ready /t", tool("x", 0), say(hub.ToolReady, "", "t"))
	f(stages.FilterConfig{Tools: []string{"internal"}}, "tool.start /t; tool.ready /t", tool("internal_x", 0), say(hub.ToolReady, "", "t"))
	f(stages.FilterConfig{Classes: []hub.Class{hub.ClassTools}}, "tool.start /t; tool.ready /t", tool("x", hub.ClientRuns), say(hub.ToolReady, "", "t"))
	f(stages.FilterConfig{Classes: []hub.Class{hub.ClassTools}}, "", tool("x", 0), say(hub.ToolReady, "", "t"))
	f(stages.FilterConfig{Classes: []hub.Class{hub.ClassProgress}}, "tool.start /t; tool.end /t", tool("x", 0), say(hub.ToolOutput, "", "t"), say(hub.ToolEnd, "", "t"))
	f(stages.FilterConfig{Data: []string{"app.*"}}, "plan /", data, say(hub.Plan, "", ""))
	f(stages.FilterConfig{Classes: []hub.Class{hub.ClassPlan, hub.ClassUsage}}, "data /d", data, say(hub.Plan, "", ""), say(hub.Usage, "", ""))

	// An id says nothing any more when what it named has ended.
	f(stages.FilterConfig{Tools: []string{"internal_*"}}, "tool.start /t; tool.ready /t; tool.end /t",
		tool("internal_x", 0), say(hub.ToolEnd, "", "t"), tool("x", 0), say(hub.ToolReady, "", "t"), say(hub.ToolEnd, "", "t"))
	f(stages.FilterConfig{Classes: []hub.Class{hub.ClassReasoning}}, "text.start /r; text.delta /r; text.end /r",
		thought, say(hub.TextEnd, "", "r"), say(hub.TextStart, "", "r"), say(hub.TextDelta, "", "r"), say(hub.TextEnd, "", "r"))
	f(stages.FilterConfig{Tools: []string{"*"}}, "ask /q", say(hub.Ask, "", "q"))
}

// TestFilterAsk: a question about a call that is hidden names none.
func TestFilterAsk(t *testing.T) {
	for _, id := range []string{"t", "tool"} {
		hidden, ask, other := say(hub.ToolStart, "", id), say(hub.Ask, "", "q"), say(hub.Ask, "", "r")
		ask.Ref, other.Ref = []byte(id), []byte(id+"2")
		out := stages.NewFilter(stages.FilterConfig{Classes: []hub.Class{hub.ClassTools}}).Push(nil, []hub.Event{hidden, ask, other}, 0)
		if len(out) != 2 || out[0].Ref != nil || string(out[1].Ref) != id+"2" {
			t.Errorf("%s: %s, which name %q", id, spoken(out), out[0].Ref)
		}
	}
}

// TestFilterReset: a filter that is used again hides nothing on account of the stream before, and needs no counter.
func TestFilterReset(t *testing.T) {
	fl := stages.NewFilter(stages.FilterConfig{Classes: []hub.Class{hub.ClassReasoning, hub.ClassTools}})
	hidden, thought := say(hub.ToolStart, "", "t"), say(hub.TextStart, "", "p")
	thought.Chan = hub.Reasoning
	if got := shaped(fl, hidden, thought); got != "" {
		t.Errorf("got %s", got)
	}
	fl.Reset()
	if got := shaped(fl, say(hub.TextDelta, "", "p"), say(hub.ToolStart, "", "u")); got != "text.delta /p" {
		t.Errorf("got %s", got)
	}
}
