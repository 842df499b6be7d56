package aisdk

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestEditOfNothing: a request that edits a message, and has none, is written without one.
func TestEditOfNothing(t *testing.T) {
	var losses hub.Losses
	got, err := requests{}.AppendRequest(nil, &hub.Request{Thread: []byte("c"), Trigger: hub.TriggerEdit}, &losses)
	if want := `{"id":"c","messages":[],"trigger":"submit-message"}`; string(got) != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
