package langgraph

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func TestDecoded(t *testing.T) {
	f := func(name, want string, kind hub.Kind, what func(*hub.Event) string, records ...string) {
		t.Helper()
		if got := emitted(strictly(t, nil, records...), kind, what); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	f("a call without a name hides no other", `c2x`, hub.ToolReady, callOf,
		`messages [{"id":"m1","type":"ai","content":"","invalid_tool_calls":[{"id":"c1","args":"a"},{"id":"c2","name":"f","args":"x"}]},{}]`)
	model := func(ev *hub.Event) string { return string(ev.More.Model) }
	f("the model of pieces", `gpt`, hub.Usage, model,
		pieceOf+`"usage_metadata":{"input_tokens":3},"response_metadata":{"model_name":"gpt"}},{}]`)
	f("no model of pieces", ``, hub.Usage, model, pieceOf+`"usage_metadata":{"input_tokens":3}},{}]`)
	f("the model of a whole message", `gpt`, hub.Usage, model,
		`updates {"agent":{"messages":[{"id":"m1","type":"ai","content":"a","usage_metadata":{"input_tokens":3},"response_metadata":{"model":"gpt"}}]}}`)
	subAgent := func(ev *hub.Event) string {
		return string(ev.ID) + " " + string(ev.Name) + " " + string(ev.Ref) + " " + string(ev.Title)
	}
	f("a sub-graph that says where it runs", `child:1 inner c9 Looks around`, hub.AgentStart, subAgent,
		`lifecycle|child:1 {"event":"started","graph_name":"inner","tool_call_id":"c9","description":"Looks around"}`)
	f("a sub-graph that says nothing of itself", `child:1 child  `, hub.AgentStart, subAgent, `lifecycle|child:1 {"event":"started"}`)
	f("a sub-graph inside another is the one that is meant", `a:1 a  ;a:1|b:2 inner  `, hub.AgentStart, subAgent,
		`lifecycle|a:1|b:2 {"event":"running","graph_name":"inner"}`)
}

// TestLearn: a record of a sub-graph's life is about that sub-graph, and about nothing that came just before it.
func TestLearn(t *testing.T) {
	d, l := &decoder{}, &subAgent{id: []byte("a:1")}
	value := []byte(`{"tool_call_id":"c","graph_name":"g","description":"d"}`)
	f := func(ev hub.Event, want bool) {
		t.Helper()
		evs := []hub.Event{ev}
		d.learn(evs, l, value)
		if got := string(evs[0].Ref) == "c" && string(evs[0].Name) == "g" && string(evs[0].Title) == "d"; got != want {
			t.Errorf("%s %s: %t, want %t", ev.Kind, ev.ID, got, want)
		}
	}
	f(hub.Event{Kind: hub.AgentStart, ID: []byte("a:1")}, true)
	f(hub.Event{Kind: hub.AgentStart, ID: []byte("b:2")}, false)
	f(hub.Event{Kind: hub.StepStart, ID: []byte("a:1")}, false)
	d.learn(nil, l, value)
}
