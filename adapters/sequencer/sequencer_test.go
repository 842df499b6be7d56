package sequencer_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// TestAllocs: what makes up most of a stream costs no allocation.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	f := func(name string, before, steady string) {
		t.Helper()
		seq := sequencer.New(sequencer.Config{})
		dst := seq.Push(nil, events(t, before), 0)
		evs := events(t, steady)
		turn := func() { dst = seq.Push(dst[:0], evs, 0) }
		for range 1000 {
			turn() // buffers grow to their size
		}
		if n := testing.AllocsPerRun(100, turn); n > 0 {
			t.Errorf("%s: %d events cost %.1f allocations", name, len(evs), n)
		}
	}
	delta := `{"kind":"text.delta","id":"p1","text":"a"}` + "\n"
	start := `{"kind":"run.start","id":"r"}` + "\n"
	f("text deltas", start+delta, delta+`{"kind":"text.delta","id":"p1","text":"\"b\"\n"}`)
	f("text deltas without an id", start, `{"kind":"text.delta","msg":"m","text":"a"}`)
	f("deltas in two lanes", start+delta+`{"kind":"agent.start","id":"l","name":"l"}`, delta+`{"kind":"text.delta","lane":"l","id":"p2","text":"b"}`)
	f("tool arguments", start+`{"kind":"tool.start","id":"t1","name":"n"}`+"\n"+`{"kind":"tool.start","id":"t2","name":"n"}`,
		`{"kind":"tool.args","id":"t1","text":"a"}`+"\n"+`{"kind":"tool.args","id":"t2","text":"b"}`)
	f("tool outputs", start+`{"kind":"tool.start","id":"t1","name":"n"}`, `{"kind":"tool.output","id":"t1","text":"line\n"}`)
	f("single events", start, `{"kind":"notice","level":"info","text":"n"}`+"\n"+`{"kind":"data","op":"set","name":"state","value":{"a":1}}`)
}

