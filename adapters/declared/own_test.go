package declared_test

import (
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// ownEvents copies events into memory of their own.
func ownEvents(evs []hub.Event) []hub.Event {
	own := make([]hub.Event, len(evs))
	for i := range evs {
		own[i], _ = adaptertest.CopyEvent(&evs[i])
	}
	return own
}
