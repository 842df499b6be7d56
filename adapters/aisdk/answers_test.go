package aisdk_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/aisdk"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestAnswersFindTheirCalls: an answer goes to the call that it names, to the only one if it names none, and to none by a guess.
func TestAnswersFindTheirCalls(t *testing.T) {
	yes := func(ask, call string) hub.Decision {
		return hub.Decision{Ask: []byte(ask), Call: []byte(call), Decided: true, Approved: true}
	}
	f := func(want string, calls []string, answers ...hub.Decision) {
		t.Helper()
		m := hub.Message{Role: hub.RoleAgent, ID: []byte("a")}
		for _, id := range calls {
			p := hub.Part{Kind: hub.PartCall, Name: []byte("rm")}
			if p.ID = []byte(strings.TrimPrefix(id, "done ")); string(p.ID) != id {
				p.Result = &hub.CallResult{Status: hub.StatusOK}
			}
			m.Parts = append(m.Parts, p)
		}
		req := &hub.Request{Messages: []hub.Message{m}, Answers: answers}
		var l hub.Losses
		out, err := aisdk.Dialect.Requests.AppendRequest(nil, req, &l)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, part := range strings.Split(string(out), `"toolCallId":"`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			switch {
			case strings.Contains(part, `"approved":true`):
				got += id + " yes "
			case strings.Contains(part, `"approved":false`):
				got += id + " no "
			}
		}
		if got += strings.Join(l.Names, " "); got != want {
			t.Errorf("got %q, want %q: %s", got, want, out)
		}
	}
	one, two := []string{"c1"}, []string{"c1", "c2"}
	f("c2 yes ", two, yes("int-c2", ""))
	f("c1 yes ", two, yes("c1", ""))
	f("c2 yes ", two, yes("q7", "c2"))
	f("c1 yes ", one, yes("q7", ""))
	f("answers", two, yes("q7", ""))
	f("c1 yes answers", two, yes("c1", ""), yes("q7", ""))
	f("c1 yes answers", one, yes("c1", ""), yes("c1", ""))
	f("answers", nil, yes("c1", ""))
	f("c1 no ", one, hub.Decision{Ask: []byte("c1"), Cancelled: true})
	f("answers", one, hub.Decision{Ask: []byte("c1"), Payload: []byte(`"blue"`)})
	f("answers", two, yes("c1", "c3"))
	f("answers", one, yes("c1", "c3"))
	f("answers", []string{"done c0", "c1"}, yes("int-c0", ""))
	f("c1 yes ", []string{"done c0", "c1"}, yes("q7", ""))
}