func events(t testing.TB, text string) []hub.Event {
	t.Helper()
	evs, err := adaptertest.Events([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return evs
}

// TestDeadline: it says when Tick has something to do, and not a moment later.
func TestDeadline(t *testing.T) {
	seq := sequencer.New(sequencer.Config{EndGrace: 250 * time.Millisecond, Bounds: sequencer.Bounds{Age: time.Second}})
	f := func(want time.Duration, wantOK bool) {
		t.Helper()
		if at, ok := seq.Deadline(); at != want || ok != wantOK {
			t.Errorf("got %s, %t; want %s, %t", at, ok, want, wantOK)
		}
	}
	push := func(line string, now time.Duration) { seq.Push(nil, events(t, line), now) }
	push(`{"kind":"run.start"}`, 0)
	f(0, false)
	push(`{"kind":"tool.update","id":"t1","text":"a"}`, 10*time.Millisecond)
	push(`{"kind":"tool.update","id":"t2","text":"a"}`, 20*time.Millisecond)
	f(1010*time.Millisecond, true)
	push(`{"kind":"run.end","status":"done"}`, 900*time.Millisecond)
	f(1010*time.Millisecond, true)
	if n := len(seq.Tick(nil, 1009*time.Millisecond)); n != 0 {
		t.Errorf("%d events before the deadline", n)
	}
	if n := len(seq.Tick(nil, 1010*time.Millisecond)); n != 2 {
		t.Errorf("%d events at the deadline, want start and update", n)
	}
	f(1020*time.Millisecond, true)
	seq.Tick(nil, 1020*time.Millisecond)
	f(1150*time.Millisecond, true)
	if seq.Ended() || !seq.Ending() {
		t.Error("the run is ending, but has not ended")
	}
	seq.Tick(nil, 1150*time.Millisecond)
	f(0, false)
	if !seq.Ended() {
		t.Error("the run has not ended")
	}
}

// TestReset: a sequencer that was used behaves as a new one.
func TestReset(t *testing.T) {
	seq := sequencer.New(sequencer.Config{})
	for seed := 1; seed <= 50; seed++ {
		in, _ := mutate(newRand(seed), randomStream(newRand(seed), 60))
		fresh := sequencer.New(sequencer.Config{})
		want := linesOf(fresh, in)
		left := randomStream(newRand(1000+seed), 40)
		seq.Push(nil, left[:len(left)-1], 0) // a run that does not end leaves everything open
		seq.Reset()
		if got := linesOf(seq, in); got != want {
			t.Fatalf("seed %d: after Reset:\n%s\nnew:\n%s", seed, got, want)
		}
		if seq.Repairs != fresh.Repairs {
			t.Fatalf("seed %d: repairs are %v, not %v", seed, seq.Repairs, fresh.Repairs)
		}
	}
}

// linesOf is what a sequencer makes of a stream.
func linesOf(seq *sequencer.Sequencer, in []hub.Event) string {
	lines := adaptertest.Lines(seq.Push(nil, in, 0))
	return lines + adaptertest.Lines(seq.Flush(nil, nil))
}

func TestFlush(t *testing.T) {
	f := func(cause error, want hub.Status, code hub.Code) {
		t.Helper()
		seq := sequencer.New(sequencer.Config{})
		out := seq.Flush(nil, cause)
		end := out[len(out)-1]
		if len(out) != 2 || end.Status != want || string(end.More.ErrCode) != string(code) {
			t.Errorf("%v: %s", cause, adaptertest.Lines(out))
		}
		if again := seq.Flush(nil, cause); len(again) != 0 {
			t.Errorf("a second Flush gives %s", adaptertest.Lines(again))
		}
	}
	f(nil, hub.StatusTruncated, hub.CodeTruncated)
	f(hub.Fail(hub.CodeIdle, nil), hub.StatusTruncated, hub.CodeIdle)
	f(hub.Fail(hub.CodeAgent, nil), hub.StatusFailed, hub.CodeAgent)
	f(hub.Fail(hub.CodeClientSlow, nil), hub.StatusCancelled, hub.CodeClientSlow)
	f(errors.New("not a failure"), hub.StatusFailed, hub.CodeInternal)
}

// TestSubAgentDepth: sub-agents nest 65 deep; those below become siblings of the last.
func TestSubAgentDepth(t *testing.T) {
	seq := sequencer.New(sequencer.Config{})
	id := func(i int) []byte { return fmt.Append(nil, "a", i) }
	started := 0
	for i := range 70 {
		start := hub.Event{Kind: hub.AgentStart, ID: id(i)}
		want := ""
		if i > 0 {
			start.SubAgent, want = id(i-1), string(id(min(i-1, 63)))
		}
		for _, ev := range seq.Push(nil, []hub.Event{start}, 0) {
			if ev.Kind != hub.AgentStart {
				continue
			}
			if started++; string(ev.SubAgent) != want {
				t.Errorf("%s is below %s, want %s", ev.ID, ev.SubAgent, want)
			}
		}
	}
	if started != 70 {
		t.Errorf("%d sub-agents have started", started)
	}
}

// TestOpenBound: whatever is opened and never closed, what is open stays within the bound, and the stream normalized.
func TestOpenBound(t *testing.T) {
	const open = 80 // above the least that sub-agents need
	f := func(name string, event func(i int) hub.Event) {
		t.Helper()
		seq := sequencer.New(sequencer.Config{Bounds: sequencer.Bounds{Open: open}})
		var check adaptertest.Checker
		depth, most := 0, 0
		take := func(out []hub.Event) {
			for i := range out {
				if err := check.Event(&out[i]); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				switch out[i].Kind {
				case hub.TextStart, hub.ToolStart, hub.AgentStart, hub.StepStart, hub.Ask:
					depth++
					most = max(most, depth)
				case hub.TextEnd, hub.ToolEnd, hub.AgentEnd, hub.StepEnd, hub.Answer:
					depth--
				}
			}
		}
		for i := range 10 * open {
			take(seq.Push(nil, []hub.Event{event(i)}, 0))
		}
		take(seq.Flush(nil, nil))
		if err := check.End(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if most != open || depth != 0 {
			t.Errorf("%s: up to %d open, want %d; %d left", name, most, open, depth)
		}
	}
	id := func(i int) []byte { return strconv.AppendInt([]byte("x"), int64(i), 10) }
	f("parts", func(i int) hub.Event { return hub.Event{Kind: hub.TextDelta, Msg: id(i), Text: []byte("a")} })
	f("tools", func(i int) hub.Event { return hub.Event{Kind: hub.ToolStart, ID: id(i), Name: []byte("n")} })
	f("steps", func(i int) hub.Event { return hub.Event{Kind: hub.StepStart, ID: id(i)} })
	f("asks", func(i int) hub.Event { return hub.Event{Kind: hub.Ask, ID: id(i)} })
	f("lanes", func(i int) hub.Event { return hub.Event{Kind: hub.AgentStart, ID: id(i)} })
	f("nested lanes", func(i int) hub.Event { return hub.Event{Kind: hub.AgentStart, ID: id(i + 1), SubAgent: id(i)} })
}

// TestKnownBound: a stream that goes on for ever does not need memory for ever.
func TestKnownBound(t *testing.T) {
	seq := sequencer.New(sequencer.Config{Bounds: sequencer.Bounds{Open: 80, Known: 200}})
	var dst []hub.Event
	turn := func(i int) {
		id := strconv.AppendInt([]byte("x"), int64(i), 10)
		dst = seq.Push(dst[:0], []hub.Event{
			{Kind: hub.StepStart, ID: id}, {Kind: hub.AgentStart, ID: id, Name: id},
			{Kind: hub.TextDelta, ID: id, SubAgent: id, Text: id}, {Kind: hub.TextEnd, ID: id, SubAgent: id},
			{Kind: hub.ToolStart, ID: id, Name: id}, {Kind: hub.Ask, ID: id, Ref: id}, {Kind: hub.ToolEnd, ID: id},
			{Kind: hub.AgentEnd, ID: id}, {Kind: hub.StepEnd, ID: id},
		}, 0)
	}
	for i := range 5000 {
		turn(i)
	}
	// What is forgotten counts as new, what is remembered does not.
	before := seq.Repairs[sequencer.LateUpdate]
	seq.Push(nil, []hub.Event{{Kind: hub.ToolUpdate, ID: []byte("x4999")}, {Kind: hub.ToolUpdate, ID: []byte("x1")}}, 0)
	if late, held := seq.Repairs[sequencer.LateUpdate]-before, seq.Repairs[sequencer.Held]; late != 1 || held != 1 {
		t.Errorf("%d late updates and %d held ones, want one of each", late, held)
	}
}

// TestKnownLeast: twice as many ids are known as may be open, even if the configuration says fewer, and no more.
func TestKnownLeast(t *testing.T) {
	const open = 80
	for others, want := range map[int]string{2*open - 1: "p_1", 2 * open: "first"} {
		seq := sequencer.New(sequencer.Config{Bounds: sequencer.Bounds{Open: open, Known: 1}})
		say := func(id string) string {
			part := []byte(id)
			out := seq.Push(nil, []hub.Event{{Kind: hub.TextDelta, ID: part, Text: []byte("a")}, {Kind: hub.TextEnd, ID: part}}, 0)
			return string(out[len(out)-1].ID)
		}
		say("first")
		for i := range others {
			say(strconv.Itoa(i))
		}
		if got := say("first"); got != want {
			t.Errorf("after %d other ids, the first is %s, want %s", others, got, want)
		}
	}
}
