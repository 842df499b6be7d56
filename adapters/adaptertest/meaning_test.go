package adaptertest_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// meaningOf reads lines in native notation. A line that begins with the name of a disposition has that one, others are native.
func meaningOf(t *testing.T, lines string) *adaptertest.Meaning {
	t.Helper()
	var m adaptertest.Meaning
	for line := range strings.Lines(lines) {
		disposition := hub.Native
		for _, f := range hub.Dispositions() {
			if rest, ok := strings.CutPrefix(line, f.String()+" "); ok {
				disposition, line = f, rest
			}
		}
		evs, err := adaptertest.Events([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		for i := range evs {
			m.Event(&evs[i], disposition)
		}
	}
	return &m
}

func TestMeaning(t *testing.T) {
	f := func(sent, got string, want ...string) {
		t.Helper()
		faults := meaningOf(t, sent).Compare(meaningOf(t, got))
		if len(faults) != len(want) {
			t.Errorf("faults are %q, want %q", faults, want)
			return
		}
		for i := range want {
			if !strings.Contains(faults[i], want[i]) {
				t.Errorf("fault %q, want %q", faults[i], want[i])
			}
		}
	}
	f(text+delta+shut+tool+args+ready+done+end, text+delta+shut+tool+args+ready+done+end)
	f(text+delta+delta+shut, text+`{"kind":"text.delta","id":"p","text":"aa"}`)
	f(text+delta+delta+shut, text+delta, `the answer text is "a", not "aa"`)
	f(text+delta+"dropped "+delta, text+delta)
	f(text+delta+"folded "+delta, text+delta+delta+delta)
	f(text+delta+"folded "+tool+delta, text+delta+`{"kind":"text.delta","id":"p","text":"[n]"}`+"\n"+delta)
	f(text+delta+"folded "+tool+delta, text+delta, `the answer text is "a", not "aa"`)
	f(tool+args+ready+done, "", `tool n "t" is missing`)
	f("dropped "+tool+"dropped "+args+"dropped "+ready+"dropped "+done, "")
	f("", tool, "1 tools that were never called")
	f(tool+args+ready+done, strings.ReplaceAll(tool+args+ready+done, `"t"`, `"other"`))
	f(tool+args+ready+done, tool+args+ready+`{"kind":"tool.end","status":"error","id":"t","name":"n","text":"x"}`,
		"ended as error, not ok", `the result "x", not ""`)
	f(tool+args+ready+"folded "+done, tool+args+ready+`{"kind":"tool.end","status":"error","id":"t","name":"n"}`)
	f(tool+args+ready, tool+`{"kind":"tool.args","id":"t","text":"{\"a\":1}"}`, `the arguments {"a":1}, not {}`)
	f(tool+args+"implied "+ready, tool+`{"kind":"tool.args","id":"t","text":" {} "}`)
	f(`{"kind":"tool.end","status":"ok","id":"t","name":"n","value":{"a":[1, 2]}}`, `{"kind":"tool.end","status":"ok","id":"t","name":"n","text":"{\"a\":[1,2.0]}"}`)
	f(`{"kind":"tool.end","status":"ok","id":"t","name":"n","text":"a\nb"}`,
		`{"kind":"tool.end","status":"ok","id":"t","name":"n","content":[{"type":"content","content":{"type":"text","text":"a"}},{"type":"text","text":"b"}]}`)
	f(`{"kind":"tool.end","status":"error","id":"t","name":"n","text":"a"}`, `{"kind":"tool.end","status":"error","id":"t","name":"n","err":"a"}`)
	f(subAgent+`{"kind":"text.delta","lane":"l","id":"p","text":"sub"}`, subAgent+`{"kind":"text.delta","lane":"l","id":"p","text":"sub"}`)
	f(subAgent+`{"kind":"text.delta","lane":"l","id":"p","text":"sub"}`, `{"kind":"text.delta","id":"p","text":"sub"}`,
		`the answer text is "sub", not ""`, "texts of the lanes")
	f("dropped "+subAgent+`{"kind":"text.delta","lane":"l","id":"p","text":"sub"}`, `{"kind":"text.delta","id":"p","text":"sub"}`)
	f(end, `{"kind":"run.end","status":"failed"}`, "the run ended as failed, not done")
	f("folded "+end, `{"kind":"run.end","status":"failed"}`)
	f(`{"kind":"run.end","status":"failed","err":"e"}`, `{"kind":"run.end","status":"failed"}`, `without the error "e"`)
	f(`{"kind":"plan","items":[{"content":"a"}]}`, `{"kind":"plan","items":[]}`, "the plan is")
	f(`{"kind":"notice","text":"n"}`, "", `notice "n" was claimed`)
	f(`{"kind":"source","file":{"url":"u"}}`, `{"kind":"source","title":"t","file":{"url":"u"}}`)
	f(`{"kind":"usage","usage":{"in":1,"out":2}}`, `{"kind":"usage","usage":{"in":1,"total":3}}`)
	f(`{"kind":"usage","usage":{"in":1,"out":2}}`, `{"kind":"usage","usage":{"in":2}}`, "usage in 1, out 2")
	f(step+stop, "", "1 steps were claimed, 0 are there")
}
