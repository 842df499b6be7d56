package agentevent_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/agentevent"
)

// TestProgressAllocs asserts that progress of a tool costs nothing, decoded, sequenced and encoded; text deltas are
// counted by TestAllocs.
func TestProgressAllocs(t *testing.T) {
	f := func(version string, before []string, progress string) {
		t.Helper()
		d := &agentevent.Dialect
		adaptertest.PieceAllocs(t, d, adaptertest.Options(t, d, "version="+version), "version "+version+": "+progress, before, progress)
	}
	call := `{"type":"tool_call","toolName":"bash","toolArgs":"{}"}`
	f("1", []string{call}, `{"type":"tool_progress","toolName":"bash","data":{"subtype":"stdout_chunk","content":"a line\n"}}`)
	f("1", []string{call}, `{"type":"tool_progress","toolName":"bash","data":{"subtype":"stdout_chunk","content":"a line\n","pid":7}}`)
	f("1", []string{call}, `{"type":"tool_progress","toolName":"bash","data":"a piece"}`)
	f("1", []string{call}, `{"type":"tool_progress","toolName":"bash","data":{"subtype":"other","n":1}}`)
	f("1", []string{call}, `{"type":"stream","content":"text beside a tool"}`)
	f("2", []string{`{"type":"tool_call","callId":"tc_1","toolName":"bash","toolArgs":{},"seq":1,"at":1772240000000}`},
		`{"type":"tool_progress","callId":"tc_1","toolName":"bash","data":{"subtype":"stdout_chunk","content":"a line\n"},"seq":2,"at":1772240000001}`)
	f("2", nil, `{"type":"stream","messageId":"m1","content":"a piece","seq":2,"at":1772240000001}`)
}
