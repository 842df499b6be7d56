package proxy

import "testing"

// TestEventsHoldRun: a run that a command has begun counts who reads its events: one that comes ends the grace of the run, and one that
// leaves begins it again.
func TestEventsHoldRun(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := knowing(t, a, "", "resume: {grace: 1m}")
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	for returned := range 2 {
		c := r.dial()
		c.ask("POST", eventsPath, everyEvent, alice)
		eventsUntil(t, c.response(), "Hello")
		if n := r.metric("sabir_resume_grace_total", "end=returned"); n != float64(returned+1) {
			t.Errorf("%v readers have come where none was, want %d", n, returned+1)
		}
		c.reset()
		await(t, "the reader to be gone", func() bool { return r.logs.FilterMessage("run read").Len() == returned+1 })
	}
	close(goOn)
	r.awaitEnds(1)
}
