package adapters_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestReasonsAcross: why a run, a call or a sub-agent ended, where the source says it in words, is in what every target gets.
// Only a call that ended well has nothing to excuse: its end is then folded at least.
func TestReasonsAcross(t *testing.T) {
	const why = "E4711"
	f := func(name, events string) {
		t.Helper()
		evs, err := adaptertest.Events([]byte(events))
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range founders(t) {
			x := (&adaptertest.Stream{Loose: evs}).Translate(target, target.Defaults())
			folded := false
			for i := range x.Sent {
				folded = folded || x.Sent[i].Status == hub.StatusOK && x.Sent[i].Disposition == hub.Folded
			}
			if got := text(x); !strings.Contains(got, why) && !folded || len(x.Problems) > 0 {
				t.Errorf("%s to %s: the reason is lost, %q\n%s", name, target.Name, x.Problems, got)
			}
		}
	}
	const start, said = `{"kind":"run.start"}` + "\n", `{"kind":"text.delta","text":"Hi"}` + "\n"
	for s := hub.StatusDone; s <= hub.StatusTruncated; s++ {
		if s != hub.StatusDone {
			f("run "+s.String(), start+said+`{"kind":"run.end","status":"`+s.String()+`","err":"`+why+`"}`)
		}
	}
	const call = `{"kind":"tool.start","id":"t","name":"ls"}` + "\n" + `{"kind":"tool.ready","id":"t","value":{}}` + "\n"
	const done = "\n" + `{"kind":"run.end","status":"done"}`
	for _, s := range []hub.Status{hub.StatusOK, hub.StatusError, hub.StatusDenied, hub.StatusAborted, hub.StatusUnknown} {
		for _, result := range []string{``, `,"text":"out"`, `,"value":{"a":1}`, `,"content":[{"type":"content","content":{"type":"text","text":"out"}}]`} {
			end := `"status":"` + s.String() + `","err":"` + why + `"` + result + `}`
			f("call "+s.String()+result, start+call+`{"kind":"tool.end","id":"t",`+end+done)
			if s == hub.StatusError || s == hub.StatusAborted {
				agent := `{"kind":"agent.start","id":"a","name":"helper"}` + "\n"
				f("sub-agent "+s.String()+result, start+agent+`{"kind":"agent.end","id":"a",`+end+done)
				agent = `{"kind":"agent.start","id":"a","ref":"t","name":"helper"}` + "\n"
				f("sub-agent of a call "+s.String()+result, start+call+agent+`{"kind":"agent.end","id":"a",`+end+"\n"+
					`{"kind":"tool.end","id":"t","status":"error"}`+done)
			}
		}
	}
	// What a failed call has written besides is passed on as well.
	f("output of a failed call", start+call+`{"kind":"tool.end","id":"t","status":"error","text":"`+why+`","err":"exit 1"}`+done)
	f("value of a failed call", start+call+`{"kind":"tool.end","id":"t","status":"error","value":{"a":"`+why+`"},"err":"exit 1"}`+done)
}

// TestEarlyEndsAcross: a run that a limit, a filter or a refusal has ended does not look as if it were complete, also where nothing was said.
func TestEarlyEndsAcross(t *testing.T) {
	for _, target := range adapters.All() {
		if target.NewEncoder == nil {
			continue
		}
		for _, said := range []string{"", `{"kind":"text.delta","text":"Hi"}` + "\n"} {
			ended := func(s hub.Status) string {
				evs, err := adaptertest.Events([]byte(`{"kind":"run.start","id":"r"}` + "\n" + said + `{"kind":"run.end","status":"` + s.String() + `"}`))
				if err != nil {
					t.Fatal(err)
				}
				return text((&adaptertest.Stream{Loose: evs}).Translate(target, target.Defaults()))
			}
			for _, s := range []hub.Status{hub.StatusLength, hub.StatusFiltered, hub.StatusRefused, hub.StatusLimit} {
				if got := ended(s); got == ended(hub.StatusDone) {
					t.Errorf("%s: %s is the same as done after %q:\n%s", target.Name, s, said, got)
				}
			}
		}
	}
}
