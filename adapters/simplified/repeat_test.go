package simplified_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/simplified"
)

// TestRepeats: frames that differ in their text alone are parsed once, unless the text may have to do with a tag.
func TestRepeats(t *testing.T) {
	f := func(name string, o hub.Options, parsed int, records ...string) {
		t.Helper()
		adaptertest.Repeats(t, &simplified.Dialect, o, name, parsed, adaptertest.Data(records...)...)
	}
	usual, careful := options(t), options(t, "orphan_think=8")
	emitted := func(text string) string { return `{"type":"response","data":"` + text + `","messageId":"m"}` }
	inside := func(agent, text string) string {
		return `{"type":"subagent_data","subagentId":"` + agent + `","data":{"type":"response","data":"` + text + `"}}`
	}
	f("text", usual, 2, emitted(""), emitted("a"), emitted("b > c"), emitted(`\n`)) // the first frame begins the run
	f("a tag", usual, 7, emitted(""), emitted("a"), emitted("<think>"), emitted("b"), emitted("c"), emitted("</think>"), emitted("d"), emitted("e"), emitted("<think>f</think>"))
	f("half a tag", usual, 5, emitted(""), emitted("a"), emitted("b <thi"), emitted("nk>"), emitted("c"), emitted("d"))
	f("no tag", usual, 5, emitted(""), emitted("a"), emitted(`b \u003c`), emitted("c"), emitted("d"))
	f("a sub-agent", usual, 2, inside("s", ""), inside("s", "a"), inside("s", "b"), inside("s", "c"))
	f("two sub-agents", usual, 6, inside("s", ""), inside("r", ""), inside("s", "<think>"), inside("s", "a"), inside("s", "b"), inside("r", "c"), inside("r", "d"), inside("s", "e"))
	tool := `{"type":"tool_call_success","data":{"toolCallId":"t","status":"success"},"messageId":"m"}`
	f("reasoning behind a call", careful, 4, emitted("<think>a"), tool, emitted("b"), emitted("c"), emitted("d"), emitted("</think>"))
	f("text that is kept back", careful, 5, emitted("a"), emitted("b"), emitted("cdefghijk"), emitted("l"), emitted("m"), emitted("</think>"), emitted("n"))
}
