package proxy

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestBoundsOfNames: names of 256 bytes are names, and longer ones are not, wherever they come from.
func TestBoundsOfNames(t *testing.T) {
	t.Parallel()
	if !isName(strings.Repeat("x", 256)) || isName(strings.Repeat("x", 257)) || isName("") {
		t.Error("an agent's name of a run has 1 to 256 bytes")
	}
	r := below(t, newAgent(t, streaming(smallRun)), "langgraph")
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"`+strings.Repeat("x", 256)+`"}`)
	refused := r.call(t, 400, alice, "POST", "/run/threads", `{"thread_id":"`+strings.Repeat("x", 257)+`"}`, "thread_id", "at most 256 bytes")
	if strings.Contains(refused, " byte ") { // there is none at which it is wrong
		t.Errorf("it says a place: %s", refused)
	}
}

// TestBoundsOfReports: a trace and a line of the audit have so many parts, however many a run has.
func TestBoundsOfReports(t *testing.T) {
	t.Parallel()
	s := &runSpan{Span: trace.SpanFromContext(context.Background())}
	for range 200 {
		s.see(&hub.Event{Kind: hub.ToolStart, ID: []byte("c"), Name: []byte("n")})
	}
	if n := len(s.tools); n != 128 {
		t.Errorf("a trace has %d tools", n)
	}
	var line auditLine
	line.decided(make([]hub.Decision, 200))
	line.decided(make([]hub.Decision, 200))
	if n := len(line.Answers); n != 256 {
		t.Errorf("a line of the audit has %d answers", n)
	}
}
