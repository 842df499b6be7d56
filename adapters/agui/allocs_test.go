package agui

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestDeltaAllocs counts what one delta costs in each direction on its own; the harness counts texts through the whole
// chain, but not arguments, which the sequencer collects.
func TestDeltaAllocs(t *testing.T) {
	if raceEnabled {
		t.Log("the race detector allocates: nothing to count")
		return
	}
	f := func(name string, prelude []string, delta string) {
		t.Helper()
		dec, enc, out := Dialect.NewDecoder(Dialect.Defaults()), Dialect.NewEncoder(Dialect.Defaults()), wire.NewOut(wire.SSE)
		seq := hub.NewSequencer(hub.SequencerConfig{})
		var loose, strict []hub.Event
		decode := func(record string) {
			var err error
			if loose, err = dec.Decode(loose[:0], wire.Record{Data: []byte(record)}); err != nil {
				t.Fatalf("%s: %v", record, err)
			}
		}
		for _, record := range append(prelude, delta) {
			decode(record)
			strict = seq.Push(strict[:0], loose, 0)
			for i := range strict {
				enc.Encode(out, &strict[i])
			}
		}
		last := strict[len(strict)-1]
		data := []byte(delta)
		if n := testing.AllocsPerRun(100, func() {
			loose, _ = dec.Decode(loose[:0], wire.Record{Data: data})
		}); n > 0 {
			t.Errorf("%s: decoding a delta costs %.0f allocations", name, n)
		}
		if n := testing.AllocsPerRun(100, func() {
			out.Reset()
			enc.Encode(out, &last)
		}); n > 0 {
			t.Errorf("%s: encoding a delta costs %.0f allocations", name, n)
		}
	}
	start := `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	f("text", []string{start, `{"type":"TEXT_MESSAGE_START","messageId":"m1"}`},
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"a \"b\"","timestamp":17,"metadata":{"k":1}}`)
	f("reasoning", []string{start, `{"type":"REASONING_START","messageId":"s"}`, `{"type":"REASONING_MESSAGE_START","messageId":"m1","role":"reasoning"}`},
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m1","delta":"hm"}`)
	f("arguments", []string{start, `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"a"}`},
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"q\":"}`)
	f("text chunk", []string{start, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","delta":"a"}`},
		`{"type":"TEXT_MESSAGE_CHUNK","delta":"b"}`)
	f("tool chunk", []string{start, `{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"a","delta":"{"}`},
		`{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","delta":"}"}`)
	f("counted lane", []string{start, `{"type":"SUBAGENT_STARTED","subagentRunId":"a_1","name":"a"}`, `{"type":"TEXT_MESSAGE_START","messageId":"m1","subagentRunId":"a_1"}`},
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"a","subagentRunId":"a_1"}`)
	f("lane", []string{start, `{"type":"SUBAGENT_STARTED","subagentRunId":"s1","name":"a"}`, `{"type":"TEXT_MESSAGE_START","messageId":"m1","subagentRunId":"s1"}`},
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"a","subagentRunId":"s1"}`)
}
