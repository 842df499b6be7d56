package conversation

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func TestGoOn(t *testing.T) {
	call := hub.Part{Kind: hub.PartCall, ID: []byte("c1"), Name: []byte("f")}
	result := hub.Part{Kind: hub.PartCall, ID: []byte("c1"), Result: &hub.CallResult{Text: []byte("four")}}
	lone := hub.Part{Kind: hub.PartCall, ID: []byte("c9"), Result: &hub.CallResult{Text: []byte("nine")}}
	said := hub.Part{Kind: hub.PartText, Text: []byte("thanks")}
	before := []hub.Message{{Role: hub.RoleAgent, ID: []byte("m1"), Parts: []hub.Part{call}}}
	all := GoOn(before, []hub.Message{
		{Role: hub.RoleResults, Parts: []hub.Part{result, lone}},
		{Role: hub.RoleUser, ID: []byte("u1"), Parts: []hub.Part{said}},
	})
	if len(all) != 3 || all[0].Parts[0].Result == nil || string(all[0].Parts[0].Result.Text) != "four" {
		t.Errorf("the result is not with its call: %+v", all)
	}
	if all[1].Role != hub.RoleResults || string(all[1].Parts[0].ID) != "c9" || string(all[2].ID) != "u1" || len(all[2].Parts) != 1 {
		t.Errorf("what is new stands as %+v", all[1:])
	}
	if before[0].Parts[0].Result != nil {
		t.Error("what was before is changed")
	}
}

// TestDecide: an answer goes to the call that its question is about, and the conversation before it stays as it was.
func TestDecide(t *testing.T) {
	call := hub.Part{Kind: hub.PartCall, ID: []byte("c1"), Approval: &hub.Approval{ID: []byte("q1")}}
	before := []hub.Message{{Role: hub.RoleAgent, Parts: []hub.Part{call}}}
	all := GoOn(before, nil)
	yes := hub.Decision{Ask: []byte("q1"), Decided: true, Approved: true, Reason: []byte("fine")}
	others := Decide(all, []hub.Decision{yes, {Ask: []byte("q2"), Decided: true}, {Ask: []byte("q1")}})
	if a := all[0].Parts[0].Approval; !a.Decided || !a.Approved || string(a.Reason) != "fine" || len(others) != 2 {
		t.Errorf("the call has %+v, and %d answers are left", a, len(others))
	}
	if before[0].Parts[0].Approval.Decided {
		t.Error("what was before is changed")
	}
	if others = Decide(all, []hub.Decision{yes}); len(others) != 1 {
		t.Error("a question is answered twice")
	}
}

// TestDecideAnew: of two questions that were asked together, one may be answered anew as long as the other is open.
func TestDecideAnew(t *testing.T) {
	call := func(id string) hub.Part {
		return hub.Part{Kind: hub.PartCall, ID: []byte("c" + id), Approval: &hub.Approval{ID: []byte("q" + id)}}
	}
	all := GoOn([]hub.Message{{Role: hub.RoleAgent, Parts: []hub.Part{call("1"), call("2")}}}, nil)
	decide := func(ask string, yes bool) int {
		return len(Decide(all, []hub.Decision{{Ask: []byte(ask), Decided: true, Approved: yes}}))
	}
	if others := decide("q1", true) + decide("q1", false); others != 0 || all[0].Parts[0].Approval.Approved {
		t.Errorf("the last answer does not count: %+v, %d are left", all[0].Parts[0].Approval, others)
	}
	if others := decide("q2", true) + decide("q1", true); others != 1 || all[0].Parts[0].Approval.Approved {
		t.Errorf("an answer that the agent has counts anew: %+v, %d are left", all[0].Parts[0].Approval, others)
	}
}

// TestUnanswered: what is open is found beside what was answered, in what the agent has said last, unless the user has gone on, or the
// request answers it in words.
func TestUnanswered(t *testing.T) {
	yes, open := &hub.Approval{ID: []byte("q1"), Decided: true, Approved: true}, &hub.Approval{ID: []byte("q2")}
	agent := func(one, two *hub.Approval) hub.Message {
		return hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{
			{Kind: hub.PartCall, ID: []byte("c1"), Approval: one}, {Kind: hub.PartCall, ID: []byte("c2"), Approval: two},
		}}
	}
	user := hub.Message{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte("so?")}}}
	for name, c := range map[string]struct {
		req  hub.Request
		want int
	}{
		"one of two":   {hub.Request{Messages: []hub.Message{user, agent(yes, open)}}, 1},
		"none":         {hub.Request{Messages: []hub.Message{user, agent(open, open)}}, 0},
		"both":         {hub.Request{Messages: []hub.Message{user, agent(yes, yes)}}, 0},
		"left behind":  {hub.Request{Messages: []hub.Message{user, agent(yes, open), user}}, 0},
		"in words":     {hub.Request{Messages: []hub.Message{user, agent(yes, open)}, Answers: []hub.Decision{{Ask: []byte("q2"), Payload: []byte("{}")}}}, 0},
		"of the agent": {hub.Request{Messages: []hub.Message{user, agent(yes, open)}, Partial: true}, 0},
	} {
		if answered, open := Unanswered(&c.req); len(open) != c.want || c.want > 0 && answered != 1 {
			t.Errorf("%s: %d are open, %d answered", name, len(open), answered)
		}
	}
}
