package datastream_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/datastream"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decode returns the events of lines, after the sequencer.
func decode(t *testing.T, lines ...string) (strict []hub.Event) {
	t.Helper()
	dec, seq := datastream.Dialect.NewDecoder(datastream.Dialect.Defaults()), hub.NewSequencer(hub.SequencerConfig{})
	keep := func(evs []hub.Event) {
		for i := range evs {
			own, _ := adaptertest.CopyEvent(&evs[i])
			strict = append(strict, own)
		}
	}
	for _, r := range lines {
		loose, err := dec.Decode(nil, wire.Record{Data: []byte(r)})
		if err != nil {
			t.Fatalf("%s: %v", r, err)
		}
		keep(seq.Push(nil, loose, 0))
	}
	keep(seq.Push(nil, dec.Finish(nil, nil), 0))
	keep(seq.Flush(nil, nil))
	return strict
}

// encode returns the lines for events in native notation, sequenced.
func encode(t *testing.T, o hub.Options, events ...string) []string {
	t.Helper()
	enc, out := datastream.Dialect.NewEncoder(o), wire.NewOut(wire.NDJSON)
	encodeWith(t, enc, out, events...)
	return strings.Split(strings.TrimSuffix(string(out.Buf), "\n"), "\n")
}

func encodeWith(t *testing.T, enc hub.Encoder, out *wire.Out, events ...string) {
	t.Helper()
	dec, seq := native.Dialect.NewDecoder(hub.Options{}), hub.NewSequencer(hub.SequencerConfig{})
	for _, line := range events {
		loose, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, ev := range seq.Push(nil, loose, 0) {
			enc.Encode(out, &ev)
		}
	}
	for _, ev := range seq.Flush(nil, nil) {
		enc.Encode(out, &ev)
	}
	enc.Finish(out)
}

// kinds are the kinds of events, with the status of ends.
func kinds(evs []hub.Event) string {
	var all []string
	for i := range evs {
		kind := evs[i].Kind.String()
		if st := evs[i].Status; st != hub.StatusNone {
			kind += "=" + st.String()
		}
		all = append(all, kind)
	}
	return strings.Join(all, " ")
}

// codes are the codes of lines.
func codes(lines []string) string {
	var all []string
	for _, l := range lines {
		code, _, _ := strings.Cut(l, ":")
		all = append(all, code)
	}
	return strings.Join(all, " ")
}
