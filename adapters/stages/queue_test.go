package stages_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/stages"
)

// say is an event in few words: kind, sub-agent and id.
func say(kind hub.Kind, subAgent, id string) hub.Event {
	return hub.Event{Kind: kind, SubAgent: []byte(subAgent), ID: []byte(id)}
}

func spoken(evs []hub.Event) string {
	words := make([]string, len(evs))
	for i := range evs {
		words[i] = evs[i].Kind.String() + " " + string(evs[i].SubAgent) + "/" + string(evs[i].ID)
	}
	return strings.Join(words, ", ")
}

func queueData(events, bytes int) *stages.Queue {
	return stages.NewQueue(stages.QueueConfig{
		Hold:    func(ev *hub.Event) bool { return ev.Kind == hub.Data },
		Release: func(ev *hub.Event) bool { return ev.Kind == hub.TextStart },
		Events:  events, Bytes: bytes,
	})
}

// TestQueueStage pushes a stream one event at a time, in buffers that are overwritten after each call.
func TestQueueStage(t *testing.T) {
	f := func(name string, q *stages.Queue, want string, in ...hub.Event) {
		t.Helper()
		var got []string
		var stage hub.Stage = q
		for _, ev := range in {
			mem := append(append([]byte{}, ev.SubAgent...), ev.ID...)
			n := len(ev.SubAgent)
			ev.SubAgent, ev.ID = mem[:n:n], mem[n:]
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
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%s:\n got %s\nwant %s", name, s, want)
		}
		if q.Len() != 0 {
			t.Errorf("%s: %d events are kept after Flush", name, q.Len())
		}
	}
	start, end := say(hub.ToolStart, "", "t"), say(hub.ToolEnd, "", "t")
	text := say(hub.TextStart, "", "p")
	f("nothing to keep", queueData(0, 0), "tool.start /t; tool.end /t; text.start /p", start, end, text)
	f("kept until the text, in order", queueData(0, 0),
		"tool.start /t; tool.end /t; data /a, data /b, text.start /p",
		start, say(hub.Data, "", "a"), say(hub.Data, "", "b"), end, text)
	f("let go at the end of the run", queueData(0, 0), "tool.start /t; data /a, run.end /",
		start, say(hub.Data, "", "a"), say(hub.RunEnd, "", ""))
	f("let go by Flush", queueData(0, 0), "tool.start /t; flush: data /a", start, say(hub.Data, "", "a"))
	f("only the text of its own lane", queueData(0, 0),
		"data l/b, text.start l/q; data /a, text.start /p",
		say(hub.Data, "", "a"), say(hub.Data, "l", "b"), say(hub.TextStart, "l", "q"), text)
	f("the end of its lane", queueData(0, 0), "data l/b, agent.end /l; flush: data /a",
		say(hub.Data, "", "a"), say(hub.Data, "l", "b"), say(hub.AgentEnd, "", "l"))
	f("too many", queueData(2, 0), "data /a; flush: data /b, data /c",
		say(hub.Data, "", "a"), say(hub.Data, "", "b"), say(hub.Data, "", "c"))
	f("too large", queueData(0, 5), "data /aaa, data /bbbbbb; flush: data /c",
		say(hub.Data, "", "aaa"), say(hub.Data, "", "bbbbbb"), say(hub.Data, "", "c"))
}

func TestQueueStageCountsEarly(t *testing.T) {
	q := queueData(1, 0)
	q.Push(nil, []hub.Event{say(hub.Data, "", "a"), say(hub.Data, "", "b"), say(hub.Data, "", "c")}, 0)
	if q.Early != 2 || q.Len() != 1 {
		t.Errorf("%d left early and %d are kept; want 2 and 1", q.Early, q.Len())
	}
	q.Reset()
	if q.Early != 0 || q.Len() != 0 {
		t.Errorf("after Reset %d left early and %d are kept", q.Early, q.Len())
	}
	if out := q.Flush(nil, errors.New("cut")); len(out) != 0 {
		t.Errorf("after Reset there is still %s", spoken(out))
	}
	if out := q.Push(nil, []hub.Event{say(hub.Data, "", "a"), say(hub.TextStart, "", "p")}, 0); spoken(out) != "data /a, text.start /p" {
		t.Errorf("after Reset it gives %s", spoken(out))
	}
}

// TestQueueStageAllocs counts what a stream costs that has nothing to keep.
func TestQueueStageAllocs(t *testing.T) {
	if raceEnabled {
		return // the race detector allocates
	}
	q := queueData(0, 0)
	in := []hub.Event{say(hub.TextDelta, "", "p"), say(hub.TextDelta, "", "p")}
	dst := make([]hub.Event, 0, 4)
	if n := testing.AllocsPerRun(100, func() { dst = q.Push(dst[:0], in, 0) }); n != 0 {
		t.Errorf("it costs %.0f allocations", n)
	}
}
