package proxy

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestFramingOfTargets: an answer on a WebSocket is framed for that, and none else, whatever the route or the dialect says.
func TestFramingOfTargets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dialect, route wire.Framing
		socket         bool
		want           wire.Framing
	}{
		{wire.NDJSON, wire.Auto, false, wire.NDJSON},
		{wire.NDJSON, wire.SSE, false, wire.SSE},
		{wire.NDJSON, wire.WebSocket, false, wire.NDJSON},
		{wire.NDJSON, wire.SSE, true, wire.WebSocket},
		{wire.WebSocket, wire.Auto, false, wire.SSE},
		{wire.WebSocket, wire.WebSocket, false, wire.SSE},
		{wire.WebSocket, wire.NDJSON, false, wire.NDJSON},
		{wire.WebSocket, wire.Auto, true, wire.WebSocket},
	} {
		to := &target{dialect: &hub.Dialect{Framing: c.dialect}, framing: c.route}
		if got := to.clientFraming(c.socket); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
