package proxy

import (
	"fmt"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestRequestsOfOneConnection: a connection has so many requests at once, each under a name of its own, and none once it ends.
func TestRequestsOfOneConnection(t *testing.T) {
	t.Parallel()
	m := &multiplexer{requests: map[string]*multiplexRequest{}}
	add := func(name string, code hub.Code, again bool) *multiplexRequest {
		t.Helper()
		q := &multiplexRequest{of: m, id: []byte(name)}
		f, twice := m.add(q)
		got := hub.Code("")
		if f != nil {
			got = f.Code
		}
		if got != code || twice != again || code == "" && !again && m.requests[name] != q {
			t.Errorf("%s: %v, %t", name, f, twice)
		}
		return q
	}
	first := add("0", "", false)
	for i := 1; i < maxMultiplexed; i++ {
		add(fmt.Sprint(i), "", false)
	}
	add("one more", hub.CodeLimit, false)
	again := add("0", "", true)
	if m.remove(again); m.requests["0"] != first {
		t.Error("a request that was not taken gives the name of another one back")
	}
	m.remove(first)
	add("one more", "", false)
	m.over = hub.CodeShutdown
	add("0", hub.CodeShutdown, false)
	add("1", "", true)
	if n := len(m.requests); n != maxMultiplexed {
		t.Errorf("%d requests are known", n)
	}
}
