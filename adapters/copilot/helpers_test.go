package copilot_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/copilot"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// set are options: k=v, separated by blanks.
func set(t *testing.T, options string) hub.Options {
	t.Helper()
	return adaptertest.Options(t, &copilot.Dialect, strings.Fields(options)...)
}

// decode reads records to the end of the body. The events share no memory with the decoder.
func decode(t *testing.T, options string, records ...string) []hub.Event {
	t.Helper()
	dec := copilot.Dialect.NewDecoder(set(t, options))
	var all []hub.Event
	for _, rec := range records {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(rec)})
		if err != nil {
			t.Fatalf("%v\n%s", err, rec)
		}
		all = append(all, clone(t, evs)...)
	}
	return append(all, clone(t, dec.Finish(nil, nil))...)
}

func clone(t *testing.T, evs []hub.Event) []hub.Event {
	t.Helper()
	own, err := adaptertest.Events([]byte(adaptertest.Lines(evs)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range own {
		own[i].Slot, own[i].AgentSlot, own[i].RefSlot = evs[i].Slot, evs[i].AgentSlot, evs[i].RefSlot
	}
	return own
}

// normalized makes decoded events normalized.
func normalized(decoded []hub.Event) []hub.Event {
	seq := sequencer.New(sequencer.Config{Replace: true})
	return seq.Flush(seq.Push(nil, decoded, 0), nil)
}

// encode writes normalized events, a record a line.
func encode(t *testing.T, options string, evs []hub.Event) []string {
	t.Helper()
	enc, out := copilot.Dialect.NewEncoder(set(t, options)), wire.NewOut(wire.NDJSON)
	for i := range evs {
		enc.Encode(out, &evs[i])
	}
	enc.Finish(out)
	return strings.FieldsFunc(string(out.Buf), func(r rune) bool { return r == '\n' })
}

// again passes records through the model and back.
func again(t *testing.T, options string, records ...string) []string {
	t.Helper()
	return encode(t, options, normalized(decode(t, "", records...)))
}

// wireOf returns the records of a fixture that has them in lines.
func wireOf(t *testing.T, fixture string) []string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + fixture + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "wire" {
			return strings.Split(strings.TrimSpace(string(f.Data)), "\n")
		}
	}
	t.Fatalf("%s has no wire", fixture)
	return nil
}

// member is the text of a member of a record's event, wherever the event is; strings without their quotes.
func member(record string, path ...string) string {
	v := rawjson.Value(record)
	for _, p := range [][]string{{"event"}, {"params", "event"}} {
		if inner := rawjson.Get(v, p...); inner != nil {
			v = inner
		}
	}
	v = rawjson.Get(v, path...)
	if body, ok := rawjson.Str(v); ok {
		return string(rawjson.AppendUnescaped(nil, body))
	}
	return string(v)
}

// types lists the types of events.
func types(records []string) []string {
	all := make([]string, len(records))
	for i, rec := range records {
		all[i] = member(rec, "type")
	}
	return all
}

// sense is what a reader understands of a normalized stream.
func sense(evs []hub.Event) *adaptertest.Meaning {
	m := new(adaptertest.Meaning)
	for i := range evs {
		m.Event(&evs[i], hub.Native)
	}
	return m
}

func count(evs []hub.Event, match func(*hub.Event) bool) (n int) {
	for i := range evs {
		if match(&evs[i]) {
			n++
		}
	}
	return n
}

func isKind(k hub.Kind) func(*hub.Event) bool {
	return func(ev *hub.Event) bool { return ev.Kind == k }
}
