package adaptertest

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// testToolEnds: a call that failed, was refused or did not come to its end does not come back as one that went well,
// whatever it says; and where the encoder claims to have a form for it, it comes back as what it was.
func testToolEnds(t *testing.T, d *hub.Dialect) {
	if d.NewEncoder == nil || d.NewDecoder == nil {
		return
	}
	says := map[string]hub.Event{
		"nothing":           {},
		"a text":            {Text: []byte("it did not work")},
		"a value":           {Value: []byte(`{"exit_code":1}`)},
		"a reason":          {More: &hub.More{Usage: hub.NoCounts, Err: []byte("no such file")}},
		"a text and reason": {Text: []byte("some output"), More: &hub.More{Usage: hub.NoCounts, Err: []byte("no such file")}},
	}
	for _, status := range []hub.Status{hub.StatusError, hub.StatusDenied, hub.StatusAborted} {
		for name, end := range says {
			end.Kind, end.Status, end.ID, end.Name = hub.ToolEnd, status, []byte("c1"), []byte("read")
			disposition, back := roundTrip(t, d, []hub.Event{
				{Kind: hub.RunStart, ID: []byte("r1")},
				{Kind: hub.ToolStart, ID: []byte("c1"), Name: []byte("read")},
				{Kind: hub.ToolReady, ID: []byte("c1"), Name: []byte("read"), Value: []byte(`{"path":"a"}`)},
				end,
				{Kind: hub.TextDelta, Text: []byte("So be it.")},
				{Kind: hub.RunEnd, Status: hub.StatusDone},
			})
			for _, call := range back.sense.Tools {
				if call.Status == hub.StatusOK || disposition == hub.Native && call.Status != status {
					t.Errorf("a call that ends as %s and says %s comes back as %s (disposition %s)", status, name, call.Status, disposition)
				}
			}
		}
	}
}

// roundTrip writes a stream and reads it back. disposition is what became of the end of its call.
func roundTrip(t *testing.T, d *hub.Dialect, decoded []hub.Event) (disposition hub.Disposition, back *pipe) {
	t.Helper()
	p := newPipe(d.Caps.Has(hub.CapReplace), 0).encodeWith(watchedEncoder{d.NewEncoder(d.Defaults()), &disposition}, d.Framing).linear(d)
	p.push(decoded)
	p.flush(nil)
	records, err := splitAll(p.out.Buf, d.Framing)
	if err != nil {
		t.Fatal(err)
	}
	return disposition, readBack(t, d, records)
}

// watchedEncoder notes what becomes of the ends of calls.
type watchedEncoder struct {
	hub.Encoder
	disposition *hub.Disposition
}

// Encode implements [hub.Encoder].
func (e watchedEncoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	disposition := e.Encoder.Encode(out, ev)
	if ev.Kind == hub.ToolEnd {
		*e.disposition = disposition
	}
	return disposition
}
