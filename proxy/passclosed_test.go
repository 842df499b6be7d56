package proxy

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// TestPassedUntilClosed: an answer that says neither its length nor its end is whole when its connection is closed.
func TestPassedUntilClosed(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.answer("200 OK", "Content-Type: text/html", "Connection: close")
		p.send("<p>all")
	})
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	if got := r.demand("/run"); got.status != 200 || got.cut || got.body != "<p>all" {
		t.Errorf("%d, cut %v: %q", got.status, got.cut, got.body)
	}
}

// TestPassersFillOneWrite: of an answer that passes no more is taken at once than one write holds, and what was read is counted.
func TestPassersFillOneWrite(t *testing.T) {
	t.Parallel()
	p := &passer{out: new(wire.Out), stats: new(engine.Stats)}
	input := make([]byte, engine.FlushAt+10)
	for i, step := range []struct{ gives, takes, records int }{{0, 0, 0}, {100, 100, 1}, {engine.FlushAt + 10, engine.FlushAt - 100, 1}, {10, 0, 1}} {
		if n, err := p.Feed(input[:step.gives], false, 0); n != step.takes || err != nil || p.out.Records != step.records {
			t.Errorf("step %d: %d of %d bytes, %d records, %v", i, n, step.gives, p.out.Records, err)
		}
	}
	if p.stats.BytesIn != engine.FlushAt {
		t.Errorf("%d bytes are counted", p.stats.BytesIn)
	}
}
