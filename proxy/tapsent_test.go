package proxy

import (
	"bytes"
	"testing"
	"time"
)

// TestRecordSlowWrites: a recording says when a client took long to take what was made for it, once, and nothing where it did not.
func TestRecordSlowWrites(t *testing.T) {
	t.Parallel()
	tape := &runTape{max: 1 << 20, shared: &memoryBudget{limit: 1 << 20}}
	x := &tap{began: time.Now(), tapes: []*runTape{tape}}
	said := func() int {
		lines, _ := tape.from(0)
		return bytes.Count(bytes.Join(lines, nil), []byte(`"sent"`))
	}
	x.sent()
	x.unsent = time.Now()
	x.sent()
	if n := said(); n != 0 || !x.unsent.IsZero() {
		t.Errorf("%d lines of a client that took all at once", n)
	}
	x.unsent = time.Now().Add(-slowWrite)
	x.sent()
	x.sent()
	if n := said(); n != 1 {
		t.Errorf("%d lines of a slow client", n)
	}
}

// TestPassedAnswersHaveNoFirstEvent: an answer that passes as it is has no records, and the time until the first one is not measured.
func TestPassedAnswersHaveNoFirstEvent(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/json")
			p.finish(`{"object":"list","data":[]}`)
		}
	})
	r := start(t, between(a.url(), "openai-chat", "openai-chat", "", "", ""))
	r.post("/run", "{}")
	r.awaitEnds(1)
	if n := r.metric("sabir_first_event_seconds"); n != 0 {
		t.Errorf("%v first events are measured", n)
	}
}
