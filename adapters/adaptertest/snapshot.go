package adaptertest

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/snapshot"
)

// Cuts of a stream: all in a short one, about so many in a long one.
const (
	snapshotCuts = 64 // whose events are compared
	encodedCuts  = 6  // that are written and read back as well
)

// testSnapshot: wherever a client comes to the stream, the snapshot of what it missed, and what follows, are normalized and mean what the
// whole means; so does what the dialect's own encoder makes of them.
func (f *fixture) testSnapshot(t *testing.T) {
	decoded, cause := f.decoded(t)
	evs := normalize(decoded, cause, f.endGrace == 0)
	for cut := 0; cut <= len(evs); cut += 1 + len(evs)/snapshotCuts {
		if err := CheckSnapshot(evs, cut, snapshot.Of); err != nil {
			t.Fatalf("the snapshot of %d events: %v\n%s", cut, err, Lines(snapshot.Of(evs[:cut])))
		}
	}
	if f.dialect.NewEncoder == nil || f.dialect.NewDecoder == nil {
		return
	}
	whole, _ := f.encodeEvents(t, evs)
	for cut := 0; cut <= len(evs); cut += 1 + len(evs)/encodedCuts {
		f.testSnapshotRead(t, whole, evs, cut)
	}
}

// normalize sequences events as those of a log are.
func normalize(decoded []hub.Event, cause error, single bool) (all []hub.Event) {
	seq := sequencer.New(sequencer.Config{Replace: true})
	take := func(evs []hub.Event) {
		for i := range evs {
			own, _ := CopyEvent(&evs[i])
			own.Seq = uint64(len(all) + 1)
			all = append(all, own)
		}
	}
	if single {
		for i := range decoded {
			take(seq.Push(nil, decoded[i:i+1], 0))
		}
	} else {
		take(seq.Push(nil, decoded, 0))
	}
	take(seq.Flush(nil, cause))
	return all
}

// encodeEvents writes normalized events as a client of the dialect gets them from a log, and reads them back, both with the default options.
func (f *fixture) encodeEvents(t *testing.T, evs []hub.Event) (sent, back *pipe) {
	t.Helper()
	d := f.dialect
	p := newPipe(d.Caps.Has(hub.CapReplace), 0).encodeWith(d.NewEncoder(d.Defaults()), d.Framing).linear(d)
	p.push(withoutSlots(evs))
	p.flush(nil)
	records, err := splitAll(p.out.Buf, d.Framing)
	if err == nil {
		err = checkRecords(d, records)
	}
	if err != nil || p.err != nil {
		t.Fatalf("%v, %v", err, p.err)
	}
	return p, readBack(t, d, records)
}

// testSnapshotRead: what the encoder claims to have said of the snapshot can be read, and so can what it claims of the whole.
func (f *fixture) testSnapshotRead(t *testing.T, whole *pipe, evs []hub.Event, cut int) {
	t.Helper()
	sent, back := f.encodeEvents(t, slices.Concat(snapshot.Of(evs[:cut]), evs[cut:]))
	faults := sent.sense.Compare(&back.sense)
	if !replaces(evs) || f.dialect.Caps.Has(hub.CapReplace) { // else clients of the whole keep the text that was replaced
		all := whole.sense
		all.Data = nil // of states, the last counts; see sameStates
		faults = append(faults, all.Compare(&back.sense)...)
	}
	for _, fault := range faults {
		t.Errorf("the snapshot of %d events, read back: %s", cut, fault)
	}
}

func replaces(evs []hub.Event) bool {
	return slices.ContainsFunc(evs, func(ev hub.Event) bool { return ev.Kind == hub.TextDelta && ev.Op == hub.Replace })
}

func withoutSlots(evs []hub.Event) []hub.Event {
	evs = slices.Clone(evs)
	for i := range evs {
		evs[i].Slot, evs[i].AgentSlot, evs[i].RefSlot = 0, 0, 0
	}
	return evs
}

// CheckSnapshot says what is wrong with the snapshot that compact makes of the first events of a stream, nil if nothing is.
func CheckSnapshot(evs []hub.Event, cut int, compact func([]hub.Event) []hub.Event) error {
	short := compact(evs[:cut])
	if len(short) > cut {
		return fmt.Errorf("%d events became %d", cut, len(short))
	}
	joined := slices.Concat(short, evs[cut:])
	if err := checkNormalized(joined); err != nil {
		return err
	}
	if err := sameMessages(evs, joined); err != nil {
		return err
	}
	if err := sameSingles(evs, joined); err != nil {
		return err
	}
	for _, early := range []int{cut / 3, cut / 2, cut} {
		steps := compact(slices.Concat(compact(evs[:early]), evs[early:cut]))
		if got, want := Lines(steps), Lines(short); got != want {
			return fmt.Errorf("by way of the first %d events, another snapshot comes out\n%s", early, diff(want, got))
		}
	}
	return nil
}

