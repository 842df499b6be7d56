//go:build !race

package agentevent_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/agentevent"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestProgressAllocs asserts that progress of a tool costs nothing, decoded, sequenced and encoded; text deltas are
// counted by TestAllocs.
func TestProgressAllocs(t *testing.T) {
	f := func(version string, before []string, progress string) {
		t.Helper()
		options, _ := agentevent.Dialect.ParseOptions(map[string]any{"version": version})
		dec, enc := agentevent.Dialect.NewDecoder(options), agentevent.Dialect.NewEncoder(options)
		seq := hub.NewSequencer(hub.SequencerConfig{Bounds: hub.Bounds{Result: 1 << 10}})
		out := wire.NewOut(wire.SSE)
		var loose, strict []hub.Event
		pass := func(rec wire.Record) {
			out.Reset()
			var err error
			if loose, err = dec.Decode(loose[:0], rec); err != nil {
				t.Fatal(err)
			}
			strict = seq.Push(strict[:0], loose, 0)
			for i := range strict {
				enc.Encode(out, &strict[i])
			}
		}
		for _, data := range before {
			pass(wire.Record{Data: []byte(data)})
		}
		rec := wire.Record{Data: []byte(progress)}
		for range 100 { // buffers grow to their size, the collected result to its limit
			pass(rec)
		}
		if out.Records != 1 {
			t.Fatalf("%s: wrote %d records, want 1: %s", progress, out.Records, out.Buf)
		}
		if n := testing.AllocsPerRun(100, func() { pass(rec) }); n > 0 {
			t.Errorf("version %s: %s costs %.0f allocations", version, progress, n)
		}
	}
	call := `{"type":"tool_call","toolName":"bash","toolArgs":"{}"}`
	f("1", []string{call}, `{"type":"tool_progress","toolName":"bash","data":{"subtype":"stdout_chunk","content":"a line\n"}}`)
	f("1", []string{call}, `{"type":"tool_progress","toolName":"bash","data":{"subtype":"stdout_chunk","content":"a line\n","pid":7}}`)
	f("1", []string{call}, `{"type":"tool_progress","toolName":"bash","data":"a piece"}`)
	f("1", []string{call}, `{"type":"tool_progress","toolName":"bash","data":{"subtype":"other","n":1}}`)
	f("1", []string{call}, `{"type":"stream","content":"text beside a tool"}`)
	f("2", []string{`{"type":"tool_call","callId":"tc_1","toolName":"bash","toolArgs":{},"seq":1,"at":1772240000000}`},
		`{"type":"tool_progress","callId":"tc_1","toolName":"bash","data":{"subtype":"stdout_chunk","content":"a line\n"},"seq":2,"at":1772240000001}`)
	f("2", nil, `{"type":"stream","messageId":"m1","content":"a piece","seq":2,"at":1772240000001}`)
}
