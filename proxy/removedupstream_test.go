package proxy

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestRemovedUpstreamUnderScrapes: a reload takes an upstream away while its addresses are shown, and no series of them is left.
func TestRemovedUpstreamUnderScrapes(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	one := "listen: 127.0.0.1:0\nupstreams:\n  stays: {url: '" + a.url() + "', addresses: ['" + a.addr() + "'], dialect: native}\n"
	both := one + "  goes: {url: '" + a.url() + "', addresses: ['" + a.addr() + "'], dialect: native}\n"
	routes := "routes:\n  - {path: /stays, upstream: stays, client: twin}\n"
	cfg := []string{one + routes, both + routes + "  - {path: /goes, upstream: goes, client: twin}\n"}
	r := start(t, cfg[1])
	over, done := make(chan struct{}), make(chan error)
	go func() {
		for {
			if _, err := r.metrics.shown(); err != nil {
				done <- err
				return
			}
			select {
			case <-over:
				done <- nil
				return
			default:
			}
		}
	}()
	shown := func(upstream string) (names []string) {
		families, err := r.metrics.shown()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					if l.GetName() == "upstream" && l.GetValue() == upstream && strings.HasPrefix(f.GetName(), "sabir_upstream_address") {
						names = append(names, f.GetName())
					}
				}
			}
		}
		return names
	}
	for i := range 20 {
		if resp, body := r.post("/goes", "{}"); resp.StatusCode != 200 {
			t.Fatalf("status %d, %s", resp.StatusCode, body)
		}
		r.awaitEnds(i + 1)
		if len(shown("goes")) == 0 {
			t.Fatal("an address in use is not shown")
		}
		if err := r.Reload(parse(t, cfg[0])); err != nil {
			t.Fatal(err)
		}
		if left := shown("goes"); len(left) > 0 || len(shown("stays")) == 0 {
			t.Fatalf("after reload %d, these are left: %s", i, fmt.Sprint(left))
		}
		if err := r.Reload(parse(t, cfg[1])); err != nil {
			t.Fatal(err)
		}
	}
	close(over)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestScrapesAndReloads: metrics are read while an upstream comes and goes with reloads, and have each address in one state at a time.
func TestScrapesAndReloads(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	other := newAgent(t, streaming(smallRun))
	with := spread("", a.addr(), other.addr())
	without := simple(a.url(), "", "", "client: twin\n")
	r := start(t, with)
	end := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
			}
			for _, addr := range []string{a.addr(), other.addr()} {
				if n := r.metric("sabir_upstream_address_state", "address="+addr); n > 1 {
					t.Errorf("%s is in %v states", addr, n)
				}
			}
		}
	})
	for i := range 40 {
		if err := r.Reload(parse(t, []string{without, with}[i%2])); err != nil {
			t.Error(err)
		}
		if resp, _ := r.post("/run", "{}"); resp.StatusCode != 200 {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
	close(end)
	all.Wait()
	if n := r.metric("sabir_upstream_address_state", "state=up"); n != 2 {
		t.Errorf("%v addresses are up at the end", n)
	}
}
