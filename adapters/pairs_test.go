package adapters_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	framing "github.com/sabir-proxy/sabir/adapters/wire"
)

// founders are the dialects of the five founding documents, in their order.
func founders(t testing.TB) (all []*hub.Dialect) {
	t.Helper()
	for _, name := range []string{"simplified", "pydantic", "copilot", "evolve", "agentevent"} {
		d, err := adapters.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// fixturesOf reads the fixtures of a dialect.
func fixturesOf(t testing.TB, d *hub.Dialect) []*adaptertest.Stream {
	t.Helper()
	return adaptertest.Streams(t, d, filepath.Join(d.Name, "testdata"))
}

// pair is what happened to all fixtures of one dialect on their way into another.
type pair struct {
	source, target *hub.Dialect
	fixtures       int
	dispositions   [hub.NumKinds][hub.NumDispositions]int
}

// TestPairs is SX-1: every fixture of the five founding dialects is written in every other, and read back by the client's
// own dialect. SX-3: its texts are the same, and none is there twice. SX-4, S4-29: each call has one start and one end, each
// run one end. SX-5: the order of text, reasoning and calls is kept. SX-11: every event is written as whole records, and
// nothing is escaped for HTML. What was lost on the way is listed in docs/pairs.md.
func TestPairs(t *testing.T) {
	var pairs []*pair
	for _, source := range founders(t) {
		streams := fixturesOf(t, source)
		for _, target := range founders(t) {
			p := &pair{source: source, target: target, fixtures: len(streams)}
			pairs = append(pairs, p)
			t.Run(source.Name+" to "+target.Name, func(t *testing.T) {
				for _, s := range streams {
					p.add(t, s)
				}
			})
		}
	}
	adaptertest.Generated(t, "../docs/pairs.md", pairsPage(pairs))
}

func (p *pair) add(t *testing.T, s *adaptertest.Stream) {
	t.Helper()
	x := s.Translate(p.target, p.target.Defaults())
	for i := range x.Sent {
		if !x.Sent[i].Flags.Has(hub.Synthetic) {
			p.dispositions[x.Sent[i].Kind][x.Sent[i].Disposition]++
		}
	}
	faults := slices.Concat(x.Problems, x.Meaning.Compare(&x.Read), once(x), oneEach(x), oneEnd(p.target, x), whole(s, x))
	for _, fault := range append(faults, inOrder(p.withIDs(s, x))...) {
		t.Errorf("%s: %s", s.Name, fault)
	}
}

// withIDs is the translation whose order is judged. Without ids, agentevent lets a call wait for an earlier one of the same
// tool, since their results could not be distinguished; with them, nothing waits.
func (p *pair) withIDs(s *adaptertest.Stream, x *adaptertest.Translation) *adaptertest.Translation {
	options, problems := p.target.ParseOptions(map[string]any{"extensions": true})
	if len(problems) > 0 {
		return x // the dialect has ids
	}
	return s.Translate(p.target, options)
}

// once wants no text to be there twice. Where something for people was folded into a text, that may be more than what was
// sent, but not by more than was written for it.
func once(x *adaptertest.Translation) (faults []string) {
	folded := 0
	for i := range x.Sent {
		switch x.Sent[i].Kind {
		case hub.TextDelta, hub.Notice, hub.Ask, hub.File, hub.AgentStart, hub.AgentEnd, hub.RunEnd:
			if x.Sent[i].Disposition == hub.Folded {
				folded += len(x.Sent[i].Bytes)
			}
		}
	}
	for _, ch := range []hub.Chan{hub.AnswerText, hub.Reasoning} {
		sent, read := x.Meaning.Text("", ch), x.Read.Text("", ch)
		if len(read) > len(sent)+folded {
			faults = append(faults, fmt.Sprintf("of the %s %q comes too much: %q", ch, sent, read))
		}
	}
	return faults
}

// oneEach looks at what the target's own decoder reads, before anything is repaired: a call that was shown has one start
// and one end. One that waits for an answer when the run pauses may have none: its result comes in a later run.
func oneEach(x *adaptertest.Translation) (faults []string) {
	starts, ends, paused := map[string]int{}, map[string]int{}, map[string]bool{}
	for i := range x.Sent {
		if ev := &x.Sent[i]; ev.Kind == hub.ToolEnd && ev.Status == hub.StatusPaused {
			paused[string(ev.ID)] = true
		}
	}
	for i := range x.Loose {
		switch id := string(x.Loose[i].ID); x.Loose[i].Kind {
		case hub.ToolStart:
			starts[id]++
		case hub.ToolEnd:
			ends[id]++
		}
	}
	for id := range starts {
		if starts[id] != 1 || ends[id] != 1 && !(paused[id] && ends[id] == 0) {
			faults = append(faults, fmt.Sprintf("call %q has %d starts and %d ends", id, starts[id], ends[id]))
		}
	}
	for id := range ends {
		if starts[id] == 0 {
			faults = append(faults, fmt.Sprintf("call %q ends and never started", id))
		}
	}
	return faults
}

// oneEnd wants one terminal record, behind which there is nothing. An evolve server tells of a failure in two: the error,
// which says why, and the record of the sandbox.
func oneEnd(target *hub.Dialect, x *adaptertest.Translation) []string {
	var ends []int
	for i, rec := range x.Records {
		if target.Observe(rec) == hub.ObservedEnd {
			ends = append(ends, i)
		}
	}
	failed := target.Name == "evolve" && len(ends) == 2 && bytes.Contains(x.Records[ends[0]].Data, []byte(`"fatal":true`))
	switch {
	case len(ends) == 0 && target.EndsWithBody:
		return nil
	case len(ends) != 1 && !failed:
		return []string{fmt.Sprintf("%d records end the run", len(ends))}
	case ends[0] != len(x.Records)-len(ends):
		return []string{fmt.Sprintf("of %d records, %d end the run, the first is record %d", len(x.Records), len(ends), ends[0]+1)}
	}
	return nil
}

// whole wants every event to be written as whole records, in which nothing is escaped that the source has not escaped.
func whole(s *adaptertest.Stream, x *adaptertest.Translation) (faults []string) {
	for i := range x.Sent {
		out := x.Sent[i].Bytes
		if len(out) > 0 && !bytes.HasSuffix(out, []byte("}\n")) && !bytes.HasSuffix(out, []byte("}")) && !bytes.HasSuffix(out, []byte("\n\n")) {
			faults = append(faults, fmt.Sprintf("half a record was written: %q", out))
		}
		for _, escape := range []string{`\u003c`, `\u003e`, `\u0026`} {
			if bytes.Contains(bytes.ToLower(out), []byte(escape)) && !bytes.Contains(bytes.ToLower(s.Wire), []byte(escape)) && s.Wire != nil {
				faults = append(faults, fmt.Sprintf("%s was escaped: %s", escape, out))
			}
		}
	}
	return faults
}

// step is something that a reader sees in its order: a piece of text, the start or the end of a call.
type step struct {
	what byte // a, r: text on a channel; s, e: of a call
	text string
	call int
}

// inOrder wants what was sent to be read in the same order: calls among the pieces of the answer, calls among those of
// reasoning, and each end behind the starts that were before it.
func inOrder(x *adaptertest.Translation) (faults []string) {
	calls := matchCalls(x)
	sent, read := sentSteps(x, calls), readSteps(x, calls)
	for _, view := range []string{"as", "rs", "se"} {
		if missing := firstMissing(project(sent, view), project(read, view)); missing != "" {
			faults = append(faults, fmt.Sprintf("out of order (%s): %s", view, missing))
		}
	}
	return faults
}

// matchCalls numbers the calls that were sent; the same number stands for the call as it was read. Names match what ids leave:
// a call that was hidden must not take the place of another of its name.
func matchCalls(x *adaptertest.Translation) map[string]int {
	numbers := map[string]int{}
	used := map[*adaptertest.ToolMeaning]bool{}
	matched := map[int]bool{}
	for _, same := range []func(sent, read *adaptertest.ToolMeaning) bool{
		func(sent, read *adaptertest.ToolMeaning) bool { return read.ID == sent.ID },
		func(sent, read *adaptertest.ToolMeaning) bool { return read.Name == sent.Name },
	} {
		for i, sent := range x.Meaning.Tools {
			numbers["sent "+sent.ID] = i
			at := slices.IndexFunc(x.Read.Tools, func(read *adaptertest.ToolMeaning) bool { return !used[read] && same(sent, read) })
			if at >= 0 && !matched[i] {
				used[x.Read.Tools[at]], matched[i] = true, true
				numbers["read "+x.Read.Tools[at].ID] = i
			}
		}
	}
	return numbers
}

// sentSteps lists what the encoder claims to have written, at the moment when it was. A start that waits for the arguments
// is written with them.
func sentSteps(x *adaptertest.Translation, calls map[string]int) (steps []step) {
	waiting := map[string]bool{}
	for i := range x.Sent {
		ev, disposition := x.Sent[i].Event, x.Sent[i].Disposition
		switch id := string(ev.ID); {
		case ev.Kind == hub.ToolStart && disposition == hub.Deferred:
			waiting[id] = true
			continue
		case ev.Kind == hub.ToolReady && waiting[id]:
			ev.Kind = hub.ToolStart
		}
		if disposition == hub.Native || disposition == hub.Deferred {
			steps = appendStep(steps, &ev, "sent ", calls)
		}
	}
	return steps
}

func readSteps(x *adaptertest.Translation, calls map[string]int) (steps []step) {
	for i := range x.Strict {
		steps = appendStep(steps, &x.Strict[i], "read ", calls)
	}
	return steps
}

// appendStep adds an event of the root agent.
func appendStep(steps []step, ev *hub.Event, side string, calls map[string]int) []step {
	call, known := calls[side+string(ev.ID)]
	switch {
	case len(ev.SubAgent) > 0 || ev.Flags.Has(hub.User):
	case ev.Kind == hub.TextDelta && ev.Chan != hub.Refusal && ev.Op == hub.Append:
		for _, r := range adaptertest.Plain(ev.Text) {
			steps = append(steps, step{what: "ar"[ev.Chan], text: string(r)})
		}
	case ev.Kind == hub.ToolStart && known:
		steps = append(steps, step{what: 's', call: call})
	case ev.Kind == hub.ToolEnd && known:
		steps = append(steps, step{what: 'e', call: call})
	}
	return steps
}

func project(steps []step, view string) []step {
	return slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return strings.IndexByte(view, s.what) < 0 })
}

