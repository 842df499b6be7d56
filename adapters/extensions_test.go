package adapters_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	framing "github.com/sabir-proxy/sabir/adapters/wire"
)

// TestExtensionPlaces: what a dialect writes in its extension place is found again in every form of it, is nothing for a reader
// that does not know, and never the first record of a stream that has to begin with another.
func TestExtensionPlaces(t *testing.T) {
	const payload = `{"x-agent-stream":{"kind":"plan","items":[{"content":"a \"b\" </"}]}}`
	places := map[string][]string{
		"agui": {""}, "evolve": {"envelope=output-event", "envelope=bridge", "envelope=acp"},
		"copilot": {"envelope=none", "envelope=ws", "envelope=jsonrpc", "root_properties=true", "ids=true", "filter=on"},
	}
	for name, options := range places {
		d, err := adapters.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range options {
			x := extended(t, d, option, payload)
			if first := string(x.records[0].Data); name == "agui" && !strings.HasPrefix(first, `{"type":"RUN_STARTED"`) {
				t.Errorf("%s begins with %s", name, first)
			}
			found := 0
			for i, rec := range x.records {
				if d.Extension(rec) == nil {
					continue
				}
				if found++; string(d.Extension(rec)) != payload {
					t.Errorf("%s %s: record %d holds %s", name, option, i+1, d.Extension(rec))
				}
			}
			plain := extended(t, d, option, "")
			if found != 3 || x.read != plain.read {
				t.Errorf("%s %s: %d of 3 are found, and it is read as\n%s\nnot\n%s", name, option, found, x.read, plain.read)
			}
		}
		for _, other := range []string{`{}`, `[1]`, `{"type":"x-agent-stream"}`, `{"x-agent-stream":{}}`, `{"a":"\"x-agent-stream\""`, ``,
			`{"type":"CUSTOM","name":"x-agent-stream","value":1}`, `{"type":"sabir.x-agent-stream","data":{}}`,
			`{"update":{"sessionUpdate":"session_info_update","_meta":{"x-agent-stream":1}}}`} {
			if got := d.Extension(framing.Record{Data: []byte(other)}); got != nil {
				t.Errorf("%s: %s is found in %s", name, got, other)
			}
		}
	}
}

type extendedStream struct {
	records []framing.Record
	read    string // what a reader of the dialect understands
}

// extended writes a stream with extensions before its start, in its middle and before its end; none if payload is empty.
func extended(t *testing.T, d *hub.Dialect, option, payload string) (x extendedStream) {
	t.Helper()
	evs, err := adaptertest.Events([]byte(`{"kind":"run.start","id":"r","ref":"s1"}
{"kind":"text.start","id":"p"}
{"kind":"text.delta","id":"p","text":"Hi"}
{"kind":"text.end","id":"p"}
{"kind":"run.end","status":"done"}`))
	if err != nil {
		t.Fatal(err)
	}
	enc, out := d.NewEncoder(parsed(t, d, option)), framing.NewOut(framing.SSE)
	for i := range evs {
		if payload != "" && i%2 == 0 {
			enc.(hub.Extender).Extend(out, []byte(payload))
		}
		enc.Encode(out, &evs[i])
	}
	dec := d.NewDecoder(d.Defaults())
	for _, rec := range split(t, framing.SSE, out.Buf) {
		evs, err := dec.Decode(nil, rec)
		if err != nil {
			t.Errorf("%s %s: %v\n%s", d.Name, option, err, rec.Data)
		}
		x.records = append(x.records, rec)
		x.read += adaptertest.Lines(evs)
	}
	return x
}

// parsed are the options of a dialect, one key=value or none.
func parsed(t *testing.T, d *hub.Dialect, option string) hub.Options {
	t.Helper()
	raw := map[string]any{}
	if key, val, ok := strings.Cut(option, "="); ok {
		raw[key] = val
	}
	options, problems := d.ParseOptions(raw)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return options
}
