package snapshot_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/snapshot"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// read reads events in native notation, normalizes and numbers them.
func read(t *testing.T, lines string) (all []hub.Event) {
	t.Helper()
	dec, seq := native.Dialect.NewDecoder(hub.Options{}), sequencer.New(sequencer.Config{Replace: true})
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		evs, err := dec.Decode(nil, wire.Record{Data: bytes.TrimSpace([]byte(line))})
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, ev := range seq.Push(nil, evs, 0) {
			own := ev.Clone()
			own.Seq = uint64(len(all) + 1)
			all = append(all, own)
		}
	}
	for _, ev := range seq.Flush(nil, nil) {
		own := ev.Clone()
		own.Seq = uint64(len(all) + 1)
		all = append(all, own)
	}
	return all
}

// everything is a run with all that a snapshot joins, leaves out, and must not touch.
const everything = `
{"kind":"run.start","id":"r1"}
{"kind":"text.start","id":"p1","msg":"m1"}
{"kind":"text.delta","id":"p1","msg":"m1","text":"Hel"}
{"kind":"usage","scope":"run","usage":{"in":1,"out":1}}
{"kind":"text.delta","id":"p1","msg":"m1","text":"lo"}
{"kind":"text.delta","id":"p1","msg":"m1","text":"HELLO","op":"replace"}
{"kind":"notice","level":"warning","text":"careful"}
{"kind":"text.delta","id":"p1","msg":"m1","text":", you"}
{"kind":"text.delta","id":"p1","msg":"m1","text":"!"}
{"kind":"text.end","id":"p1","msg":"m1"}
{"kind":"tool.start","id":"t1","name":"search"}
{"kind":"tool.args","id":"t1","text":"{\"q\":"}
{"kind":"tool.args","id":"t1","text":"1}"}
{"kind":"tool.ready","id":"t1","name":"search","value":{"q":1}}
{"kind":"ask","id":"q1","ref":"t1","what":"permission","title":"May it?"}
{"kind":"answer","id":"q1","status":"chosen","name":"yes"}
{"kind":"tool.update","id":"t1","status":"pending"}
{"kind":"tool.update","id":"t1","status":"running","percent":10}
{"kind":"tool.update","id":"t1","status":"running","percent":90}
{"kind":"tool.update","id":"t1","status":"running","text":"reads"}
{"kind":"tool.output","id":"t1","chan":"stdout","text":"a"}
{"kind":"tool.output","id":"t1","chan":"stdout","text":"b"}
{"kind":"tool.output","id":"t1","chan":"stderr","text":"c"}
{"kind":"tool.output","id":"t1","chan":"stdout","text":"z","op":"replace"}
{"kind":"tool.output","id":"t1","chan":"stdout","text":"y"}
{"kind":"tool.end","id":"t1","name":"search","status":"ok","text":"zy"}
{"kind":"data","name":"state","op":"set","value":{"n":1}}
{"kind":"data","name":"state","op":"patch","value":[{"op":"replace","path":"/n","value":2}]}
{"kind":"data","name":"state","op":"set","value":{"n":3}}
{"kind":"data","name":"state","op":"patch","value":[{"op":"replace","path":"/n","value":4}]}
{"kind":"data","name":"seen","op":"emit","value":1}
{"kind":"data","name":"seen","op":"emit","value":2}
{"kind":"raw","name":"native","value":{"x":1}}
{"kind":"text.start","id":"p2","msg":"m2"}
{"kind":"text.delta","id":"p2","msg":"m2","text":"By"}
{"kind":"text.delta","id":"p2","msg":"m2","text":"e"}
{"kind":"text.end","id":"p2","msg":"m2"}
{"kind":"run.end","status":"failed","err":"broken"}`

