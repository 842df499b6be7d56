package main

import (
	"bytes"
	"fmt"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/conformance/recorded"
)

// fixture is a recorded stream with its events.
type fixture struct {
	*recorded.Stream
	loose []hub.Event // in memory of their own
	cause error       // of the end of the wire
}

// load reads the fixtures of all dialects.
func load(root string) ([]*fixture, error) {
	streams, err := recorded.Load(root)
	if err != nil {
		return nil, err
	}
	all := make([]*fixture, len(streams))
	for i, s := range streams {
		f := &fixture{Stream: s}
		if s.Wire != nil {
			f.decode()
		} else if err := f.readEvents(s.Events); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		all[i] = f
	}
	return all, nil
}

// readEvents reads decoded events in native notation.
func (f *fixture) readEvents(text []byte) error {
	dec := native.Dialect.NewDecoder(hub.Options{})
	for line := range bytes.Lines(text) {
		evs, err := dec.Decode(nil, wire.Record{Data: line})
		if err != nil {
			return err
		}
		f.add(evs)
	}
	return nil
}

// decode makes the decoded events of the wire. Records that cannot be decoded are skipped, as the proxy does.
func (f *fixture) decode() {
	dec, split := policy.NewDecoder(f.Dialect, f.Options), wire.NewSplitter(f.Framing, 0)
	for buf := f.Wire; ; {
		rec, n, err := split.Split(buf, true)
		if err != nil {
			if e, fatal := hub.FramingError(err); fatal {
				f.cause = hub.Fail(hub.CodeMalformed, err)
				if e.Reason == hub.ReasonCut {
					f.cause = hub.Fail(hub.CodeTruncated, err)
				}
				break
			}
		}
		if n == 0 && err == nil {
			break
		}
		if rec.Data != nil {
			evs, _ := dec.Decode(nil, rec)
			f.add(evs)
		}
		buf = buf[n:]
	}
	f.add(dec.Finish(nil, f.cause))
}

// add keeps copies of events.
func (f *fixture) add(evs []hub.Event) {
	for i := range evs {
		f.loose = append(f.loose, clone(&evs[i]))
	}
}

// clone copies an event by way of the native notation.
func clone(ev *hub.Event) hub.Event {
	copies, err := native.Dialect.NewDecoder(hub.Options{}).Decode(nil, wire.Record{Data: native.Append(nil, ev)})
	if err != nil {
		panic("BUG: an event cannot be copied: " + err.Error())
	}
	return copies[0]
}

// upstream is the wire as an agent server sends it, nil if there is none.
func (f *fixture) upstream() *Upstream {
	if f.Wire == nil {
		return nil
	}
	framing := f.Framing
	if framing == wire.Auto {
		framing = f.Dialect.Framing
	}
	return &Upstream{
		Dialect: f.Dialect.Name, Options: f.upstreamOptions(), Framing: f.Framing.String(), Settle: f.Settle.String(),
		Type: framing.ContentType(), Wire: f.Wire,
	}
}

// upstreamOptions are the options of the fixture that mean something where its dialect is read.
func (f *fixture) upstreamOptions() map[string]string {
	options := map[string]string{}
	for _, spec := range f.Dialect.Options {
		if v, ok := f.Given[spec.Name]; ok && adapters.Applies(spec, adapters.Upstream) {
			options[spec.Name] = v
		}
	}
	return options
}