// firstMissing looks for the steps of want in got, in their order; got may hold more. It shows the first that is not there.
func firstMissing(want, got []step) string {
	at := 0
	for i, w := range want {
		for at < len(got) && got[at] != w {
			at++
		}
		if at == len(got) {
			return fmt.Sprintf("%q is not behind %q", show(want[i:min(i+20, len(want))]), show(want[max(i-20, 0):i]))
		}
		at++
	}
	return ""
}

func show(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		if b.WriteString(s.text); s.text == "" {
			fmt.Fprintf(&b, "[%c%d]", s.what, s.call)
		}
	}
	return b.String()
}

// TestPairFaults shows that the pairs can fail.
func TestPairFaults(t *testing.T) {
	agentevent := founders(t)[4]
	f := func(want string, faults []string) {
		t.Helper()
		if got := strings.Join(faults, "\n"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	call := func(kinds ...hub.Kind) (evs []hub.Event) {
		for _, k := range kinds {
			evs = append(evs, hub.Event{Kind: k, ID: []byte("t"), Name: []byte("ls")})
		}
		return evs
	}
	f("", oneEach(&adaptertest.Translation{Loose: call(hub.ToolStart, hub.ToolEnd)}))
	f(`call "t" has 2 starts and 1 ends`, oneEach(&adaptertest.Translation{Loose: call(hub.ToolStart, hub.ToolStart, hub.ToolEnd)}))
	f(`call "t" has 1 starts and 0 ends`, oneEach(&adaptertest.Translation{Loose: call(hub.ToolStart)}))
	f(`call "t" ends and never started`, oneEach(&adaptertest.Translation{Loose: call(hub.ToolEnd)}))

	records := func(types ...string) (all []framing.Record) {
		for _, typ := range types {
			all = append(all, framing.Record{Data: []byte(`{"type":"` + typ + `"}`)})
		}
		return all
	}
	f("", oneEnd(agentevent, &adaptertest.Translation{Records: records("stream", "final")}))
	f("0 records end the run", oneEnd(agentevent, &adaptertest.Translation{Records: records("stream")}))
	f("2 records end the run", oneEnd(agentevent, &adaptertest.Translation{Records: records("final", "error")}))
	f("of 2 records, 1 end the run, the first is record 1", oneEnd(agentevent, &adaptertest.Translation{Records: records("final", "stream")}))

	steps := func(s string) (all []step) {
		for _, r := range s {
			if at := strings.IndexRune("STE", r); at >= 0 {
				all = append(all, step{what: "sse"[at], call: at})
			} else {
				all = append(all, step{what: 'a', text: string(r)})
			}
		}
		return all
	}
	order := func(want, sent, read string) {
		t.Helper()
		if got := firstMissing(steps(sent), steps(read)); got != want {
			t.Errorf("%s read as %s: got %s, want %s", sent, read, got, want)
		}
	}
	order("", "abSEc", "abSEc")
	order("", "abSEc", "a note, bSEc")
	order(`"c" is not behind "ab[s0][e2]"`, "abSEc", "abcSE")
	order(`"[s0][e2]c" is not behind "ab"`, "abSEc", "Sabc")
}
