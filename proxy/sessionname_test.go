package proxy

import (
	"encoding/json"
	"testing"
)

// TestNameOfChainedAnswers: an agent that wants a name for the conversation gets the same one for each turn of a client that names only the
// answer that it goes on from, and another one for another conversation.
func TestNameOfChainedAnswers(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			asked <- string(p.body)
			p.ok("Content-Type: text/event-stream")
			p.finish("data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n" +
				"data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"Hello\"}\n\n" +
				"data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n")
		}
	})
	r := start(t, between(a.url(), "agui", "openai-responses", "", "", "requests: {mode: translate}"))
	turn := func(previous string) (thread, answer string) {
		t.Helper()
		body := `{"model":"m","input":"hi"}`
		if previous != "" {
			body = `{"model":"m","input":"hi","previous_response_id":"` + previous + `"}`
		}
		answer = idIn(t, r.call(t, 200, alice, "POST", "/run", body, "Hello"))
		var in struct{ ThreadID string }
		if err := json.Unmarshal([]byte(<-asked), &in); err != nil || in.ThreadID == "" {
			t.Fatalf("%v: it has no name", err)
		}
		return in.ThreadID, answer
	}
	first, answer := turn("")
	second, answer := turn(answer)
	third, _ := turn(answer)
	other, _ := turn("")
	if first != second || second != third || other == first {
		t.Errorf("the turns are of %s, %s and %s, another conversation of %s", first, second, third, other)
	}
}

// TestPrepareWithoutMemory: who only prepares an answer by WebSocket, and goes on from one that nothing is known of, learns that at once.
func TestPrepareWithoutMemory(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := start(t, simple(agent.url(), "threads: {max: 0}", "", "client: openai-responses\nrequests: {mode: translate}"))
	c := r.dialWS("/run")
	c.say(`{"type":"response.create","generate":false,"model":"m","input":"hi","previous_response_id":"resp_none"}`)
	if last := c.response(); last[len(last)-1].Type == "response.completed" {
		t.Errorf("it is answered by %+v", last)
	}
	c.say(`{"type":"response.create","generate":false,"model":"m","input":"hi"}`)
	if last := c.response(); last[len(last)-1].Type != "response.completed" || agent.connections() != 0 {
		t.Errorf("what goes on from nothing is answered by %+v", last)
	}
}

// TestSessionIDs: lists of names that read alike are not alike.
func TestSessionIDs(t *testing.T) {
	if a, b := sessionID("a", "", "bc"), sessionID("a", "b", "c"); string(a) == string(b) {
		t.Errorf("%s stands for both", a)
	}
	if got, want := string(sessionID("/run", "", "t")), string(sessionID("/run", "", "t")); got != want || len(got) != 36 || got[14] != '5' {
		t.Errorf("%s, %s", got, want)
	}
}
