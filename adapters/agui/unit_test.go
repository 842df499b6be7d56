package agui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func TestObserve(t *testing.T) {
	f := func(record string, want hub.Observation) {
		t.Helper()
		if got := Dialect.Observe(wire.Record{Data: []byte(record)}); got != want {
			t.Errorf("%s: got %d, want %d", record, got, want)
		}
	}
	f(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, hub.ObservedStart)
	f(`{"type":"RUN_FINISHED"}`, hub.ObservedEnd)
	f(`{ "message":"x", "type" : "RUN_ERROR" }`, hub.ObservedEnd)
	f(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\"RUN_FINISHED\""}`, hub.ObservedNothing)
	f(`{"type":"CUSTOM","name":"RUN_FINISHED","value":"RUN_ERROR"}`, hub.ObservedNothing)
	f(`{"type":"RUN_FIN`, hub.ObservedNothing)
	f(``, hub.ObservedNothing)
}

func TestRequest(t *testing.T) {
	f := func(body, thread, run, fault string) {
		t.Helper()
		var req hub.Request
		err := Dialect.Requests.DecodeRequest(&req, []byte(body))
		if (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Fatalf("%s: error %v, want %q", body, err, fault)
		}
		if string(req.Thread) != thread || string(req.Run) != run {
			t.Errorf("%s: thread %q and run %q, want %q and %q", body, req.Thread, req.Run, thread, run)
		}
	}
	f(`{"threadId":"t 1","runId":"r\u00e9","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, "t 1", `r\u00e9`, "")
	f(`{"messages":[]}`, "", "", "")
	f(`{"threadId":null,"runId":7}`, "", "", "")
	f(`[]`, "", "", "type")
	f(`{"threadId":`, "", "", "syntax")
}

func TestValidPatch(t *testing.T) {
	f := func(patch string, want bool) {
		t.Helper()
		if got := validPatch([]byte(patch)); got != want {
			t.Errorf("%s: got %t, want %t", patch, got, want)
		}
	}
	f(`[]`, true)
	f(`[{"op":"add","path":"/a/-","value":null},{"op":"remove","path":"","value":"left over"}]`, true)
	f(`[{"op":"move","from":"/a~0b","path":"/a~1b"},{"op":"copy","from":"","path":"/\u0061"}]`, true)
	f(`[{"op":"replace","path":"/a"}]`, false)
	f(`[{"op":"test","path":"a","value":1}]`, false)
	f(`[{"op":"move","path":"/a"}]`, false)
	f(`[{"op":"remove","path":"/a~"}]`, false)
	f(`[{"op":"remove","path":"/a~2"}]`, false)
	f(`[{"op":"remove"}]`, false)
	f(`[{"path":"/a"}]`, false)
	f(`[7]`, false)
	f(`{}`, false)
	f(``, false)
}

// TestIDsOfRuns encodes the same parts in two runs of a thread: a client keeps the messages of the first, and whose they
// are, so the second may not reuse the ids.
func TestIDsOfRuns(t *testing.T) {
	encode := func(run string) string {
		enc, out := Dialect.NewEncoder(Dialect.Defaults()), wire.NewOut(wire.NDJSON)
		for _, ev := range []hub.Event{
			{Kind: hub.RunStart, ID: []byte(run), Ref: []byte("t")},
			{Kind: hub.TextStart, ID: []byte("p_1")},
			{Kind: hub.TextEnd, ID: []byte("p_1")},
			{Kind: hub.Plan},
			{Kind: hub.AgentStart, ID: []byte("a_1"), Name: []byte("helper")},
			{Kind: hub.AgentStart, ID: []byte("a_2"), Name: []byte("helper"), SubAgent: []byte("a_1")},
			{Kind: hub.Notice, Level: hub.LevelInfo, Text: []byte("x"), SubAgent: []byte("a_2")},
			{Kind: hub.Ask, ID: []byte("q"), AskKind: hub.AskInput, SubAgent: []byte("a_2")},
			{Kind: hub.AgentEnd, ID: []byte("a_2"), Status: hub.StatusPaused, SubAgent: []byte("a_1")},
			{Kind: hub.AgentEnd, ID: []byte("a_1"), Status: hub.StatusError},
			{Kind: hub.RunEnd, Status: hub.StatusPaused},
		} {
			enc.Encode(out, &ev)
		}
		return string(out.Buf)
	}
	ids := func(lines string) (all []string) {
		for _, m := range regexp.MustCompile(`"(?:messageId|subagentRunId|parentSubagentRunId)":"(.*?)"`).FindAllStringSubmatch(lines, -1) {
			all = append(all, m[1])
		}
		return all
	}
	first, again, second := ids(encode("r1")), ids(encode("r1")), ids(encode("r2"))
	if len(first) != 10 {
		t.Fatalf("there are %d ids of messages and sub-agents, want 10: %v", len(first), first)
	}
	for i := range first {
		if first[i] != again[i] {
			t.Errorf("the same run gives the ids %s and %s", first[i], again[i])
		}
		if first[i] == second[i] {
			t.Errorf("two runs have the id %s", first[i])
		}
	}
}

// TestBounds opens more than anyone does and closes nothing: what the decoder remembers stays bounded.
func TestBounds(t *testing.T) {
	d := newDecoder(Dialect.Defaults()).(*decoder)
	var evs []hub.Event
	for i := range 3 * maxOpen {
		for _, record := range []string{
			`{"type":"TEXT_MESSAGE_START","messageId":"m%d","subagentRunId":"s%d"}`,
			`{"type":"REASONING_START","messageId":"m%d","subagentRunId":"s%d"}`,
			`{"type":"TOOL_CALL_CHUNK","toolCallId":"c%d","toolCallName":"a","subagentRunId":"s%d"}`,
			`{"type":"TOOL_CALL_CHUNK","toolCallId":"d%d","toolCallName":"a","delta":"%d"}`,
			`{"type":"SUBAGENT_FINISHED","subagentRunId":"s%d","outcome":{"type":"suspended"},"x":%d}`,
		} {
			var err error
			if evs, err = d.Decode(evs[:0], wire.Record{Data: fmt.Appendf(nil, record, i, i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	tools := 0
	for i := range d.chunks.subAgents {
		tools += len(d.chunks.subAgents[i].tools)
	}
	for name, n := range map[string]int{
		"open messages": len(d.open.All()), "owners": len(d.owners), "spans": len(d.spans), "calls": len(d.calls),
		"suspended": len(d.suspended), "lanes": len(d.chunks.subAgents), "chunked calls": tools,
	} {
		if n == 0 || n > 2*maxOpen {
			t.Errorf("the decoder remembers %d %s, want 1 to %d", n, name, 2*maxOpen)
		}
	}
}

// TestFlatLanes: where sub-agents are flat, nothing names one.
func TestFlatLanes(t *testing.T) {
	o, problems := Dialect.ParseOptions(map[string]any{"subagents": "flat"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	enc, out := Dialect.NewEncoder(o), wire.NewOut(wire.NDJSON)
	for _, ev := range []hub.Event{
		{Kind: hub.RunStart},
		{Kind: hub.AgentStart, ID: []byte("a"), Name: []byte("writer")},
		{Kind: hub.AgentStart, ID: []byte("b"), Name: []byte("writer"), SubAgent: []byte("a")},
		{Kind: hub.TextStart, ID: []byte("p"), SubAgent: []byte("b")},
		{Kind: hub.TextEnd, ID: []byte("p"), SubAgent: []byte("b")},
		{Kind: hub.Ask, ID: []byte("q"), AskKind: hub.AskInput, SubAgent: []byte("b")},
		{Kind: hub.Plan, SubAgent: []byte("b")},
		{Kind: hub.Notice, Text: []byte("n"), SubAgent: []byte("b")},
		{Kind: hub.AgentEnd, ID: []byte("b"), Status: hub.StatusPaused, SubAgent: []byte("a")},
		{Kind: hub.AgentEnd, ID: []byte("a"), Status: hub.StatusPaused},
		{Kind: hub.RunEnd, Status: hub.StatusPaused},
	} {
		enc.Encode(out, &ev)
	}
	got := string(out.Buf)
	if strings.Contains(got, "ubagent") || strings.Contains(got, "SUBAGENT") {
		t.Errorf("flat, but there is a sub-agent:\n%s", got)
	}
	if want := `"stepName":"writer #2"`; strings.Count(got, want) != 2 {
		t.Errorf("want a start and an end with %s:\n%s", want, got)
	}
}
