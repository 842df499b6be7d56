package sequencer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// streams is how many random streams each property is tried on. Seeds are 1, 2, 3 …, so a failure names its stream.
const streams = 1500

func newRand(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 0)) }

// TestStrictStreamsPass: what is normalized already passes unchanged, without delay and without a repair.
func TestStrictStreamsPass(t *testing.T) {
	for seed := 1; seed <= streams/5; seed++ {
		evs := randomStream(newRand(seed), 60)
		if err := checkAll(evs); err != nil {
			t.Fatalf("seed %d: the generator is wrong: %v\n%s", seed, err, adaptertest.Lines(evs))
		}
		seq := sequencer.New(sequencer.Config{})
		for i := range evs {
			want := string(native.Append(nil, &evs[i]))
			out := seq.Push(nil, evs[i:i+1], 0)
			if len(out) == 0 && evs[i].Kind == hub.TextStart {
				continue // shown with its first character
			}
			if n := len(out); n == 0 || string(native.Append(nil, &out[n-1])) != want {
				t.Fatalf("seed %d: %s\nbecame\n%s", seed, want, adaptertest.Lines(out))
			}
			if len(out) > 2 || len(out) == 2 && out[0].Kind != hub.TextStart {
				t.Fatalf("seed %d: %s\nbecame\n%s", seed, want, adaptertest.Lines(out))
			}
		}
		if n := seq.Repairs.Total(); n > 0 {
			t.Fatalf("seed %d: %d repairs of a strict stream: %s", seed, n, countLines(&seq.Repairs))
		}
	}
}

func checkAll(evs []hub.Event) error {
	c := adaptertest.Checker{Unnumbered: true}
	for i := range evs {
		if err := c.Event(&evs[i]); err != nil {
			return err
		}
	}
	return c.End()
}

// TestMutatedStreams: streams that were damaged come out normalized, and nothing else was changed than what had to be.
func TestMutatedStreams(t *testing.T) {
	rejected := 0
	for seed := 1; seed <= streams; seed++ {
		rnd := newRand(seed)
		orig := randomStream(rnd, 60)
		in, names := mutate(rnd, orig)
		if checkAll(in) != nil {
			rejected++
		}
		out, err := sequence(rnd, in)
		if err == nil {
			err = compareStreams(orig, in, out)
		}
		if err != nil {
			t.Fatalf("seed %d (%s): %v\nin:\n%s\nout:\n%s", seed, names, err, adaptertest.Lines(in), adaptertest.Lines(out))
		}
	}
	// The control: without the sequencer, a reader of normalized streams fails on most of them.
	const least = 60
	percent := rejected * 100 / streams
	t.Logf("without the sequencer, %d of %d streams (%d %%) are not strict", rejected, streams, percent)
	if percent < least {
		t.Errorf("only %d %% of the damaged streams are not strict, want at least %d %%: the mutations are too tame", percent, least)
	}
}

// sequence pushes events in slices of random size, at random times, from memory that is overwritten after use.
func sequence(rnd *rand.Rand, in []hub.Event) (out []hub.Event, err error) {
	var now time.Duration
	var cfg sequencer.Config
	if rnd.IntN(3) == 0 {
		cfg.Bounds = sequencer.Bounds{Events: 1 + rnd.IntN(4)}
	}
	seq := sequencer.New(cfg)
	var check adaptertest.Checker
	take := func(evs []hub.Event) {
		for i := range evs {
			if e := check.Event(&evs[i]); e != nil && err == nil {
				err = e
			}
			own, _ := adaptertest.CopyEvent(&evs[i])
			out = append(out, own)
		}
	}
	for len(in) > 0 {
		n := 1 + rnd.IntN(min(5, len(in)))
		batch, memory := copyBatch(in[:n])
		in = in[n:]
		take(seq.Push(nil, batch, now))
		overwriteAll(memory)
		now += time.Duration(rnd.IntN(300)) * time.Millisecond
		if at, ok := seq.Deadline(); ok && at <= now {
			take(seq.Tick(nil, now))
		}
	}
	take(seq.Flush(nil, nil))
	if e := check.End(); e != nil && err == nil {
		err = e
	}
	return out, err
}

func copyBatch(in []hub.Event) (batch []hub.Event, memory [][]byte) {
	for i := range in {
		own, mem := adaptertest.CopyEvent(&in[i])
		batch, memory = append(batch, own), append(memory, mem)
	}
	return batch, memory
}

func overwriteAll(memory [][]byte) {
	for _, mem := range memory {
		adaptertest.Overwrite(mem)
	}
}

