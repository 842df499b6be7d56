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
	said := func(text string) string { return `{"type":"response","data":"` + text + `","messageId":"m"}` }
	inside := func(agent, text string) string {
		return `{"type":"subagent_data","subagentId":"` + agent + `","data":{"type":"response","data":"` + text + `"}}`
	}
	f("text", usual, 2, said(""), said("a"), said("b > c"), said(`\n`)) // the first frame begins the run
	f("a tag", usual, 7, said(""), said("a"), said("<think>"), said("b"), said("c"), said("</think>"), said("d"), said("e"), said("<think>f</think>"))
	f("half a tag", usual, 5, said(""), said("a"), said("b <thi"), said("nk>"), said("c"), said("d"))
	f("no tag", usual, 5, said(""), said("a"), said(`b \u003c`), said("c"), said("d"))
	f("a sub-agent", usual, 2, inside("s", ""), inside("s", "a"), inside("s", "b"), inside("s", "c"))
	f("two sub-agents", usual, 6, inside("s", ""), inside("r", ""), inside("s", "<think>"), inside("s", "a"), inside("s", "b"), inside("r", "c"), inside("r", "d"), inside("s", "e"))
	tool := `{"type":"tool_call_success","data":{"toolCallId":"t","status":"success"},"messageId":"m"}`
	f("reasoning behind a call", careful, 4, said("<think>a"), tool, said("b"), said("c"), said("d"), said("</think>"))
	f("text that is kept back", careful, 5, said("a"), said("b"), said("cdefghijk"), said("l"), said("m"), said("</think>"), said("n"))
}
