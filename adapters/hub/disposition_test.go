package hub_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func TestNativeIf(t *testing.T) {
	if hub.NativeIf(true) != hub.Native || hub.NativeIf(false) != hub.Folded || hub.FoldedIf(true) != hub.Folded || hub.FoldedIf(false) != hub.Native {
		t.Error("a condition gives the wrong disposition")
	}
}

// TestMeta: an event without metadata has nothing at any path.
func TestMeta(t *testing.T) {
	for _, ev := range []hub.Event{{}, {More: &hub.More{}}, {More: &hub.More{Meta: []byte(`{"b":1}`)}}} {
		if got := ev.Meta("a", "b"); got != nil {
			t.Errorf("got %s", got)
		}
	}
	ev := hub.Event{More: &hub.More{Meta: []byte(`{"a":{"b":[2]}}`)}}
	if got := ev.Meta("a", "b"); string(got) != "[2]" {
		t.Errorf("got %s", got)
	}
}
