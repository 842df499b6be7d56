package adaptertest_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// check feeds lines in native notation, with a start of the run before them, and returns the first fault.
func check(t *testing.T, lines string) error {
	t.Helper()
	lines = strings.ReplaceAll(`{"kind":"run.start"}`+lines, "}{\"kind", "}\n{\"kind")
	evs, err := adaptertest.Events([]byte(lines))
	if err != nil {
		t.Fatal(err)
	}
	c := adaptertest.Checker{Unnumbered: true}
	for i := range evs {
		if err := c.Event(&evs[i]); err != nil {
			return err
		}
	}
	return c.End()
}

// Short notations for lines.
const (
	text     = `{"kind":"text.start","id":"p"}` + "\n"
	delta    = `{"kind":"text.delta","id":"p","text":"a"}` + "\n"
	shut     = `{"kind":"text.end","id":"p"}` + "\n"
	tool     = `{"kind":"tool.start","id":"t","name":"n"}` + "\n"
	args     = `{"kind":"tool.args","id":"t","text":"{}"}` + "\n"
	ready    = `{"kind":"tool.ready","id":"t","name":"n","value":{}}` + "\n"
	done     = `{"kind":"tool.end","status":"ok","id":"t","name":"n"}` + "\n"
	subAgent = `{"kind":"agent.start","id":"l","name":"n"}` + "\n"
	leave    = `{"kind":"agent.end","status":"ok","id":"l"}` + "\n"
	ask      = `{"kind":"ask","id":"q","ref":"t"}` + "\n"
	reported = `{"kind":"answer","status":"chosen","id":"q"}` + "\n"
	step     = `{"kind":"step.start","id":"s"}` + "\n"
	stop     = `{"kind":"step.end","id":"s"}` + "\n"
	end      = `{"kind":"run.end","status":"done"}` + "\n"
)

func TestCheckerAccepts(t *testing.T) {
	f := func(lines string) {
		t.Helper()
		if err := check(t, lines); err != nil {
			t.Errorf("%v\n%s", err, lines)
		}
	}
	f(end)
	f(text + delta + delta + shut + tool + args + ready + done + end)
	f(tool + `{"kind":"tool.update","id":"t"}` + args + ready + ask + reported + done + end)
	f(subAgent + `{"kind":"tool.start","lane":"l","id":"t","name":"n"}` + `{"kind":"text.start","id":"p"}` + delta + shut +
		strings.ReplaceAll(args+ready+done, `"id"`, `"lane":"l","id"`) + leave + end)
	f(text + `{"kind":"text.start","msg":"m2","id":"p2"}` + shut + `{"kind":"text.end","msg":"m2","id":"p2"}` + end)
	f(tool + `{"kind":"tool.args","id":"t","text":" {\"a\":"}` + `{"kind":"tool.args","id":"t","text":"1} "}` +
		`{"kind":"tool.ready","id":"t","name":"n","value":{"a":1}}` + done + end)
	f(tool + `{"kind":"tool.args","id":"t","text":"{"}` + `{"kind":"tool.ready","flags":["invalid"],"id":"t","name":"n","text":"{"}` + done + end)
	f(tool + args + ready + ask + `{"kind":"tool.end","status":"paused","id":"t","name":"n"}` + `{"kind":"run.end","status":"paused"}`)
	f(step + stop + end)
}

// TestCheckerRejects breaks each invariant in turn.
func TestCheckerRejects(t *testing.T) {
	f := func(invariant, lines string) {
		t.Helper()
		err := check(t, lines)
		if err == nil || !strings.Contains(err.Error(), ": "+invariant+": ") && !strings.HasPrefix(err.Error(), invariant+": ") {
			t.Errorf("got %v, want a fault of %s\n%s", err, invariant, lines)
		}
	}
	f("I1", `{"kind":"run.start"}`+end)
	f("I2", text+delta)
	f("I2", end+delta)
	f("I2", text+delta+end)
	f("I2", tool+args+ready+end)
	f("I2", step+end)
	f("I2", subAgent+end)
	f("I2", `{"kind":"ask","id":"q"}`+end)
	f("I2", `{"kind":"run.end","status":"ok"}`)
	f("I2", `{"kind":"run.end"}`)
	f("I3", delta)
	f("I3", text+delta+shut+delta)
	f("I3", text+delta+shut+text)
	f("I3", text+shut+shut)
	f("I3", text+`{"kind":"text.delta","id":"p","text":""}`)
	f("I3", text+`{"kind":"text.delta","chan":"reasoning","id":"p","text":"a"}`)
	f("I3", `{"kind":"text.start"}`)
	f("I10", text+`{"kind":"text.delta","op":"replace","id":"p","text":"a"}`)
	f("I4", text+`{"kind":"text.start","id":"p2"}`)
	f("I4", text+tool)
	f("I5", args)
	f("I5", tool+tool)
	f("I5", `{"kind":"tool.start","id":"t"}`)
	f("I5", `{"kind":"tool.start","name":"n"}`)
	f("I5", tool+`{"kind":"tool.output","id":"t","text":"a"}`)
	f("I5", tool+args+done)
	f("I5", tool+args+ready+args)
	f("I5", tool+args+ready+ready)
	f("I5", tool+args+ready+done+done)
	f("I5", tool+args+ready+done+`{"kind":"tool.update","id":"t"}`)
	f("I5", tool+args+ready+`{"kind":"tool.end","status":"running","id":"t","name":"n"}`)
	f("I5", tool+args+ready+`{"kind":"tool.end","status":"ok","id":"t","name":"m"}`)
	f("I6", tool+ready)
	f("I6", tool+`{"kind":"tool.args","id":"t","text":""}`)
	f("I6", tool+args+`{"kind":"tool.ready","id":"t","name":"n","value":{"a":1}}`)
	f("I6", tool+args+`{"kind":"tool.ready","flags":["invalid"],"id":"t","name":"n","text":"{"}`)
	f("I7", tool+args+ask)
	f("I7", tool+args+ready+done+ask)
	f("I7", ask)
	f("I7", reported)
	f("I7", tool+args+ready+ask+reported+reported)
	f("I7", tool+args+ready+ask+reported+ask)
	f("I7", tool+args+ready+ask+`{"kind":"answer","status":"ok","id":"q"}`)
	f("I8", `{"kind":"notice","lane":"l","text":"a"}`)
	f("I8", subAgent+leave+`{"kind":"notice","lane":"l","text":"a"}`)
	f("I8", subAgent+leave+subAgent)
	f("I8", leave)
	f("I8", subAgent+`{"kind":"agent.start","lane":"l","id":"k","name":"n"}`+leave)
	f("I8", subAgent+`{"kind":"text.start","lane":"l","id":"p"}`+leave)
	f("I8", subAgent+tool+`{"kind":"tool.args","lane":"l","id":"t","text":"{}"}`)
	f("I8", subAgent+text+`{"kind":"text.delta","lane":"l","id":"p","text":"a"}`)
	f("I8", `{"kind":"agent.start","id":"l"}`)
	f("I8", subAgent+`{"kind":"agent.end","status":"done","id":"l"}`)
	f("I9", stop)
	f("I9", step+stop+step)
	f("I9", step+subAgent+`{"kind":"step.end","lane":"l","id":"s"}`)
	f("I13", tool+args+ready+`{"kind":"tool.output","id":"t","text":"a"}`+done)
}

