package proxy

import (
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// TestChecks: an address whose checks fail gets no runs until they succeed again; where all fail, runs go anywhere.
func TestChecks(t *testing.T) {
	t.Parallel()
	var well, runs [2]atomic.Int32
	var agents [2]*agent
	for n := range agents {
		agents[n] = newAgent(t, func(p *peer) {
			for req := p.request(); req != nil; req = p.request() {
				switch {
				case req.URL.Path == "/healthz" && req.Host == "agent.example" && well[n].Load() == 0:
					p.answer("200 OK", "Content-Length: 0")
				case req.URL.Path == "/healthz":
					p.answer("503 Sick", "Content-Length: 0")
				default:
					runs[n].Add(1)
					p.ok()
					p.finish(smallRun)
				}
			}
		})
	}
	checked := spread("check: {path: /healthz, interval: 2s, timeout: 2s, fall: 2, rise: 2}\n", agents[0].addr(), agents[1].addr())
	r := start(t, checked)
	is := func(n int, state string) {
		t.Helper()
		await(t, agents[n].addr()+" to be "+state, func() bool {
			return r.metric("sabir_upstream_address_state", "address="+agents[n].addr(), "state="+state) == 1
		})
	}
	asked := func(count int) (int32, int32) {
		a, b := runs[0].Load(), runs[1].Load()
		for range count {
			r.allowed("/run")
		}
		return runs[0].Load() - a, runs[1].Load() - b
	}
	if a, b := asked(4); a != 2 || b != 2 {
		t.Errorf("%d and %d runs", a, b)
	}
	well[0].Store(1)
	is(0, "unhealthy")
	if a, b := asked(4); a != 0 || b != 4 {
		t.Errorf("with one unhealthy %d and %d runs", a, b)
	}
	well[1].Store(1)
	is(1, "unhealthy")
	if a, b := asked(4); a != 2 || b != 2 {
		t.Errorf("with both unhealthy %d and %d runs", a, b)
	}
	well[0].Store(0)
	is(0, "up")
	if a, _ := asked(2); a != 2 {
		t.Errorf("of 2 runs the healthy address got %d", a)
	}
	if err := r.Reload(parse(t, spread("", agents[0].addr(), agents[1].addr()))); err != nil {
		t.Fatal(err)
	}
	is(1, "up")
}

// TestWarmDrain: an address that a reload takes away gets no further runs, and those that it has go on to their end.
func TestWarmDrain(t *testing.T) {
	t.Parallel()
	var ends [2]chan string
	var agents [2]*agent
	for n := range agents {
		ends[n] = make(chan string)
		agents[n] = newAgent(t, func(p *peer) {
			p.request()
			p.ok()
			p.chunk(lines(lineStart, lineHello))
			p.finish(<-ends[n])
		})
		t.Cleanup(func() { close(ends[n]) })
	}
	r := start(t, spread("", agents[0].addr(), agents[1].addr()))
	open := []*client{r.openAt("/run"), r.openAt("/run")}
	if err := r.Reload(parse(t, spread("", agents[1].addr()))); err != nil {
		t.Fatal(err)
	}
	state := func(n int, state string) float64 {
		return r.metric("sabir_upstream_address_state", "address="+agents[n].addr(), "state="+state)
	}
	if state(0, "draining") != 1 || state(1, "up") != 1 || r.metric("sabir_upstream_address_streams", "address="+agents[0].addr()) != 1 {
		t.Error("the address that was taken away is not shown to drain")
	}
	for range 3 {
		open = append(open, r.openAt("/run"))
	}
	if a, b := agents[0].connections(), agents[1].connections(); a != 1 || b != 4 {
		t.Errorf("%d and %d connections", a, b)
	}
	ends[0] <- lines(lineWorld, lineEnd)
	if fields := r.awaitEnds(1); fields["ending"] != "done" {
		t.Errorf("the run of the address that was taken away ended with %v", fields["ending"])
	}
	if n := state(0, "draining") + state(0, "up"); n != 0 {
		t.Error("the address is still shown")
	}
	for range 4 {
		ends[1] <- lines(lineWorld, lineEnd)
	}
	r.awaitEnds(5)
	for _, c := range open {
		c.Close()
	}
}

// TestNamesAreLookedUp: each new connection follows what the name stands for by then.
func TestNamesAreLookedUp(t *testing.T) {
	t.Parallel()
	one := naming(t, "before")
	port := strconv.Itoa(one.ln.Addr().(*net.TCPAddr).Port)
	newAgentAt(t, "127.0.0.2:"+port, streaming(lines(lineStart, `{"kind":"text.delta","id":"p1","text":"after"}`, lineEnd)))
	dns := newNameServer(t, [4]byte{127, 0, 0, 1})
	r := start(t, spread("", "agents.test:"+port))
	up := dns.resolves(r)
	says := func(word string) {
		t.Helper()
		if _, body := r.post("/run", "{}"); !strings.Contains(body, word) {
			t.Errorf("got %s, want %s", body, word)
		}
	}
	kept := func() {
		await(t, "the connection to be kept", func() bool { return len(up.Instances[0].IdleUntil()) == 1 })
	}
	says("before")
	dns.becomes([4]byte{127, 0, 0, 2})
	kept()
	says("before") // by the connection that is kept
	kept()
	up.Instances[0].CloseIdle()
	says("after")
}
