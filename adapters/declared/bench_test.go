package declared_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/agentevent"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// streams are what the benchmarks pass: a text in pieces, and a tool call with progress.
var streams = []struct {
	name    string
	records []string
}{
	{"deltas", []string{
		`{"type":"stream","content":"The quick"}`,
		`{"type":"stream","content":" brown fox jumps over the lazy dog.\n"}`,
	}},
	{"tool", []string{
		`{"type":"tool_call","toolName":"run_shell_command","toolArgs":"{\"command\":\"ls -l src\"}"}`,
		`{"type":"tool_progress","toolName":"run_shell_command","data":{"subtype":"stdout_chunk","content":"-rw-r--r-- 1 user group 1024 Feb 12 10:00 file1.txt\n"}}`,
		`{"type":"tool_progress","toolName":"run_shell_command","data":{"subtype":"transfer_progress","percent":65}}`,
		`{"type":"tool_result","toolName":"run_shell_command","output":"{\"stdout\":\"...\",\"stderr\":\"\"}"}`,
	}},
}

// BenchmarkAgentEvent compares the declared dialect with the one in Go, per record read and per event written.
//
//	go test -run '^$' -bench AgentEvent -count 6 ./adapters/declared
func BenchmarkAgentEvent(b *testing.B) {
	for _, d := range []struct {
		name string
		*hub.Dialect
	}{{"go", &agentevent.Dialect}, {"declared", example(b, "agentevent")}} {
		for _, s := range streams {
			b.Run("decode/"+s.name+"/"+d.name, func(b *testing.B) { benchmarkDecode(b, d.Dialect, s.records) })
			b.Run("encode/"+s.name+"/"+d.name, func(b *testing.B) { benchmarkEncode(b, d.Dialect, s.records) })
		}
	}
}

func benchmarkDecode(b *testing.B, d *hub.Dialect, lines []string) {
	dec := d.NewDecoder(d.Defaults())
	records := make([]wire.Record, len(lines))
	for i, line := range lines {
		records[i].Data = []byte(line)
	}
	var evs []hub.Event
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		var err error
		if evs, err = dec.Decode(evs[:0], records[i%len(records)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// benchmarkEncode writes normalized events over and over; the ids of the tools come back, as each call has ended before.
func benchmarkEncode(b *testing.B, d *hub.Dialect, lines []string) {
	dec, seq := d.NewDecoder(d.Defaults()), sequencer.New(sequencer.Config{})
	var normalized []hub.Event
	var memory [][]hub.Event // events of a record share its memory, which nothing overwrites here
	for _, line := range lines {
		decoded, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
		if err != nil {
			b.Fatal(err)
		}
		memory = append(memory, ownEvents(seq.Push(nil, decoded, 0)))
	}
	for _, evs := range memory {
		for _, ev := range evs {
			if ev.Kind != hub.RunStart && ev.Kind != hub.TextStart {
				normalized = append(normalized, ev)
			}
		}
	}
	enc, out := d.NewEncoder(d.Defaults()), wire.NewOut(wire.SSE)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i%len(normalized) == 0 {
			out.Reset()
		}
		enc.Encode(out, &normalized[i%len(normalized)])
		i++
	}
}
