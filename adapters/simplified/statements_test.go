package simplified_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/simplified"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestStartIsNotKept is S0-2: the frame of a call leaves with the event by which the call can be shown, long before its end.
func TestStartIsNotKept(t *testing.T) {
	f := func(announce string, shownBy hub.Kind) {
		t.Helper()
		enc, out := simplified.Dialect.NewEncoder(options(t, "announce="+announce)), wire.NewOut(wire.NDJSON)
		for _, ev := range []hub.Event{
			{Kind: hub.RunStart, ID: []byte("r")},
			{Kind: hub.ToolStart, ID: []byte("t1"), Name: []byte("web_search")},
			{Kind: hub.ToolArgs, ID: []byte("t1"), Text: []byte(`{\"query\":\"q\"}`)},
			{Kind: hub.ToolReady, ID: []byte("t1"), Name: []byte("web_search"), Value: []byte(`{"query":"q"}`)},
			{Kind: hub.ToolUpdate, ID: []byte("t1"), Status: hub.StatusRunning},
			{Kind: hub.ToolEnd, ID: []byte("t1"), Name: []byte("web_search"), Status: hub.StatusOK},
		} {
			out.Reset()
			enc.Encode(out, &ev)
			if shown := strings.HasPrefix(string(out.Buf), `{"type":"tool_call_started"`); shown != (ev.Kind == shownBy) {
				t.Errorf("announce=%s: with %s is written: %s", announce, ev.Kind, out.Buf)
			}
		}
	}
	f("ready", hub.ToolReady)
	f("start", hub.ToolStart)
}