// compareStreams says what the sequencer may not have done. orig is the stream before it was damaged, in afterwards.
//
// What comes after the first end of the run is gone. Of the rest, texts and single events are all there, once, in the
// order in which they came; only tool events may move, later, and only within their tool. No tool is missing, none has
// a result or arguments that it was not sent, and a tool that the damage did not touch is what it was.
func compareStreams(orig, in, out []hub.Event) error {
	if i := slices.IndexFunc(in, func(ev hub.Event) bool { return ev.Kind == hub.RunEnd }); i >= 0 {
		in = in[:i]
	}
	want, got := content(in), content(out)
	if i := firstDifference(want, got); i >= 0 {
		return fmt.Errorf("content differs at %d:\nwant %q\ngot  %q", i, want[max(0, i-1):min(i+2, len(want))], got[max(0, i-1):min(i+2, len(got))])
	}
	before, sent, shown := histories(orig), histories(in), histories(out)
	for id, h := range sent {
		untouched := slices.Equal(lifeOf(id, orig), lifeOf(id, in))
		if err := compareTool(before[id], h, shown[id], untouched); err != nil {
			return fmt.Errorf("tool %q: %w", id, err)
		}
	}
	return nil
}

// content lists texts and single events. Ids and sub-agents may be fresh ones, so they are left out.
func content(evs []hub.Event) (all []string) {
	for i := range evs {
		switch ev := evs[i]; ev.Kind {
		case hub.TextDelta, hub.Notice, hub.Data, hub.Plan:
			ev.ID, ev.SubAgent = nil, nil
			all = append(all, string(native.Append(nil, &ev)))
		}
	}
	return all
}

func firstDifference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

// history is what a stream says of one tool.
type history struct {
	events []string // ask included, without what the sequencer made up
	starts int
	name   string
	args   []string // fragments, without those that the sequencer made up
	values []string
	ends   []hub.Event
}

func histories(evs []hub.Event) map[string]*history {
	all := map[string]*history{}
	for i := range evs {
		ev := &evs[i]
		id := string(ev.ID)
		switch ev.Kind {
		case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		case hub.Ask:
			id = string(ev.Ref)
		default:
			continue
		}
		if id == "" {
			continue // gets an id of its own
		}
		if all[id] == nil {
			all[id] = &history{}
		}
		all[id].add(ev)
	}
	return all
}

func (h *history) add(ev *hub.Event) {
	if !ev.Flags.Has(hub.Synthetic) {
		bare := *ev
		bare.SubAgent = nil
		h.events = append(h.events, string(native.Append(nil, &bare)))
	}
	switch ev.Kind {
	case hub.ToolStart:
		h.starts++
		h.name = string(ev.Name)
	case hub.ToolArgs:
		if !ev.Flags.Has(hub.Synthetic) {
			h.args = append(h.args, string(ev.Text))
		}
	case hub.ToolReady:
		h.values = append(h.values, string(ev.Value))
	case hub.ToolEnd:
		h.ends = append(h.ends, *ev)
	}
}

// lifeOf lists the events of a tool, and those that end things around it.
func lifeOf(id string, evs []hub.Event) (all []string) {
	for i := range evs {
		switch ev := &evs[i]; {
		case string(ev.ID) == id, ev.Kind == hub.Ask && string(ev.Ref) == id, ev.Kind == hub.AgentStart, ev.Kind == hub.AgentEnd:
			all = append(all, string(native.Append(nil, ev)))
		}
	}
	return all
}

// compareTool compares what was shown of a tool with what was sent, and with what it was before the damage.
func compareTool(before, sent, shown *history, untouched bool) error {
	switch {
	case shown == nil:
		return fmt.Errorf("is lost")
	case shown.starts != 1 || len(shown.ends) != 1:
		return fmt.Errorf("has %d starts and %d ends", shown.starts, len(shown.ends))
	case shown.name != sent.name && shown.name != "unknown" && (before == nil || shown.name != before.name):
		return fmt.Errorf("is named %q, not %q", shown.name, sent.name)
	case !isSubsequence(shown.args, sent.args):
		return fmt.Errorf("has the fragments %q of %q", shown.args, sent.args)
	case len(shown.args) == 0 && shown.values[0] != "{}" && !slices.Contains(sent.values, shown.values[0]):
		return fmt.Errorf("has the arguments %q of %q", shown.values, sent.values)
	}
	if end := shown.ends[0]; !end.Flags.Has(hub.Synthetic) && (len(sent.ends) == 0 || string(end.Text) != string(sent.ends[0].Text)) {
		return fmt.Errorf("has the result %q, not the first that was sent", end.Text)
	}
	if before != nil && untouched && !slices.Equal(shown.events, before.events) {
		return fmt.Errorf("was not touched, but changed from\n%q to\n%q", before.events, shown.events)
	}
	return nil
}

func isSubsequence(part, all []string) bool {
	for _, s := range all {
		if len(part) > 0 && part[0] == s {
			part = part[1:]
		}
	}
	return len(part) == 0
}
