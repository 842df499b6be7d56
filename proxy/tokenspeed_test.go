package proxy

import (
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// seconds is the number of the values of a histogram, and their sum.
func (m *metrics) seconds(t *testing.T, name string) (n uint64, sum float64) {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, one := range f.GetMetric() {
			if f.GetName() == name {
				n, sum = n+one.GetHistogram().GetSampleCount(), sum+one.GetHistogram().GetSampleSum()
			}
		}
	}
	return n, sum
}

// TestSpeedOfTokens: how soon an agent speaks is when its first token comes, and how quickly is the time between two tokens.
func TestSpeedOfTokens(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		first, last time.Duration
		tokens      int64
		said, gaps  uint64
		soon, gap   float64
	}{
		"five tokens":       {2 * time.Second, 10 * time.Second, 5, 1, 1, 2, 2},
		"two tokens":        {time.Second, 4 * time.Second, 2, 1, 1, 1, 3},
		"one token":         {time.Second, 4 * time.Second, 1, 1, 0, 1, 0},
		"all at once":       {time.Second, time.Second, 7, 1, 0, 1, 0},
		"it says not many":  {time.Second, 4 * time.Second, -1, 1, 0, 1, 0},
		"it has not spoken": {0, 4 * time.Second, 7, 0, 0, 0, 0},
	} {
		m := newMetrics("test")
		x := &stream{call: &call{route: &route{metrics: m.forRoute("/run")}}, firstToken: c.first}
		x.pump.lastIn = c.last
		x.observeTokens(otherModel, c.tokens)
		if n, sum := m.seconds(t, "sabir_first_token_seconds"); n != c.said || sum != c.soon {
			t.Errorf("%s: it speaks %d times, after %v s", what, n, sum)
		}
		if n, sum := m.seconds(t, "sabir_token_gap_seconds"); n != c.gaps || sum != c.gap {
			t.Errorf("%s: %d gaps of %v s", what, n, sum)
		}
	}
}

// TestClientFraming: how an answer to a request is framed: never as messages of a WebSocket, which only a WebSocket carries.
func TestClientFraming(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ of, set, want wire.Framing }{
		{wire.SSE, wire.Auto, wire.SSE},
		{wire.NDJSON, wire.Auto, wire.NDJSON},
		{wire.NDJSON, wire.SSE, wire.SSE},
		{wire.NDJSON, wire.WebSocket, wire.NDJSON},
		{wire.WebSocket, wire.Auto, wire.SSE},
		{wire.WebSocket, wire.NDJSON, wire.NDJSON},
	} {
		tg := &target{dialect: &hub.Dialect{Framing: c.of}, framing: c.set}
		if got := tg.clientFraming(false); got != c.want {
			t.Errorf("a dialect of %v, set to %v: %v, want %v", c.of, c.set, got, c.want)
		}
		if got := tg.clientFraming(true); got != wire.WebSocket {
			t.Errorf("on a WebSocket: %v", got)
		}
	}
}

// TestNamesOfRuns: the same request of another run has its own parameters, also where it had none.
func TestNamesOfRuns(t *testing.T) {
	t.Parallel()
	none, some := subpath{}, subpath{params: map[string]string{"thread": "t1"}}
	if got := none.of("r1").params; len(got) != 1 || got["run"] != "r1" || none.params != nil {
		t.Errorf("%v, %v", got, none.params)
	}
	if got := some.of("r1").params; len(got) != 2 || got["run"] != "r1" || got["thread"] != "t1" || len(some.params) != 1 {
		t.Errorf("%v, %v", got, some.params)
	}
}
