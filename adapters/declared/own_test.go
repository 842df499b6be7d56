package declared_test

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/adaptertest"
)

// ownEvents copies events into memory of their own.
func ownEvents(evs []hub.Event) []hub.Event {
	own := make([]hub.Event, len(evs))
	for i := range evs {
		own[i], _ = adaptertest.CopyEvent(&evs[i])
	}
	return own
}
