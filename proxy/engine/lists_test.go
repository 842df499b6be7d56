package engine

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestEventLists: a list that goes back into the pool holds nothing of its stream, and is no larger than most need.
func TestEventLists(t *testing.T) {
	t.Parallel()
	list := make([]hub.Event, 3, 64)
	list[2].Text = []byte("secret")
	if got := emptied(list); cap(got) != 64 || len(got) != 0 || got[:3][2].Text != nil {
		t.Errorf("room for %d, %d in it, %q", cap(got), len(got), got[:3][2].Text)
	}
	if got := emptied(make([]hub.Event, 0, 65)); got != nil {
		t.Errorf("room for %d is kept", cap(got))
	}
}
