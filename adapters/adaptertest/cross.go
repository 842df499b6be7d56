package adaptertest

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// testTo writes the fixture's events with the encoder of another dialect, in every framing that it travels in.
func (f *fixture) testTo(t *testing.T, target *hub.Dialect) {
	decoded, cause := f.decoded(t)
	for _, framing := range target.Framings {
		p := newPipe(target.Caps.Has(hub.CapReplace), f.endGrace).encodeWith(target.NewEncoder(target.Defaults()), framing).linear(target)
		p.push(decoded)
		p.flush(cause)
		if p.err != nil {
			t.Fatalf("the sequenced stream breaks an invariant: %v\n%s", p.err, p.lines)
		}
		records, err := splitAll(p.out.Buf, framing)
		if err == nil {
			err = checkRecords(target, records)
		}
		if err != nil {
			t.Errorf("framed as %s: %v", framing, err)
			continue
		}
		if len(records) != p.out.Records {
			t.Errorf("framed as %s: %d records were written, %d can be read\n%s", framing, p.out.Records, len(records), p.out.Buf)
		}
		if framing == target.Framing && target.NewDecoder != nil {
			f.testMeaning(t, target, p, records)
		}
	}
	f.testVariants(t, target, decoded, cause)
}

// testMeaning reads back what the encoder wrote and compares what a reader understands of it.
func (f *fixture) testMeaning(t *testing.T, target *hub.Dialect, sent *pipe, records []wire.Record) {
	t.Helper()
	back := readBack(t, target, records)
	if back.err != nil {
		t.Errorf("decoded and sequenced again, it breaks an invariant: %v\n%s", back.err, back.lines)
		return
	}
	for _, fault := range sent.sense.Compare(&back.sense) {
		t.Errorf("read back from %s: %s", target.Name, fault)
	}
}

// readBack decodes and sequences what an encoder wrote.
func readBack(t *testing.T, d *hub.Dialect, records []wire.Record) *pipe {
	t.Helper()
	back := newPipe(d.Caps.Has(hub.CapReplace), 0)
	dec := d.NewDecoder(d.Defaults())
	var evs []hub.Event
	for i, rec := range records {
		var err error
		if evs, err = dec.Decode(evs[:0], rec); err != nil {
			t.Errorf("its own decoder does not read record %d: %v\n%s", i+1, err, showRecord(rec))
		}
		back.push(evs)
	}
	back.push(dec.Finish(evs[:0], nil))
	back.flush(nil)
	return back
}

// variant is one option away from its default.
type variant struct {
	name    string
	options hub.Options
}

// variants lists what the options of an encoder can be, one by one.
func variants(d *hub.Dialect) (all []variant) {
	for _, o := range d.Options {
		values := o.Values
		if o.Type == hub.OptionBool {
			values = []string{"true", "false"}
		}
		for _, v := range values {
			if v == o.Default || !o.Encode {
				continue
			}
			if options, problems := d.ParseOptions(map[string]any{o.Name: v}); len(problems) == 0 {
				all = append(all, variant{o.Name + "=" + v, options})
			}
		}
	}
	return all
}

// testVariants: with each option, what is written is valid.
func (f *fixture) testVariants(t *testing.T, target *hub.Dialect, decoded []hub.Event, cause error) {
	t.Helper()
	for _, v := range variants(target) {
		p := newPipe(target.Caps.Has(hub.CapReplace), f.endGrace).encodeWith(target.NewEncoder(v.options), target.Framing).linear(target)
		p.push(decoded)
		p.flush(cause)
		records, err := splitAll(p.out.Buf, target.Framing)
		if err == nil {
			err = checkRecords(target, records)
		}
		if err != nil {
			t.Errorf("with the option %s: %v", v.name, err)
		}
	}
}