func checkNormalized(evs []hub.Event) error {
	check := Checker{Replace: true}
	last := uint64(0)
	for i := range evs {
		if err := check.Event(&evs[i]); err != nil {
			return err
		}
		if seq := evs[i].Seq; seq <= last {
			return fmt.Errorf("event %d has the number %d behind %d", i+1, seq, last)
		}
		last = evs[i].Seq
	}
	return check.End()
}

// sameMessages compares what is at rest when the run is over.
func sameMessages(whole, short []hub.Event) error {
	fold := func(evs []hub.Event) hub.Run {
		f := conversation.NewFolder(nil)
		for i := range evs {
			f.Add(&evs[i])
		}
		return f.Run()
	}
	if a, b := fold(whole), fold(short); !reflect.DeepEqual(a, b) {
		return fmt.Errorf("the run is folded to\n%+v\nand not to\n%+v", b, a)
	}
	return nil
}

// sameSingles compares what messages do not hold: states as they are in the end, texts and outputs as they are complete, what calls were
// last said to be, and all other events one by one.
func sameSingles(whole, short []hub.Event) error {
	a, b := singlesOf(whole), singlesOf(short)
	if !slices.Equal(a.rest, b.rest) {
		return fmt.Errorf("other events are left\n%s", diff(string(bytes.Join(bodies(a.rest), nil)), string(bytes.Join(bodies(b.rest), nil))))
	}
	for name, pair := range map[string][2]map[string]string{
		"text": {a.texts, b.texts}, "arguments": {a.args, b.args}, "output": {a.outputs, b.outputs}, "state": {a.states, b.states}, "update": {a.updates, b.updates},
	} {
		if !maps.Equal(pair[0], pair[1]) {
			return fmt.Errorf("the %s is %q, not %q", name, pair[1], pair[0])
		}
	}
	return nil
}

func bodies(lines []string) (all [][]byte) {
	for _, l := range lines {
		all = append(all, []byte(l+"\n"))
	}
	return all
}

// singles are what sameSingles compares.
type singles struct {
	texts, args, outputs, states, updates map[string]string
	rest                                  []string
}

func singlesOf(evs []hub.Event) *singles {
	s := &singles{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, nil}
	for i := range evs {
		s.add(&evs[i])
	}
	return s
}

func (s *singles) add(ev *hub.Event) {
	id, line := string(ev.ID), string(native.Append(nil, ev))
	switch {
	case ev.Kind == hub.TextDelta && ev.Op == hub.Replace:
		s.texts[id] = string(ev.Text)
	case ev.Kind == hub.TextDelta:
		s.texts[id] += string(ev.Text)
	case ev.Kind == hub.ToolArgs:
		s.args[id] += string(ev.Text)
	case ev.Kind == hub.ToolOutput:
		s.output(ev)
	case ev.Kind == hub.Data && ev.Op == hub.Set:
		s.states[state(ev)] = line
	case ev.Kind == hub.Data && ev.Op != hub.Emit:
		s.states[state(ev)] += "\n" + line
	case ev.Kind == hub.ToolUpdate:
		if s.update(ev); !saysHow(ev) {
			s.rest = append(s.rest, line)
		}
	default:
		s.rest = append(s.rest, line)
	}
}

func state(ev *hub.Event) string {
	return string(ev.SubAgent) + " " + string(ev.Name) + " " + string(ev.ID)
}

// output adds an output of a call, each channel for itself; what is not just text counts as a channel of its own.
func (s *singles) output(ev *hub.Event) {
	of := string(ev.ID) + " "
	if ev.Op == hub.Replace {
		maps.DeleteFunc(s.outputs, func(key, _ string) bool { return strings.HasPrefix(key, of) })
	}
	more := hub.More{}
	if ev.More != nil {
		more = *ev.More
		more.Time, more.Usage = 0, hub.Counts{} // texts that are one have the time of the first
	}
	if ev.Value != nil || !reflect.DeepEqual(more, hub.More{}) {
		s.outputs[of+"values"] += string(native.Append(nil, ev))
		return
	}
	s.outputs[of+ev.Chan.String()] += string(ev.Text)
}

// saysHow reports whether an update has nothing but what a later one may say anew.
func saysHow(ev *hub.Event) bool {
	more := hub.More{}
	if ev.More != nil {
		more = *ev.More
		more.Percent, more.Time, more.Usage = nil, 0, hub.Counts{}
	}
	return ev.Value == nil && len(ev.Text) == 0 && ev.Flags == 0 && reflect.DeepEqual(more, hub.More{})
}

func (s *singles) update(ev *hub.Event) {
	if ev.Status != hub.StatusNone {
		s.updates[string(ev.ID)+" status"] = ev.Status.String()
	}
	if len(ev.Title) > 0 {
		s.updates[string(ev.ID)+" title"] = string(ev.Title)
	}
	if ev.More != nil && len(ev.More.Percent) > 0 {
		s.updates[string(ev.ID)+" percent"] = string(ev.More.Percent)
	}
}
