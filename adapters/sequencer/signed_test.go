package sequencer_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// TestSignedCalls: the signature of a call stands in reasoning in front of it where the target has no other place, and where the call has
// begun before, behind its start.
func TestSignedCalls(t *testing.T) {
	const stream = `{"kind":"run.start","id":"r"}
{"kind":"tool.start","id":"c1","name":"f","sig":"EjQK"}
{"kind":"tool.update","id":"c1","sig":"Zm9v"}
{"kind":"tool.update","id":"c1","sig":"Zm9v","text":"half way"}
{"kind":"run.end","status":"tools"}`
	kinds := func(seal bool) string {
		seq := sequencer.New(sequencer.Config{SealCalls: seal})
		all := seq.Push(nil, events(t, stream), 0)
		for i := range all {
			if hasSig := len(all[i].Rare().Sig) > 0; hasSig && seal != strings.HasPrefix(string(all[i].More.Sig), "eyJzYWJpciI6") {
				t.Errorf("%t: got %s", seal, all[i].More.Sig)
			}
		}
		return adaptertest.Kinds(all)
	}
	if got, want := kinds(false), "run.start tool.start tool.update tool.update tool.args tool.ready tool.end=client run.end=tools"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	sealed := "text.start text.end "
	if got, want := kinds(true), "run.start "+sealed+"tool.start "+sealed+sealed+"tool.update tool.args tool.ready tool.end=client run.end=tools"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
