package proxy

import (
	"strings"
	"testing"
)

// TestAnswersOfConnection: where nothing is stored, a client goes on from each of the last answers of its connection, and not from others.
func TestAnswersOfConnection(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, simple(agent.url(), "", `request: '$messages'`, "client: openai-responses\n"))
	c := r.dialWS("/run")
	ask := func(previous, input string) (id, sent string) {
		t.Helper()
		if previous != "" {
			previous = `,"previous_response_id":"` + previous + `"`
		}
		c.say(`{"type":"response.create","model":"m","store":false` + previous + `,"input":"` + input + `"}`)
		all := c.response()
		if last := all[len(all)-1]; last.Type != "response.completed" {
			t.Fatalf("%s is answered by %+v", input, last)
		}
		return all[0].Response.ID, (<-asked).body
	}
	first, _ := ask("", "one")
	for _, text := range []string{"two", "three"} {
		if _, sent := ask(first, text); !strings.Contains(sent, `"one"`) || !strings.Contains(sent, "Hello, world") || strings.Contains(sent, "two") != (text == "two") {
			t.Errorf("the agent got %s", sent)
		}
	}
	other := r.dialWS("/run")
	other.say(`{"type":"response.create","model":"m","store":false,"previous_response_id":"` + first + `","input":"four"}`)
	if all := other.response(); all[len(all)-1].Type == "response.completed" {
		t.Errorf("another connection goes on from it: %+v", all)
	}
}

// TestAnswersByName: an answer is found by the whole of its name, however short that is.
func TestAnswersByName(t *testing.T) {
	t.Parallel()
	kept := answers{{id: ""}, {id: "a"}, {id: "ab"}}
	for id, want := range map[string]int{"": -1, "a": 1, "ab": 2, "b": -1} {
		if got := kept.find([]byte(id)); want < 0 && got != nil || want >= 0 && got != &kept[want] {
			t.Errorf("%q: found %v", id, got)
		}
	}
}
