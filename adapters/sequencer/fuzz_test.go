package sequencer_test

import (
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// FuzzSequencer reads bytes as events with few ids and sub-agents, so that they meet. Whatever comes, what goes out is
// strict, and bounded by what came in.
func FuzzSequencer(f *testing.F) {
	for seed := range 8 {
		rnd := newRand(seed)
		prog := make([]byte, 400)
		for i := range prog {
			prog[i] = byte(rnd.Uint32())
		}
		f.Add(prog, seed%2 == 0, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, prog []byte, replace bool, bound uint8) {
		prog = prog[:min(len(prog), 4000)]
		cfg := sequencer.Config{Replace: replace, Bounds: sequencer.Bounds{Events: int(bound), Bytes: 64 * int(bound), Result: 8, Args: 16}}
		if bound%3 == 0 {
			cfg.EndGrace = 250 * time.Millisecond
		}
		runProgram(t, prog, cfg)
	})
}

// perEvent is how many normalized events one decoded event may cause, on average, with those that end what it opened.
const perEvent = 8

func runProgram(t *testing.T, prog []byte, cfg sequencer.Config) {
	seq := sequencer.New(cfg)
	check := adaptertest.Checker{Replace: cfg.Replace}
	in, n := 0, 0
	take := func(out []hub.Event) {
		n += len(out)
		for i := range out {
			if err := check.Event(&out[i]); err != nil {
				t.Fatalf("%v\n%s", err, adaptertest.Lines(out))
			}
		}
	}
	var now time.Duration
	for len(prog) >= 6 {
		ev := programEvent(prog)
		now += time.Duration(prog[5]&0x7f) * 10 * time.Millisecond
		if prog[5]&0x80 != 0 {
			take(seq.Tick(nil, now))
		}
		prog = prog[6:]
		in++
		take(seq.Push(nil, []hub.Event{ev}, now))
	}
	take(seq.Flush(nil, nil))
	if err := check.End(); err != nil {
		t.Fatal(err)
	}
	if limit := 8 + perEvent*in; n > limit {
		t.Fatalf("%d events became %d", in, n)
	}
}

var (
	programIDs       = [][]byte{nil, []byte("x"), []byte("y"), []byte("p_1"), []byte("t_1"), []byte("a_1"), []byte("s_1"), []byte(hub.MadeAsk + "1")}
	programSubAgents = [][]byte{nil, nil, []byte("x"), []byte("y")}
	programTexts     = [][]byte{nil, {}, []byte("a"), []byte("ab"), []byte(`\u0061`), []byte("abc def"), []byte(`{\"a\":1}`), []byte(`{`)}
	programValues    = [][]byte{nil, nil, []byte(`{}`), []byte(`{"a": 1}`)}
)

func programEvent(p []byte) hub.Event {
	kinds := hub.Kinds()
	ev := hub.Event{
		Kind: kinds[int(p[0])%len(kinds)], ID: programIDs[p[1]&7], Ref: programIDs[p[1]>>3&7], SubAgent: programSubAgents[p[1]>>6],
		Text: programTexts[p[2]&7], Value: programValues[p[2]>>3&3], Op: hub.Op(p[2] >> 5 & 1), Chan: hub.Chan(p[2]>>6) % 3,
		Status: hub.Status(p[3] % 24), Name: programIDs[p[4]&7], Msg: programIDs[p[4]>>3&3], Title: programIDs[p[4]>>5&3],
	}
	if ev.Kind == hub.RunEnd && p[3]&0xe0 != 0 {
		ev.Kind = hub.TextDelta // runs that end at once teach nothing
	}
	if p[4]>>7 != 0 {
		ev.More = &hub.More{Sig: ev.Name, Content: ev.Value, Usage: hub.NoCounts}
	}
	return ev
}
