package simplified_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/simplified"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestDeltaAllocs counts what a delta costs in each direction on its own: plain, escaped, near a tag, through tags, and
// in sub-agents.
func TestDeltaAllocs(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	f := func(name string, deltas ...string) {
		t.Helper()
		dec, enc, out := simplified.Dialect.NewDecoder(options(t)), simplified.Dialect.NewEncoder(options(t)), wire.NewOut(wire.NDJSON)
		seq := sequencer.New(sequencer.Config{})
		var decoded, normalized []hub.Event
		var records []wire.Record
		for _, d := range deltas {
			records = append(records, wire.Record{Data: []byte(d)})
		}
		pass := func() {
			out.Reset()
			for _, rec := range records {
				decoded, _ = dec.Decode(decoded[:0], rec)
				normalized = seq.Push(normalized[:0], decoded, 0)
				for i := range normalized {
					enc.Encode(out, &normalized[i])
				}
			}
		}
		for range 20 { // buffers grow to their size, what sub-agents say to its limit
			pass()
		}
		if out.Records == 0 {
			t.Fatalf("%s: nothing is written", name)
		}
		if n := testing.AllocsPerRun(100, pass); n > 0 {
			t.Errorf("%s: %.0f allocations", name, n)
		}
	}
	f("plain", `{"type":"response","data":"a \"piece\"\n","messageId":"m1"}`)
	f("near a tag", `{"type":"response","data":"a < b <th","messageId":"m1"}`, `{"type":"response","data":"ree> \\u003cthink> \u003c","messageId":"m1"}`)
	f("in a sub-agent", `{"type":"subagent_data","subagentId":"s1","subagentName":"S","data":{"type":"response","data":"a piece"},"messageId":"m1"}`)
	f("deep in sub-agents", `{"type":"subagent_data","subagentId":"s1","subagentName":"S","data":{"type":"subagent_data","subagentId":"s2","subagentName":"T","data":{"type":"response","data":"a piece"}},"messageId":"m1"}`)
}

// TestThoughtAllocs counts reasoning without the sequencer, which opens a part wherever the channel changes.
func TestThoughtAllocs(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	dec, enc, out := simplified.Dialect.NewDecoder(options(t)), simplified.Dialect.NewEncoder(options(t)), wire.NewOut(wire.NDJSON)
	records := []wire.Record{
		{Data: []byte(`{"type":"response","data":"<think>hm</think>","messageId":"m1"}`)},
		{Data: []byte(`{"type":"response","data":"yes <think>I </th","messageId":"m1"}`)},
		{Data: []byte(`{"type":"response","data":"ink> no</think>","messageId":"m1"}`)},
	}
	var decoded []hub.Event
	pass := func() {
		out.Reset()
		for _, rec := range records {
			decoded, _ = dec.Decode(decoded[:0], rec)
			for i := range decoded {
				enc.Encode(out, &decoded[i])
			}
		}
	}
	pass()
	pass()
	if n := testing.AllocsPerRun(100, pass); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
