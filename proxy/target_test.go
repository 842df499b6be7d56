package proxy

import (
	"strings"
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

// TestNestingOfRecords: what an agent nests more deeply than limits.nesting is not read, and what it nests less deeply is.
func TestNestingOfRecords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ depth, faults int }{{5, 0}, {20, 1}} {
		value := strings.Repeat("[", c.depth) + "1" + strings.Repeat("]", c.depth)
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok("Content-Type: text/event-stream")
			p.finish(`data: {"type":"start"}` + "\n\n" + `data: {"type":"data-x","data":` + value + "}\n\n" + `data: {"type":"finish"}` + "\n\ndata: [DONE]\n\n")
		})
		r := start(t, between(a.url(), "aisdk", "twin", "limits: {nesting: 10}\n", "", ""))
		r.post("/run", "{}")
		r.awaitEnds(1)
		if n := r.metric("sabir_record_errors_total"); n != float64(c.faults) {
			t.Errorf("%d deep: %v faults", c.depth, n)
		}
	}
}
