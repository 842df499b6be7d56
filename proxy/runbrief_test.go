package proxy

import (
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// TestRunIsKeptInBrief: what was said in a run is kept once, with its conversation, and not beside it too.
func TestRunIsKeptInBrief(t *testing.T) {
	t.Parallel()
	r := below(t, newAgent(t, streaming(smallRun)), "langgraph")
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/wait", said("one"), "Hello")
	way, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	var h fasthttp.RequestHeader
	field, value, _ := strings.Cut(alice, ": ")
	h.Set(field, value)
	runs, err := r.kept.memory.runs.Of(way.scope(&h, nil), "t1")
	if err != nil || len(runs) != 1 || len(runs[0].Messages) > 0 || runs[0].Size != briefRun || !runs[0].Ended {
		t.Errorf("it remembers %+v, %v", runs, err)
	}
}