// TestOf is a whole snapshot, to be read.
func TestOf(t *testing.T) {
	t.Parallel()
	var got []string
	for _, ev := range snapshot.Of(read(t, everything)) {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s %s %s%s %s", ev.Seq, ev.Kind, ev.ID, ev.Text, ev.Value, ev.Status)))
	}
	want := strings.Split(strings.TrimSpace(`
1 run.start r1
2 text.start p1
3 text.delta p1 HELLO
4 usage
7 notice  careful
8 text.delta p1 , you!
10 text.end p1
11 tool.start t1
12 tool.args t1 {\"q\":1}
14 tool.ready t1 {"q":1}
15 ask q1
16 answer q1  chosen
19 tool.update t1  running
20 tool.update t1 reads running
24 tool.output t1 zy
26 tool.end t1 zy ok
29 data  {"n":3}
30 data  [{"op":"replace","path":"/n","value":4}]
31 data  1
32 data  2
33 raw  {"x":1}
34 text.start p2
35 text.delta p2 Bye
37 text.end p2
38 run.end   failed`), "\n")
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestCuts: whatever the cut, the snapshot and the rest mean what the whole means.
func TestCuts(t *testing.T) {
	t.Parallel()
	evs := read(t, everything)
	for cut := range len(evs) + 1 {
		if err := adaptertest.CheckSnapshot(evs, cut, snapshot.Of); err != nil {
			t.Errorf("behind %d events: %v", cut, err)
		}
	}
}

// TestControls: each way to make a snapshot wrong is noticed.
func TestControls(t *testing.T) {
	t.Parallel()
	evs := read(t, everything)
	drop := func(kind hub.Kind) func([]hub.Event) []hub.Event {
		return func(in []hub.Event) []hub.Event {
			return slices.DeleteFunc(snapshot.Of(in), func(ev hub.Event) bool { return ev.Kind == kind })
		}
	}
	change := func(f func([]hub.Event) []hub.Event) func([]hub.Event) []hub.Event {
		return func(in []hub.Event) []hub.Event { return f(snapshot.Of(in)) }
	}
	last := func(evs []hub.Event, kind hub.Kind) *hub.Event {
		for i := len(evs) - 1; i >= 0; i-- {
			if evs[i].Kind == kind {
				return &evs[i]
			}
		}
		return new(hub.Event)
	}
	controls := map[string]func([]hub.Event) []hub.Event{
		"closes what is open": change(func(evs []hub.Event) []hub.Event {
			if n := len(evs); n > 0 && evs[n-1].Kind == hub.TextDelta {
				evs = append(evs, hub.Event{Kind: hub.TextEnd, ID: evs[n-1].ID, Msg: evs[n-1].Msg, Slot: evs[n-1].Slot, Seq: evs[n-1].Seq + 1})
			}
			return evs
		}),
		"loses text": change(func(evs []hub.Event) []hub.Event {
			ev := last(evs, hub.TextDelta)
			ev.Text = ev.Text[:max(0, len(ev.Text)-1)]
			return evs
		}),
		"says text twice": change(func(evs []hub.Event) []hub.Event {
			ev := last(evs, hub.TextDelta)
			ev.Text = append(ev.Text, ev.Text...)
			return evs
		}),
		"loses an argument": change(func(evs []hub.Event) []hub.Event {
			last(evs, hub.ToolArgs).Text = []byte("{")
			return evs
		}),
		"forgets the last state": drop(hub.Data),
		"mixes numbers up": change(func(evs []hub.Event) []hub.Event {
			if len(evs) > 1 {
				evs[0].Seq, evs[1].Seq = evs[1].Seq, evs[0].Seq
			}
			return evs
		}),
		"makes more of it": func(in []hub.Event) []hub.Event { return append(slices.Clone(in), in...) },
	}
	for _, kind := range []hub.Kind{
		hub.RunStart, hub.TextStart, hub.TextDelta, hub.TextEnd, hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput,
		hub.ToolEnd, hub.Ask, hub.Answer, hub.Usage, hub.Notice, hub.Raw,
	} {
		controls["without "+kind.String()] = drop(kind)
	}
	for name, broken := range controls {
		if !slices.ContainsFunc(cutsOf(evs), func(cut int) bool { return adaptertest.CheckSnapshot(evs, cut, broken) != nil }) {
			t.Errorf("a snapshot that %s is not noticed", name)
		}
	}
}

func cutsOf(evs []hub.Event) (all []int) {
	for cut := range len(evs) + 1 {
		all = append(all, cut)
	}
	return all
}

// TestOwnMemory: a snapshot does not change when the memory of the events is used again, nor are these changed.
func TestOwnMemory(t *testing.T) {
	t.Parallel()
	var b snapshot.Builder
	want := adaptertest.Lines(snapshot.Of(read(t, everything)))
	for _, ev := range read(t, everything) {
		own, mem := adaptertest.CopyEvent(&ev)
		b.Add(&own)
		if after := string(native.Append(nil, &own)); after != string(native.Append(nil, &ev)) {
			t.Errorf("the event became %s", after)
		}
		adaptertest.Overwrite(mem)
	}
	if got := adaptertest.Lines(b.Events()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestFewerEvents: 10,000 deltas, with a call and a question after every thousand, become a twentieth at most.
func TestFewerEvents(t *testing.T) {
	t.Parallel()
	evs := []hub.Event{{Kind: hub.RunStart, ID: []byte("r1")}}
	add := func(ev hub.Event) { evs = append(evs, ev) }
	for i := range 10 {
		id := fmt.Appendf(nil, "x%d", i)
		add(hub.Event{Kind: hub.TextStart, ID: id})
		for range 1000 {
			add(hub.Event{Kind: hub.TextDelta, ID: id, Text: []byte("word ")})
		}
		add(hub.Event{Kind: hub.TextEnd, ID: id})
		add(hub.Event{Kind: hub.ToolStart, ID: id, Name: []byte("f")})
		add(hub.Event{Kind: hub.ToolArgs, ID: id, Text: []byte("{}")})
		add(hub.Event{Kind: hub.ToolReady, ID: id, Name: []byte("f"), Value: []byte("{}")})
		add(hub.Event{Kind: hub.ToolEnd, ID: id, Name: []byte("f"), Status: hub.StatusOK})
	}
	if n := len(snapshot.Of(evs)); n > len(evs)/20 {
		t.Errorf("%d events became %d", len(evs), n)
	}
}