// TestCheckerSlots: what is open has a slot of its own, which all events about it carry.
func TestCheckerSlots(t *testing.T) {
	a, b, call := []byte("a"), []byte("b"), []byte("t")
	started := hub.Event{Kind: hub.AgentStart, ID: a, Name: a, Slot: 1}
	f := func(valid bool, evs ...hub.Event) {
		t.Helper()
		var c adaptertest.Checker
		err := c.Event(&hub.Event{Kind: hub.RunStart})
		for i := range evs {
			if e := c.Event(&evs[i]); err == nil {
				err = e
			}
		}
		if valid != (err == nil) || err != nil && !strings.Contains(err.Error(), "I15") {
			t.Errorf("%v: got %v", evs, err)
		}
	}
	text := func(kind hub.Kind, id []byte, slot, agent hub.Slot) hub.Event {
		ev := hub.Event{Kind: kind, ID: id, Slot: slot, AgentSlot: agent}
		if ev.Msg = id; agent > 0 {
			ev.SubAgent = a
		}
		return ev
	}
	f(true, text(hub.TextStart, a, 1, 0), text(hub.TextStart, b, 2, 0), text(hub.TextEnd, a, 1, 0), text(hub.TextStart, call, 1, 0))
	f(true, started, text(hub.TextStart, b, 2, 1))
	f(false, started, text(hub.TextStart, b, 2, 2))
	f(false, started, text(hub.TextStart, b, 1, 1))
	f(false, text(hub.TextStart, a, 0, 0))
	f(false, text(hub.TextStart, a, 1, 0), text(hub.TextEnd, a, 2, 0))
	f(false, text(hub.TextStart, a, 1, 0), text(hub.TextStart, b, 1, 0))
	f(false, hub.Event{Kind: hub.ToolStart, ID: call, Name: call, Slot: 1}, hub.Event{Kind: hub.Notice, Ref: call, RefSlot: 2})
	f(true, hub.Event{Kind: hub.ToolStart, ID: call, Name: call, Slot: 1}, hub.Event{Kind: hub.Notice, Ref: call, RefSlot: 1})
}

// TestCheckerValid: what is not JSON is found, wherever it is.
func TestCheckerValid(t *testing.T) {
	f := func(ev hub.Event) {
		t.Helper()
		ev.Kind = hub.Notice
		if err := adaptertest.Valid(&ev); err == nil || !strings.Contains(err.Error(), "I12") {
			t.Errorf("%v is taken for valid: %v", ev, err)
		}
	}
	bad, badValue := []byte(`a"b`), []byte(`{"a":`)
	f(hub.Event{ID: bad})
	f(hub.Event{Text: []byte("line\nline")})
	f(hub.Event{Text: []byte("\xff")})
	f(hub.Event{Text: []byte(`\x`)})
	f(hub.Event{Value: badValue})
	f(hub.Event{Value: []byte{}})
	f(hub.Event{More: &hub.More{Err: bad}})
	f(hub.Event{More: &hub.More{Meta: badValue}})
	f(hub.Event{More: &hub.More{File: hub.FileRef{URL: bad}}})
	f(hub.Event{More: &hub.More{Items: []hub.PlanItem{{Status: bad}}}})
	f(hub.Event{More: &hub.More{Options: []hub.AskOption{{Kind: bad}}}})
	if err := adaptertest.Valid(&hub.Event{Kind: hub.Kind(200)}); err == nil {
		t.Error("a kind that does not exist is taken for valid")
	}
}
