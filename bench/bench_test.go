package bench_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/bench"
)

// TestNoAllocations is the gate: in the middle of a text, of reasoning, of arguments, no pair allocates for a delta. What
// keeps all of a part, such as the arguments of a call, may double its room now and then.
func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	parts := 0
	for _, from := range adapters.All() {
		for _, p := range bench.Parts() {
			if _, err := bench.NewLongScript(from, p, 2); err != nil {
				continue // the dialect does not write such deltas
			}
			parts++
			eachTarget(from, func(from, to *hub.Dialect) { noAllocations(t, from, to, p) })
		}
	}
	if least := 2 * len(adapters.All()); parts < least {
		t.Errorf("%d parts of streams were measured, want at least %d", parts, least)
	}
}

func noAllocations(t *testing.T, from, to *hub.Dialect, p bench.Part) {
	t.Helper()
	turn := steady(t, from, to, p)
	for range 10 { // what grows has then seldom to be moved
		turn()
	}
	if n := testing.AllocsPerRun(10, turn); n > 0 {
		t.Errorf("%s to %s, %s: %d deltas cost %.0f allocations", from.Name, to.Name, p, deltas, n)
	}
}

// TestLongIsRight makes sure that long parts are what they should be: each dialect reads back what it has written.
func TestLongIsRight(t *testing.T) {
	for _, d := range adapters.All() {
		for _, p := range bench.Parts() {
			script, err := bench.NewLongScript(d, p, deltas)
			if err != nil {
				continue
			}
			if err := bench.CheckMarks(marksOf(t, d, p, script.Bytes()), deltas, 1); err != nil {
				t.Errorf("%s, %s: %v", d.Name, p, err)
			}
		}
	}
}

// marksOf reads body in dialect d and returns the marks of its part.
func marksOf(t *testing.T, d *hub.Dialect, p bench.Part, body []byte) (marks []byte) {
	t.Helper()
	for line := range bytes.Lines(translate(t, d, &native.Dialect, body)) {
		evs, err := bench.Events(string(line))
		if err != nil {
			t.Fatal(err)
		}
		for i := range evs {
			if ev := &evs[i]; ofPart(ev, p) && bench.FindMark(ev.Text) >= 0 {
				marks = append(marks, ev.Text...)
			}
		}
	}
	return marks
}

// ofPart reports whether ev is a delta of p; a shape may have deltas of several.
func ofPart(ev *hub.Event, p bench.Part) bool {
	part := partOf(ev)
	return part == p || part != "" && !slices.Contains(bench.Parts(), p)
}

func partOf(ev *hub.Event) bench.Part {
	switch {
	case ev.Kind == hub.ToolArgs:
		return bench.ArgsPart
	case ev.Kind != hub.TextDelta:
		return ""
	case ev.Chan == hub.Reasoning:
		return bench.ReasoningPart
	}
	return bench.AnswerPart
}

// TestPairsAreRight makes sure that what is measured is a translation: every pair yields the whole text and a good end.
func TestPairsAreRight(t *testing.T) {
	eachPair(func(from, to *hub.Dialect) {
		if to.NewDecoder == nil {
			return
		}
		script, err := bench.NewScript(from, deltas)
		if err != nil {
			t.Fatal(err)
		}
		if err := bench.Check(to, translate(t, from, to, script.Bytes()), deltas, 1); err != nil {
			t.Errorf("%s to %s: %v", from.Name, to.Name, err)
		}
	})
}

func translate(t *testing.T, from, to *hub.Dialect, body []byte) (out []byte) {
	t.Helper()
	codec := newCodec(from, to)
	for {
		n, err := codec.Feed(body, true)
		if err != nil {
			t.Fatal(err)
		}
		body = body[n:]
		out = append(out, codec.Take()...)
		if n == 0 {
			break
		}
	}
	if f := codec.Finish(nil); f != nil {
		t.Errorf("%s to %s ends with %v", from.Name, to.Name, f)
	}
	return append(out, codec.Take()...)
}

