//go:build !race

package evolve_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/evolve"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Members beside the update cost a text delta no allocation either.
func TestBesideAllocs(t *testing.T) {
	d, out := evolve.Dialect.NewDecoder(options(t)), wire.NewOut(wire.NDJSON)
	e := evolve.Dialect.NewEncoder(options(t, "session=a1"))
	rec := wire.Record{Data: []byte(`{"sessionId":"a1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}},` +
		`"timestamp":"2026-03-01T08:00:00.500Z","model":"m","messageId":"m1","extra":{"stop_reason":"end_turn"}}`)}
	evs, _ := d.Decode(nil, rec)
	turn := func() {
		out.Reset()
		evs, _ = d.Decode(evs[:0], rec)
		for i := range evs {
			e.Encode(out, &evs[i])
		}
	}
	turn()
	if want := string(rec.Data) + "\n"; string(out.Buf) != want {
		t.Errorf("got\n%swant\n%s", out.Buf, want)
	}
	if n := testing.AllocsPerRun(100, turn); n > 0 {
		t.Errorf("a delta costs %.1f allocations", n)
	}
}

// Updates of a tool cost no allocation, in either direction and in every form. The race detector allocates itself.
func TestToolUpdateAllocs(t *testing.T) {
	update := `{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress","content":` +
		`[{"type":"content","content":{"type":"text","text":"a"}},{"type":"content","content":{"type":"text","text":"b"}}],` +
		`"locations":[{"path":"a.go","line":3}]}`
	call := `{"sessionUpdate":"tool_call","toolCallId":"t1","status":"pending","title":"x","kind":"execute","rawInput":{}}`
	f := func(opening, closing, envelope string) {
		t.Helper()
		d, e := evolve.Dialect.NewDecoder(options(t)), evolve.Dialect.NewEncoder(options(t, "envelope="+envelope))
		out := wire.NewOut(wire.NDJSON)
		startTool(e, out)
		decode(t, d, opening+call+closing)
		rec := wire.Record{Data: []byte(opening + update + closing)}
		var evs []hub.Event
		turn := func() {
			out.Reset()
			evs, _ = d.Decode(evs[:0], rec)
			for i := range evs {
				e.Encode(out, &evs[i])
			}
		}
		turn()
		if out.Records != 2 {
			t.Fatalf("%s: %d records were written, want one for the locations and one for the output", envelope, out.Records)
		}
		if n := testing.AllocsPerRun(100, turn); n > 0 {
			t.Errorf("%s: an update costs %.1f allocations", envelope, n)
		}
	}
	f(`{"sessionId":"a1","update":`, `}`, "output-event")
	f(`{"jsonrpc":"2.0","method":"event","params":{"type":"content","session_id":"a1","update":`, `}}`, "bridge")
	f(`{"sessionId":"a1","update":`, `,"timestamp":"2026-03-01T08:00:00.500Z","model":"m","messageId":"m1","extra":{"a":1}}`, "output-event")
	f(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a1","update":`, `}}`, "acp")
}
