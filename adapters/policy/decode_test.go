package policy_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// accountant reads every record as a delta of its whole text, and wants to know of each that is not parsed.
type accountant struct{ parsed, noted int }

func (a *accountant) Reset() {}

func (a *accountant) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	a.parsed++
	return append(dst, hub.Event{Kind: hub.TextDelta, ID: []byte("p"), Text: rec.Data[1 : len(rec.Data)-1]}), nil
}

func (a *accountant) Finish(dst []hub.Event, _ error) []hub.Event { return dst }

func (a *accountant) Tracked() (part any, ok bool) { return nil, true }

func (a *accountant) TrackText(any, []byte, []byte) bool {
	a.noted++
	return true
}

// TestAccount keeps extensions out of the account of a decoder, which has not seen them.
func TestAccount(t *testing.T) {
	a := new(accountant)
	d := &hub.Dialect{
		Name:          "counting",
		TemplateKinds: []hub.Kind{hub.TextDelta},
		NewDecoder:    func(hub.Options) hub.Decoder { return a },
		Extension: func(rec wire.Record) []byte {
			if hub.MayExtend(rec.Data) {
				return rec.Data
			}
			return nil
		},
	}
	dec := policy.NewDecoder(d, hub.Options{})
	f := func(data, text string, parsed, noted int) {
		t.Helper()
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(data)})
		if err != nil || len(evs) != 1 || string(evs[0].Text) != text {
			t.Fatalf("%s gives %v (%v)", data, evs, err)
		}
		if a.parsed != parsed || a.noted != noted {
			t.Errorf("after %s: %d parsed and %d noted, want %d and %d", data, a.parsed, a.noted, parsed, noted)
		}
	}
	extension := func(text string) string {
		return `{"x-agent-stream":{"kind":"text.delta","id":"p","text":"` + text + `"}}`
	}
	f(`"a"`, "a", 1, 0)
	f(`"b"`, "b", 1, 1)
	f(extension("c"), "c", 1, 1)
	f(extension("d"), "d", 1, 1)
	f(`"e"`, "e", 2, 1)
	f(`"f"`, "f", 2, 2)
}