// TestMixedIsRich makes sure that the mixed stream means something in every dialect: all its events are read back as
// normalized events without a repair, by the dialect that loses nothing.
func TestMixedIsRich(t *testing.T) {
	evs, err := bench.Mixed(turns)
	if err != nil {
		t.Fatal(err)
	}
	seq := sequencer.New(sequencer.Config{})
	kinds := map[hub.Kind]int{}
	for _, ev := range seq.Push(nil, evs, 0) {
		kinds[ev.Kind]++
	}
	if n := seq.Repairs.Total(); n > 0 {
		t.Errorf("the mixed stream needs %d repairs", n)
	}
	for _, k := range []hub.Kind{hub.TextDelta, hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd} {
		if kinds[k] < turns {
			t.Errorf("the mixed stream has %d events %s, want at least %d", kinds[k], k, turns)
		}
	}
	for _, d := range adapters.All() {
		if d.NewEncoder != nil && len(bytes.Join(bench.Encode(d, evs), nil)) == 0 {
			t.Errorf("%s writes nothing of it", d.Name)
		}
	}
}

// TestCheckNotices damages a good stream in every way that a proxy could, and wants each to be noticed.
func TestCheckNotices(t *testing.T) {
	const count = 20
	script, err := bench.NewScript(&native.Dialect, count)
	if err != nil {
		t.Fatal(err)
	}
	good := string(script.Bytes())
	lines := strings.SplitAfter(good, "\n")
	if err := bench.Check(&native.Dialect, []byte(good), count, 1); err != nil {
		t.Fatalf("a good stream: %v", err)
	}
	f := func(what, body string) {
		t.Helper()
		if bench.Check(&native.Dialect, []byte(body), count, 1) == nil {
			t.Errorf("%s was not noticed", what)
		}
	}
	drop := func(i int) string { return strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "") }
	swapped := append([]string{}, lines...)
	swapped[8], swapped[9] = swapped[9], swapped[8]

	f("a lost delta", drop(8))
	f("a doubled delta", strings.Replace(good, lines[8], lines[8]+lines[8], 1))
	f("two deltas in the wrong order", strings.Join(swapped, ""))
	f("a changed character", strings.Replace(good, "~00000007 ok", "~00000007 oh", 1))
	f("a changed number", strings.Replace(good, "~00000007", "~00000017", 1))
	f("a cut stream", good[:len(good)/2])
	f("a missing end of the run", drop(len(lines)-2))
	f("a failed run", strings.Replace(good, `"status":"done"`, `"status":"failed"`, 1))
	f("a broken record", strings.Replace(good, lines[8], lines[8][:20]+"\n", 1))
	f("nothing", "")
}

// TestArgsAreRight writes arguments in every dialect that can stream them, and reads them back.
func TestArgsAreRight(t *testing.T) {
	const fragments = 30
	read := 0
	for _, d := range adapters.All() {
		if d.NewEncoder == nil || d.NewDecoder == nil {
			continue
		}
		w := bench.NewWriter(d)
		var body []byte
		for ev := range bench.ArgsEvents(fragments) {
			body = w.Append(body, ev)
		}
		body = w.Finish(body)
		if err := bench.CheckArgs(d, body, fragments); err != nil {
			t.Logf("%s cannot be used to measure arguments: %v", d.Name, err)
			continue
		}
		read++
		if bench.CheckArgs(d, body, fragments-1) == nil || bench.CheckArgs(d, bytes.ReplaceAll(body, []byte("~00000007"), []byte("~00000008")), fragments) == nil {
			t.Errorf("%s: damage was not noticed", d.Name)
		}
	}
	if read < 3 {
		t.Errorf("only %d dialects stream arguments", read)
	}
}

func TestMarks(t *testing.T) {
	p := bench.AppendMark([]byte(`{"text":"~`), 0xDEADBEEF)
	if at := bench.FindMark(p); at != len(`{"text":"~`) || len(p)-at != bench.MarkSize {
		t.Fatalf("found at %d of %q", at, p)
	}
	if !bench.SetMark(p, 41) {
		t.Fatal("not set")
	}
	if n, ok := bench.ReadMark(p[bench.FindMark(p):]); n != 41 || !ok {
		t.Errorf("read %d, %v", n, ok)
	}
	if bench.FindMark([]byte("~0000002g ok ~0000002a o")) >= 0 || bench.SetMark(nil, 1) {
		t.Error("found a mark where there is none")
	}
}
