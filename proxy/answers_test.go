package proxy

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// TestAnswersOfAConnection: the latest few are known, as long as they are not too large together, and none that failed.
func TestAnswersOfAConnection(t *testing.T) {
	var all answers
	keep := func(id string, size int, failed bool, f *hub.Failure) {
		c := &call{route: &route{cfg: &config.Route{Limits: config.RouteLimits{RequestBody: 100}}}, asked: &hub.Request{Answer: []byte(id)}}
		c.soFar = &soFar{folder: conversation.NewFolder(nil), size: size, failed: failed}
		all.keep(c, f)
	}
	want := func(ids string) {
		t.Helper()
		var got []string
		for _, a := range all {
			got = append(got, a.id)
		}
		if s := strings.Join(got, " "); s != ids {
			t.Errorf("known are %q, want %q", s, ids)
		}
	}
	keep("a", 1, false, nil)
	keep("b", 1, true, nil)
	keep("c", 1, false, hub.Fail(hub.CodeReset, nil))
	want("a")
	for _, id := range strings.Fields("d e f g h i j k") {
		keep(id, 1, false, nil)
	}
	want("d e f g h i j k")
	keep("l", 99, false, nil)
	want("k l")
	keep("m", 101, false, nil)
	want("")
	if all.find(nil) != nil {
		t.Error("no id finds an answer")
	}
}

// TestTurnsThatCount: a turn in which the agent has said something is one, however it ends, and else one that has ended well.
func TestTurnsThatCount(t *testing.T) {
	t.Parallel()
	start, text, ask := hub.Event{Kind: hub.RunStart}, hub.Event{Kind: hub.TextDelta, ID: []byte("p"), Text: []byte("x")}, hub.Event{Kind: hub.Ask, ID: []byte("q")}
	ends := func(s hub.Status) hub.Event { return hub.Event{Kind: hub.RunEnd, Status: s} }
	for _, c := range []struct {
		says           string
		events         []hub.Event
		counts, failed bool
	}{
		{"nothing", nil, false, false},
		{"that it has begun", []hub.Event{start}, false, false},
		{"that it has ended", []hub.Event{start, ends(hub.StatusDone)}, true, false},
		{"that it waits", []hub.Event{start, ends(hub.StatusPaused)}, true, false},
		{"that it has failed", []hub.Event{start, ends(hub.StatusFailed)}, false, true},
		{"a word", []hub.Event{start, text}, true, false},
		{"a word, and fails", []hub.Event{start, text, ends(hub.StatusFailed)}, true, true},
		{"a question", []hub.Event{start, ask}, true, false},
	} {
		s := &soFar{folder: conversation.NewFolder(nil)}
		for i := range c.events {
			s.add(&c.events[i], hub.Native)
		}
		if s.counts() != c.counts || s.failed != c.failed {
			t.Errorf("an agent says %s: it counts: %t, it has failed: %t", c.says, s.counts(), s.failed)
		}
	}
}
