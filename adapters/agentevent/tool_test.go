package agentevent_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/agentevent"
)

// TestAppendAgentEvent is S4-20: progress becomes tool_progress, result becomes tool_result, members are copied.
func TestAppendAgentEvent(t *testing.T) {
	f := func(event, want string) {
		t.Helper()
		got, err := agentevent.AppendAgentEvent([]byte("> "), []byte(event))
		if err != nil || string(got) != "> "+want {
			t.Errorf("%s\ngot  %s, %v\nwant > %s", event, got, err, want)
		}
	}
	f(`{"type":"progress","toolName":"bash","data":{"subtype":"stdout_chunk","content":"a\n"}}`,
		`{"type":"tool_progress","toolName":"bash","data":{"subtype":"stdout_chunk","content":"a\n"}}`)
	f(`{"type":"result","toolName":"bash","output":"a","isError":true}`, `{"type":"tool_result","toolName":"bash","output":"a","isError":true}`)
	f(`{ "toolName": "b\u0061sh", "data": [1, 2.50], "type": "progress", "more": null }`,
		`{"toolName":"b\u0061sh","data":[1, 2.50],"type":"tool_progress","more":null}`)
	f(`{"type":"tool_progress","toolName":"bash","data":1}`, `{"type":"tool_progress","toolName":"bash","data":1}`)
}

func TestAppendAgentEventErrors(t *testing.T) {
	f := func(event string) {
		t.Helper()
		if got, err := agentevent.AppendAgentEvent([]byte("> "), []byte(event)); err == nil || string(got) != "> " {
			t.Errorf("%s: got %q and error %v", event, got, err)
		}
	}
	f(`{"type":"progress"`)
	f(`{"toolName":"bash"}`)
	f(`{"type":1}`)
	f(`[]`)
}

// TestSubAgent is S4-24: what the sub-agent streams becomes progress, the rest is discarded or forwarded, the result is
// the whole text.
func TestSubAgent(t *testing.T) {
	f := func(agent *agentevent.SubAgent, events []string, want string) {
		t.Helper()
		var got []byte
		for _, ev := range events {
			n := len(got)
			var err error
			if got, err = agent.AppendEvent(got, []byte(ev)); err != nil {
				t.Fatal(err)
			}
			if len(got) > n {
				got = append(got, '\n')
			}
		}
		if got = agent.AppendResult(got); string(got) != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	events := []string{
		`{"type":"start","seq":1}`,
		`{"type":"thought","content":"Hm."}`,
		`{"type":"tool_call","toolName":"ls","toolArgs":"{}"}`,
		`{"type":"stream","content":"It is \"no"}`,
		`{"type":"stream","content":""}`,
		`{"type":"stream","content":"on\".\n"}`,
		`{"type":"final"}`,
	}
	f(&agentevent.SubAgent{Tool: `call "agent"`}, events, `{"type":"progress","toolName":"call \"agent\"","data":"It is \"no"}
{"type":"progress","toolName":"call \"agent\"","data":"on\".\n"}
{"type":"result","toolName":"call \"agent\"","output":"It is \"noon\".\n"}`)
	f(&agentevent.SubAgent{Tool: "call-agent", Forward: true}, events, `{"type":"progress","toolName":"call-agent","data":{"type":"thought","content":"Hm."}}
{"type":"progress","toolName":"call-agent","data":{"type":"tool_call","toolName":"ls","toolArgs":"{}"}}
{"type":"progress","toolName":"call-agent","data":"It is \"no"}
{"type":"progress","toolName":"call-agent","data":"on\".\n"}
{"type":"result","toolName":"call-agent","output":"It is \"noon\".\n"}`)
	f(&agentevent.SubAgent{Tool: "call-agent", Limit: 12}, events, `{"type":"progress","toolName":"call-agent","data":"It is \"no"}
{"type":"progress","toolName":"call-agent","data":"on\".\n"}
{"type":"result","toolName":"call-agent","output":"It is \"no"}`)
	f(&agentevent.SubAgent{Tool: "call-agent"}, []string{`{"type":"stream","content":"a"}`, `{"type":"error","error":"lost"}`},
		`{"type":"progress","toolName":"call-agent","data":"a"}
{"type":"result","toolName":"call-agent","output":"lost","isError":true}`)
}

func TestSubAgentError(t *testing.T) {
	agent := &agentevent.SubAgent{Tool: "call-agent"}
	if got, err := agent.AppendEvent([]byte("> "), []byte(`{`)); err == nil || string(got) != "> " {
		t.Errorf("got %q and error %v", got, err)
	}
}
