package proxy

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestReplicaDrains: a client of a replica that ends is cut, comes back at another one, and gets everything.
func TestReplicaDrains(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	one, two := twoReplicas(t, a, "1m")
	_, resp, run, had := openAt(t, one)
	one.end()
	if more, err := io.ReadAll(resp.Body); err == nil || len(more) > 0 {
		t.Errorf("%v: the client was not cut, but got %s", err, more)
	}
	await(t, "the client to be logged", func() bool { return one.logs.FilterMessage("run read").Len() == 1 })
	if read := one.logs.FilterMessage("run read").All()[0].ContextMap(); read["ending"] != "shutting_down" || read["cause"] != errMovedOn.Error() {
		t.Errorf("a client that was cut is logged as one with ending %v, for %v", read["ending"], read["cause"])
	}
	c := two.dial()
	c.ask("GET", "/run", "", alice, "Last-Event-ID: "+lastID(had))
	again := c.response()
	close(goOn)
	if got := rest(t, again); !strings.Contains(got, "world") || !strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("at the other replica comes %s", got)
	}
	two.call(t, 200, alice+"\r\nX-Sabir-Run: "+run, "GET", "/run", "", "Hello", "world")
}

// TestReplicaDrainsEarly: a client that gets the first record from a replica that drains already is cut behind it as well.
func TestReplicaDrainsEarly(t *testing.T) {
	t.Parallel()
	asked, begin, goOn := make(chan struct{}), make(chan struct{}), make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		close(asked)
		<-begin
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart, lineHello))
		<-goOn
		p.finish(lines(lineWorld, lineEnd))
	})
	one, two := twoReplicas(t, a, "1m")
	c := one.dial()
	c.ask("POST", resumeClients[0].path, resumeClients[0].body, alice)
	<-asked
	one.end()
	await(t, "the replica to drain", func() bool { return !one.Ready() })
	close(begin)
	resp := c.response()
	had, err := io.ReadAll(resp.Body)
	if err == nil {
		t.Errorf("the client was not cut: %s", had)
	}
	c = two.dial()
	c.ask("GET", "/run", "", alice, "Last-Event-ID: "+lastID(string(had)))
	again := c.response()
	close(goOn)
	if got := rest(t, again); !strings.Contains(got, "world") || !strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("at the other replica comes %s", got)
	}
}

// TestReplicaDrainsWithoutStore: a client of a replica that ends stays while the store does not take what its run says: it would find nothing at another
// replica. It is cut when the store has it.
func TestReplicaDrainsWithoutStore(t *testing.T) {
	t.Parallel()
	for _, back := range []bool{false, true} {
		t.Run(fmt.Sprintf("back %t", back), func(t *testing.T) {
			t.Parallel()
			a, goOn, _ := gatedAgent(t)
			address := redisAddress(t)
			line := newCable(t, address)
			one, two := replica(t, a, "agui", "grace: 1m", line.Addr().String()), replica(t, a, "agui", "grace: 1m", address)
			line.refuse("xadd")
			_, resp, run, _ := openAt(t, one)
			one.end()
			await(t, "clients to be cut", func() bool {
				one.mu.Lock()
				defer one.mu.Unlock()
				return one.cutting
			})
			if back {
				line.refuse("")
				if more, err := io.ReadAll(resp.Body); err == nil || len(more) > 0 {
					t.Errorf("%v: the client was not cut, but got %s", err, more)
				}
			}
			close(goOn)
			if !back {
				if got := rest(t, resp); !strings.Contains(got, "world") || !strings.Contains(got, "RUN_FINISHED") {
					t.Errorf("the client gets %s", got)
				}
				line.refuse("")
				two.awaitRun(t, run)
			}
			two.call(t, 200, alice+"\r\nX-Sabir-Run: "+run, "GET", "/run", "", "Hello", "world")
		})
	}
}
