package copilot_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/copilot"
)

// TestRepeats: pieces of a text that differ in nothing but that and the size so far are parsed once, in every envelope.
// Those that have an id of their own are not reported twice.
func TestRepeats(t *testing.T) {
	f := func(name string, parsed int, records ...string) {
		t.Helper()
		adaptertest.Repeats(t, &copilot.Dialect, set(t, ""), name, parsed, adaptertest.Data(records...)...)
	}
	sized := func(text, size, more string) string {
		return `{"type":"assistant.message_delta",` + more + `"data":{"messageId":"m","deltaContent":"` + text + `","totalResponseSizeBytes":` + size + `}}`
	}
	frame := func(ev string) string { return `{"type":"event","sessionId":"s","event":` + ev + `}` }
	rpc := func(ev string) string {
		return `{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"s","event":` + ev + `}}`
	}
	f("bare", 1, sized("a", "1", ""), sized("b", "2", ""), sized(" c", "14", ""))
	f("a frame", 2, frame(sized("a", "1", "")), frame(sized("b", "2", "")), frame(sized(" c", "14", "")))
	f("RPC", 2, rpc(sized("a", "1", "")), rpc(sized("b", "2", "")), rpc(sized(" c", "14", "")))
	f("no size", 2, sized("a", "null", ""), sized("b", "2", ""), sized("c", "3", ""))
	f("one id", 3, sized("a", "1", `"id":"e1",`), sized("a", "1", `"id":"e1",`), sized("b", "2", `"id":"e1",`))
	f("in a log", 2, `{"jsonrpc":"2.0","id":1,"result":{"events":[`+sized("a", "1", "")+`]}}`, `{"jsonrpc":"2.0","id":1,"result":{"events":[`+sized("b", "1", "")+`]}}`)
	args := func(text string) string {
		return `{"type":"assistant.tool_call_delta","data":{"toolCallId":"t","inputDelta":"` + text + `"}}`
	}
	f("arguments", 1, args("{"), args("}"))
	f("of a call that tells an intent", 3, `{"type":"assistant.tool_call_delta","data":{"toolCallId":"t","toolName":"report_intent","inputDelta":"{"}}`, args("{"), args("}"))
}
