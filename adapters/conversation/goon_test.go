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
