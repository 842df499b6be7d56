package hub_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestObserveTypes: the type counts wherever its member stands, but only as the type of the record itself.
func TestObserveTypes(t *testing.T) {
	observe := hub.ObserveTypes("type", []string{"start"}, []string{"end", "fail"})
	for data, want := range map[string]hub.Observation{
		`{"type":"start","id":1}`:     hub.ObservedStart,
		`{"type":"end"}`:              hub.ObservedEnd,
		`{"id":1, "type" : "fail"}`:   hub.ObservedEnd,
		`{"type":"ending"}`:           hub.ObservedNothing,
		`{"type":"other","x":"end"}`:  hub.ObservedNothing,
		`{"a":{"type":"end"}}`:        hub.ObservedNothing,
		`{"type":"end`:                hub.ObservedNothing,
		`{"type":1}`:                  hub.ObservedNothing,
		`[DONE]`:                      hub.ObservedNothing,
		``:                            hub.ObservedNothing,
		"{\n\"type\":\"end\"\n}":      hub.ObservedEnd,
		`{"type":"start","type":"x"}`: hub.ObservedStart,
	} {
		if got := observe(wire.Record{Data: []byte(data)}); got != want {
			t.Errorf("%s: got %d, want %d", data, got, want)
		}
	}
}
