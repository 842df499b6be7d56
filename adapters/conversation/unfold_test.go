package conversation_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

func unfolded(ms ...hub.Message) string {
	return strings.TrimSuffix(adaptertest.Lines(conversation.Unfold(nil, ms)), "\n")
}

func textPart(s string) hub.Part { return hub.Part{Kind: hub.PartText, Text: []byte(s)} }

func callPart(id string) hub.Part {
	return hub.Part{Kind: hub.PartCall, ID: []byte(id), Name: []byte("f"), Value: []byte("{}")}
}

// TestUnfold is each rule of Unfold.
func TestUnfold(t *testing.T) {
	f := func(got string, want ...string) {
		t.Helper()
		if want := strings.Join(want, "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	f(unfolded(hub.Message{Role: hub.RoleSystem, Parts: []hub.Part{textPart("be kind")}}, hub.Message{Role: hub.RoleUser, Parts: []hub.Part{textPart("hi")}}),
		`{"kind":"text.start","flags":["replayed","user"],"msg":"m2","id":"p1"}`, `{"kind":"text.delta","flags":["replayed","user"],"msg":"m2","id":"p1","text":"hi"}`,
		`{"kind":"text.end","flags":["replayed","user"],"msg":"m2","id":"p1"}`)

	sealed := hub.Part{Kind: hub.PartReasoning, ID: []byte("r"), Sig: []byte("x")}
	f(unfolded(hub.Message{Role: hub.RoleAgent, ID: []byte("a"), Parts: []hub.Part{sealed, {Kind: hub.PartRaw, Value: []byte("{}")}}}),
		`{"kind":"step.start","flags":["replayed"],"msg":"a","id":"s1"}`, `{"kind":"text.start","chan":"reasoning","flags":["replayed"],"msg":"a","id":"r"}`,
		`{"kind":"text.end","chan":"reasoning","flags":["replayed"],"msg":"a","id":"r","sig":"x"}`, `{"kind":"step.end","flags":["replayed"],"msg":"a","id":"s1"}`)

	lone := callPart("c")
	lone.Result = &hub.CallResult{Status: hub.StatusOK, Text: []byte("r")}
	f(unfolded(hub.Message{Role: hub.RoleResults, Parts: []hub.Part{lone}}),
		`{"kind":"tool.end","status":"ok","flags":["resumed","replayed"],"msg":"m1","id":"c","name":"f","text":"r"}`)
}

// TestUnfoldIDs: calls that count anew, messages of one id that are no steps, parts and questions whose ids come again.
func TestUnfoldIDs(t *testing.T) {
	asked := callPart("call_0")
	asked.Approval = &hub.Approval{ID: []byte("q")}
	answer := hub.Message{Role: hub.RoleAgent, ID: []byte("a"), Parts: []hub.Part{asked, callPart("call_0")}}
	user := hub.Message{Role: hub.RoleUser, ID: []byte("u"), Parts: []hub.Part{textPart("hi")}}
	var got []string
	for _, ev := range conversation.Unfold(nil, []hub.Message{answer, answer, user, answer, user}) {
		if ev.Kind != hub.ToolReady && ev.Kind != hub.ToolEnd && ev.Kind != hub.TextDelta && ev.Kind != hub.TextEnd && ev.Kind != hub.StepEnd {
			got = append(got, ev.Kind.String()+" "+string(ev.ID)+" in "+string(ev.Msg))
		}
	}
	want := "step.start s1 in a, tool.start call_0 in a, ask q in a, tool.start call_0_2 in a, step.start s2 in a, tool.start call_0_3 in a, ask q_2 in a, tool.start call_0_4 in a, " +
		"text.start p1 in u, step.start s4 in a_2, tool.start call_0_5 in a_2, ask q_3 in a_2, tool.start call_0_6 in a_2, text.start p1_2 in u_2"
	if strings.Join(got, ", ") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, ", "), want)
	}
}

// TestUnfoldManyCalls: of calls side by side no more are open at once than a sequencer allows, and each keeps its result.
func TestUnfoldManyCalls(t *testing.T) {
	m := hub.Message{Role: hub.RoleAgent, ID: []byte("a")}
	for range 600 {
		p := callPart("c")
		p.Result = &hub.CallResult{Status: hub.StatusOK, Text: []byte("r")}
		m.Parts = append(m.Parts, p)
	}
	open, most, ends := 0, 0, 0
	for _, ev := range conversation.Unfold(nil, []hub.Message{m}) {
		switch ev.Kind {
		case hub.ToolStart:
			open++
		case hub.ToolEnd:
			open--
			ends++
		}
		most = max(most, open)
	}
	if most != 100 || open != 0 || ends != 600 {
		t.Errorf("%d at once, %d left open, %d ended", most, open, ends)
	}
}

// TestUnfoldOpenCalls: a call without a result waits for the client, or for a later run.
func TestUnfoldOpenCalls(t *testing.T) {
	mine, yours := callPart("c"), callPart("d")
	yours.ClientRuns = true
	got := unfolded(hub.Message{Role: hub.RoleAgent, ID: []byte("a"), Parts: []hub.Part{mine, yours}})
	for _, want := range []string{
		`{"kind":"tool.end","status":"paused","flags":["replayed"],"msg":"a","id":"c","name":"f"}`,
		`{"kind":"tool.end","status":"client","flags":["replayed"],"msg":"a","id":"d","name":"f"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s\n%s", want, got)
		}
	}
}
